//! The command line.

use std::ffi::OsString;
use std::time::Duration;

use crate::protected::Protection;

/// How to call the program; ends without a line break.
pub(crate) const USAGE: &str = "\
Usage: roundtrip-demo-server stdio
       roundtrip-demo-server http [--port PORT] [--until-stdin-closes] [--fixture | --protected]

  stdio                 speak MCP on standard input and output, until standard input ends
  http                  speak MCP on http://127.0.0.1:PORT/mcp, and print that address once it listens
    --port PORT         0, the default, takes a free one
    --until-stdin-closes
                        end when standard input ends, so that no server outlives the program that started it
    --fixture           serve what the protocol's conformance suite asks for, instead of the guide
    --protected         let in only who is signed in; the authorization server comes with it, at /auth
      --token-seconds N     how long an access token lasts (300)
      --refresh-seconds N   how long a refresh token lasts (86400)
      --keep-refresh-token  a refresh gives no new refresh token, and the old one lasts
      --no-registration     clients cannot register themselves

  --help, --version";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Stdio,
    Http(HttpOptions),
    Help,
    Version,
}

/// How to serve over HTTP.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HttpOptions {
    /// The port on 127.0.0.1; 0 for a free one.
    pub(crate) port: u16,
    /// Whether the end of standard input ends the server.
    pub(crate) until_stdin_closes: bool,
    /// Whether the conformance suite's fixture is served instead of the guide.
    pub(crate) fixture: bool,
    /// Who is let in has to be signed in, in this way.
    pub(crate) protection: Option<Protection>,
}

/// Reads the arguments that follow the program's name. The error is one sentence that says which one is wrong.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments = arguments
        .into_iter()
        .map(|argument| argument.to_string_lossy().into_owned());
    let command = match arguments.next().as_deref() {
        None => return Err("Say how to serve: stdio or http.".to_owned()),
        Some("-h" | "--help" | "help") => return Ok(Command::Help),
        Some("-V" | "--version") => return Ok(Command::Version),
        Some("stdio") => Command::Stdio,
        Some("http") => return parse_http(arguments).map(Command::Http),
        Some(other) => {
            return Err(format!(
                "`{other}` is not a way to serve: use stdio or http."
            ));
        }
    };
    match arguments.next() {
        None => Ok(command),
        Some(extra) => Err(format!("`stdio` takes no argument, but got `{extra}`.")),
    }
}

fn parse_http(arguments: impl Iterator<Item = String>) -> Result<HttpOptions, String> {
    let mut options = HttpOptions::default();
    let mut is_protected = false;
    let mut protection = Protection::default();
    // What belongs to --protected and stands without it is a mistake.
    let mut detail = None;
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let mut value = |what: &str| {
            joined
                .clone()
                .or_else(|| arguments.next())
                .ok_or_else(|| format!("`{name}` needs {what}."))
        };
        match name {
            "--port" => {
                let port = value("a number from 0 to 65535")?;
                options.port = port.parse().map_err(|_| {
                    format!("`{port}` is not a port: use a number from 0 to 65535.")
                })?;
                continue;
            }
            "--token-seconds" => protection.token_life = seconds(name, &value("seconds")?)?,
            "--refresh-seconds" => protection.refresh_life = seconds(name, &value("seconds")?)?,
            _ if joined.is_some() => return Err(format!("`http` does not know `{argument}`.")),
            "--until-stdin-closes" => {
                options.until_stdin_closes = true;
                continue;
            }
            "--fixture" => {
                options.fixture = true;
                continue;
            }
            "--protected" => {
                is_protected = true;
                continue;
            }
            "--keep-refresh-token" => protection.rotates = false,
            "--no-registration" => protection.registers = false,
            other => return Err(format!("`http` does not know `{other}`.")),
        }
        detail = Some(name.to_owned());
    }
    match detail {
        Some(detail) if !is_protected => Err(format!("`{detail}` goes with `--protected`.")),
        _ if is_protected && options.fixture => {
            Err("`--fixture` and `--protected` do not go together.".to_owned())
        }
        _ => {
            options.protection = is_protected.then_some(protection);
            Ok(options)
        }
    }
}

fn seconds(name: &str, text: &str) -> Result<Duration, String> {
    match text.parse::<u32>() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds.into())),
        _ => Err(format!(
            "`{name}` needs seconds, 1 or more, and got `{text}`."
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Command, HttpOptions, parse};
    use crate::protected::Protection;

    fn read(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(Into::into))
    }

    #[test]
    fn the_two_ways_to_serve() {
        assert_eq!(read("stdio"), Ok(Command::Stdio));
        assert_eq!(read("http"), Ok(Command::Http(HttpOptions::default())));
        let options = HttpOptions {
            port: 8123,
            until_stdin_closes: true,
            fixture: true,
            protection: None,
        };
        assert_eq!(
            read("http --port 8123 --until-stdin-closes --fixture"),
            Ok(Command::Http(options))
        );
        assert_eq!(
            read("http --port=8123"),
            Ok(Command::Http(HttpOptions {
                port: 8123,
                ..HttpOptions::default()
            }))
        );
    }

    #[test]
    fn a_protected_server_has_lifetimes_of_its_own() {
        let Ok(Command::Http(options)) = read("http --protected") else {
            panic!("not read");
        };
        assert_eq!(options.protection, Some(Protection::default()));
        let Ok(Command::Http(options)) = read(
            "http --token-seconds 2 --refresh-seconds=9 --protected --keep-refresh-token --no-registration",
        ) else {
            panic!("not read");
        };
        assert_eq!(
            options.protection,
            Some(Protection {
                token_life: Duration::from_secs(2),
                refresh_life: Duration::from_secs(9),
                rotates: false,
                registers: false,
            })
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (line, named) in [
            ("", "stdio or http"),
            ("tcp", "`tcp`"),
            ("stdio now", "`now`"),
            ("http --port", "`--port`"),
            ("http --port 70000", "`70000`"),
            ("http --host ::", "`--host`"),
            ("http --token-seconds 5", "`--protected`"),
            ("http --protected --token-seconds 0", "`--token-seconds`"),
            ("http --protected --token-seconds", "`--token-seconds`"),
            ("http --protected=yes", "`--protected=yes`"),
            ("http --protected --fixture", "`--fixture`"),
        ] {
            let problem = read(line).expect_err(line);
            assert!(problem.contains(named), "{line:?}: {problem}");
        }
    }
}
