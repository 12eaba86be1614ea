//! The search for the texts of a filter line, on a thread of its own.
//!
//! It takes the journal's lock to learn where the next block is, and for no longer; between two blocks it can be
//! stopped. When everything was searched it waits until whoever holds it says that more has come. What it finds is fetched
//! by them; they are told that there is something, once until they fetch.

use std::sync::Arc;

use journal::event::EventSeq;
use journal::filter::Query;
use journal::row::RowRef;
use journal::search::Hit;
use journal::view::View;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use super::state::SharedJournal;
use crate::api::find::{FoundRow, SearchState, SearchView};

/// How much is searched at once. A block fits into the processor's cache.
const BLOCK_BYTE_LEN: u64 = 512 * 1024;
/// How many finds may wait to be fetched before the search does.
const MOST_WAITING: usize = 100_000;

/// What is wanted of a filter line's search, and of what it found.
pub enum FindWish {
    /// It has found something, or has come further: tell the view.
    GoOn,
    /// Stop it; what it found stays.
    Stop,
    /// The top row after a row that is shown, or before it.
    Step {
        /// The row's place, from 0.
        from: Option<u32>,
        /// To the one before.
        backwards: bool,
        /// Nothing when no row is shown.
        answer: oneshot::Sender<Option<FoundRow>>,
    },
    /// All top rows that are shown.
    Rows {
        /// In their order.
        answer: oneshot::Sender<Vec<RowRef>>,
    },
}

/// A search that runs, or ran. Dropping it ends it.
pub struct Search {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    /// Something is to be done: more was recorded, finds were fetched, it is to stop.
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    hits: Vec<Hit>,
    /// Events before this one were searched.
    searched: EventSeq,
    searched_byte_len: u64,
    /// How much there was when it had searched everything for the first time.
    backlog_byte_len: Option<u64>,
    /// More was recorded since it looked last.
    has_more: bool,
    is_stopped: bool,
    is_told: bool,
    problem: Option<String>,
}

impl Search {
    /// Starts to search for the texts of a query, and says through `news` when there is something to fetch. None when it
    /// has none.
    pub fn start(
        query: &Arc<Query>,
        journal: &SharedJournal,
        news: impl Fn() + Send + 'static,
    ) -> Option<Search> {
        if query.texts().is_empty() {
            return None;
        }
        let shared = Arc::new(Shared::default());
        let thread = Thread {
            query: Arc::clone(query),
            journal: Arc::clone(journal),
            news: Box::new(news),
            shared: Arc::clone(&shared),
        };
        let started = std::thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || thread.run());
        if let Err(error) = started {
            let mut progress = shared.progress.lock();
            progress.is_stopped = true;
            progress.problem = Some(format!(
                "The search could not be started: {error}. Close programs that you do not need, then search again."
            ));
        }
        Some(Search { shared })
    }

    /// Tells a view what was found since the last time.
    pub fn tell(&self, journal: &journal::log::Journal, view: &mut View) {
        let mut progress = self.shared.progress.lock();
        let hits = std::mem::take(&mut progress.hits);
        let searched = progress.searched;
        progress.is_told = false;
        if journal.len() > searched.0 {
            progress.has_more = true;
        }
        drop(progress);
        self.shared.changed.notify_one();
        view.learn(journal, &hits, searched);
    }

    /// Ends it; what it found stays.
    pub fn stop(&self) {
        self.shared.progress.lock().is_stopped = true;
        self.shared.changed.notify_one();
    }

    /// How far it is.
    pub fn view(&self, byte_len: u64) -> SearchView {
        let progress = self.shared.progress.lock();
        let state = if progress.backlog_byte_len.is_some() {
            SearchState::Done
        } else if progress.is_stopped {
            SearchState::Stopped
        } else {
            SearchState::Searching
        };
        SearchView {
            state,
            searched_byte_len: progress
                .backlog_byte_len
                .unwrap_or(progress.searched_byte_len),
            // What follows the journal need not tell so with every event.
            byte_len: progress.backlog_byte_len.unwrap_or(byte_len),
            problem: progress.problem.clone(),
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Thread {
    query: Arc<Query>,
    journal: SharedJournal,
    news: Box<dyn Fn() + Send>,
    shared: Arc<Shared>,
}

impl Thread {
    fn run(self) {
        let mut next = EventSeq(0);
        loop {
            let block = self.journal.read().block(next, BLOCK_BYTE_LEN);
            let Some(block) = block else {
                if !self.wait_for_more() {
                    return;
                }
                continue;
            };
            let loaded = match block.read() {
                Ok(loaded) => loaded,
                Err(error) => {
                    let mut progress = self.shared.progress.lock();
                    progress.is_stopped = true;
                    progress.problem = Some(format!(
                        "The recording could not be searched further: {error}."
                    ));
                    drop(progress);
                    self.tell();
                    return;
                }
            };
            let hits = loaded.search(self.query.texts());
            next = loaded.next();
            let mut progress = self.shared.progress.lock();
            progress.hits.extend(hits);
            progress.searched = next;
            progress.searched_byte_len += loaded.byte_len();
            while progress.hits.len() > MOST_WAITING && !progress.is_stopped {
                drop(progress);
                self.tell();
                progress = self.shared.progress.lock();
                if progress.hits.len() > MOST_WAITING && !progress.is_stopped {
                    self.shared.changed.wait(&mut progress);
                }
            }
            if progress.is_stopped {
                return;
            }
            drop(progress);
            self.tell();
        }
    }

    /// Waits until more was recorded; false when it is to end.
    fn wait_for_more(&self) -> bool {
        let mut progress = self.shared.progress.lock();
        let searched = progress.searched_byte_len;
        progress.backlog_byte_len.get_or_insert(searched);
        drop(progress);
        self.tell();
        progress = self.shared.progress.lock();
        while !progress.has_more && !progress.is_stopped {
            self.shared.changed.wait(&mut progress);
        }
        progress.has_more = false;
        !progress.is_stopped
    }

    /// Says that there is something to fetch, unless that was said already.
    fn tell(&self) {
        let mut progress = self.shared.progress.lock();
        if std::mem::replace(&mut progress.is_told, true) {
            return;
        }
        drop(progress);
        (self.news)();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::{Duration, Instant};

    use bytes::Bytes;
    use journal::event::{ConnectionId, Event, EventBody};
    use journal::filter::Query;
    use journal::log::Journal;
    use journal::row::Filter;
    use journal::view::View;

    use super::Search;
    use crate::api::find::SearchState;
    use crate::engine::shared;

    fn line(text: &str) -> Event {
        Event {
            at_micros: 0,
            connection: ConnectionId(0),
            operation: None,
            body: EventBody::Stderr {
                bytes: Bytes::copy_from_slice(text.as_bytes()),
            },
        }
    }

    /// Who is told that there is something, and what they were told.
    fn door() -> (impl Fn() + Send + 'static, mpsc::Receiver<()>) {
        let (sender, receiver) = mpsc::channel();
        let news = move || {
            let _nobody_asks = sender.send(());
        };
        (news, receiver)
    }

    fn until(mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(20), "it never came");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn finds_come_while_it_searches_and_the_engine_is_told_once_until_it_fetches() {
        let mut log = Journal::create(None).expect("a journal");
        for number in 0..60_000 {
            let text = if number % 2 == 0 { "a needle" } else { "hay" };
            log.append(line(&format!("{number} {text} {}", "-".repeat(40))));
        }
        let journal = shared(log);
        let query = Query::parse("needle").expect("a line").map(Arc::new);
        let mut view = View::new(Filter::All, None);
        view.ask(query.clone());
        let (news, told) = door();
        let search = query
            .as_ref()
            .and_then(|query| Search::start(query, &journal, news))
            .expect("a search");
        until(|| told.try_recv().is_ok());
        // Nobody fetched, so nothing more is told, however far it is.
        std::thread::sleep(Duration::from_millis(50));
        assert!(told.try_recv().is_err());
        until(|| {
            let journal = journal.read();
            search.tell(&journal, &mut view);
            search.view(journal.byte_len()).state == SearchState::Done
        });
        search.tell(&journal.read(), &mut view);
        assert_eq!(view.top_rows(), 30_000);

        // What comes later is found later.
        journal.write().append(line("one more needle"));
        until(|| {
            search.tell(&journal.read(), &mut view);
            view.top_rows() == 30_001
        });
        search.stop();
        journal.write().append(line("needle that nobody looks for"));
        std::thread::sleep(Duration::from_millis(20));
        search.tell(&journal.read(), &mut view);
        assert_eq!(view.top_rows(), 30_001);
    }

    #[test]
    fn one_that_is_stopped_says_how_far_it_came() {
        let mut log = Journal::create(None).expect("a journal");
        for _ in 0..150_000 {
            log.append(line("needle"));
        }
        let journal = shared(log);
        let query = Query::parse("needle").expect("a line").map(Arc::new);
        let (news, told) = door();
        let search = query
            .as_ref()
            .and_then(|query| Search::start(query, &journal, news))
            .expect("a search");
        until(|| told.try_recv().is_ok());
        // With so many finds waiting it waits as well: it is not done, and stops at once.
        std::thread::sleep(Duration::from_millis(300));
        let byte_len = journal.read().byte_len();
        assert_eq!(search.view(byte_len).state, SearchState::Searching);
        search.stop();
        let view = search.view(byte_len);
        assert_eq!(view.state, SearchState::Stopped);
        assert!(
            view.searched_byte_len > 0 && view.searched_byte_len < byte_len,
            "{view:?}"
        );
    }
}
