//! What servers log: their messages and the lines of their stderr, by window.

use journal::event::{EventSeq, OperationId};
use journal::row::RowKey;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// Which lines of a server's log are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogFilter {
    /// Messages of this level and worse: `debug` to `emergency`. A message without a level that is known is always shown.
    pub level: Option<String>,
    /// Messages of this logger alone.
    pub logger: Option<String>,
    /// Lines that have this text, in whatever case.
    pub text: String,
    /// Whether messages are shown.
    pub messages: bool,
    /// Whether lines of stderr are shown.
    pub stderr: bool,
}

/// A window of a server's log.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogArgs {
    /// Of which server.
    pub server: ServerId,
    /// Which lines.
    pub filter: LogFilter,
    /// From this line on, from 0.
    pub start: u32,
    /// How many lines, 400 at most.
    pub len: u32,
    /// The last `len` lines instead, whatever `start` says.
    pub follow: bool,
}

/// What is shown of a server's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogWindow {
    /// How many lines there are, whatever is wanted.
    pub all: u32,
    /// How many fit.
    pub total: u32,
    /// The place of the first of these among those that fit.
    pub start: u32,
    /// The lines.
    pub lines: Vec<LogLine>,
    /// The loggers that have named themselves, in the order of their first message; the first 500 of the session.
    pub loggers: Vec<LoggerCount>,
    /// Messages by level, by the names of RFC 5424; without those that have had none.
    pub levels: Vec<LevelCount>,
    /// Lines of stderr.
    pub stderr_count: u32,
    /// From which level on messages are asked for; absent where the server chooses.
    pub asked_level: Option<String>,
    /// Whether the server says that it can log; absent while it is not connected.
    pub can_log: Option<bool>,
}

/// Who logs, and how much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LoggerCount {
    /// The logger's name as the server says, cut at 200 characters.
    pub name: String,
    /// Its messages.
    pub count: u32,
}

/// How much there is of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LevelCount {
    /// The level.
    pub level: String,
    /// Its messages.
    pub count: u32,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogLine {
    /// The event.
    pub event: EventSeq,
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
    /// The operation in which it came, where it came in one.
    pub operation: Option<OperationId>,
    /// A line of stderr.
    pub stderr: bool,
    /// The level as the server sent it, cut at 200 characters; absent for stderr, and where it sent none.
    pub level: Option<String>,
    /// The logger, where it names one.
    pub logger: Option<String>,
    /// What it says: a text as it is, any other data as JSON text. Cut at 4000 characters.
    pub text: String,
    /// There is more than this.
    pub is_cut: bool,
}

/// A row, by its key.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LocateRowArgs {
    /// `o12`, `o12/3` or `e99`.
    pub key: RowKey,
}

/// From which level on a server is to log.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogLevelArgs {
    /// Which server.
    pub server: ServerId,
    /// The level; absent for the server's own choice.
    pub level: Option<String>,
}
