//! The ways to end.

use std::process::ExitCode;

use app::api::ErrorView;

/// How the program ends; the number is its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Complete = 0,
    /// The tool answered with `isError: true`.
    ToolError = 1,
    /// The arguments, or a file that they name, cannot be used.
    Usage = 2,
    /// The server answered with a JSON-RPC error.
    RpcError = 3,
    /// The connection could not be made.
    ConnectionFailed = 4,
    /// The server asked something that the answers file does not answer.
    PromptUnanswered = 5,
    /// No answer in time.
    TimedOut = 6,
    /// The request failed on the way, or its answers lead nowhere.
    Failed = 7,
    /// Something of this program's own failed.
    Internal = 8,
    /// Ctrl-C, or another signal to end.
    Interrupted = 130,
    /// Whoever read standard output has gone.
    NobodyReads = 141,
}

impl Exit {
    /// Its name in the event `end`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ToolError => "tool_error",
            Self::Usage => "usage",
            Self::RpcError => "rpc_error",
            Self::ConnectionFailed => "connection_failed",
            Self::PromptUnanswered => "prompt_unanswered",
            Self::TimedOut => "timed_out",
            Self::Failed => "failed",
            Self::Internal => "internal",
            Self::Interrupted => "interrupted",
            Self::NobodyReads => "nobody_reads",
        }
    }

    /// Its number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why it did not go well.
#[derive(Clone, Debug)]
pub struct Problem {
    /// How the program ends for it.
    pub exit: Exit,
    /// What failed, and where.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
    /// The JSON-RPC error as it came: JSON text.
    pub error: Option<String>,
}

impl Problem {
    /// A problem without a hint.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            hint: None,
            error: None,
        }
    }

    /// With what to try.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What the core says, and how the program ends for it.
    pub fn of_core(exit: Exit, error: ErrorView) -> Self {
        Self {
            exit,
            message: error.message,
            hint: error.hint,
            error: None,
        }
    }
}
