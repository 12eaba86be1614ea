//! Lists of tools that fail, come in pages, go round in circles, or hold what is no tool.

use app::api::servers::EraChoice;
use app::api::tools::{ListState, ToolList};
use serde_json::json;
use tests::core::{Core, text_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_fails_is_an_error_and_never_no_tools() {
    let core = Core::start().await;
    for (oddity, words) in [
        ("list-fails", "the tools are on holiday"),
        ("no-list", "The result has no tools"),
    ] {
        let server = core.add_odd(oddity, EraChoice::Auto).await;
        let connection = core.connect_well(&server).await;
        assert_eq!(
            connection.error, None,
            "the connection is there all the same"
        );
        assert_ne!(connection.tool_count, Some(0));
        let list = core.tools(&server).await;
        let ListState::Failed { error } = &list.state else {
            panic!("{oddity}: {list:#?}");
        };
        assert!(error.message.contains(words), "{oddity}: {error:#?}");
        assert!(error.hint.is_some(), "{oddity}: {error:#?}");
        assert_eq!(core.connection(&server).tool_count, None);
        let row = core.operation_row(list.operation.expect("its row")).await;
        assert!(
            row.contains("tools/list — ") && !row.contains("complete"),
            "{row}"
        );
    }

    // Retry.
    let _: () = core
        .must(
            "refresh_tools",
            json!({ "server": server_named(&core, "list-fails") }),
        )
        .await;
    let list = ready(&core, &server_named(&core, "list-fails")).await;
    assert_eq!(list.entries.len(), 1);
    core.close().await;
}

fn server_named(core: &Core, name: &str) -> String {
    core.seen()
        .servers
        .into_iter()
        .find(|view| view.name == name)
        .expect("the server")
        .id
}

/// Waits until the list is whole.
async fn ready(core: &Core, server: &str) -> ToolList {
    core.until("the list", |seen| {
        let view = seen.servers.iter().find(|view| view.id == server)?;
        view.connection.tool_count
    })
    .await;
    let list = core.tools(server).await;
    assert_eq!(list.state, ListState::Ready, "{list:#?}");
    list
}

#[tokio::test(flavor = "multi_thread")]
async fn all_54_tools_come_in_pages_of_50() {
    let core = Core::start().await;
    let server = core.add_odd("many-tools", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let list = core.tools(&server).await;
    assert_eq!((list.state, list.entries.len()), (ListState::Ready, 54));
    assert_eq!(list.entries[53].name, "tool_53");
    let outcome = core.call(&server, "tool_53", r#"{"last":true}"#).await;
    assert_eq!(text_of(&outcome), r#"{"last": true}"#);
    let row = core.operation_row(list.operation.expect("its row")).await;
    assert!(row.contains("tools/list [2 pages] — complete"), "{row}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_comes_again_ends_the_list_and_keeps_what_came() {
    let core = Core::start().await;
    let server = core.add_odd("circle", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let list = core.tools(&server).await;
    let ListState::Failed { error } = &list.state else {
        panic!("{list:#?}");
    };
    assert!(error.message.contains("for a second time"), "{error:#?}");
    assert!(error.hint.is_some());
    assert_eq!(list.entries.len(), 2, "two pages of one tool");
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "{}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_that_are_no_schemas_are_listed_with_their_problems_and_callable() {
    let core = Core::start().await;
    let server = core.add_odd("odd-schemas", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let list = core.tools(&server).await;
    assert_eq!(list.state, ListState::Ready);
    let told: Vec<_> = list
        .entries
        .iter()
        .map(|tool| {
            (
                tool.name.as_str(),
                tool.input_schema.as_str(),
                tool.problems.join(" "),
            )
        })
        .collect();
    let expected = [
        ("true", "true", "inputSchema is a boolean"),
        ("text", "\"x\"", "inputSchema is a string"),
        ("none", "{}", "It has no inputSchema."),
        ("null", "null", "inputSchema is null"),
        ("list", "[]", "inputSchema is an array"),
        ("", "{}", "The entry is a string"),
        ("good", r#"{"type": "object"}"#, ""),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert_eq!((told.0, told.1), (expected.0, expected.1));
        assert!(told.2.contains(expected.2), "{told:?} {expected:?}");
        assert_eq!(told.2.is_empty(), expected.2.is_empty(), "{told:?}");
    }
    for name in ["true", "text", "none", "null", "list"] {
        let outcome = core.call(&server, name, r#"{"x":[1.50]}"#).await;
        assert_eq!(text_of(&outcome), r#"{"x": [1.5]}"#);
    }
    core.close().await;
}
