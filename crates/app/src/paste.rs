//! Reads what a person pastes into "Add server": a shell command, a URL, or an `mcpServers` JSON block.

use serde_json::{Map, Value};

use crate::api::ErrorView;
use crate::api::options::ServerOptions;
use crate::api::servers::{Endpoint, EraChoice, NamedValue, PasteReading, ServerDraft};
use crate::catalog::{bad_input, read_endpoint};

/// Reads the text.
///
/// # Errors
/// It is none of the three; the error says what was tried.
pub fn read_paste(text: &str) -> Result<PasteReading, ErrorView> {
    let text = text.trim();
    if text.is_empty() {
        return Err(bad_input(
            "There is nothing to read.",
            "Paste a command such as npx -y some-server, a URL, or an mcpServers JSON block.",
        ));
    }
    if text.starts_with('{') || text.starts_with('"') {
        return read_block(text);
    }
    if let Some(reading) = read_url(text) {
        return Ok(reading);
    }
    read_command(text)
}

fn read_url(text: &str) -> Option<PasteReading> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    let url = url::Url::parse(text).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    Some(PasteReading {
        drafts: vec![ServerDraft {
            name: url.host_str().unwrap_or("server").to_owned(),
            endpoint: Endpoint::Http {
                url: text.to_owned(),
                headers: Vec::new(),
            },
            era: EraChoice::Auto,
            options: ServerOptions::default(),
        }],
        taken_for: "URL".to_owned(),
        notes: Vec::new(),
    })
}

fn read_block(text: &str) -> Result<PasteReading, ErrorView> {
    let value = serde_json::from_str::<Value>(text)
        // A block copied out of a file often starts at its key: `"mcpServers": { … }`.
        .or_else(|error| {
            serde_json::from_str::<Value>(&format!("{{{}}}", text.trim_end_matches(',')))
                .map_err(|_| error)
        })
        .map_err(|error| {
            bad_input(
                &format!("This looks like JSON, yet it cannot be read: {error}."),
                "Paste the whole block, from its first to its last brace.",
            )
        })?;
    let Value::Object(mut object) = value else {
        return Err(not_servers());
    };
    let mut notes = Vec::new();
    // `mcpServers` is the common form, `servers` is VS Code's, and a bare entry has `command` or `url`.
    let servers = match ["mcpServers", "servers"]
        .iter()
        .find_map(|key| object.shift_remove(*key))
    {
        Some(Value::Object(servers)) => servers,
        None if is_entry(&object) => Map::from_iter([(bare_name(&object), Value::Object(object))]),
        None if object
            .values()
            .all(|value| value.as_object().is_some_and(is_entry))
            && !object.is_empty() =>
        {
            object
        }
        Some(_) | None => return Err(not_servers()),
    };
    let mut drafts = Vec::new();
    for (name, entry) in servers {
        let Value::Object(entry) = entry else {
            notes.push(format!("{name:?} was left out: it is not an object."));
            continue;
        };
        match read_endpoint(&entry) {
            Ok(mut endpoint) => {
                for value in crate::catalog::named_values(&mut endpoint) {
                    value.secret = looks_secret(&value.name);
                    // A reference to a secret that is kept here would hand it to whoever wrote the block.
                    if crate::catalog::secret_name(&value.value).is_some() {
                        value.value.clear();
                        value.secret = true;
                        notes.push(format!(
                            "{name:?}: enter the value of {} yourself.",
                            value.name
                        ));
                    }
                }
                drafts.push(ServerDraft {
                    name,
                    endpoint,
                    era: EraChoice::Auto,
                    options: ServerOptions::default(),
                });
            }
            Err(problem) => notes.push(format!("{name:?} was left out: {problem}.")),
        }
    }
    if drafts.is_empty() {
        return Err(match notes.first() {
            Some(note) => bad_input(
                note,
                "Each entry needs \"command\" with \"args\", or \"url\".",
            ),
            None => bad_input(
                "The block holds no servers.",
                "Paste a block with at least one entry.",
            ),
        });
    }
    Ok(PasteReading {
        drafts,
        taken_for: "mcpServers block".to_owned(),
        notes,
    })
}

fn is_entry(object: &Map<String, Value>) -> bool {
    ["command", "url", "serverUrl", "httpUrl"]
        .iter()
        .any(|key| object.get(*key).is_some_and(Value::is_string))
}

fn bare_name(entry: &Map<String, Value>) -> String {
    match read_endpoint(entry) {
        Ok(Endpoint::Stdio { command, args, .. }) => command_name(&command, &args),
        Ok(Endpoint::Http { url, .. }) => url::Url::parse(&url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or(url),
        Err(_) => "server".to_owned(),
    }
}

fn not_servers() -> ErrorView {
    bad_input(
        "This JSON holds no servers.",
        "Paste an object with \"mcpServers\", or one entry with \"command\" or \"url\".",
    )
}

fn read_command(text: &str) -> Result<PasteReading, ErrorView> {
    let mut notes = Vec::new();
    // Continued lines are one command, as in a shell.
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut lines = joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = lines.next().unwrap_or_default();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    if lines.next().is_some() {
        notes.push("Only the first line was taken.".to_owned());
    }
    let words = shlex::split(line).ok_or_else(|| {
        bad_input(
            "This looks like a command, yet a quote in it is not closed.",
            "Close the quote, or fill in the fields below.",
        )
    })?;
    let mut words = words.into_iter().peekable();
    let mut env = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| assignment(word)) {
        env.push(NamedValue {
            secret: looks_secret(&name),
            name,
            value,
        });
        words.next();
    }
    let Some(command) = words.next() else {
        return Err(bad_input(
            "There is no command in this text.",
            "Paste a command such as npx -y some-server, a URL, or an mcpServers JSON block.",
        ));
    };
    let args: Vec<String> = words.collect();
    if let Some(operator) = args
        .iter()
        .find(|arg| matches!(arg.as_str(), "|" | "&&" | "||" | ";" | ">" | "<" | "&"))
    {
        notes.push(format!(
            "No shell runs this: {operator:?} is passed on as an argument. For a pipeline use sh with -c."
        ));
    }
    Ok(PasteReading {
        drafts: vec![ServerDraft {
            name: command_name(&command, &args),
            endpoint: Endpoint::Stdio {
                command,
                args,
                env,
                folder: None,
            },
            era: EraChoice::Auto,
            options: ServerOptions::default(),
        }],
        taken_for: "shell command".to_owned(),
        notes,
    })
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| (name.to_owned(), value.to_owned()))
}

/// A name for a command: what it launches rather than the launcher (`npx -y @scope/server-x` → `server-x`).
fn command_name(command: &str, args: &[String]) -> String {
    let program = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let is_launcher = matches!(
        program,
        "npx"
            | "uvx"
            | "bunx"
            | "pnpm"
            | "npm"
            | "yarn"
            | "node"
            | "python"
            | "python3"
            | "uv"
            | "deno"
            | "docker"
    );
    let subcommands = ["run", "exec", "dlx", "x"];
    let launched = args
        .iter()
        .find(|arg| !arg.starts_with('-') && !subcommands.contains(&arg.as_str()))
        .filter(|_| is_launcher);
    let full = launched.map_or(program, String::as_str);
    let last = full.rsplit(['/', '\\']).next().unwrap_or(full);
    // A version behind the name (`server@1.2.3`) is not part of it.
    let name = last
        .split('@')
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(last);
    if name.is_empty() {
        "server".to_owned()
    } else {
        name.to_owned()
    }
}

/// Whether the name of a header, a variable or an argument says that its value is a secret. The interface has the same
/// words in `ui/src/lib/text/secret.ts`.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let within = [
        "authorization",
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "credential",
        "cookie",
        "apikey",
        "api_key",
        "api-key",
    ];
    within.iter().any(|word| name.contains(word))
        || name
            .split(['_', '-'])
            .any(|part| matches!(part, "key" | "pin" | "otp"))
}
