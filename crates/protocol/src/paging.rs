//! Pages of a list (2026-07-28 server/utilities/pagination). Cursors are opaque: they are compared with
//! each other to notice a circle, and otherwise only sent back.

use std::collections::HashSet;

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::era::Era;
use crate::findings::Finding;
use crate::operation::Finish;
use crate::{rules, text};

/// What follows a page.
pub(crate) enum Next {
    /// Nothing: it was the last.
    End,
    /// The page at this cursor, a JSON token as it came.
    Page(String),
    /// No way to go on.
    Broken(Finish),
}

/// The pages of one list so far.
#[derive(Debug)]
pub(crate) struct Paging {
    /// The page that was asked for last, from 1.
    pub(crate) page: u32,
    seen: HashSet<String>,
    cache_scope: Option<String>,
}

impl Paging {
    /// Before the first page, which `params` ask for.
    pub(crate) fn new(params: Option<&str>) -> Paging {
        let cursor = params.and_then(|params| object::get(params, "cursor"));
        Paging {
            page: 1,
            seen: cursor.map(identity).into_iter().collect(),
            cache_scope: None,
        }
    }

    /// Whether the specification has this list come in pages.
    pub(crate) fn applies_to(method: &str) -> bool {
        matches!(
            method,
            "tools/list"
                | "prompts/list"
                | "resources/list"
                | "resources/templates/list"
                | "tasks/list"
        )
    }

    /// What follows this page, of which there may be `limit`.
    pub(crate) fn next(
        &mut self,
        era: Era,
        result: &RawValue,
        limit: u32,
        findings: &mut Vec<Finding>,
    ) -> Next {
        if era == Era::Modern {
            self.compare_scope(result, findings);
        }
        let Some(cursor) = object::get(result, "nextCursor") else {
            return Next::End;
        };
        match ValueKind::of(cursor) {
            ValueKind::Null => return Next::End,
            // Servers of that time end lists so, and its revisions do not call an empty cursor valid.
            ValueKind::String if era == Era::Legacy && cursor.get() == "\"\"" => {
                findings.push(rules::cursor_empty());
                return Next::End;
            }
            ValueKind::String => {}
            kind => {
                findings.push(rules::cursor_not_string(&text::excerpt(cursor.get(), 80)));
                if kind != ValueKind::Number {
                    return Next::Broken(self.broken(
                        "cursor unusable",
                        &format!("nextCursor is {kind} and not a string, so the next page cannot be asked for."),
                    ));
                }
            }
        }
        if !self.seen.insert(identity(cursor)) {
            return Next::Broken(self.broken(
                "cursor repeats",
                &format!(
                    "Page {} gave the cursor {} for a second time, so the list would go round in a circle.",
                    self.page,
                    text::excerpt(cursor.get(), 80)
                ),
            ));
        }
        if self.page >= limit {
            return Next::Broken(self.broken(
                "too many pages",
                &format!("After {limit} pages the server still gives a cursor for another."),
            ));
        }
        self.page += 1;
        Next::Page(cursor.get().to_owned())
    }

    fn broken(&self, brief: &str, message: &str) -> Finish {
        let pages = if self.page == 1 {
            "The first page is".to_owned()
        } else {
            format!("All {} pages until then are", self.page)
        };
        Finish::Failed {
            brief: brief.to_owned(),
            message: format!("{message} {pages} kept."),
            hint: Some("Compare the cursors of the pages in the timeline; the server's paging is at fault.".to_owned()),
        }
    }

    fn compare_scope(&mut self, result: &RawValue, findings: &mut Vec<Finding>) {
        let Some(scope) = object::get(result, "cacheScope").map(|scope| scope.get().to_owned())
        else {
            return;
        };
        match &self.cache_scope {
            Some(first) if *first != scope => findings.push(rules::cache_scope_changes(self.page)),
            Some(_) => {}
            None => self.cache_scope = Some(scope),
        }
    }
}

/// The same for two tokens of the same string, however it is escaped.
fn identity(cursor: &RawValue) -> String {
    object::string(cursor).map_or_else(|| cursor.get().to_owned(), |text| format!("\"{text}"))
}
