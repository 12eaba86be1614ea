//! How long an answer may be used again (2026-07-28 server/utilities/caching). Time is passed in, in microseconds since
//! the Unix epoch.
//!
//! A [`Cache`] belongs to one connection, so to one authorization context: what is `private` never leaves it, and what is
//! `public` is not shared either. An answer of which any round carried a person's input or a server's state is never kept.

use std::collections::HashMap;

use serde_json::value::RawValue;
use wire::object;

use crate::text;

/// Answers larger than this are not kept.
const LARGEST_BYTES: usize = 8 << 20;
/// How much is kept in all; the oldest go first.
const MOST_BYTES: usize = 32 << 20;

/// Who may keep an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Anybody.
    Public,
    /// Only this authorization context.
    Private,
}

impl CacheScope {
    /// `public` or `private`.
    pub fn as_str(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

/// What a result says about its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// For how many milliseconds it may be taken as fresh; negative or unreadable values count as 0, an absent one is
    /// absent, and counts as 0 too.
    pub ttl_millis: Option<u64>,
    /// Who may keep it; absent where the server did not say, or nothing that is known.
    pub scope: Option<CacheScope>,
}

impl Hints {
    /// Reads the hints of a result.
    pub fn read(result: &RawValue) -> Hints {
        let scope = object::get(result, "cacheScope").and_then(object::string);
        Hints {
            ttl_millis: object::get(result, "ttlMs").map(|token| whole_millis(token.get())),
            scope: match scope.as_deref() {
                Some("public") => Some(CacheScope::Public),
                Some("private") => Some(CacheScope::Private),
                _ => None,
            },
        }
    }

    /// Until when an answer of these hints is fresh: it is while `now < t_received + ttlMs` (§ Freshness Calculation).
    pub fn fresh_until_micros(self, received_micros: u64) -> u64 {
        let ttl_micros = self.ttl_millis.unwrap_or_default().saturating_mul(1000);
        received_micros.saturating_add(ttl_micros)
    }
}

/// A token of `ttlMs`, fractions cut off.
fn whole_millis(token: &str) -> u64 {
    if let Ok(millis) = token.parse() {
        return millis;
    }
    // `1e3` and `60000.5` are numbers too; a cast saturates, and makes negative numbers and NaN 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturating is what is meant"
    )]
    token.parse::<f64>().map_or(0, |millis| millis as u64)
}

/// Whether the results of this method may be kept (§ Cacheable Results).
pub fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "server/discover"
            | "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
    )
}

/// An answer that is kept.
#[derive(Clone, Debug)]
pub struct Kept<P> {
    /// The result as it came.
    pub result: Box<RawValue>,
    /// When it came.
    pub received_micros: u64,
    /// What it says about its use.
    pub hints: Hints,
    /// Where it stands in the record.
    pub place: P,
}

/// Answers by what they answer: the method and its parameters (§ Cache Key).
#[derive(Clone, Debug)]
pub struct Cache<P> {
    kept: HashMap<Key, Kept<P>>,
    byte_len: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    method: String,
    /// Without `_meta`, which says how a request is sent and not what it asks.
    params: String,
}

impl Key {
    fn new(method: &str, params: Option<&str>) -> Key {
        Key {
            method: method.to_owned(),
            params: text::without(params.unwrap_or("{}"), &["_meta"]),
        }
    }
}

impl<P> Default for Cache<P> {
    fn default() -> Self {
        Cache {
            kept: HashMap::new(),
            byte_len: 0,
        }
    }
}

impl<P: Clone> Cache<P> {
    /// An answer came. It is kept if its method allows that, it may be used again at all, and the request carried neither
    /// answers nor a state. What is kept of an earlier answer is replaced or forgotten.
    pub fn keep(
        &mut self,
        method: &str,
        params: Option<&str>,
        result: &RawValue,
        received_micros: u64,
        place: P,
    ) {
        if !is_cacheable(method) || carries_input(params) {
            return;
        }
        let key = Key::new(method, params);
        self.forget(&key);
        let hints = Hints::read(result);
        let is_usable = hints.ttl_millis.unwrap_or_default() > 0;
        if !is_usable || !is_complete(result) || result.get().len() > LARGEST_BYTES {
            return;
        }
        self.byte_len += result.get().len();
        self.kept.insert(
            key,
            Kept {
                result: result.to_owned(),
                received_micros,
                hints,
                place,
            },
        );
        while self.byte_len > MOST_BYTES {
            let oldest = self
                .kept
                .iter()
                .min_by_key(|(_, kept)| kept.received_micros);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.forget(&key);
        }
    }

    /// The answer to this request, while it is fresh.
    pub fn fresh(&self, method: &str, params: Option<&str>, now_micros: u64) -> Option<&Kept<P>> {
        if carries_input(params) {
            return None;
        }
        let kept = self.kept.get(&Key::new(method, params))?;
        let is_fresh = now_micros < kept.hints.fresh_until_micros(kept.received_micros);
        is_fresh.then_some(kept)
    }

    /// All pages of a list from this request on, while every one of them is fresh. Pages that were received at different
    /// times need not fit each other, so a list of which one page is stale is fetched as a whole (§ Interaction with
    /// Pagination).
    pub fn fresh_pages(
        &self,
        method: &str,
        params: Option<&str>,
        now_micros: u64,
    ) -> Option<Vec<&Kept<P>>> {
        let mut pages = Vec::new();
        let mut params = params.map(str::to_owned);
        // More pages than there are answers would be a circle.
        while pages.len() <= self.kept.len() {
            let page = self.fresh(method, params.as_deref(), now_micros)?;
            pages.push(page);
            let cursor = object::get(&page.result, "nextCursor");
            match cursor.map(RawValue::get) {
                None | Some("null") => return Some(pages),
                Some(cursor) => {
                    let from = params.as_deref().unwrap_or("{}");
                    params = Some(text::set(from, "cursor", cursor));
                }
            }
        }
        None
    }

    /// Every answer of this method is stale from now on (§ Interaction with Notifications).
    pub fn forget_method(&mut self, method: &str) {
        self.forget_where(|key| key.method == method);
    }

    /// What was read of this resource is stale, and of one that it is part of.
    pub fn forget_resource(&mut self, uri: &str) {
        self.forget_where(|key| {
            let read = object::get(&key.params, "uri").and_then(object::string);
            key.method == "resources/read"
                && read.is_some_and(|read| {
                    let rest = uri.strip_prefix(&*read);
                    rest.is_some_and(|rest| {
                        rest.is_empty() || read.ends_with('/') || rest.starts_with('/')
                    })
                })
        });
    }

    fn forget_where(&mut self, is_meant: impl Fn(&Key) -> bool) {
        let keys: Vec<Key> = self
            .kept
            .keys()
            .filter(|key| is_meant(key))
            .cloned()
            .collect();
        for key in keys {
            self.forget(&key);
        }
    }

    fn forget(&mut self, key: &Key) {
        if let Some(kept) = self.kept.remove(key) {
            self.byte_len -= kept.result.get().len();
        }
    }
}

/// Whether a request goes on with a multi round-trip one: its answer depends on more than the key (§ Cache Key).
fn carries_input(params: Option<&str>) -> bool {
    params.is_some_and(|params| {
        object::get(params, "inputResponses").is_some()
            || object::get(params, "requestState").is_some()
    })
}

fn is_complete(result: &RawValue) -> bool {
    object::get(result, "resultType")
        .is_none_or(|token| object::string(token).as_deref() == Some("complete"))
}
