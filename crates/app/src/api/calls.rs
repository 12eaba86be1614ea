//! The commands of the one rpc door, declared once. `commands!` makes the dispatcher and the TypeScript
//! signatures (`ui/src/lib/bindings/Commands.ts`).

use journal::event::{EventSeq, OperationId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::details::BodyForm;
use super::feed::{PromptAction, TimelineLook};
use super::lists::{CompletionTarget, ListKind};
use super::recordings::{RecordingId, Retention};
use super::servers::{EraChoice, NamedValue, ServerDraft, ServerId};
use super::subscriptions::SubscriptionFilter;

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $ty:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Serialize, Deserialize, TS)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty),* }
    )*};
}

arguments! {
    /// No arguments.
    Nothing {}
    /// A server.
    ServerArgs {
        /// Which.
        server: ServerId,
    }
    /// A batch that has been applied.
    AckArgs {
        /// Its number.
        number: u32,
        /// The prompt whose own window the page stands in; absent for the main page.
        #[serde(default)]
        #[ts(optional)]
        prompt: Option<u32>,
    }
    /// A prompt.
    PromptArgs {
        /// Which.
        prompt: u32,
    }
    /// Save an answer to sampling requests.
    SaveAnswerArgs {
        /// Of which server.
        server: ServerId,
        /// What the person calls it; one of the same name is replaced.
        name: String,
        /// The text of a `CreateMessageResult`.
        answer: String,
    }
    /// Forget a saved answer.
    ForgetAnswerArgs {
        /// Of which server.
        server: ServerId,
        /// Its name.
        name: String,
    }
    /// Folders to look at.
    FoldersArgs {
        /// Their `file:` URIs.
        uris: Vec<String>,
    }
    /// What the person began to answer.
    KeepDraftArgs {
        /// The prompt.
        prompt: u32,
        /// Text that only the view understands.
        draft: String,
    }
    /// A pasted text.
    PasteArgs {
        /// The text.
        text: String,
    }
    /// A server to add, or to change when `server` is given.
    SaveServerArgs {
        /// The server to change.
        server: Option<ServerId>,
        /// What the person filled in.
        draft: ServerDraft,
        /// Keep its secret values in memory alone, where the keyring does not take them.
        #[serde(default)]
        session_only: bool,
        /// The values of the names that its arguments or its URL refer to and that are not kept yet.
        #[serde(default)]
        #[ts(as = "Option<Vec<NamedValue>>", optional)]
        secrets: Vec<NamedValue>,
    }
    /// Connect.
    ConnectArgs {
        /// To which server.
        server: ServerId,
        /// With this era instead of the server's own choice.
        era: Option<EraChoice>,
    }
    /// Call a tool.
    CallToolArgs {
        /// Of which server.
        server: ServerId,
        /// The tool's place in the list.
        tool: u32,
        /// Its name as the person saw it: a list that changed meanwhile must not let another tool be called.
        name: String,
        /// The arguments: the text of a JSON object, sent as it is.
        arguments: String,
        /// How long the reply may wait for the outcome, in milliseconds: a call that ends at once is then told whole, and
        /// its view is drawn once.
        #[serde(default)]
        outcome_within_millis: u32,
        /// How long the server may be silent, in milliseconds; absent for the server's own limit.
        #[serde(default)]
        #[ts(optional)]
        limit_millis: Option<u64>,
        /// Run it as a task, where the tool leaves the choice (2025-11-25). A modern server chooses by itself.
        #[serde(default)]
        #[ts(as = "Option<bool>", optional)]
        as_task: bool,
    }
    /// Send any request.
    RequestArgs {
        /// To which server.
        server: ServerId,
        /// The method. One that begins with `notifications/` is sent as a notification, and gets no reply.
        method: String,
        /// Its parameters: the text of a JSON object, sent as it is but for what each request gets in its `_meta`.
        params: Option<String>,
        /// How much of a list is wanted.
        pages: PageChoice,
        /// Whether progress notifications are asked for.
        progress: bool,
        /// How long the server may take, in milliseconds, where it is not to be the usual time.
        limit_millis: Option<u64>,
    }
    /// Send a recorded request again.
    ResendArgs {
        /// What is sent.
        request: RequestArgs,
        /// The operation that it is from.
        of: OperationId,
        /// The round of it.
        round: u32,
        /// It was changed.
        changed: bool,
        /// Over HTTP: header fields that are not to be as they would be, in every request of the operation.
        #[serde(default)]
        #[ts(as = "Option<Vec<HeaderEdit>>", optional)]
        headers: Vec<HeaderEdit>,
        /// The operation is of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A header field that is not to be as it would be.
    HeaderEdit {
        /// Its name.
        name: String,
        /// Its value; absent for no such field.
        value: Option<String>,
    }
    /// Fetch a list.
    FetchListArgs {
        /// Of which server.
        server: ServerId,
        /// Which.
        list: ListKind,
        /// Past the cache; else it is used while it is fresh.
        refresh: bool,
    }
    /// Fetch the next page of a list.
    FetchMoreArgs {
        /// Of which server.
        server: ServerId,
        /// Which.
        list: ListKind,
    }
    /// Read a resource.
    ReadResourceArgs {
        /// Of which server.
        server: ServerId,
        /// Its URI.
        uri: String,
        /// Past the cache; else it is used while it is fresh.
        refresh: bool,
    }
    /// Fill in a resource template (RFC 6570).
    ExpandTemplateArgs {
        /// The template.
        uri_template: String,
        /// The text of a JSON object: for each variable a string, or an array of strings. An empty one counts as not
        /// given.
        values: String,
    }
    /// Get a prompt.
    GetPromptArgs {
        /// Of which server.
        server: ServerId,
        /// The prompt's place in the list.
        prompt: u32,
        /// Its name as the person saw it.
        name: String,
        /// The arguments: the text of a JSON object of strings, sent as it is.
        arguments: String,
    }
    /// Complete what is typed.
    CompleteArgs {
        /// Of which server.
        server: ServerId,
        /// What for.
        target: CompletionTarget,
        /// The argument or variable.
        argument: String,
        /// What is typed so far.
        value: String,
        /// What the others hold: the text of a JSON object of strings.
        context: String,
    }
    /// Be told of something.
    SubscribeArgs {
        /// By which server.
        server: ServerId,
        /// Of what.
        filter: SubscriptionFilter,
    }
    /// Which subscriptions.
    SubscriptionsArgs {
        /// Only this server's.
        server: Option<ServerId>,
    }
    /// Whose icons, and where they are to be drawn.
    IconsArgs {
        /// Whose.
        server: ServerId,
        /// The background: `light` or `dark`.
        theme: String,
        /// The side of the place in pixels.
        side: u32,
    }
    /// Which tasks.
    TasksArgs {
        /// Only this server's.
        server: Option<ServerId>,
    }
    /// A task.
    TaskArgs {
        /// Whose.
        server: ServerId,
        /// Its identifier, made by the server.
        task: String,
    }
    /// How to poll a task.
    PaceTaskArgs {
        /// Whose.
        server: ServerId,
        /// Its identifier, made by the server.
        task: String,
        /// Only polls that the person asks for.
        is_paused: bool,
        /// How long polls are to be apart; absent for the server's interval.
        interval_millis: Option<u64>,
        /// Also where the server wants them further apart.
        is_forced: bool,
    }
    /// Tasks to forget, or to bring back.
    ForgetTasksArgs {
        /// Which.
        tasks: Vec<TaskArgs>,
    }
    /// An operation.
    OperationArgs {
        /// Which.
        operation: OperationId,
    }
    /// What the timeline's view looks at.
    LookArgs {
        /// The window.
        look: TimelineLook,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// Fold or unfold an operation.
    FoldArgs {
        /// Which.
        operation: OperationId,
        /// Unfolded, or not.
        expanded: bool,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A row.
    RowArgs {
        /// Its key.
        key: String,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A row's place, to scroll to.
    LocateArgs {
        /// The operation.
        operation: OperationId,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A stretch of rows.
    RowKeysArgs {
        /// From this one, from 0 in the present filter.
        start: u32,
        /// How many.
        len: u32,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A time, to scroll to.
    LocateTimeArgs {
        /// Microseconds since the Unix epoch.
        at_micros: u64,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A journal as a whole.
    DensityArgs {
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A window of the findings about one rule.
    FindingPlacesArgs {
        /// About which server.
        server: ServerId,
        /// The rule's short name.
        rule: String,
        /// From this one, from 0.
        start: u32,
        /// How many.
        len: u32,
    }
    /// A filter line that is being typed.
    ReadFilterArgs {
        /// The line.
        line: String,
        /// Where the cursor is, as a UTF-16 offset.
        cursor: u32,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A step through the rows that are shown.
    StepArgs {
        /// From the row at this place; without it to the first, or the last.
        from: Option<u32>,
        /// To the one before.
        backwards: bool,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// A body.
    BodyArgs {
        /// The event that holds it.
        event: EventSeq,
        /// How it is wanted.
        form: BodyForm,
        /// At most so many bytes; 0 for 1 MiB.
        limit: u64,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// An attempt of an operation.
    ExchangeArgs {
        /// The operation.
        operation: OperationId,
        /// Which of its exchanges, from 0.
        exchange: u32,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// An event.
    EventArgs {
        /// Which.
        event: EventSeq,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// Part of an operation's events.
    EventsArgs {
        /// The operation.
        operation: OperationId,
        /// The first one wanted, from 0.
        start: u32,
        /// How many; at most 400 are given.
        len: u32,
        /// Of this recording; absent for the running session.
        #[serde(default)]
        #[ts(optional)]
        recording: Option<RecordingId>,
    }
    /// Part of the journal.
    JournalArgs {
        /// The first event wanted.
        from: EventSeq,
        /// How many; at most 400 are given.
        len: u32,
    }
    /// A recording.
    RecordingArgs {
        /// Which.
        recording: RecordingId,
    }
    /// A recording and its name.
    NameRecordingArgs {
        /// Which.
        recording: RecordingId,
        /// Its name; absent or empty for none.
        name: Option<String>,
    }
    /// How long recordings are kept.
    RetentionArgs {
        /// The limits.
        retention: Retention,
    }
    /// An answer to a prompt.
    AnswerArgs {
        /// The prompt.
        prompt: u32,
        /// What the person chose.
        action: PromptAction,
        /// With `accept`: the text of a JSON object, sent as it is. With `decline` of a sampling or roots request: the
        /// reason, plain text.
        content: Option<String>,
    }
    /// A value to check against a schema.
    ValidateArgs {
        /// The schema, JSON text.
        schema: String,
        /// The value, JSON text.
        value: String,
    }
    /// What the view wants remembered (panes, choices): a JSON text that only it understands.
    PreferencesArgs {
        /// The text.
        json: String,
    }
}

/// How much of a list is wanted. Requests that list nothing have no pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PageChoice {
    /// Every page, one after another.
    All,
    /// The one that the parameters ask for.
    #[default]
    One,
}

/// One thing that a validator has against a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FieldError {
    /// A JSON pointer to the value's part; empty for the whole.
    pub pointer: String,
    /// The schema keyword that failed, e.g. `minLength`.
    pub keyword: String,
    /// In plain words.
    pub message: String,
}

/// What a validator says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Validation {
    /// What is wrong; empty when the value fits.
    pub errors: Vec<FieldError>,
    /// Why the schema itself cannot be used, when it cannot.
    pub schema_problem: Option<String>,
}

/// A row's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RowPlace {
    /// From 0 in the present filter; absent when the filter hides it, or there is none.
    pub index: Option<u32>,
}
