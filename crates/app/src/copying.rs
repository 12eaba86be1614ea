//! A recorded request as a command line or as its message, to be pasted elsewhere. What was recorded has the names of
//! secrets in the place of their values, and so has what is copied.

use journal::event::{EventBody, OperationId};
use journal::log::Journal;
use protocol::request::{
    META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_PROTOCOL_VERSION,
};
use serde_json::value::RawValue;
use wire::http::RequestHead;
use wire::message::{self, MessageKind};
use wire::object::{self, ObjectWriter};

use crate::api::ErrorView;
use crate::api::copies::{CopiedText, CopyArgs, CopyForm};
use crate::api::servers::ServerView;
use crate::catalog::bad_input;
use crate::{App, details, run_aside};

/// How long one argument of a program may be on Linux, with some room (`MAX_ARG_STRLEN` is 128 KiB).
const LONGEST_ARGUMENT: usize = 120 << 10;
/// What is put before a secret's name where its value stood.
const BEFORE_NAME: &str = "${secret:";
/// Headers that curl makes itself.
const OF_CURL: [&str; 4] = ["content-length", "host", "connection", "transfer-encoding"];
/// What each request gets in its `_meta`: it is made anew.
const OF_EACH_REQUEST: [&str; 6] = [
    META_PROTOCOL_VERSION,
    META_CLIENT_INFO,
    META_CLIENT_CAPABILITIES,
    META_LOG_LEVEL,
    "progressToken",
    "traceparent",
];

/// A recorded request and where it went.
struct Recorded {
    /// The exact bytes of its message; empty where it has none.
    message: String,
    head: Option<RequestHead>,
    server_name: String,
    transport: String,
    address: String,
    established: Option<(String, String)>,
}

impl App {
    pub(crate) async fn copy_as(&self, args: CopyArgs) -> Result<CopiedText, ErrorView> {
        let journal = self.journal_of(args.recording.clone()).await?;
        let servers = self.servers(crate::api::calls::Nothing {}).await?;
        let redactor = self.redactor.clone();
        run_aside(move || {
            let recorded = Recorded::read(&journal.read(), args.operation, args.exchange)?;
            let text = match args.form {
                CopyForm::JsonRpc => recorded.message()?.to_owned(),
                CopyForm::Curl => recorded.curl()?,
                CopyForm::Cli => recorded.cli(&servers)?,
            };
            // What became a secret after it was recorded is none of the command's either.
            let text = redactor.redact_text(&text).into_owned();
            let secrets = secrets_in(&text);
            Ok(CopiedText { text, secrets })
        })
        .await?
    }
}

impl Recorded {
    fn read(journal: &Journal, operation: OperationId, index: u32) -> Result<Self, ErrorView> {
        let of_journal = |error| details::journal_error(&error);
        let exchange = journal.exchange(operation, index).map_err(of_journal)?;
        let Some(exchange) = exchange else {
            return Err(bad_input(
                "Nothing was sent in this row.",
                "Choose a row that sent a request.",
            ));
        };
        let message = match exchange.request {
            None => String::new(),
            Some(frame) => match journal.event(frame.event).map_err(of_journal)?.body {
                EventBody::Frame { bytes, .. } => {
                    String::from_utf8(bytes.to_vec()).map_err(|_| {
                        bad_input(
                            "The request is not UTF-8, so it cannot be copied as text.",
                            "Save its bytes from the Raw tab.",
                        )
                    })?
                }
                _ => String::new(),
            },
        };
        let connection = journal.operation(operation).map_err(of_journal)?.connection;
        let connection = journal.tree().connection(connection);
        let text = |of: Option<&str>| of.unwrap_or_default().to_owned();
        Ok(Self {
            message,
            head: exchange.http.map(|http| http.request),
            server_name: text(connection.map(|one| &*one.server_name)),
            transport: text(connection.map(|one| one.transport.as_str())),
            address: text(connection.map(|one| one.address.as_str())),
            established: connection.and_then(|one| one.established.clone()),
        })
    }

    fn message(&self) -> Result<&str, ErrorView> {
        if self.message.is_empty() {
            return Err(bad_input(
                "This request has no message.",
                "Copy it as cURL.",
            ));
        }
        Ok(&self.message)
    }

    fn curl(&self) -> Result<String, ErrorView> {
        let Some(head) = &self.head else {
            return Err(bad_input(
                "This request did not go over HTTP.",
                "Copy it as roundtrip-cli, or as JSON-RPC.",
            ));
        };
        // Streams are shown as they come.
        let mut parts = vec![format!("curl -sS -N --url {}", quoted(&head.url)?)];
        if head.method != "POST" || self.message.is_empty() {
            parts.push(format!("-X {}", quoted(&head.method)?));
        }
        for header in &head.headers {
            if OF_CURL.contains(&header.name.to_ascii_lowercase().as_str()) {
                continue;
            }
            if header.name.eq_ignore_ascii_case("accept-encoding") {
                parts.push("--compressed".to_owned());
                continue;
            }
            // `Name;` is how curl is told of an empty one.
            let line = match header.value.as_str() {
                "" => format!("{};", header.name),
                value => format!("{}: {value}", header.name),
            };
            parts.push(format!("-H {}", quoted(&line)?));
        }
        if !self.message.is_empty() {
            parts.push(format!("--data-raw {}", quoted(&self.message)?));
        }
        Ok(parts.join(" \\\n  "))
    }

    fn cli(&self, servers: &[ServerView]) -> Result<String, ErrorView> {
        let reading = message::read(self.message()?.as_bytes());
        let (method, params) = match reading.messages() {
            [one] => match &one.kind {
                MessageKind::Request { method, params, .. }
                | MessageKind::Notification { method, params } => (method, params),
                _ => return Err(no_request()),
            },
            _ => return Err(no_request()),
        };
        if method == "initialize" {
            return Err(bad_input(
                "roundtrip-cli makes the handshake itself.",
                "Copy a request that came after it, or this one as JSON-RPC.",
            ));
        }
        let mut parts = vec!["roundtrip-cli run".to_owned()];
        let in_catalog = servers.iter().any(|server| server.name == self.server_name);
        let by_url = !in_catalog && self.transport == "http";
        if in_catalog {
            parts.push(format!("--server {}", quoted(&self.server_name)?));
        } else if by_url {
            parts.push(format!("--server {}", quoted(&self.address)?));
            let secret = self.head.iter().flat_map(|head| &head.headers);
            for header in secret.filter(|header| header.value.contains(BEFORE_NAME)) {
                let line = format!("{}: {}", header.name, header.value);
                parts.push(format!("--header {}", quoted(&line)?));
            }
        }
        if let Some((era, revision)) = self.established.as_ref().filter(|_| !in_catalog) {
            parts.push(match era.as_str() {
                "legacy" => format!("--revision {}", quoted(revision)?),
                _ => format!("--era {}", quoted(era)?),
            });
        }
        parts.push(format!("--method {}", quoted(method)?));
        if let Some(params) = params {
            let params = own_params(params);
            if params != "{}" {
                parts.push(format!("--params {}", quoted(&params)?));
            }
        }
        if !in_catalog && !by_url {
            parts.push(format!("-- {}", requoted(&self.address)?));
        }
        Ok(parts.join(" \\\n  "))
    }
}

fn no_request() -> ErrorView {
    bad_input(
        "This is no request that could be sent again.",
        "Copy it as JSON-RPC.",
    )
}

/// Parameters without what each request gets in its `_meta`.
fn own_params(params: &RawValue) -> String {
    let Some(members) = object::read_members(params) else {
        return params.get().to_owned();
    };
    let mut kept = ObjectWriter::new();
    for (key, value) in members {
        if key != "_meta" {
            kept.raw(&key, value.get());
            continue;
        }
        let Some(meta) = object::read_members(value) else {
            kept.raw(&key, value.get());
            continue;
        };
        let own: Vec<_> = meta
            .into_iter()
            .filter(|(name, _)| !OF_EACH_REQUEST.contains(&name.as_str()))
            .collect();
        if !own.is_empty() {
            let mut written = ObjectWriter::new();
            for (name, value) in own {
                written.raw(&name, value.get());
            }
            kept.raw(&key, &written.finish());
        }
    }
    kept.finish()
}

/// A recorded command line with each of its words quoted anew. It is recorded as a shell has it, but a recording that was
/// brought in may hold anything, and nothing of it may be more than a word.
fn requoted(command_line: &str) -> Result<String, ErrorView> {
    let words = shlex::split(command_line).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| {
        bad_input(
            "The recorded command line cannot be read as words.",
            "Copy the request as JSON-RPC.",
        )
    })?;
    let words = words.iter().map(|word| quoted(word));
    Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> Result<String, ErrorView> {
    if word.len() > LONGEST_ARGUMENT {
        return Err(bad_input(
            "The request is longer than an argument of a command may be.",
            "Copy it as JSON-RPC into a file, and give that: --params @FILE, or --data @FILE for curl.",
        ));
    }
    let quoted = shlex::try_quote(word).map_err(|_| {
        bad_input(
            "The request holds a NUL, which no command line can.",
            "Copy it as JSON-RPC.",
        )
    })?;
    Ok(quoted.into_owned())
}

/// The names of secrets that stand in a text, each once.
fn secrets_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in text.split(BEFORE_NAME).skip(1) {
        if let Some((name, _)) = part.split_once('}')
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_recorded_command_line_is_words_and_nothing_more() {
        for (recorded, copied) in [
            ("npx -y server --name 'a b'", "npx -y server --name 'a b'"),
            ("server; rm -rf $HOME", "'server;' rm -rf '$HOME'"),
            (
                "server $(id) `id` > /tmp/x",
                "server '$(id)' '`id`' '>' /tmp/x",
            ),
            ("server\nid", "server id"),
        ] {
            assert_eq!(requoted(recorded).unwrap(), copied);
        }
        assert!(requoted("server 'open").is_err());
        assert!(requoted("").is_err());
    }
}
