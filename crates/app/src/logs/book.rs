//! An index of everything that was logged: a few bytes a line. What a line says is read from the journal when a window
//! shows it, or when a text is looked for.

use std::collections::{BTreeSet, HashMap};

use journal::event::{ConnectionId, EventSeq};
use journal::log::JournalError;

use super::line::{LEVELS, Said};
use crate::api::logs::{LevelCount, LogFilter, LogLine, LoggerCount};
use crate::engine::SharedJournal;

/// How many events are read while the journal is held.
const AT_ONCE: usize = 256;
/// How many loggers are told apart. A server that names more than any person could choose from is shown without the rest.
const MOST_LOGGERS: usize = 500;

/// A line.
#[derive(Clone, Copy, Debug)]
struct Entry {
    event: EventSeq,
    connection: ConnectionId,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Stderr,
    Message {
        /// Its place among the levels.
        rank: Option<u8>,
        /// Its number among the loggers; none where it has none, or one too many.
        logger: Option<u32>,
    },
}

/// What is asked of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuery {
    pub connections: BTreeSet<ConnectionId>,
    pub filter: LogFilter,
}

/// How much there is, whatever is filtered.
#[derive(Debug, Default)]
pub struct Counted {
    pub all: u32,
    pub loggers: Vec<LoggerCount>,
    pub levels: Vec<LevelCount>,
    pub stderr: u32,
}

/// Every line that was logged in a journal, and those that fit what was asked for last.
#[derive(Debug, Default)]
pub struct LogBook {
    entries: Vec<Entry>,
    loggers: Vec<String>,
    logger_numbers: HashMap<String, u32>,
    asked: Option<LogQuery>,
    /// The places of the entries that fit, as far as they were judged.
    fitting: Vec<u32>,
    judged: usize,
}

impl LogBook {
    /// Takes in what was logged since.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn sync(&mut self, journal: &SharedJournal) -> Result<(), JournalError> {
        loop {
            let journal = journal.read();
            let logs = journal.tree().log_events();
            let news = logs.get(self.entries.len()..).unwrap_or_default();
            if news.is_empty() {
                return Ok(());
            }
            for seq in news.iter().take(AT_ONCE).copied().map(EventSeq) {
                let event = journal.event(seq)?;
                let said = Said::read(&event);
                let source = if said.stderr {
                    Source::Stderr
                } else {
                    Source::Message {
                        rank: said.rank().and_then(|rank| u8::try_from(rank).ok()),
                        logger: said.logger.and_then(|name| self.logger_number(name)),
                    }
                };
                self.entries.push(Entry {
                    event: seq,
                    connection: event.connection,
                    source,
                });
            }
        }
    }

    fn logger_number(&mut self, name: String) -> Option<u32> {
        if let Some(number) = self.logger_numbers.get(&name) {
            return Some(*number);
        }
        if self.loggers.len() >= MOST_LOGGERS {
            return None;
        }
        let number = u32::try_from(self.loggers.len()).ok()?;
        self.loggers.push(name.clone());
        self.logger_numbers.insert(name, number);
        Some(number)
    }

    /// How many lines fit what is asked.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn ask(&mut self, journal: &SharedJournal, query: &LogQuery) -> Result<u32, JournalError> {
        if self.asked.as_ref() != Some(query) {
            self.fitting.clear();
            self.judged = 0;
            self.asked = Some(query.clone());
        }
        let text = query.filter.text.to_lowercase();
        while self.judged < self.entries.len() {
            let end = self.entries.len().min(self.judged + AT_ONCE);
            let journal = journal.read();
            for at in self.judged..end {
                let entry = self.entries[at];
                if self.fits(entry, query)
                    && (text.is_empty() || Said::read(&journal.event(entry.event)?).has(&text))
                {
                    self.fitting.push(u32::try_from(at).unwrap_or(u32::MAX));
                }
            }
            self.judged = end;
        }
        Ok(u32::try_from(self.fitting.len()).unwrap_or(u32::MAX))
    }

    fn fits(
        &self,
        entry: Entry,
        LogQuery {
            connections,
            filter,
        }: &LogQuery,
    ) -> bool {
        if !connections.contains(&entry.connection) {
            return false;
        }
        match entry.source {
            Source::Stderr => filter.stderr && filter.logger.is_none(),
            Source::Message { rank, logger } => {
                let least = filter
                    .level
                    .as_ref()
                    .and_then(|level| LEVELS.iter().position(|known| known == level));
                filter.messages
                    && least.is_none_or(|least| rank.is_none_or(|rank| usize::from(rank) >= least))
                    && filter.logger.as_ref().is_none_or(|wanted| {
                        logger.is_some_and(|number| self.loggers[number as usize] == *wanted)
                    })
            }
        }
    }

    /// The lines that fit, from `start` on.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn window(
        &self,
        journal: &SharedJournal,
        start: u32,
        len: u32,
    ) -> Result<Vec<LogLine>, JournalError> {
        let start = self.fitting.len().min(start as usize);
        let end = self.fitting.len().min(start + len as usize);
        let journal = journal.read();
        self.fitting[start..end]
            .iter()
            .map(|at| {
                let event = journal.event(self.entries[*at as usize].event)?;
                let mut said = Said::read(&event);
                let (level, logger) = (said.level.take(), said.logger.take());
                let stderr = said.stderr;
                let (text, is_cut) = said.shown();
                Ok(LogLine {
                    event: self.entries[*at as usize].event,
                    at_micros: event.at_micros,
                    operation: event.operation,
                    stderr,
                    level,
                    logger,
                    text,
                    is_cut,
                })
            })
            .collect()
    }

    /// How much these connections have logged.
    pub fn counted(&self, connections: &BTreeSet<ConnectionId>) -> Counted {
        let mut counted = Counted::default();
        let mut levels = [0_u32; LEVELS.len()];
        let mut loggers = vec![0_u32; self.loggers.len()];
        let own = |entry: &&Entry| connections.contains(&entry.connection);
        for entry in self.entries.iter().filter(own) {
            counted.all += 1;
            match entry.source {
                Source::Stderr => counted.stderr += 1,
                Source::Message { rank, logger } => {
                    if let Some(count) = rank.and_then(|rank| levels.get_mut(usize::from(rank))) {
                        *count += 1;
                    }
                    if let Some(count) = logger.and_then(|number| loggers.get_mut(number as usize))
                    {
                        *count += 1;
                    }
                }
            }
        }
        let some = |(name, count): (&str, u32)| (count > 0).then(|| (name.to_owned(), count));
        counted.levels = LEVELS
            .into_iter()
            .zip(levels)
            .filter_map(some)
            .map(|(level, count)| LevelCount { level, count })
            .collect();
        counted.loggers = self
            .loggers
            .iter()
            .map(String::as_str)
            .zip(loggers)
            .filter_map(some)
            .map(|(name, count)| LoggerCount { name, count })
            .collect();
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loggers_without_end_do_not_fill_the_index() {
        let mut book = LogBook::default();
        for number in 0..2000 {
            book.logger_number(number.to_string());
        }
        assert_eq!(book.loggers.len(), MOST_LOGGERS);
        assert_eq!(book.logger_number("7".to_owned()), Some(7));
        assert_eq!(book.logger_number("another".to_owned()), None);
    }
}
