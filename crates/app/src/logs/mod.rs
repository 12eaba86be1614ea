//! A server's log: messages of both eras (2025-11-25 and 2026-07-28 server/utilities/logging) and lines of stderr, by
//! level, logger and text. The journal has them all; here is only the index that finds them.

mod book;
mod line;

use tokio::sync::oneshot;

pub use self::book::LogBook;
use self::book::LogQuery;
use crate::api::ErrorView;
use crate::api::calls::{Nothing, RowPlace, SaveServerArgs};
use crate::api::logs::{LocateRowArgs, LogArgs, LogLevelArgs, LogWindow};
use crate::catalog::bad_input;
use crate::engine::{self, Input, LogInput};
use crate::{App, details, run_aside};

/// How many lines are given at once.
const MOST: u32 = 400;

impl App {
    pub(crate) async fn logs(&self, args: LogArgs) -> Result<LogWindow, ErrorView> {
        let standing = self
            .engine
            .ask(|answer| {
                Input::Log(LogInput::Standing {
                    server: args.server.clone(),
                    answer,
                })
            })
            .await?;
        let app = self.clone();
        run_aside(move || {
            let mut book = app.logs.lock();
            let read = |book: &mut LogBook| {
                book.sync(&app.journal)?;
                let query = LogQuery {
                    connections: standing.connections.clone(),
                    filter: args.filter.clone(),
                };
                let total = book.ask(&app.journal, &query)?;
                let len = args.len.min(MOST);
                let start = if args.follow {
                    total.saturating_sub(len)
                } else {
                    args.start.min(total)
                };
                Ok((total, start, book.window(&app.journal, start, len)?))
            };
            let (total, start, lines) =
                read(&mut book).map_err(|error| details::journal_error(&error))?;
            let counted = book.counted(&standing.connections);
            Ok(LogWindow {
                all: counted.all,
                total,
                start,
                lines,
                loggers: counted.loggers,
                levels: counted.levels,
                stderr_count: counted.stderr,
                asked_level: standing.level,
                can_log: standing.can_log,
            })
        })
        .await?
    }

    /// Asks a server to log from a level on, now and whenever it is connected.
    pub(crate) async fn set_log_level(&self, args: LogLevelArgs) -> Result<(), ErrorView> {
        if let Some(level) = &args.level
            && !line::LEVELS.contains(&level.as_str())
        {
            return Err(bad_input(
                &format!("{level:?} is no log level."),
                "The levels are debug, info, notice, warning, error, critical, alert and emergency.",
            ));
        }
        let servers = self.servers(Nothing {}).await?;
        let draft = servers
            .into_iter()
            .find(|server| server.id == args.server)
            .and_then(|server| server.draft);
        if let Some(mut draft) = draft {
            draft.options.log_level = args.level;
            let change = SaveServerArgs {
                server: Some(args.server),
                draft,
                session_only: false,
                secrets: Vec::new(),
            };
            return self.save_server(change).await.map(|_| ());
        }
        // A bundled server is as it is in the catalog: the level lasts as long as the connection.
        self.engine
            .ask(|answer| {
                Input::Log(LogInput::SetLevel {
                    server: args.server,
                    level: args.level,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn locate_row(&self, args: LocateRowArgs) -> Result<RowPlace, ErrorView> {
        let row = args
            .key
            .parse()
            .map_err(|error| bad_input(&format!("{error}."), "Keys come with the rows."))?;
        let (answer, place) = oneshot::channel();
        self.engine
            .tell(Input::Log(LogInput::Locate { row, answer }))
            .await?;
        let index = place.await.map_err(|_| engine::ended())?;
        Ok(RowPlace { index })
    }
}
