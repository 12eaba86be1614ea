//! A page of tools: what is wrong with one never hides another.

use std::fmt::Write as _;

use insta::assert_snapshot;
use protocol::tools::{ToolEntry, ToolPage, read_page};

use crate::script::raw;

fn read(result: &str) -> ToolPage {
    read_page(&raw(result))
}

fn show(tool: &ToolEntry) -> String {
    let mut line = format!("{:?} {}", tool.name, tool.input_schema.get());
    if let Some(why) = &tool.excluded {
        write!(line, " excluded: {why}").expect("a string takes all");
    }
    for problem in &tool.problems {
        write!(line, "\n  - {problem}").expect("a string takes all");
    }
    line
}

#[test]
fn a_whole_tool() {
    let page = read(
        r#"{"tools":[{"name":"get_weather","title":"Weather","description":"Now\nthere","inputSchema":{"z":1.10,"type":"object","a":2},"outputSchema":{"type":"array"},"annotations":{"title":"Other","readOnlyHint":true,"destructiveHint":false,"idempotentHint":"yes"}}],"nextCursor":"n\u0065xt"}"#,
    );
    let [tool] = page.entries.as_slice() else {
        panic!("one tool")
    };
    assert_eq!(page.next_cursor.as_deref(), Some(r#""n\u0065xt""#));
    assert!(page.problems.is_empty() && tool.problems.is_empty() && tool.excluded.is_none());
    assert_eq!(tool.title.as_deref(), Some("Weather"));
    assert_eq!(tool.description.as_deref(), Some("Now\nthere"));
    assert_eq!(
        tool.input_schema.get(),
        r#"{"z":1.10,"type":"object","a":2}"#
    );
    assert_eq!(
        tool.output_schema.as_ref().map(|schema| schema.get()),
        Some(r#"{"type":"array"}"#)
    );
    assert_eq!(
        (
            tool.read_only,
            tool.destructive,
            tool.idempotent,
            tool.open_world
        ),
        (Some(true), Some(false), None, None)
    );
}

#[test]
fn bad_entries_stand_beside_good_ones() {
    let page = read(
        r#"{"tools":[7,null,{"name":"good","inputSchema":{"type":"object"}},{},{"name":"no schema"},{"name":"null","inputSchema":null},{"name":"str","inputSchema":{"type":"string"},"title":5,"outputSchema":"x"},{"name":"good","inputSchema":{"type":"object"},"annotations":{"title":"From annotations"}},{"name":"h","inputSchema":{"type":"object","properties":{"p":{"type":"number","x-mcp-header":"P"}}}}]}"#,
    );
    let shown: Vec<_> = page.entries.iter().map(show).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    "" {}
      - The entry is a number, not an object.
      - It has no name.
      - It has no inputSchema.
    "" {}
      - The entry is null, not an object.
      - It has no name.
      - It has no inputSchema.
    "good" {"type":"object"}
    "" {}
      - It has no name.
      - It has no inputSchema.
    "no schema" {}
      - Its name contains ' '; letters, digits, _, - and . are advised.
      - It has no inputSchema.
    "null" null
      - inputSchema is null, not an object.
    "str" {"type":"string"}
      - title is a number, not a string.
      - The type of inputSchema is "string"; it must be "object".
      - outputSchema is a string, not an object.
    "good" {"type":"object"}
    "h" {"type":"object","properties":{"p":{"type":"number","x-mcp-header":"P"}}} excluded: x-mcp-header of p is not allowed: its type is "number", and only strings, integers and booleans may be mirrored.
    "#);
    assert_eq!(page.entries[7].title.as_deref(), Some("From annotations"));
    assert_eq!(page.entries[0].raw.get(), "7");
}

#[test]
fn names_are_only_advised_on() {
    let long = "x".repeat(129);
    let page = read(&format!(
        r#"{{"tools":[{{"name":"{long}","inputSchema":{{"type":"object"}}}},{{"name":"ok.Name_1-x","inputSchema":{{"type":"object"}}}}]}}"#
    ));
    assert_eq!(
        page.entries[0].problems,
        ["Its name has 129 characters; at most 128 are advised."]
    );
    assert!(page.entries[1].problems.is_empty());
}

#[test]
fn a_page_that_is_none_says_so() {
    for (result, problem) in [
        ("{}", "The result has no tools."),
        (r#"{"tools":{}}"#, "tools is an object, not an array."),
        (r#"{"tools":null}"#, "tools is null, not an array."),
        (r#""tools""#, "The result is a string, not an object."),
    ] {
        let page = read(result);
        assert!(page.entries.is_empty());
        assert_eq!(page.problems, [problem]);
    }
    assert!(read(r#"{"tools":[]}"#).problems.is_empty());
}
