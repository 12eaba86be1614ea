//! Reading a filter line for who types it.

use journal::filter::complete::complete;
use journal::filter::{Problem, Query};
use journal::tree::OperationTree;

use crate::api::find::{FilterProblem, FilterReading, FilterSuggestion, SearchedText};
use crate::api::{ErrorCode, ErrorView};

/// Reads a line. The cursor is a UTF-16 offset, as pages count; so is what comes back.
pub(crate) fn read(tree: &OperationTree, line: &str, cursor: u32) -> FilterReading {
    let suggestions = complete(tree, line, byte_offset(line, cursor));
    let (problem, texts) = match Query::parse(line) {
        Ok(query) => (None, query.map(|query| texts(&query)).unwrap_or_default()),
        Err(problem) => (Some(shown(line, problem)), Vec::new()),
    };
    FilterReading {
        problem,
        start: utf16_offset(line, suggestions.at.start),
        end: utf16_offset(line, suggestions.at.end),
        suggestions: suggestions
            .all
            .into_iter()
            .map(|one| FilterSuggestion {
                insert: one.insert,
                says: one.says,
                goes_on: one.goes_on,
            })
            .collect(),
        texts,
    }
}

/// A line that cannot be understood, as an error.
pub(crate) fn refused(problem: Problem) -> ErrorView {
    ErrorView {
        code: ErrorCode::BadInput,
        message: problem.message,
        hint: Some(problem.hint),
    }
}

fn texts(query: &Query) -> Vec<SearchedText> {
    query
        .texts()
        .iter()
        .filter_map(|needle| {
            Some(SearchedText {
                text: needle.plain()?.to_owned(),
                ignores_case: needle.ignores_case(),
            })
        })
        .collect()
}

fn shown(line: &str, problem: Problem) -> FilterProblem {
    FilterProblem {
        start: utf16_offset(line, problem.at.start),
        end: utf16_offset(line, problem.at.end),
        message: problem.message,
        hint: problem.hint,
    }
}

fn utf16_offset(line: &str, byte_offset: usize) -> u32 {
    let before = line.get(..byte_offset).unwrap_or(line);
    u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
}

fn byte_offset(line: &str, utf16_offset: u32) -> usize {
    let mut units = 0;
    for (at, next) in line.char_indices() {
        if units >= utf16_offset as usize {
            return at;
        }
        units += next.len_utf16();
    }
    line.len()
}
