//! A row of a table: one fault and what a person reads of it.

use std::sync::Arc;

use crate::acts::Act;
use crate::heads::{body, event, stream};

/// One fault.
#[derive(Clone)]
pub struct Fault {
    /// What it is, and over what.
    pub name: String,
    /// Who plays it.
    pub peer: Peer,
    /// What is expected of it.
    pub outcome: Outcome,
}

/// What a peer does for the request with this id.
pub type Acts = Arc<dyn Fn(&str) -> Vec<Act> + Send + Sync>;

/// Who plays.
#[derive(Clone)]
pub enum Peer {
    /// A listener, at the call.
    Socket(Acts),
    /// A child process, at this moment: `start`, `list` or `call`.
    Process(&'static str, Acts),
}

/// What is expected.
#[derive(Clone)]
pub struct Outcome {
    /// The call's row after its name: `complete`, `not MCP`.
    pub state: &'static str,
    /// Words of the row's details or of its reply.
    pub told: Vec<&'static str>,
    /// Lines of the timeline, or parts of them.
    pub shows: Vec<String>,
    /// The rules of all findings, sorted.
    pub finds: Vec<&'static str>,
    /// What ends the call.
    pub ends: Ends,
    /// What the server is after it.
    pub then: Then,
}

/// What ends a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// What the peer does.
    ByItself,
    /// The person, once the timeline holds what it is to show.
    Cancelled,
    /// The call's limit.
    TimedOut,
}

/// What a server is after its fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It answers the next call.
    Serves,
    /// It answers nothing any more, and its connection stays.
    Mute,
    /// Its connection is lost, with these words.
    Lost(&'static str),
}

impl Outcome {
    fn new(state: &'static str, ends: Ends) -> Self {
        Self {
            state,
            told: Vec::new(),
            shows: Vec::new(),
            finds: Vec::new(),
            ends,
            then: Then::Serves,
        }
    }

    /// The call has a result.
    pub fn complete() -> Self {
        Self::new("complete", Ends::ByItself)
    }

    /// The call ends with an error, which the row names so.
    pub fn fails(state: &'static str) -> Self {
        Self::new(state, Ends::ByItself)
    }

    /// Nothing that comes is its reply, so it waits until the person cancels it.
    pub fn waits() -> Self {
        Self::new("cancelled", Ends::Cancelled)
    }

    /// Nothing that comes is its reply, so it waits until its limit.
    pub fn times_out() -> Self {
        Self::new("timed out", Ends::TimedOut)
    }

    /// The details or the reply hold these words.
    pub fn told(mut self, words: &[&'static str]) -> Self {
        self.told.extend(words);
        self
    }

    /// The timeline holds this.
    pub fn shows(mut self, words: impl Into<String>) -> Self {
        self.shows.push(words.into());
        self
    }

    /// Rules that were broken.
    pub fn finds(mut self, rules: &[&'static str]) -> Self {
        self.finds.extend(rules);
        self.finds.sort_unstable();
        self
    }

    /// The server answers nothing any more, and its connection stays.
    pub fn then_mute(mut self) -> Self {
        self.then = Then::Mute;
        self
    }

    /// The connection is lost by it.
    pub fn loses(mut self, words: &'static str) -> Self {
        self.then = Then::Lost(words);
        self
    }
}

impl Fault {
    /// A fault over HTTP.
    pub fn http(
        name: &str,
        acts: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
        outcome: Outcome,
    ) -> Self {
        Self {
            name: format!("{name} (HTTP)"),
            peer: Peer::Socket(Arc::new(acts)),
            outcome,
        }
    }

    /// A fault of a child process at a call.
    pub fn stdio(
        name: &str,
        acts: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
        outcome: Outcome,
    ) -> Self {
        Self::stdio_at("call", name, acts, outcome)
    }

    /// A fault of a child process at this moment.
    pub fn stdio_at(
        moment: &'static str,
        name: &str,
        acts: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
        outcome: Outcome,
    ) -> Self {
        Self {
            name: format!("{name} (stdio)"),
            peer: Peer::Process(moment, Arc::new(acts)),
            outcome,
        }
    }
}

/// The same messages as a body, as events of a stream, and as lines: three rows.
pub fn over_all(
    name: &str,
    said: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    http: Outcome,
    stdio: Outcome,
) -> Vec<Fault> {
    let said = Arc::new(said);
    let (for_body, for_stream) = (Arc::clone(&said), Arc::clone(&said));
    vec![
        Fault {
            name: format!("{name} (body)"),
            peer: Peer::Socket(Arc::new(move |id| body(&for_body(id)))),
            outcome: http.clone(),
        },
        Fault {
            name: format!("{name} (stream)"),
            peer: Peer::Socket(Arc::new(move |id| {
                vec![stream(), Act::Say(event(&for_stream(id)))]
            })),
            outcome: http,
        },
        Fault {
            name: format!("{name} (line)"),
            peer: Peer::Process("call", Arc::new(move |id| vec![line(said(id))])),
            outcome: stdio,
        },
    ]
}

/// Several messages, as events of a stream and as lines: two rows.
pub fn over_both(
    name: &str,
    said: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    http: Outcome,
    stdio: Outcome,
) -> Vec<Fault> {
    let said = Arc::new(said);
    let for_stream = Arc::clone(&said);
    vec![
        Fault {
            name: format!("{name} (stream)"),
            peer: Peer::Socket(Arc::new(move |id| {
                let events = for_stream(id);
                let events = events.iter().map(|said| Act::Say(event(said.as_bytes())));
                [stream()].into_iter().chain(events).collect()
            })),
            outcome: http,
        },
        Fault {
            name: format!("{name} (line)"),
            peer: Peer::Process(
                "call",
                Arc::new(move |id| {
                    let lines = said(id).into_iter();
                    lines.map(|said| line(said.into_bytes())).collect()
                }),
            ),
            outcome: stdio,
        },
    ]
}

/// Says this as a line.
pub fn line(mut bytes: Vec<u8>) -> Act {
    bytes.push(b'\n');
    Act::Say(bytes)
}

/// A good reply with the text `hello`.
pub fn good(id: &str) -> String {
    reply(
        id,
        r#"{"resultType":"complete","content":[{"type":"text","text":"hello"}]}"#,
    )
}

/// A reply with this result.
pub fn reply(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// A good reply with this structured content.
pub fn structured(id: &str, content: &str) -> String {
    reply(
        id,
        &format!(r#"{{"resultType":"complete","content":[],"structuredContent":{content}}}"#),
    )
}

/// A reply with this error.
pub fn error(id: &str, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}
