//! What a server is about: how it differs from when it was last connected, its icons, and the resources that change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::api::changes::{ServerChanges, ServerIcons};
use app::api::feed::PromptAction;
use app::api::servers::EraChoice;
use app::api::subscriptions::SubscriptionList;
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::{Core, resource_text};
use tests::listener::{self, Listener};

fn discovered(is_later: bool, icons: &Value) -> Value {
    let capabilities = if is_later {
        json!({ "tools": {}, "completions": {} })
    } else {
        json!({ "tools": {}, "prompts": {} })
    };
    let version = if is_later { "2.0" } else { "1.0" };
    json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "instructions": if is_later { "Ask kindly." } else { "Ask." },
        "ttlMs": 0,
        "cacheScope": "private",
        "resultType": "complete",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "x", "version": version, "icons": icons } },
    })
}

fn tools(is_later: bool) -> Value {
    let tool = |name: &str, words: &str| json!({ "name": name, "description": words, "inputSchema": { "type": "object" } });
    let tools = if is_later {
        json!([
            tool("stays", ""),
            tool("changes", "after"),
            tool("comes", "")
        ])
    } else {
        json!([
            tool("stays", ""),
            tool("changes", "before"),
            tool("goes", "")
        ])
    };
    json!({ "tools": tools, "ttlMs": 0, "cacheScope": "private", "resultType": "complete" })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_since_the_last_connect_is_told_also_after_a_restart() {
    let is_later = Arc::new(AtomicBool::new(false));
    let turn = Arc::clone(&is_later);
    let listener = Listener::start(move |asked, mut talk| {
        let is_later = turn.load(Ordering::SeqCst);
        async move {
            match asked.asks().as_str() {
                "server/discover" => talk.result(&asked, &discovered(is_later, &json!([]))).await,
                "tools/list" => talk.result(&asked, &tools(is_later)).await,
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    let core = Core::start().await;
    let server = core
        .add_url("x", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    let changes: ServerChanges = core
        .must("server_changes", json!({ "server": server }))
        .await;
    assert_eq!(
        changes,
        ServerChanges::default(),
        "it was never connected before"
    );
    core.until("the tools", |seen| {
        let server = seen.servers.iter().find(|one| one.id == server)?;
        (server.connection.tool_count == Some(3)).then_some(())
    })
    .await;
    let folder = core.close().await;

    is_later.store(true, Ordering::SeqCst);
    let core = Core::start_in(folder).await;
    core.connect_well(&server).await;
    let mut changes = ServerChanges::default();
    for _ in 0..300 {
        changes = core
            .must("server_changes", json!({ "server": server }))
            .await;
        if !changes.lists.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let facts: Vec<_> = changes
        .facts
        .iter()
        .map(|fact| {
            (
                fact.what.as_str(),
                fact.before.as_deref(),
                fact.now.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("capability completions", None, Some("{}")),
            ("capability prompts", Some("{}"), None),
            ("instructions", Some("Ask."), Some("Ask kindly.")),
            ("version", Some("1.0"), Some("2.0")),
        ]
    );
    let [list] = changes.lists.as_slice() else {
        panic!("{changes:#?}");
    };
    assert_eq!(
        (&list.new, &list.gone, &list.changed, list.count),
        (
            &vec!["comes".to_owned()],
            &vec!["goes".to_owned()],
            &vec!["changes".to_owned()],
            3
        )
    );
    // The file has names and fingerprints, and no description.
    let file = std::fs::read_to_string(core.folder().join("last-seen.json")).expect("it is there");
    assert!(file.contains("comes") && !file.contains("after"), "{file}");
    core.close().await;
}

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test(flavor = "multi_thread")]
async fn icons_are_looked_at_by_the_core_and_only_what_may_be_is_drawn() {
    let icons = json!([
        { "src": "https://elsewhere.example/icon.png" },
        { "src": "http://127.0.0.1/icon.png" },
        { "src": "data:text/html;base64,PGh0bWw+" },
        { "src": format!("data:image/png;base64,{PIXEL}"), "mimeType": "image/png" },
    ]);
    let listener = Listener::start(move |asked, mut talk| {
        let icons = icons.clone();
        async move {
            match asked.asks().as_str() {
                "server/discover" => talk.result(&asked, &discovered(false, &icons)).await,
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    let core = Core::start().await;
    let server = core
        .add_url("x", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    let args = json!({ "server": server, "theme": "light", "side": 48 });
    let found: ServerIcons = core.must("server_icons", args).await;
    let seen: Vec<_> = found
        .icons
        .iter()
        .map(|icon| (icon.picture.as_deref(), icon.problem.as_deref()))
        .collect();
    let picture = format!("data:image/png;base64,{PIXEL}");
    assert_eq!(
        seen,
        [
            (None, Some("It is of another origin than the server.")),
            (None, Some("Its URI is neither https nor data, but http.")),
            (
                None,
                Some("Its bytes are no PNG, JPEG, WebP or SVG picture.")
            ),
            (Some(picture.as_str()), None),
        ]
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_that_is_subscribed_to_says_how_often_it_changed() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let core = Core::start().await;
        core.connect_as("demo-stdio", Some(era)).await;
        let uri = "demo://bookings";
        let before = resource_text(&core.read("demo-stdio", uri, true).await);
        let filter = json!({ "resources": [uri] });
        let subscribed = json!({ "server": "demo-stdio", "filter": filter });
        let operation: OperationId = core.must("subscribe", subscribed).await;
        let list = async || -> SubscriptionList {
            core.must("subscriptions", json!({ "server": "demo-stdio" }))
                .await
        };
        until(async || {
            list()
                .await
                .subscriptions
                .iter()
                .any(|one| one.operation == operation && one.is_open)
        })
        .await;
        book(&core).await;
        until(async || {
            let subscriptions = list().await.subscriptions;
            let mine = subscriptions.iter().find(|one| one.operation == operation);
            mine.is_some_and(|one| {
                one.updates
                    .iter()
                    .any(|update| update.uri == uri && update.count >= 1)
            })
        })
        .await;
        let version = core.connection("demo-stdio").subscriptions_version;
        assert!(version > 0, "a view is told");
        let after = resource_text(&core.read("demo-stdio", uri, true).await);
        assert_ne!(before, after);
        core.close().await;
    }
}

async fn book(core: &Core) {
    let call = core.start_call("demo-stdio", "book_table", BOOKING).await;
    let prompt = core.prompt().await;
    let answer = r#"{"party_size":2,"seating":"indoors","email":"ana@example.com"}"#;
    core.answer(prompt.id, PromptAction::Accept, Some(answer))
        .await;
    core.outcome(call).await;
}

const BOOKING: &str = r#"{"restaurant":"Trattoria Lucia","date":"2026-12-04"}"#;

async fn until(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..300 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it never came to hold");
}
