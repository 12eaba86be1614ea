//! What a server lists: tools, resources, resource templates, prompts, in pages (2026-07-28 server/utilities/pagination).
//!
//! What is wrong with one entry hides no other. Entries of equal names are kept apart by which of those they are, and
//! each fetch says what is new, changed or gone since the one before.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use ts_rs::TS;
use wire::object::{self, ValueKind};

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ListKind {
    /// Tools.
    Tools,
    /// Resources of fixed URIs.
    Resources,
    /// Templates of resources.
    ResourceTemplates,
    /// Prompts.
    Prompts,
}

impl ListKind {
    /// All of them.
    pub const ALL: [ListKind; 4] = [
        ListKind::Tools,
        ListKind::Resources,
        ListKind::ResourceTemplates,
        ListKind::Prompts,
    ];

    /// The method that lists it.
    pub fn method(self) -> &'static str {
        match self {
            ListKind::Tools => "tools/list",
            ListKind::Resources => "resources/list",
            ListKind::ResourceTemplates => "resources/templates/list",
            ListKind::Prompts => "prompts/list",
        }
    }

    /// The server's capability that it belongs to.
    pub fn capability(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources | ListKind::ResourceTemplates => "resources",
            ListKind::Prompts => "prompts",
        }
    }

    /// The result's member that holds the entries.
    pub fn member(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::ResourceTemplates => "resourceTemplates",
            ListKind::Prompts => "prompts",
        }
    }

    /// In words, plural.
    pub fn noun(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::ResourceTemplates => "resource templates",
            ListKind::Prompts => "prompts",
        }
    }

    /// The lists that a notification says have changed.
    pub fn changed_by(notification: &str) -> &'static [ListKind] {
        match notification {
            "notifications/tools/list_changed" => &[ListKind::Tools],
            // There is none of their own for templates.
            "notifications/resources/list_changed" => {
                &[ListKind::Resources, ListKind::ResourceTemplates]
            }
            "notifications/prompts/list_changed" => &[ListKind::Prompts],
            _ => &[],
        }
    }
}

/// An entry of a list.
pub trait Entry: Sized {
    /// What it is listed among.
    const KIND: ListKind;
    /// What is said of an entry whose key an earlier one has.
    const REPEATED: &'static str;

    /// Reads an entry; a malformed one is an entry with problems.
    fn read(raw: &RawValue) -> Self;
    /// What it is called by: its name or URI; empty when it has none.
    fn key(&self) -> &str;
    /// The whole entry as it came.
    fn raw(&self) -> &RawValue;
    /// What is wrong with it, a sentence each.
    fn problems_mut(&mut self) -> &mut Vec<String>;
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// All its entries in order, those that are malformed included.
    pub entries: Vec<T>,
    /// The next page's cursor, a JSON token as it came; absent where it is missing or null.
    pub next_cursor: Option<String>,
    /// What is wrong with the page itself, a sentence each: it is no page, then.
    pub problems: Vec<String>,
}

/// Reads a page of a list.
pub fn read_page<T: Entry>(result: &RawValue) -> Page<T> {
    let member = T::KIND.member();
    let mut problems = Vec::new();
    let list = object::get(result, member);
    let entries = list.and_then(object::read_elements);
    if entries.is_none() {
        problems.push(match (list, ValueKind::of(result)) {
            (Some(list), _) => format!("{member} is {}, not an array.", ValueKind::of(list)),
            (None, ValueKind::Object) => format!("The result has no {member}."),
            (None, kind) => format!("The result is {kind}, not an object."),
        });
    }
    Page {
        entries: entries
            .unwrap_or_default()
            .into_iter()
            .map(T::read)
            .collect(),
        next_cursor: object::get(result, "nextCursor")
            .filter(|cursor| ValueKind::of(*cursor) != ValueKind::Null)
            .map(|cursor| cursor.get().to_owned()),
        problems,
    }
}

/// How an entry differs from the fetch before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It was not there.
    New,
    /// It was there and said something else.
    Changed,
}

/// An entry in its list.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    /// The entry.
    pub entry: T,
    /// Which it is of those with its key, from 0.
    pub nth: u32,
    /// How it differs from the fetch before; nothing where it is the same, or there was none.
    pub mark: Option<Mark>,
}

/// An entry's identity across fetches: its key, and which it is of those with that key.
type Identity = (String, u32);

/// A list as it is known.
#[derive(Clone, Debug)]
pub struct List<T> {
    shown: Vec<Listed<T>>,
    gone: Vec<String>,
    /// What is shown is all that the server has.
    is_whole: bool,
    /// Entries that replace those shown as soon as they are whole.
    incoming: Option<Vec<Listed<T>>>,
    counts: HashMap<String, u32>,
    /// The fetch before, to compare with: each entry's text.
    before: Option<HashMap<Identity, String>>,
    next_cursor: Option<String>,
    seen_cursors: HashSet<String>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List {
            shown: Vec::new(),
            gone: Vec::new(),
            is_whole: false,
            incoming: None,
            counts: HashMap::new(),
            before: None,
            next_cursor: None,
            seen_cursors: HashSet::new(),
        }
    }
}

impl<T: Entry> List<T> {
    /// A fetch from the first page on begins. What is shown stays until the new list is there.
    pub fn begin(&mut self) {
        self.before = self.is_whole.then(|| {
            let text = |listed: &Listed<T>| listed.entry.raw().get().to_owned();
            self.shown
                .iter()
                .map(|listed| ((listed.entry.key().to_owned(), listed.nth), text(listed)))
                .collect()
        });
        self.counts.clear();
        self.seen_cursors.clear();
        self.next_cursor = None;
        self.incoming = (!self.shown.is_empty()).then(Vec::new);
    }

    /// A page came, the first or the next.
    pub fn page(&mut self, page: Page<T>) {
        self.next_cursor = page.next_cursor;
        for mut entry in page.entries {
            let count = self.counts.entry(entry.key().to_owned()).or_default();
            let nth = *count;
            *count += 1;
            if nth > 0 && !entry.key().is_empty() {
                entry.problems_mut().push(T::REPEATED.to_owned());
            }
            let mark = self.mark(&entry, nth);
            self.incoming
                .as_mut()
                .unwrap_or(&mut self.shown)
                .push(Listed { entry, nth, mark });
        }
    }

    /// Nothing more is asked for now. `has_more`: the last page has a cursor that was not followed.
    pub fn complete(&mut self, has_more: bool) {
        if let Some(incoming) = self.incoming.take() {
            self.shown = incoming;
        }
        self.is_whole = !has_more;
        self.gone.clear();
        if has_more {
            return;
        }
        self.next_cursor = None;
        let Some(mut before) = self.before.take() else {
            return;
        };
        for listed in &self.shown {
            before.remove(&(listed.entry.key().to_owned(), listed.nth));
        }
        self.gone = before.into_keys().map(|(key, _)| key).collect();
        self.gone.sort();
    }

    /// The fetch failed. What was shown whole stays; of a first list, what came.
    pub fn fail(&mut self) {
        self.incoming = None;
        self.before = None;
        self.next_cursor = None;
    }

    /// The cursor of the page that came last, a JSON token.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }

    /// The cursor that leads on, to be used once; `None` when there is none.
    ///
    /// # Errors
    /// It was used before, so the list would go round in a circle; the cursor.
    pub fn take_cursor(&mut self) -> Option<Result<String, String>> {
        let cursor = self.next_cursor.take()?;
        // Two tokens of one string are one cursor, however they are escaped.
        let identity =
            object::string(&cursor).map_or_else(|| cursor.clone(), std::borrow::Cow::into_owned);
        Some(if self.seen_cursors.insert(identity) {
            Ok(cursor)
        } else {
            Err(cursor)
        })
    }

    /// The entries, in the server's order.
    pub fn shown(&self) -> &[Listed<T>] {
        &self.shown
    }

    /// The keys of entries that the fetch before had and the last one has not, sorted.
    pub fn gone(&self) -> &[String] {
        &self.gone
    }

    fn mark(&self, entry: &T, nth: u32) -> Option<Mark> {
        let before = self.before.as_ref()?;
        match before.get(&(entry.key().to_owned(), nth)) {
            None => Some(Mark::New),
            Some(text) if text != entry.raw().get() => Some(Mark::Changed),
            Some(_) => None,
        }
    }
}
