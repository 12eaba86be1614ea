//! What the feed tells, put together as a view does it.

use app::api::feed::{FeedBatch, PromptView, StatusView};
use app::api::servers::ServerView;
use app::api::tasks::TaskView;
use journal::row::Row;

/// What a view holds: the last of each thing that the feed told.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The servers.
    pub servers: Vec<ServerView>,
    /// The open prompts.
    pub prompts: Vec<PromptView>,
    /// The tasks, by their numbers.
    pub tasks: Vec<TaskView>,
    /// The rows of the window.
    pub rows: Vec<Row>,
    /// All rows of the filter.
    pub total_rows: u32,
    /// The status bar.
    pub status: StatusView,
    /// The last batch's number.
    pub number: u32,
}

impl Seen {
    pub(super) fn apply(&mut self, batch: FeedBatch) {
        assert_eq!(batch.number, self.number + 1, "a batch is missing");
        self.number = batch.number;
        if let Some(servers) = batch.servers {
            self.servers = servers;
        }
        if let Some(prompts) = batch.prompts {
            self.prompts = prompts;
        }
        if let Some(patch) = batch.tasks {
            if patch.whole {
                self.tasks.clear();
            }
            let is_told = |task: &TaskView| {
                patch.gone.contains(&task.number)
                    || patch.changed.iter().any(|one| one.number == task.number)
            };
            self.tasks.retain(|task| !is_told(task));
            self.tasks.extend(patch.changed);
            self.tasks.sort_by_key(|task| task.number);
        }
        if let Some(status) = batch.status {
            self.status = status;
        }
        if let Some(patch) = batch.timeline {
            self.total_rows = patch.total_rows;
            if patch.whole {
                self.rows.clear();
            }
            self.rows.truncate(patch.len as usize);
            for placed in patch.rows {
                let place = placed.place as usize;
                if place == self.rows.len() {
                    self.rows.push(placed.row);
                } else {
                    self.rows[place] = placed.row;
                }
            }
        }
    }
}
