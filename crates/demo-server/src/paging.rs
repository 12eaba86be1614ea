//! Lists in pages (server/utilities/pagination).

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// How many entries one page holds: few, so that the demo's own list needs two.
pub(crate) const PAGE_SIZE: usize = 6;

/// A page of `all`, and the cursor of the next one.
///
/// A cursor names the list and the place where the page starts. Clients must treat it as opaque; one that was not made
/// here is refused with -32602, as the specification asks.
pub(crate) fn page<T>(
    list: &str,
    all: Vec<T>,
    request: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let start = match &cursor {
        None => 0,
        Some(cursor) => cursor
            .strip_prefix(list)
            .and_then(|rest| rest.strip_prefix('/'))
            .and_then(|start| start.parse::<usize>().ok())
            .filter(|start| start % PAGE_SIZE == 0 && *start < all.len())
            .ok_or_else(|| {
                ErrorData::invalid_params(
                    format!("the cursor {cursor:?} was not given out by this server for {list}: list from the start"),
                    None,
                )
            })?,
    };
    let next = (all.len() - start > PAGE_SIZE).then(|| format!("{list}/{}", start + PAGE_SIZE));
    Ok((all.into_iter().skip(start).take(PAGE_SIZE).collect(), next))
}

#[cfg(test)]
mod tests {
    use rmcp::model::PaginatedRequestParams;

    use super::page;

    fn after(cursor: &str) -> PaginatedRequestParams {
        PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()))
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let all: Vec<u32> = (0..13).collect();
        let (first, next) = page("things", all.clone(), None).unwrap();
        assert_eq!(
            (first, next.as_deref()),
            ((0..6).collect(), Some("things/6"))
        );
        let (second, next) = page("things", all.clone(), Some(after("things/6"))).unwrap();
        assert_eq!(
            (second, next.as_deref()),
            ((6..12).collect(), Some("things/12"))
        );
        let (third, next) = page("things", all, Some(after("things/12"))).unwrap();
        assert_eq!((third, next), (vec![12], None));
    }

    #[test]
    fn a_full_last_page_promises_nothing() {
        assert_eq!(
            page("things", (0..6).collect::<Vec<_>>(), None).unwrap().1,
            None
        );
        assert_eq!(
            page("things", Vec::<u32>::new(), None).unwrap(),
            (vec![], None)
        );
    }

    #[test]
    fn foreign_cursors_are_refused() {
        for cursor in [
            "",
            "6",
            "tools/6",
            "things/5",
            "things/600",
            "things/-6",
            "things/18446744073709551616",
        ] {
            assert!(
                page("things", (0..13).collect::<Vec<_>>(), Some(after(cursor))).is_err(),
                "{cursor:?}"
            );
        }
    }
}
