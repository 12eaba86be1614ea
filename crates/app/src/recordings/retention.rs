//! How long recordings are kept. Limits are the person's choice; without any, nothing is removed. What has a name is
//! kept, whatever the limits say, and so is what is open, what another Roundtrip writes to, and what cannot be read.

use client::clock::now_micros;

use super::{Folder, Recordings};
use crate::api::recordings::{RecordingState, RecordingView, Retention, RetentionPlan};
use crate::api::{ErrorCode, ErrorView};
use crate::engine::SharedJournal;
use crate::noted;
use crate::paths::write_whole;

const DAY_MICROS: u64 = 24 * 60 * 60 * 1_000_000;
const MIB: u64 = 1 << 20;

impl Folder {
    /// The limits. A file that cannot be read holds none: nothing is removed on a guess.
    pub(super) fn retention(&self) -> Retention {
        noted::read(&self.retention_file)
    }
}

impl Recordings {
    /// The limits in force.
    pub(super) fn retention(&self) -> Retention {
        self.folder
            .as_ref()
            .map(Folder::retention)
            .unwrap_or_default()
    }

    /// Keeps the limits for the next start.
    pub(super) fn set_retention(&self, limits: Retention) -> Result<(), ErrorView> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let text = serde_json::to_string_pretty(&limits).unwrap_or_default() + "\n";
        write_whole(&folder.retention_file, &text).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The limits {} could not be written: {error}",
                folder.retention_file.display()
            ),
            hint: Some("Nothing was removed. Check the folder's permissions.".to_owned()),
        })
    }

    /// What the limits remove now.
    pub(super) fn plan(
        &self,
        limits: Retention,
        live: &SharedJournal,
    ) -> Result<RetentionPlan, ErrorView> {
        let all = self.list(live)?;
        let open: Vec<String> = self.open.lock().iter().map(|(id, _)| id.clone()).collect();
        Ok(plan(all, limits, now_micros(), &open))
    }

    /// Removes what is beyond the limits and gives it.
    pub(super) fn apply(
        &self,
        limits: Retention,
        live: &SharedJournal,
    ) -> Result<RetentionPlan, ErrorView> {
        if limits == Retention::default() {
            return Ok(RetentionPlan::default());
        }
        let mut plan = self.plan(limits, live)?;
        let mut problems = Vec::new();
        plan.recordings
            .retain(|view| match self.delete(&view.id, live) {
                Ok(()) => true,
                Err(error) => {
                    problems.push(format!("{}: {}", view.id, error.message));
                    false
                }
            });
        plan.byte_len = plan.recordings.iter().map(|view| view.byte_len).sum();
        plan.problems = problems;
        Ok(plan)
    }
}

/// What the limits remove of these recordings, the oldest first.
fn plan(all: Vec<RecordingView>, limits: Retention, now: u64, open: &[String]) -> RetentionPlan {
    let named = all.iter().filter(|view| view.name.is_some()).count();
    let mut unnamed: Vec<RecordingView> = all
        .into_iter()
        .filter(|view| {
            view.state == RecordingState::Past
                && view.name.is_none()
                && view.problem.is_none()
                && !open.contains(&view.id)
        })
        .collect();
    unnamed.sort_by_key(|view| (view.end_micros, view.id.clone()));
    let oldest = limits
        .days
        .map(|days| now.saturating_sub(u64::from(days) * DAY_MICROS));
    let most = limits.total_mib.map(|mib| u64::from(mib) * MIB);
    let mut rest: u64 = unnamed.iter().map(|view| view.byte_len).sum();
    let mut removed = Vec::new();
    for view in unnamed {
        let is_old = oldest.is_some_and(|oldest| view.end_micros.unwrap_or_default() < oldest);
        if !is_old && most.is_none_or(|most| rest <= most) {
            continue;
        }
        rest -= view.byte_len;
        removed.push(view);
    }
    RetentionPlan {
        byte_len: removed.iter().map(|view| view.byte_len).sum(),
        recordings: removed,
        named: u32::try_from(named).unwrap_or(u32::MAX),
        problems: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recordings::index::view;
    use journal::summary::Summary;

    fn recording(id: &str, day: u64, mib: u64) -> RecordingView {
        let summary = Summary {
            end_micros: Some(day * DAY_MICROS),
            byte_len: mib * MIB,
            event_count: 1,
            ..Summary::default()
        };
        view(id.to_owned(), RecordingState::Past, &summary)
    }

    fn removed(all: Vec<RecordingView>, total_mib: Option<u32>, days: Option<u32>) -> Vec<String> {
        let limits = Retention { total_mib, days };
        plan(all, limits, 100 * DAY_MICROS, &["open".to_owned()])
            .recordings
            .into_iter()
            .map(|view| view.id)
            .collect()
    }

    #[test]
    fn without_limits_nothing_is_removed() {
        assert!(removed(vec![recording("a", 1, 9000)], None, None).is_empty());
    }

    #[test]
    fn age_counts_from_the_last_event() {
        let all = vec![
            recording("new", 99, 1),
            recording("at the limit", 90, 1),
            recording("old", 89, 1),
        ];
        assert_eq!(removed(all, None, Some(10)), ["old"]);
    }

    #[test]
    fn the_oldest_go_until_the_rest_fits() {
        let all = vec![
            recording("c", 30, 4),
            recording("a", 10, 4),
            recording("b", 20, 4),
        ];
        assert_eq!(removed(all.clone(), Some(8), None), ["a"]);
        assert_eq!(removed(all.clone(), Some(7), None), ["a", "b"]);
        assert_eq!(removed(all, Some(0), None), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_named_running_open_or_unreadable_is_kept_and_does_not_count() {
        let named = RecordingView {
            name: Some("mine".to_owned()),
            ..recording("named", 1, 500)
        };
        let running = RecordingView {
            state: RecordingState::Running,
            ..recording("running", 1, 500)
        };
        let elsewhere = RecordingView {
            state: RecordingState::InUse,
            ..recording("elsewhere", 1, 500)
        };
        let damaged = RecordingView {
            problem: Some("damaged".to_owned()),
            ..recording("damaged", 1, 500)
        };
        let all = vec![
            named,
            running,
            elsewhere,
            damaged,
            recording("open", 1, 500),
            recording("a", 50, 10),
        ];
        assert!(removed(all.clone(), Some(10), Some(90)).is_empty());
        assert_eq!(removed(all, Some(9), Some(90)), ["a"]);
    }
}
