//! Servers as programs of their own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::programs;

/// A server over HTTP as a program of its own. It says where it listens, and ends with its standard input.
pub struct Listening {
    url: String,
    process: Child,
}

impl Listening {
    /// The demo server, with further arguments.
    pub fn demo(arguments: &[&str]) -> Self {
        let mut command = Command::new(programs::demo_server());
        command
            .args(["http", "--until-stdin-closes"])
            .args(arguments);
        Self::start(command)
    }

    /// One of the test servers on Node.js, with its arguments.
    pub fn on_node(script: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(programs::node());
        command
            .arg(programs::servers().join(script))
            .args(arguments);
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("its address");
        let url = line.split_whitespace().last().expect("an address");
        Self {
            url: url.to_owned(),
            process,
        }
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("it ends with its stdin");
    }
}
