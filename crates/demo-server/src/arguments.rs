//! The command line.

use std::ffi::OsString;

/// How to call the program; ends without a line break.
pub(crate) const USAGE: &str = "\
Usage: roundtrip-demo-server stdio
       roundtrip-demo-server http [--port PORT] [--until-stdin-closes] [--fixture]

  stdio                 speak MCP on standard input and output, until standard input ends
  http                  speak MCP on http://127.0.0.1:PORT/mcp, and print that address once it listens
    --port PORT         0, the default, takes a free one
    --until-stdin-closes
                        end when standard input ends, so that no server outlives the program that started it
    --fixture           serve what the protocol's conformance suite asks for, instead of the guide

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

fn parse_http(mut arguments: impl Iterator<Item = String>) -> Result<HttpOptions, String> {
    let mut options = HttpOptions::default();
    while let Some(argument) = arguments.next() {
        let port = match argument.as_str() {
            "--until-stdin-closes" => {
                options.until_stdin_closes = true;
                continue;
            }
            "--fixture" => {
                options.fixture = true;
                continue;
            }
            "--port" => arguments
                .next()
                .ok_or("`--port` needs a number from 0 to 65535.")?,
            other => match other.strip_prefix("--port=") {
                Some(port) => port.to_owned(),
                None => return Err(format!("`http` does not know `{other}`.")),
            },
        };
        options.port = port
            .parse()
            .map_err(|_| format!("`{port}` is not a port: use a number from 0 to 65535."))?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::{Command, HttpOptions, parse};

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
    fn mistakes_are_named() {
        for (line, named) in [
            ("", "stdio or http"),
            ("tcp", "`tcp`"),
            ("stdio now", "`now`"),
            ("http --port", "`--port`"),
            ("http --port 70000", "`70000`"),
            ("http --host ::", "`--host`"),
        ] {
            let problem = read(line).expect_err(line);
            assert!(problem.contains(named), "{line:?}: {problem}");
        }
    }
}
