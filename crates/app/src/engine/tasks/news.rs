//! What a view is told of tasks.

use client::clock::now_micros;
use protocol::tasks::{TaskDesign, TaskLoss};
use tokio::time::Instant;

use super::known::KnownTask;
use crate::api::tasks::{TaskStanding, TaskView, TasksPatch};
use crate::engine::state::Engine;

/// How many tasks a batch tells of; the next one tells of more.
const PART: usize = 100;

impl Engine {
    /// What is wrong with the file that keeps tasks.
    pub(in crate::engine) fn task_file_problem(&self) -> Option<String> {
        self.tasks.file.problem()
    }

    /// Whether a view has something to be told of tasks.
    pub(in crate::engine) fn has_task_news(&self) -> bool {
        let news = &self.tasks.news;
        news.whole || !news.changed.is_empty() || !news.gone.is_empty()
    }

    /// What changed, or a part of it.
    pub(in crate::engine) fn task_news(&mut self) -> Option<TasksPatch> {
        if !self.has_task_news() {
            return None;
        }
        let news = &mut self.tasks.news;
        let whole = std::mem::take(&mut news.whole);
        let gone = std::mem::take(&mut news.gone);
        let mut told = Vec::new();
        while told.len() < PART
            && let Some(number) = news.changed.pop_last()
        {
            told.push(number);
        }
        let changed = told
            .into_iter()
            .filter_map(|number| self.tasks.get(number))
            .map(|known| self.task_view(known))
            .collect();
        Some(TasksPatch {
            whole,
            changed,
            gone,
        })
    }

    /// All tasks that are known, the newest first.
    pub(super) fn task_views(&self, server: Option<&str>) -> Vec<TaskView> {
        self.tasks
            .iter()
            .rev()
            .filter(|known| server.is_none_or(|server| known.server == server))
            .map(|known| self.task_view(known))
            .collect()
    }

    fn task_view(&self, known: &KnownTask) -> TaskView {
        let state = &known.handle.state;
        let pace = known.handle.pace;
        let follower = known
            .operation
            .filter(|operation| self.is_following(*operation));
        let wait = follower
            .and_then(|operation| self.active.get(&operation))
            .and_then(|active| active.wait)
            .filter(|_| !pace.is_paused);
        let next_poll_micros = wait.map(|wait| {
            let left = wait.until.saturating_duration_since(Instant::now());
            now_micros().saturating_add(u64::try_from(left.as_micros()).unwrap_or(u64::MAX))
        });
        let asked = follower.map_or(0, |operation| {
            self.prompts
                .iter()
                .filter(|open| open.shown_in == operation)
                .count()
        });
        let shown = |text: &str| self.redacted_text(text.to_owned());
        let server_name = self
            .catalog
            .get(&known.server)
            .map_or(&known.server_name, |entry| &entry.name);
        TaskView {
            number: known.number,
            server: known.server.clone(),
            server_name: server_name.clone(),
            task: shown(&state.id),
            title: shown(&known.title),
            operation: known.operation,
            is_followed: follower.is_some(),
            standing: standing(known, follower.is_some()),
            design: match known.design {
                TaskDesign::Extension => "extension",
                TaskDesign::Experimental => "experimental",
            }
            .to_owned(),
            status: state.status.as_str().to_owned(),
            status_message: state.message.as_deref().map(shown),
            end_brief: known.end.as_ref().map(|(brief, _)| shown(brief)),
            end_message: known.end.as_ref().map(|(_, message)| shown(message)),
            created_at: state.created_at.as_deref().map(shown),
            last_updated_at: state.last_updated_at.as_deref().map(shown),
            known_micros: known.known_micros,
            seen_micros: known.seen_micros,
            ttl_millis: state.ttl_millis,
            expires_micros: known.expires_micros(),
            poll_interval_millis: state.poll_interval_millis,
            own_interval_millis: pace.interval_millis,
            is_forced: pace.is_forced,
            is_paused: pace.is_paused,
            is_listened: known.is_listened,
            next_poll_micros,
            polls: known.handle.polls,
            failed_polls: known.failures,
            problem: known.problem.as_deref().map(shown),
            open_prompts: u32::try_from(asked).unwrap_or(u32::MAX),
            is_cancel_asked: known.handle.is_cancel_asked,
            cancel_refusal: known.cancel_refusal.as_deref().map(shown),
            result_byte_len: known.result_byte_len,
        }
    }
}

fn standing(known: &KnownTask, is_followed: bool) -> TaskStanding {
    match known.loss {
        Some(TaskLoss::Expired) => TaskStanding::Expired,
        Some(TaskLoss::Unknown) => TaskStanding::Lost,
        None if known.handle.state.status.is_terminal() => TaskStanding::Over,
        None if is_followed => TaskStanding::Followed,
        None if known.is_let_go => TaskStanding::LetGo,
        None => TaskStanding::Unfollowed,
    }
}
