//! Lists as they come and come again: what is wrong with one entry hides no other, equal names stay apart, and each fetch
//! says what differs from the one before.

use std::fmt::Write as _;

use insta::assert_snapshot;
use protocol::listing::{Entry, List, ListKind, Mark, read_page};
use protocol::prompts::PromptEntry;
use protocol::resources::{ResourceEntry, TemplateEntry};
use protocol::tools::ToolEntry;

use crate::script::raw;

fn shown<T: Entry>(list: &List<T>, problems: impl Fn(&T) -> &[String]) -> String {
    let mut text = String::new();
    for listed in list.shown() {
        let mark = match listed.mark {
            Some(Mark::New) => " new",
            Some(Mark::Changed) => " changed",
            None => "",
        };
        let nth = match listed.nth {
            0 => String::new(),
            nth => format!(" #{nth}"),
        };
        writeln!(text, "{:?}{nth}{mark}", listed.entry.key()).expect("a string takes all");
        for problem in problems(&listed.entry) {
            writeln!(text, "  - {problem}").expect("a string takes all");
        }
    }
    if !list.gone().is_empty() {
        writeln!(text, "gone: {}", list.gone().join(", ")).expect("a string takes all");
    }
    text
}

fn tools(list: &List<ToolEntry>) -> String {
    shown(list, |tool| &tool.problems)
}

/// A page of tools with these names; `name=text` has a description too.
fn page(names: &[&str], cursor: Option<&str>) -> String {
    let entries: Vec<_> = names
        .iter()
        .map(|name| {
            let (name, text) = name.split_once('=').unwrap_or((name, ""));
            format!(
                r#"{{"name":"{name}","description":"{text}","inputSchema":{{"type":"object"}}}}"#
            )
        })
        .collect();
    let next = cursor.map_or(String::new(), |cursor| format!(r#","nextCursor":{cursor}"#));
    format!(r#"{{"tools":[{}]{next}}}"#, entries.join(","))
}

fn fetch(list: &mut List<ToolEntry>, names: &[&str]) {
    list.begin();
    list.page(read_page(&raw(&page(names, None))));
    list.complete(false);
}

#[test]
fn what_is_new_changed_or_gone_is_told_from_the_fetch_before() {
    let mut list = List::<ToolEntry>::default();
    fetch(&mut list, &["a", "b", "c"]);
    assert_eq!(
        tools(&list),
        "\"a\"\n\"b\"\n\"c\"\n",
        "a first fetch has nothing to differ from"
    );
    fetch(&mut list, &["b", "c=other", "d"]);
    assert_snapshot!(tools(&list), @r#"
    "b"
    "c" changed
    "d" new
    gone: a
    "#);
    // The next fetch is compared with this one.
    fetch(&mut list, &["b", "c=other", "d"]);
    assert_eq!(tools(&list), "\"b\"\n\"c\"\n\"d\"\n");
}

#[test]
fn equal_names_are_kept_apart_over_all_pages() {
    let mut list = List::<ToolEntry>::default();
    list.begin();
    list.page(read_page(&raw(&page(
        &["get", "echo", "get"],
        Some("\"2\""),
    ))));
    list.page(read_page(&raw(&page(&["echo", "get"], None))));
    list.complete(false);
    assert_snapshot!(tools(&list), @r#"
    "get"
    "echo"
    "get" #1
      - An earlier tool has the same name; a call reaches whichever the server takes.
    "echo" #1
      - An earlier tool has the same name; a call reaches whichever the server takes.
    "get" #2
      - An earlier tool has the same name; a call reaches whichever the server takes.
    "#);
    // One of three that goes is the third that is gone.
    fetch(&mut list, &["get", "echo", "get", "echo"]);
    assert_eq!(list.gone(), ["get"]);
    assert!(list.shown().iter().all(|listed| listed.mark.is_none()));
}

#[test]
fn what_is_shown_stays_until_the_new_list_is_whole() {
    let mut list = List::<ToolEntry>::default();
    fetch(&mut list, &["a", "b"]);
    list.begin();
    list.page(read_page(&raw(&page(&["c"], Some("\"2\"")))));
    assert_eq!(tools(&list), "\"a\"\n\"b\"\n");
    list.fail();
    assert_eq!(tools(&list), "\"a\"\n\"b\"\n", "it failed half way");
    fetch(&mut list, &["a", "b", "c"]);
    assert_eq!(tools(&list), "\"a\"\n\"b\"\n\"c\" new\n");

    // Of a first list, what came is better than nothing; it is no list to compare with.
    let mut first = List::<ToolEntry>::default();
    first.begin();
    first.page(read_page(&raw(&page(&["a"], Some("\"2\"")))));
    first.fail();
    assert_eq!(tools(&first), "\"a\"\n");
    fetch(&mut first, &["b"]);
    assert_eq!(tools(&first), "\"b\"\n");
}

#[test]
fn page_by_page_a_cursor_leads_on_once() {
    let mut list = List::<ToolEntry>::default();
    list.begin();
    list.page(read_page(&raw(&page(&["a"], Some(r#""\u0031""#)))));
    list.complete(true);
    assert_eq!(list.next_cursor(), Some(r#""\u0031""#));
    assert_eq!(list.take_cursor(), Some(Ok(r#""\u0031""#.to_owned())));
    assert_eq!(list.take_cursor(), None, "the page is on its way");
    list.page(read_page(&raw(&page(&["b", "a"], Some(r#""1""#)))));
    list.complete(true);
    assert_eq!(
        list.take_cursor(),
        Some(Err(r#""1""#.to_owned())),
        "the same, written otherwise"
    );
    assert_eq!(list.shown().len(), 3);
    assert_eq!(list.shown()[2].nth, 1, "counted over the pages");
    // An empty cursor is a cursor (server/utilities/pagination § Implementation Guidelines).
    list.begin();
    list.page(read_page(&raw(&page(&["a"], Some(r#""""#)))));
    list.complete(true);
    assert_eq!(list.take_cursor(), Some(Ok(r#""""#.to_owned())));
}

#[test]
fn page_by_page_only_the_end_tells_what_is_gone() {
    let mut list = List::<ToolEntry>::default();
    fetch(&mut list, &["a", "b", "c"]);
    list.begin();
    list.page(read_page(&raw(&page(&["a", "d"], Some("\"2\"")))));
    list.complete(true);
    assert_snapshot!(tools(&list), @r#"
    "a"
    "d" new
    "#);
    list.take_cursor().expect("a cursor").expect("that is new");
    list.page(read_page(&raw(&page(&["c"], None))));
    list.complete(false);
    assert_snapshot!(tools(&list), @r#"
    "a"
    "d" new
    "c"
    gone: b
    "#);
}

#[test]
fn bad_resources_stand_beside_good_ones() {
    let mut list = List::<ResourceEntry>::default();
    list.begin();
    list.page(read_page(&raw(
        r#"{"resources":[null,{"uri":"file:///a","name":"a","size":12,"annotations":{"lastModified":"2026-01-02"}},{"name":"no uri"},{"uri":7,"name":"b","title":[]},{"uri":"file:///a","name":"again","mimeType":"text/plain","size":-1}]}"#,
    )));
    list.complete(false);
    assert_snapshot!(shown(&list, |resource| &resource.problems), @r#"
    ""
      - The entry is null, not an object.
      - It has no uri.
      - It has no name.
    "file:///a"
    "" #1
      - It has no uri.
    "" #2
      - uri is a number, not a string.
      - title is an array, not a string.
    "file:///a" #1
      - size is -1, not a number of bytes.
      - An earlier resource has the same URI; both are read as whatever the server takes it for.
    "#);
    let good = &list.shown()[1].entry;
    assert_eq!(
        (good.size, good.last_modified.as_deref()),
        (Some(12), Some("2026-01-02"))
    );
}

#[test]
fn a_malformed_template_is_listed_with_its_fault() {
    let mut list = List::<TemplateEntry>::default();
    list.begin();
    list.page(read_page(&raw(
        r#"{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"files"},{"uriTemplate":"file:///{path","name":"broken"},{"name":"none"}]}"#,
    )));
    list.complete(false);
    assert_snapshot!(shown(&list, |template| &template.problems), @r#"
    "file:///{path}"
    "file:///{path"
      - The URI template is malformed at character 9: the { is not closed.
    ""
      - It has no uriTemplate.
    "#);
}

#[test]
fn prompts_tell_their_arguments_and_what_is_wrong_with_them() {
    let mut list = List::<PromptEntry>::default();
    list.begin();
    list.page(read_page(&raw(
        r#"{"prompts":[{"name":"review","arguments":[{"name":"code","required":true,"description":"The code"},{"name":"tone"},{"name":"code"},{"required":"yes"},7]},{"name":"plain"},{"name":"odd","arguments":{}}]}"#,
    )));
    list.complete(false);
    assert_snapshot!(shown(&list, |prompt| &prompt.problems), @r#"
    "review"
      - The argument code: An earlier one has the same name.
      - Argument 4: It has no name.
      - Argument 4: required is a string, not true or false.
      - Argument 5: It has no name.
    "plain"
    "odd"
      - arguments is an object, not an array.
    "#);
    let arguments: Vec<_> = list.shown()[0]
        .entry
        .arguments
        .iter()
        .map(|argument| (argument.name.as_str(), argument.required))
        .collect();
    assert_eq!(arguments, [("code", true), ("tone", false)]);
}

#[test]
fn notifications_name_the_lists_that_changed() {
    let changed = |method| ListKind::changed_by(method);
    assert_eq!(
        changed("notifications/tools/list_changed"),
        [ListKind::Tools]
    );
    assert_eq!(
        changed("notifications/resources/list_changed"),
        [ListKind::Resources, ListKind::ResourceTemplates]
    );
    assert_eq!(
        changed("notifications/prompts/list_changed"),
        [ListKind::Prompts]
    );
    assert!(changed("notifications/message").is_empty());
}

#[test]
fn ten_thousand_entries_are_listed_in_no_time() {
    // Every one of an equal name: what is quadratic would show.
    let names = vec!["same"; 10_000];
    let mut list = List::<ToolEntry>::default();
    let began = std::time::Instant::now();
    fetch(&mut list, &names);
    fetch(&mut list, &names);
    assert_eq!(list.shown()[9_999].nth, 9_999);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}
