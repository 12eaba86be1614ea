//! What comes of resources, prompts and completions.

use protocol::completion::{self, Completion, Reference};
use protocol::era::Revision;
use protocol::prompts::read_prompt_result;
use protocol::resources::read_resource_result;
use protocol::results::Content;

use crate::script::raw;

#[test]
fn a_resource_is_text_pictures_or_bytes() {
    let result = read_resource_result(&raw(r##"{"resultType":"complete","contents":[
            {"uri":"file:///a.md","mimeType":"text/markdown","text":"# A"},
            {"uri":"file:///a.png","mimeType":"image/png","blob":"iVBO\nRw0KGgo="},
            {"uri":"file:///a.wav","mimeType":"audio/wav","blob":"UklGRg=="},
            {"uri":"file:///a.bin","blob":"AAEC"},
            {"uri":"file:///bad","blob":"?"},
            {"uri":"file:///empty"},
            {"text":"whose?"},
            7
        ],"ttlMs":0,"cacheScope":"private"}"##));
    assert!(result.problems.is_empty());
    let parts: Vec<_> = result
        .contents
        .iter()
        .map(|part| {
            let what = match &part.content {
                Content::Text { text } => format!("text {text:?}"),
                Content::Image(media) => format!("image {} {:?}", media.mime_type, media.base64),
                Content::Audio(media) => format!("audio {} {:?}", media.mime_type, media.base64),
                Content::Resource { byte_len, .. } => format!("bytes {byte_len:?}"),
                Content::Other { problem, .. } => format!("problem {problem}"),
                Content::ResourceLink { .. } => "link".to_owned(),
            };
            format!("{} {what}", part.uri)
        })
        .collect();
    assert_eq!(
        parts,
        [
            r##"file:///a.md text "# A""##,
            r#"file:///a.png image image/png Some("iVBORw0KGgo=")"#,
            r#"file:///a.wav audio audio/wav Some("UklGRg==")"#,
            "file:///a.bin bytes Some(3)",
            "file:///bad problem The blob of file:///bad cannot be read: character 1 is '?', which is not of Base64.",
            "file:///empty problem The embedded resource file:///empty has neither a text nor a blob.",
            " problem An embedded resource must have uri.",
            " problem The part is a number, not an object.",
        ]
    );
}

#[test]
fn contents_that_are_none_or_empty_say_so() {
    for (result, problem) in [
        ("{}", "The result has no contents."),
        (r#"{"contents":{}}"#, "contents is an object, not an array."),
        (r#""x""#, "The result is a string, not an object."),
        (
            r#"{"contents":[]}"#,
            "contents is empty: that may mean an empty resource or none; a server must answer an error for one that does not exist.",
        ),
    ] {
        assert_eq!(
            read_resource_result(&raw(result)).problems,
            [problem],
            "{result}"
        );
    }
}

#[test]
fn a_prompts_messages_are_read_whoever_speaks() {
    let result = read_prompt_result(&raw(r#"{"description":"Review","messages":[
            {"role":"user","content":{"type":"text","text":"Please"}},
            {"role":"assistant","content":{"type":"image","data":"AAEC","mimeType":"image/png"}},
            {"role":"system","content":{"type":"resource","resource":{"uri":"a:b","text":"x"}}},
            {"role":"user"},
            {"content":[]}
        ]}"#));
    assert_eq!(result.description.as_deref(), Some("Review"));
    let roles: Vec<_> = result
        .messages
        .iter()
        .map(|message| message.role.as_str())
        .collect();
    assert_eq!(roles, ["user", "assistant", "system", "user", ""]);
    assert!(matches!(&result.messages[0].content, Content::Text { text } if text == "Please"));
    assert!(
        matches!(&result.messages[3].content, Content::Other { problem, .. }
        if problem == "The message has no content.")
    );
    assert_eq!(
        result.problems,
        [
            r#"The role of message 3 is "system"; it must be "user" or "assistant"."#,
            r#"The role of message 5 is missing; it must be "user" or "assistant"."#,
        ]
    );
    assert_eq!(
        read_prompt_result(&raw("{}")).problems,
        ["The result has no messages."]
    );
}

#[test]
fn a_completion_is_asked_for_with_what_the_others_hold() {
    let context = [("language".to_owned(), "py\"thon".to_owned())];
    let prompt = Reference::Prompt("code_review".to_owned());
    let ask = |revision| completion::params(&prompt, ("framework", "fla"), &context, &revision);
    assert_eq!(
        ask(Revision::V2026_07_28),
        r#"{"ref":{"type":"ref/prompt","name":"code_review"},"argument":{"name":"framework","value":"fla"},"context":{"arguments":{"language":"py\"thon"}}}"#
    );
    assert!(ask(Revision::V2025_06_18).contains("context"));
    // Those had no place for it.
    for old in [Revision::V2025_03_26, Revision::V2024_11_05] {
        assert!(!ask(old).contains("context"));
    }
    assert_eq!(
        completion::params(
            &Reference::ResourceTemplate("file:///{path}".to_owned()),
            ("path", ""),
            &[],
            &Revision::V2026_07_28
        ),
        r#"{"ref":{"type":"ref/resource","uri":"file:///{path}"},"argument":{"name":"path","value":""}}"#
    );
}

#[test]
fn suggestions_are_kept_as_far_as_they_are_allowed() {
    let read = |result: &str| completion::read(&raw(result));
    assert_eq!(
        read(r#"{"completion":{"values":["python","pytorch"],"total":10,"hasMore":true}}"#),
        Completion {
            values: vec!["python".to_owned(), "pytorch".to_owned()],
            total: Some(10),
            has_more: true,
            problems: Vec::new(),
        }
    );
    assert!(!read(r#"{"completion":{"values":["a"],"total":1}}"#).has_more);
    assert!(read(r#"{"completion":{"values":["a"],"total":2}}"#).has_more);
    let odd = read(r#"{"completion":{"values":["a",7,null],"total":"3","hasMore":null}}"#);
    assert_eq!(odd.values, ["a"]);
    assert_eq!(
        odd.problems,
        [
            "2 of 3 values are not strings and are left out.",
            "total is \"3\", not a number."
        ]
    );
    let many = format!(
        r#"{{"completion":{{"values":[{}]}}}}"#,
        vec!["\"x\""; 150].join(",")
    );
    let many = read(&many);
    assert_eq!((many.values.len(), many.has_more), (100, true));
    assert_eq!(
        many.problems,
        ["It has 150 values; at most 100 are allowed, and the first of them are shown."]
    );
    for (result, problem) in [
        ("{}", "The result has no completion."),
        (r#"{"completion":{}}"#, "The completion has no values."),
        (
            r#"{"completion":{"values":"a"}}"#,
            "values is a string, not an array.",
        ),
    ] {
        assert_eq!(read(result).problems, [problem]);
    }
}
