//! What the publisher sends to a view: numbered batches, each acknowledged, at most two in flight.

use journal::event::OperationId;
use journal::row::{Filter, Row};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::find::FindView;
use super::links::FlowKeeping;
use protocol::link::Link;

use super::servers::{ServerId, ServerView};
use super::tasks::TasksPatch;

/// One batch. A field that is absent did not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct FeedBatch {
    /// Counts up by one a batch, from 1 at each `attach`.
    pub number: u32,
    /// The core's clock, in microseconds since the Unix epoch.
    pub now_micros: u64,
    /// All servers, when any changed.
    pub servers: Option<Vec<ServerView>>,
    /// All open prompts, when any changed.
    pub prompts: Option<Vec<PromptView>>,
    /// The tasks that changed, when any did.
    pub tasks: Option<TasksPatch>,
    /// The timeline, when the view's window changed.
    pub timeline: Option<TimelinePatch>,
    /// The status bar's figures.
    pub status: Option<StatusView>,
    /// Operations that ended since the last batch, for whoever shows them.
    pub touched: Vec<OperationId>,
}

/// The state of the view's window onto the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TimelinePatch {
    /// Counts up with each patch, in the feed and in replies to `look` alike; one that is lower than the last
    /// applied is out of date and is left out.
    pub revision: u32,
    /// Rows of this filter with the present foldings.
    pub total_rows: u32,
    /// Operations and loose rows of this filter.
    pub top_rows: u32,
    /// Rows that ended badly, over the whole journal.
    pub error_count: u32,
    /// The filter line, and how far the search for its texts is.
    pub find: Option<FindView>,
    /// The first row of the window.
    pub start: u32,
    /// How many rows the window has now.
    pub len: u32,
    /// The rows that are new or changed since the last batch: the place in the window (0 = `start`) and the row.
    pub rows: Vec<PlacedRow>,
    /// The view must forget the window it has: all rows of it are in `rows`.
    pub whole: bool,
}

/// When how much happened over the whole journal, in buckets of equal length: at most 512 of them, however long it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DensityView {
    /// When the first bucket begins, in microseconds since the Unix epoch; 0 where nothing happened yet.
    pub start_micros: u64,
    /// The latest time of any event.
    pub last_micros: u64,
    /// How long each bucket is.
    pub bucket_micros: u64,
    /// Events in each bucket.
    pub events: Vec<u32>,
    /// Rows that became errors in each bucket.
    pub errors: Vec<u32>,
}

/// A row and its place in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PlacedRow {
    /// From 0, relative to the window's start.
    pub place: u32,
    /// The row.
    pub row: Row,
}

/// What a view looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TimelineLook {
    /// The first row wanted.
    pub start: u32,
    /// How many rows are wanted; at most 400 are given.
    pub len: u32,
    /// Keep the window at the end as rows arrive; `start` is ignored.
    pub follow: bool,
    /// Which rows.
    pub filter: Filter,
    /// Only this server's rows.
    pub server: Option<ServerId>,
    /// The filter line; empty for none. One that cannot be understood is refused, and what was looked at stays.
    #[serde(default)]
    pub line: String,
}

/// The status bar's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StatusView {
    /// Events in the journal.
    pub event_count: u32,
    /// Bytes in the journal.
    pub byte_len: u64,
    /// Operations that run.
    pub running: u32,
    /// The journal's file; absent when it is in memory only.
    pub recording: Option<String>,
    /// Something is wrong with Roundtrip's own files: the disk is full, the servers file cannot be read.
    pub file_problem: Option<String>,
    /// The store of secrets and its state, in words: `Secret Service, unlocked`.
    pub keyring: Option<String>,
}

/// A prompt that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptView {
    /// Its identity.
    pub id: u32,
    /// Who asks.
    pub server: ServerId,
    /// The catalog's name of the server.
    pub server_name: String,
    /// The command line or the URL.
    pub address: String,
    /// For what: the operation, e.g. `tools/call book_table`.
    pub operation: Option<OperationId>,
    /// The operation in words.
    pub operation_title: String,
    /// The round whose reply asked.
    pub round: u32,
    /// The key in `inputRequests`.
    pub input_key: String,
    /// Since when, in microseconds since the Unix epoch.
    pub since_micros: u64,
    /// When the server stops to wait for the answer, as far as that is known: its task's time to live is over then.
    pub lapses_micros: Option<u64>,
    /// Whether it has a window of its own now.
    pub popped_out: bool,
    /// What is asked, plain text from the server.
    pub message: String,
    /// What kind of prompt.
    pub ask: PromptAsk,
}

/// What a prompt asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PromptAsk {
    /// A form.
    Form {
        /// The `requestedSchema`, JSON text.
        schema: String,
    },
    /// A link to open in the browser. `accept` opens it, and tells the server that the person agreed.
    Link {
        /// The link, and what to know of it.
        link: Box<Link>,
        /// The person has not agreed to this host before, for this server.
        is_first: bool,
        /// Why the browser could not be started, when that was tried.
        problem: Option<String>,
    },
    /// Not a question: the person is in their browser, and the operation waits for them. `cancel` cancels it.
    Browser {
        /// What they opened.
        links: Vec<Link>,
        /// How often the server asked for the same again.
        asked_again: u32,
        /// When it is asked again by itself, in microseconds since the Unix epoch.
        next_micros: Option<u64>,
        /// Whether it can be asked again now; while it is being asked it cannot.
        can_retry: bool,
        /// What else there is to say.
        note: Option<String>,
        /// Why the browser could not be started, when a link was opened again.
        problem: Option<String>,
        /// Whether it outlives Roundtrip.
        keeping: FlowKeeping,
    },
    /// A model's words (client/sampling, deprecated). The command `sampling_request` gives it whole.
    Sampling {
        /// How many messages the conversation has.
        messages: u32,
        /// How many tools the answer may use.
        tools: u32,
        /// The most tokens that the answer may have, as the server wrote it.
        max_tokens: Option<String>,
    },
    /// Which folders the server should work in (client/roots, deprecated). `accept` takes `{"roots": [{"uri", "name"}]}`.
    Roots {
        /// Those that are set for the server: `file:` URIs.
        folders: Vec<String>,
    },
    /// Something that this version cannot draw; it can be declined, and is shown whole.
    Unsupported {
        /// The request, pretty-printed.
        json: String,
        /// Why it cannot be answered here.
        reason: String,
    },
    /// Not the server but Roundtrip asks: the attempt failed on the way, as the prompt's message says. `accept` sends
    /// the round again; anything else leaves it at the failure.
    SendAgain {
        /// Repeating it does nothing twice.
        is_safe: bool,
        /// What to think of before.
        advice: String,
        /// How many attempts were made.
        attempts: u32,
    },
    /// Not the server but Roundtrip asks: the server refused the request for want of a sign-in, or of more permission, as
    /// the prompt's message says. `accept` opens the browser for it and then sends the request again; anything else
    /// leaves it refused.
    SignIn {
        /// The scopes that are wanted beside those that there are; none for a plain sign-in.
        more: Vec<String>,
        /// The authorization server, where it is known.
        issuer: Option<String>,
    },
}

/// How the person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptAction {
    /// Send the content.
    Accept,
    /// Say no.
    Decline,
    /// Dismiss without a choice.
    Cancel,
}
