//! Where things are written: JSON lines, or text for people with notes on standard error.

use std::io::{self, ErrorKind, Write};

use crate::exit::{Exit, Problem};
use crate::line::Line;

/// Both streams.
#[derive(Debug)]
pub struct Output {
    json: bool,
    failed: Option<ErrorKind>,
    /// The figures of the event `end`.
    figures: Option<Figures>,
}

/// Where the time went, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// From the start to the end.
    pub total: u64,
    /// Of that, on the server.
    pub server: u64,
    /// Of that, waiting on answers.
    pub user: u64,
    /// Of that, waiting on time.
    pub time: u64,
}

impl Output {
    /// As JSON lines, or for people.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            failed: None,
            figures: None,
        }
    }

    /// Writes an event, where events are wanted.
    pub fn event(&mut self, line: Line) {
        if self.json {
            self.put(&line.finish());
        }
    }

    /// Writes text to standard output, for people.
    pub fn show(&mut self, text: &str) {
        if !self.json {
            self.put(&plain(text));
        }
    }

    /// Writes a note to standard error, for people.
    pub fn note(&mut self, text: &str) {
        if !self.json {
            // Notes that nobody can read are not missed.
            let _gone = writeln!(io::stderr().lock(), "{}", plain(text));
        }
    }

    /// Keeps where the time went for the event `end`.
    pub fn took(&mut self, figures: Figures) {
        self.figures = Some(figures);
    }

    /// Why nothing more can be written, when that is so.
    ///
    /// # Errors
    /// The reader has gone, or the disk is full.
    pub fn check(&self) -> Result<(), Problem> {
        match self.failed {
            None => Ok(()),
            Some(ErrorKind::BrokenPipe) => Err(Problem::new(
                Exit::NobodyReads,
                "Nobody reads the output any more.",
            )),
            Some(kind) => Err(Problem::new(
                Exit::Internal,
                format!("Standard output cannot be written: {kind}."),
            )),
        }
    }

    /// Writes how it ended, and gives that.
    pub fn end(mut self, ended: Result<Exit, Problem>) -> Exit {
        let exit = match ended {
            Ok(exit) => exit,
            Err(problem) => {
                self.problem(&problem);
                problem.exit
            }
        };
        let mut line = Line::event("end")
            .text("state", exit.name())
            .number("exit_code", exit.code());
        if let Some(figures) = self.figures {
            line = line
                .number("total_micros", figures.total)
                .number("server_micros", figures.server)
                .number("user_micros", figures.user)
                .number("time_micros", figures.time);
        }
        self.event(line);
        match self.check() {
            // What failed before says more.
            Err(problem) if exit == Exit::Complete => problem.exit,
            _ => exit,
        }
    }

    fn problem(&mut self, problem: &Problem) {
        if problem.exit == Exit::NobodyReads {
            return;
        }
        let mut line = Line::event("error")
            .text("kind", problem.exit.name())
            .text("message", &problem.message)
            .maybe("hint", problem.hint.as_deref());
        if let Some(error) = &problem.error {
            line = line.json("error", error);
        }
        self.event(line);
        self.note(&format!("roundtrip-cli: {}", problem.message));
        if let Some(hint) = &problem.hint {
            self.note(hint);
        }
    }

    fn put(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
            self.failed = Some(error.kind());
        }
    }
}

/// What a terminal would act on is shown instead: everything that a server sends is hostile.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            let harmless = matches!(c, '\n' | '\t') || !c.is_control();
            if harmless { c } else { '\u{fffd}' }
        })
        .collect()
}

/// One line of a text, cut to so many characters.
pub fn brief(text: &str, chars: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{brief, plain};

    #[test]
    fn escape_sequences_reach_no_terminal() {
        assert_eq!(
            plain("a\u{1b}[31mb\n\tc\u{9b}"),
            "a\u{fffd}[31mb\n\tc\u{fffd}"
        );
    }

    #[test]
    fn one_line_is_cut_between_characters() {
        assert_eq!(brief("  première\nsecond", 4), "prem…");
        assert_eq!(brief("né", 4), "né");
    }
}
