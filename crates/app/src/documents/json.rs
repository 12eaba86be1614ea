//! A JSON body as a tree, by the offsets of its values.

use wire::outline::{self, Children};

use super::Document;
use super::lines::finder;
use crate::api::documents::{FoundJson, JsonChildren, JsonHit, JsonNode, JsonStep};

/// Characters of a token that are given.
const TOKEN_CHARS: usize = 300;
/// Every so many-th child's place is kept, so that a later window need not walk from the first child on.
const STRIDE: u32 = 512;
/// Places that are given.
const MOST_HITS: usize = 500;

impl Document {
    /// Some children of the value that begins at an offset; without one the root, as the only child.
    pub(super) fn json_children(&self, at: Option<usize>, start: u32, len: u32) -> JsonChildren {
        if !self.is_json {
            return JsonChildren::default();
        }
        let Some(at) = at else {
            let root = outline::value_at(&self.bytes, 0);
            return JsonChildren {
                total: 1,
                children: vec![self.node(None, root)],
            };
        };
        let total = outline::value_at(&self.bytes, at).len;
        let mut walk = self.walk_from(at, start);
        let children = walk
            .by_ref()
            .take(len as usize)
            .map(|child| self.node(child.key, child.value))
            .collect();
        JsonChildren { total, children }
    }

    /// The walk over a container's children, standing before the one at an index.
    fn walk_from(&self, container: usize, index: u32) -> Children<'_> {
        let has_keys = self.bytes.get(container) == Some(&b'{');
        let mut known = self.known.lock();
        let places = known.places.entry(container).or_default();
        if places.is_empty() {
            places.push(outline::children(&self.bytes, container).place());
        }
        let wanted = (index / STRIDE) as usize;
        let mut stand = wanted.min(places.len() - 1);
        let mut walk = Children::from_place(&self.bytes, places[stand], has_keys);
        while stand < wanted {
            for _ in 0..STRIDE {
                if walk.next().is_none() {
                    return walk;
                }
            }
            stand += 1;
            places.push(walk.place());
        }
        drop(known);
        for _ in 0..index % STRIDE {
            if walk.next().is_none() {
                break;
            }
        }
        walk
    }

    fn node(&self, key: Option<(usize, usize)>, value: outline::Extent) -> JsonNode {
        let kind = outline::kind_at(&self.bytes, value.start).into();
        let is_container = matches!(self.bytes.get(value.start), Some(b'{' | b'['));
        let (text, is_cut) = if is_container {
            (String::new(), false)
        } else {
            self.token(value.start, value.end)
        };
        JsonNode {
            at: value.start as u64,
            byte_len: (value.end - value.start) as u64,
            key: key.map(|(from, to)| outline::string(&self.bytes[from..to]).into_owned()),
            kind,
            text,
            is_cut,
            child_count: value.len,
        }
    }

    /// A token as it came, or its beginning.
    fn token(&self, start: usize, end: usize) -> (String, bool) {
        let near = &self.bytes[start..end.min(start + 4 * TOKEN_CHARS + 4)];
        let text = String::from_utf8_lossy(near);
        let shown: String = text.chars().take(TOKEN_CHARS).collect();
        let is_cut = shown.len() < end - start;
        (shown, is_cut)
    }

    /// The text of the value that begins at an offset, exactly as it came.
    pub(super) fn json_value(&self, at: usize) -> String {
        let value = outline::value_at(&self.bytes, at);
        String::from_utf8_lossy(&self.bytes[value.start..value.end]).into_owned()
    }

    /// The keys and scalars that hold a text, as it came or as it is read.
    pub(super) fn find_json(&self, wanted: &str) -> FoundJson {
        let mut found = FoundJson::default();
        let Some(finder) = finder(wanted).filter(|_| self.is_json) else {
            return found;
        };
        let holds = |token: &[u8]| {
            finder.is_match(token)
                || token.contains(&b'\\') && finder.is_match(outline::string(token).as_bytes())
        };
        outline::walk(&self.bytes, |way, key, value, token| {
            if key.is_some_and(holds) || holds(token) {
                found.total = found.total.saturating_add(1);
                if found.hits.len() < MOST_HITS {
                    found.hits.push(JsonHit {
                        at: value.start as u64,
                        way: way
                            .iter()
                            .map(|step| JsonStep {
                                at: step.container as u64,
                                index: step.index,
                            })
                            .collect(),
                    });
                }
            }
            true
        });
        found
    }
}
