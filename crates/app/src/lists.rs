//! A connection's lists as they come, page by page, and what a view sees of them.

use std::time::Duration;

use journal::event::OperationId;
use protocol::caching::Hints;
use protocol::listing::{self, Entry, List, ListKind, Listed, Page};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::api::ErrorView;
use crate::api::lists::{FreshnessView, ListNews, ListState, ListView};
use crate::last_seen::fingerprint;

/// How long a list that a server declares changed is left alone after it was asked for.
const LIST_PAUSE: Duration = Duration::from_secs(1);

/// One list of one connection.
#[derive(Debug)]
pub struct ServerList<T> {
    /// The server declares the capability.
    pub declared: bool,
    /// The operation that fetches or fetched it.
    pub operation: Option<OperationId>,
    version: u32,
    /// The operation follows the cursors to the end.
    is_followed: bool,
    /// It changed since it was asked for: fetch again, not before `due`.
    invalidated: bool,
    /// When it may be fetched again. A server that says with each list that the list changed must not be asked without
    /// end.
    due: Option<Instant>,
    state: ListState,
    list: List<T>,
    freshness: Option<FreshnessView>,
}

impl<T> Default for ServerList<T> {
    fn default() -> Self {
        Self {
            declared: false,
            operation: None,
            version: 0,
            is_followed: true,
            invalidated: false,
            due: None,
            state: ListState::Unasked,
            list: List::default(),
            freshness: None,
        }
    }
}

/// How much of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All pages.
    Whole,
    /// The first page.
    FirstPage,
    /// The page after those that are here.
    NextPage,
}

/// A list, whatever it is of.
pub trait AnyList: Send + Sync {
    /// Whether the server declares the capability.
    fn is_declared(&self) -> bool;
    /// Says whether it does.
    fn declare(&mut self, declared: bool);
    /// The operation that fetches or fetched it.
    fn operation(&self) -> Option<OperationId>;
    /// It is asked for.
    fn begin(&mut self, operation: OperationId, extent: Extent);
    /// A page came, in answer to a request or from the cache; gives what is wrong with it, when it is no page.
    fn page(
        &mut self,
        result: &RawValue,
        received_micros: u64,
        from_cache: bool,
    ) -> Result<(), String>;
    /// Nothing more is asked for now. In the legacy era an empty cursor ends a list.
    fn complete(&mut self, empty_cursor_ends: bool);
    /// It failed; what is shown stays.
    fn fail(&mut self, error: ErrorView);
    /// The cursor that leads on.
    ///
    /// # Errors
    /// It was used before; the cursor.
    fn take_cursor(&mut self) -> Option<Result<String, String>>;
    /// The server says that it changed.
    fn invalidate(&mut self);
    /// Whether it was ever asked for.
    fn was_asked(&self) -> bool;
    /// Whether it is to be fetched again now.
    fn is_due(&self) -> bool;
    /// Whether it is on its way.
    fn is_loading(&self) -> bool;
    /// Whether it is here, as far as it was asked for.
    fn is_ready(&self) -> bool;
    /// Its entries with their fingerprints, where all of them are here; equal names are told apart by a number.
    fn fingerprints(&self) -> Option<Vec<(String, u64)>>;
    /// What the feed tells of it.
    fn news(&self) -> ListNews;
}

impl<T: Entry + Send + Sync> AnyList for ServerList<T> {
    fn is_declared(&self) -> bool {
        self.declared
    }

    fn declare(&mut self, declared: bool) {
        self.declared = declared;
    }

    fn operation(&self) -> Option<OperationId> {
        self.operation
    }

    fn begin(&mut self, operation: OperationId, extent: Extent) {
        self.operation = Some(operation);
        self.due = Some(Instant::now() + LIST_PAUSE);
        self.is_followed = extent == Extent::Whole;
        if extent != Extent::NextPage {
            self.invalidated = false;
            self.freshness = None;
            self.list.begin();
        }
        self.set(ListState::Loading);
    }

    fn page(
        &mut self,
        result: &RawValue,
        received_micros: u64,
        from_cache: bool,
    ) -> Result<(), String> {
        let page: Page<T> = listing::read_page(result);
        if !page.problems.is_empty() {
            return Err(page.problems.join(" "));
        }
        self.list.page(page);
        let hints = Hints::read(result);
        let until = hints
            .ttl_millis
            .map(|_| hints.fresh_until_micros(received_micros));
        self.freshness = Some(match self.freshness.take() {
            None => FreshnessView {
                fetched_micros: received_micros,
                fresh_until_micros: until,
                scope: hints.scope.map(|scope| scope.as_str().to_owned()),
                from_cache,
                invalidated: false,
            },
            Some(first) => FreshnessView {
                fetched_micros: first.fetched_micros.min(received_micros),
                fresh_until_micros: first
                    .fresh_until_micros
                    .zip(until)
                    .map(|(first, this)| first.min(this)),
                from_cache: first.from_cache && from_cache,
                ..first
            },
        });
        self.version += 1;
        Ok(())
    }

    fn complete(&mut self, empty_cursor_ends: bool) {
        let cursor = self.list.next_cursor().filter(|_| !self.is_followed);
        let has_more = cursor.is_some_and(|cursor| !(empty_cursor_ends && cursor == "\"\""));
        self.list.complete(has_more);
        self.set(if has_more {
            ListState::More
        } else {
            ListState::Ready
        });
    }

    fn fail(&mut self, error: ErrorView) {
        self.list.fail();
        self.set(ListState::Failed { error });
    }

    fn take_cursor(&mut self) -> Option<Result<String, String>> {
        self.list.take_cursor()
    }

    fn invalidate(&mut self) {
        self.invalidated = true;
        self.version += 1;
    }

    fn was_asked(&self) -> bool {
        self.state != ListState::Unasked
    }

    fn is_due(&self) -> bool {
        self.invalidated
            && self.was_asked()
            && !self.is_loading()
            && self.due.is_none_or(|due| due <= Instant::now())
    }

    fn is_loading(&self) -> bool {
        self.state == ListState::Loading
    }

    fn is_ready(&self) -> bool {
        matches!(self.state, ListState::Ready | ListState::More)
    }

    fn fingerprints(&self) -> Option<Vec<(String, u64)>> {
        let is_whole = self.state == ListState::Ready;
        is_whole.then(|| {
            let name = |listed: &Listed<T>| match listed.nth {
                0 => listed.entry.key().to_owned(),
                nth => format!("{} ({})", listed.entry.key(), nth + 1),
            };
            let shown = self.list.shown().iter();
            shown
                .map(|listed| (name(listed), fingerprint(listed.entry.raw().get())))
                .collect()
        })
    }

    fn news(&self) -> ListNews {
        let is_known = self.is_ready() || !self.list.shown().is_empty();
        let count = u32::try_from(self.list.shown().len()).unwrap_or(u32::MAX);
        ListNews {
            version: self.version,
            count: is_known.then_some(count),
            declared: self.declared,
        }
    }
}

impl<T: Entry> ServerList<T> {
    /// The entry at this place.
    pub fn get(&self, index: u32) -> Option<&T> {
        Some(&self.list.shown().get(index as usize)?.entry)
    }

    /// The first entry of this name or URI.
    pub fn named(&self, key: &str) -> Option<&T> {
        self.list
            .shown()
            .iter()
            .map(|listed| &listed.entry)
            .find(|entry| entry.key() == key)
    }

    /// What a view sees; `view` draws an entry at its place.
    pub fn view<V>(&self, view: impl Fn(u32, &Listed<T>) -> V) -> ListView<V> {
        ListView {
            state: self.state.clone(),
            entries: (0..)
                .zip(self.list.shown())
                .map(|(index, listed)| view(index, listed))
                .collect(),
            gone: self.list.gone().to_vec(),
            operation: self.operation,
            declared: self.declared,
            freshness: self.freshness.clone().map(|freshness| FreshnessView {
                invalidated: self.invalidated,
                ..freshness
            }),
        }
    }

    fn set(&mut self, state: ListState) {
        self.state = state;
        self.version += 1;
    }
}

/// What a failed list is called in an error.
pub fn failure_title(kind: ListKind) -> String {
    format!("The {} could not be listed", kind.noun())
}
