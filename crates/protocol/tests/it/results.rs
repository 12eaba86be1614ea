//! What a tool answered.

use insta::assert_debug_snapshot;
use protocol::results::{Content, read_tool_result};

use crate::script::raw;

fn problem(block: &str) -> String {
    let result = read_tool_result(&raw(&format!(r#"{{"content":[{block}]}}"#)));
    match result.content.into_iter().next() {
        Some(Content::Other { raw, problem }) => {
            assert_eq!(raw.get(), block, "the block is kept as it came");
            problem
        }
        other => panic!("{block} is not {other:?}"),
    }
}

#[test]
fn every_kind_of_content_is_read() {
    let result = read_tool_result(&raw(r#"{"content":[
            {"type":"text","text":"Hi\n\ud83d\ude00","annotations":{"priority":1}},
            {"type":"image","data":"iVBORw0K\nGgo","mimeType":"image/png"},
            {"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},
            {"type":"resource_link","uri":"file:///a","name":"a","description":"An a","mimeType":"text/plain"},
            {"type":"resource_link","uri":"file:///b"},
            {"type":"resource","resource":{"uri":"file:///c","mimeType":"text/x-rust","text":"fn main() {}"}},
            {"type":"resource","resource":{"uri":"file:///d","blob":"AAEC"}}
        ],"structuredContent":{"n":1.10,"big":12345678901234567890},"isError":false}"#));
    assert!(result.problems.is_empty() && !result.is_error);
    assert_eq!(
        result.structured.map(|raw| raw.get().to_owned()).as_deref(),
        Some(r#"{"n":1.10,"big":12345678901234567890}"#)
    );
    assert_debug_snapshot!(result.content, @r#"
    [
        Text {
            text: "Hi\n😀",
        },
        Image(
            Media {
                mime_type: "image/png",
                base64: Some(
                    "iVBORw0KGgo=",
                ),
                problem: None,
            },
        ),
        Audio(
            Media {
                mime_type: "audio/wav",
                base64: Some(
                    "UklGRg==",
                ),
                problem: None,
            },
        ),
        ResourceLink {
            uri: "file:///a",
            name: "a",
            description: Some(
                "An a",
            ),
            mime_type: Some(
                "text/plain",
            ),
        },
        ResourceLink {
            uri: "file:///b",
            name: "file:///b",
            description: None,
            mime_type: None,
        },
        Resource {
            uri: "file:///c",
            mime_type: Some(
                "text/x-rust",
            ),
            text: Some(
                "fn main() {}",
            ),
            byte_len: None,
            base64: None,
        },
        Resource {
            uri: "file:///d",
            mime_type: None,
            text: None,
            byte_len: Some(
                3,
            ),
            base64: Some(
                "AAEC",
            ),
        },
    ]
    "#);
}

#[test]
fn malformed_blocks_are_shown_with_what_is_wrong() {
    for (block, expected) in [
        ("7", "The block is a number, not an object."),
        ("{}", "The block must have type."),
        (
            r#"{"type":5}"#,
            "The block must have type as a string; it is a number.",
        ),
        (r#"{"type":"text"}"#, "A text block must have text."),
        (
            r#"{"type":"text","text":null}"#,
            "A text block must have text as a string; it is null.",
        ),
        (
            r#"{"type":"image","mimeType":"image/png"}"#,
            "An image must have data.",
        ),
        (
            r#"{"type":"audio","data":[1]}"#,
            "An audio block must have data as a string; it is an array.",
        ),
        (
            r#"{"type":"resource_link","name":"x"}"#,
            "A resource link must have uri.",
        ),
        (
            r#"{"type":"resource"}"#,
            "An embedded resource must have an object resource.",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
            "The embedded resource a:b has neither a text nor a blob.",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"a:b","blob":"*"}}"#,
            "The blob of a:b cannot be read: character 1 is '*', which is not of Base64.",
        ),
        (
            r#"{"type":"hologram","x":1.0}"#,
            "The content type \"hologram\" is not known.",
        ),
    ] {
        assert_eq!(problem(block), expected, "{block}");
    }
}

#[test]
fn media_whose_data_is_not_base64_keep_their_place() {
    for (data, mime, expected) in [
        (
            "a-_b",
            "image/png",
            "Its data cannot be read: it uses the URL alphabet of Base64 (- and _).",
        ),
        (
            "abcde",
            "image/png",
            "Its data cannot be read: its length is not one that Base64 has (5 digits and 0 of padding).",
        ),
        (
            "ab=",
            "image/png",
            "Its data cannot be read: its length is not one that Base64 has (2 digits and 1 of padding).",
        ),
        (
            "a=bc",
            "image/png",
            "Its data cannot be read: character 2 is '=', which is not of Base64.",
        ),
        (
            "data:image/png;base64,AAAA",
            "image/png",
            "Its data cannot be read: character 5 is ':', which is not of Base64.",
        ),
        ("", "image/png", "Its data is empty."),
    ] {
        let result = read_tool_result(&raw(&format!(
            r#"{{"content":[{{"type":"image","data":"{data}","mimeType":"{mime}"}}]}}"#
        )));
        let Some(Content::Image(media)) = result.content.first() else {
            panic!("an image")
        };
        assert_eq!(media.base64, None, "{data}");
        assert_eq!(media.problem.as_deref(), Some(expected), "{data}");
    }
    let result = read_tool_result(&raw(r#"{"content":[{"type":"audio","data":"AAAA"}]}"#));
    let Some(Content::Audio(media)) = result.content.first() else {
        panic!("a sound")
    };
    assert_eq!(media.base64.as_deref(), Some("AAAA"));
    assert_eq!(
        media.problem.as_deref(),
        Some("An audio block must have a mimeType.")
    );
}

#[test]
fn results_that_are_empty_or_odd() {
    for (result, is_error, structured, problems) in [
        (r#"{"content":[]}"#, false, None, &[] as &[&str]),
        (
            r#"{"content":[],"structuredContent":[1]}"#,
            false,
            Some("[1]"),
            &[],
        ),
        (
            r#"{"content":[],"structuredContent":null}"#,
            false,
            Some("null"),
            &[],
        ),
        (
            r#"{"structuredContent":{}}"#,
            false,
            Some("{}"),
            &["The result has no content; an empty array is the least."],
        ),
        (
            r#"{"content":"text","isError":true}"#,
            true,
            None,
            &["content is a string, not an array."],
        ),
        (
            r#"{"content":[],"isError":"true"}"#,
            false,
            None,
            &["isError is \"true\", not true or false; it is taken as false."],
        ),
        (
            r#"{"content":[],"resultType":"input_required"}"#,
            false,
            None,
            &["resultType is \"input_required\", yet this is a final result."],
        ),
        (
            "7",
            false,
            None,
            &["The result is a number, not an object."],
        ),
    ] {
        let read = read_tool_result(&raw(result));
        assert_eq!(read.is_error, is_error, "{result}");
        assert_eq!(
            read.structured.as_ref().map(|raw| raw.get()),
            structured,
            "{result}"
        );
        assert_eq!(read.problems, problems, "{result}");
    }
}
