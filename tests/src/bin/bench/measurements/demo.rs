//! The demo server as a process of its own, outside Roundtrip.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use tests::programs;

use super::Outcome;

/// A demo server that listens on a port of its own. Ends when dropped.
pub struct OverHttp {
    /// Where it listens.
    pub url: String,
    child: Child,
}

impl OverHttp {
    /// Starts it and waits until it listens.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start() -> Outcome<Self> {
        let mut child = start(&["http", "--port", "0", "--until-stdin-closes"])?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(|error| format!("the demo server could not be heard: {error}"))?;
        }
        match line.trim().strip_prefix("listening on ") {
            Some(url) => Ok(Self {
                url: url.to_owned(),
                child,
            }),
            None => Err(format!(
                "the demo server said {line:?} and not where it listens"
            )),
        }
    }
}

impl Drop for OverHttp {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// A demo server on pipes. Ends when dropped.
pub struct OverPipes {
    child: Child,
}

impl OverPipes {
    /// Starts it.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start() -> Outcome<Self> {
        Ok(Self {
            child: start(&["stdio"])?,
        })
    }

    /// Writes a line, then reads and throws away what comes until a line holds `last`. Nothing is parsed: this is the
    /// least that any reader must do. Gives how many lines came.
    ///
    /// # Errors
    /// The server ended before.
    pub fn exchange(&mut self, line: &[u8], last: &[u8]) -> Outcome<u64> {
        let lost = |error: std::io::Error| format!("the demo server was lost: {error}");
        let (Some(stdin), Some(stdout)) = (&mut self.child.stdin, &mut self.child.stdout) else {
            return Err("the demo server has no pipes".to_owned());
        };
        stdin
            .write_all(line)
            .and_then(|()| stdin.write_all(b"\n"))
            .and_then(|()| stdin.flush())
            .map_err(lost)?;
        let mut chunk = vec![0; 64 * 1024];
        let mut unfinished = Vec::new();
        let mut line_count = 0;
        loop {
            let byte_len = stdout.read(&mut chunk).map_err(lost)?;
            if byte_len == 0 {
                return Err("the demo server ended before its answer".to_owned());
            }
            let mut rest = &chunk[..byte_len];
            while let Some(end) = memchr::memchr(b'\n', rest) {
                unfinished.extend_from_slice(&rest[..end]);
                line_count += 1;
                if memchr::memmem::find(&unfinished, last).is_some() {
                    return Ok(line_count);
                }
                unfinished.clear();
                rest = &rest[end + 1..];
            }
            unfinished.extend_from_slice(rest);
        }
    }
}

impl Drop for OverPipes {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn start(arguments: &[&str]) -> Outcome<Child> {
    let program = programs::demo_server();
    Command::new(&program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{} could not be started: {error}", program.display()))
}

/// Closes its input, by which it ends, and makes sure.
fn end(child: &mut Child) {
    drop(child.stdin.take());
    child.kill().ok();
    child.wait().ok();
}
