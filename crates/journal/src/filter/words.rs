//! The words of the filter line: its fields, and the values that some of them take.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal, $says:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them: the word, and what it says.
            pub(crate) const ALL: &'static [($name, &'static str, &'static str)] =
                &[$(($name::$variant, $word, $says),)*];

            /// The one with this word.
            pub(crate) fn of(word: &str) -> Option<$name> {
                Self::ALL
                    .iter()
                    .find(|(_, known, _)| known.eq_ignore_ascii_case(word))
                    .map(|(value, _, _)| *value)
            }
        }
    };
}

words! {
    /// `status:…`
    Status {
        Running = "running", "has not ended";
        Waiting = "waiting", "waits for you or for time";
        OnYou = "waiting-on-you", "a prompt is open";
        OnTime = "waiting-on-time", "a back-off or a task's pause";
        Complete = "complete", "ended well";
        Error = "error", "ended badly";
        ToolError = "tool-error", "the tool answered isError";
        Failed = "failed", "a JSON-RPC error, or the way there failed";
        Cancelled = "cancelled", "you cancelled it";
        Note = "note", "neither good nor bad";
    }
}

words! {
    /// `kind:…`
    Kind {
        Operation = "operation", "a call, a list, a read";
        Notification = "notification", "a message outside of operations";
        Stderr = "stderr", "a line of stderr";
        Process = "process", "a process's start or end";
        Noise = "noise", "not protocol, or a reply to nothing";
        Prompt = "prompt", "a prompt that no operation asked for";
    }
}

words! {
    /// `has:…`
    Has {
        Retry = "retry", "a round was sent again";
        Prompt = "prompt", "the server asked something";
        Task = "task", "it became a task";
        Finding = "finding", "a breach of the specification, or a risk";
        Error = "error", "it belongs under Errors";
        Cache = "cache", "answered from the cache";
        Pages = "pages", "fetched page by page";
        Wait = "wait", "it waited before an attempt";
        Http = "http", "an HTTP status came";
    }
}

/// A field whose value is a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameField {
    Method,
    Name,
    Server,
    Transport,
}

/// A field whose value is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberField {
    Duration,
    OnServer,
    OnYou,
    OnTime,
    Rounds,
    Retries,
    Prompts,
    Polls,
    Findings,
    Size,
    Http,
    Code,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Time,
    Bytes,
    Count,
}

impl NumberField {
    pub(crate) fn unit(self) -> Unit {
        match self {
            NumberField::Duration
            | NumberField::OnServer
            | NumberField::OnYou
            | NumberField::OnTime => Unit::Time,
            NumberField::Size => Unit::Bytes,
            _ => Unit::Count,
        }
    }
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Name(NameField),
    Status,
    Kind,
    Has,
    Number(NumberField),
    Text,
}

/// A field: its word, other words for it, what it takes, what it says, and an example of a value.
pub(crate) struct Field {
    pub(crate) word: &'static str,
    pub(crate) others: &'static [&'static str],
    pub(crate) takes: Takes,
    pub(crate) says: &'static str,
    pub(crate) example: &'static str,
}

const fn field(
    word: &'static str,
    others: &'static [&'static str],
    takes: Takes,
    says: &'static str,
    example: &'static str,
) -> Field {
    Field {
        word,
        others,
        takes,
        says,
        example,
    }
}

/// All fields, in the order in which they are suggested.
pub(crate) const FIELDS: &[Field] = &[
    field(
        "method",
        &[],
        Takes::Name(NameField::Method),
        "the method",
        "tools/call",
    ),
    field(
        "name",
        &["tool"],
        Takes::Name(NameField::Name),
        "the tool, prompt or resource",
        "book_table",
    ),
    field(
        "server",
        &[],
        Takes::Name(NameField::Server),
        "the server's name",
        "demo",
    ),
    field(
        "status",
        &["is"],
        Takes::Status,
        "how it stands or ended",
        "error",
    ),
    field("has", &[], Takes::Has, "what lies in it", "retry"),
    field(
        "duration",
        &["time"],
        Takes::Number(NumberField::Duration),
        "how long it took",
        ">500ms",
    ),
    field(
        "text",
        &[],
        Takes::Text,
        "anywhere in what was recorded",
        "\"Trattoria Lucia\"",
    ),
    field("kind", &[], Takes::Kind, "what the row is", "stderr"),
    field(
        "on-server",
        &[],
        Takes::Number(NumberField::OnServer),
        "time on the server",
        ">2s",
    ),
    field(
        "on-you",
        &[],
        Takes::Number(NumberField::OnYou),
        "time waiting on you",
        ">10s",
    ),
    field(
        "on-time",
        &[],
        Takes::Number(NumberField::OnTime),
        "time waiting on time",
        ">1m",
    ),
    field(
        "round",
        &["rounds"],
        Takes::Number(NumberField::Rounds),
        "how many rounds",
        ">1",
    ),
    field(
        "retry",
        &["retries"],
        Takes::Number(NumberField::Retries),
        "how many retries",
        ">=2",
    ),
    field(
        "prompt",
        &["prompts"],
        Takes::Number(NumberField::Prompts),
        "how many prompts",
        ">0",
    ),
    field(
        "poll",
        &["polls"],
        Takes::Number(NumberField::Polls),
        "how often a task was polled",
        ">10",
    ),
    field(
        "finding",
        &["findings"],
        Takes::Number(NumberField::Findings),
        "how many findings",
        ">0",
    ),
    field(
        "size",
        &[],
        Takes::Number(NumberField::Size),
        "bytes of the messages received",
        ">1MiB",
    ),
    field(
        "http",
        &[],
        Takes::Number(NumberField::Http),
        "an HTTP status that came",
        ">=400",
    ),
    field(
        "code",
        &[],
        Takes::Number(NumberField::Code),
        "a JSON-RPC error code that came",
        "-32602",
    ),
    field(
        "transport",
        &[],
        Takes::Name(NameField::Transport),
        "stdio or http",
        "stdio",
    ),
];

/// The field with this word.
pub(crate) fn field_named(word: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| {
        field.word.eq_ignore_ascii_case(word)
            || field
                .others
                .iter()
                .any(|other| other.eq_ignore_ascii_case(word))
    })
}
