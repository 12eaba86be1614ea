//! Planted secrets are looked for in the page itself, wherever a person may go: in its text, its attributes and its fields.

use secrets::{Keyring, expose};
use serde_json::Value;
use tests::needles::{Needle, assert_without};
use tests::programs;
use tests::window::{Opener, Window, drive, drive_with};

use crate::sign_in::allow;

/// Letters and digits alone, so that it stands in JSON and in URLs as it is.
const VARIABLE: &str = "Canary1VariableQ7x";
const ARGUMENT: &str = "Canary2ArgumentW8y";

/// All that there is to see of a server, one after the other; each is looked through.
const TABS: [&str; 8] = [
    "Overview",
    "Tools…",
    "Resources…",
    "Prompts…",
    "Tasks…",
    "Logs…",
    "Findings…",
    "Composer",
];

/// So many rows stand in the window without scrolling.
const ROWS: u32 = 12;

/// Goes everywhere, and finds none of them.
async fn nowhere(window: &Window, needles: &[Needle]) {
    for tab in TABS {
        window.at("tab", tab).click().await;
        window.painted().await;
        assert_without(&window.source().await, needles, tab);
    }
    let timeline = window.timeline();
    let mut place = 0;
    while let Some(row) = timeline
        .rows()
        .await
        .into_iter()
        .find(|row| row.place == place && place < ROWS)
    {
        timeline.choose(row.place).await;
        if row.unfolds && !row.expanded {
            timeline.unfold_at(row.place).await;
        }
        let details = window.at("region", "Details");
        for tab in details.at("tab", "").all().await {
            details.at("tab", &tab.name).click().await;
            // What is fetched for it has come when nothing is drawn any more.
            window.painted().await;
            let place = format!("{} of {}", tab.name, row.name);
            assert_without(&window.source().await, needles, &place);
        }
        place += 1;
    }
    assert!(place > 3, "only {place} rows were looked at");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_entered_as_a_secret_is_in_no_page_until_they_ask_for_it() {
    drive("secrets-entered", async |window| {
        let dialog = window.add_server().await;
        let script = programs::odd_server();
        let block = serde_json::json!({ "mcpServers": { "Parrot": {
            "command": "python3",
            "args": ["-u", script, "environment", format!("--api-key={ARGUMENT}")],
            "env": { "ODD_TOKEN": VARIABLE },
        }}});
        dialog
            .at("textbox", "Paste a command…")
            .fill(&block.to_string())
            .await;
        dialog.at("button", "Fill in").click().await;
        dialog.at("textbox", "Name").holds("Parrot").await;
        // What looks like a secret in an argument is offered to be kept.
        dialog.shows("“api-key” looks like a secret").await;
        dialog.at("button", "Keep in the keyring").click().await;
        let arguments = dialog
            .at("textbox", "Arguments")
            .facts_when("have a name in the place of the value", |facts| {
                facts.value.ends_with("--api-key=${secret:api-key}")
            })
            .await;
        assert!(!arguments.value.contains(ARGUMENT), "{arguments:?}");
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;
        window.connected("Parrot").await;

        // The server repeats both; what came of them has their names.
        window.at("tab", "Tools…").click().await;
        let form = window.at("region", "Tool echo");
        form.at("button", "Call").click().await;
        let result = form.at("region", "Result of the call");
        result.shows("${secret:Parrot/ODD_TOKEN}").await;
        result.shows("--api-key=${secret:Parrot/api-key}").await;
        window.at("tab", "Logs…").click().await;
        window
            .at("tabpanel", "Logs…")
            .shows("my token is ${secret:Parrot/ODD_TOKEN}")
            .await;

        let needles = [
            Needle::of("variable", VARIABLE),
            Needle::of("argument", ARGUMENT),
        ];
        nowhere(window, &needles).await;

        // It can be seen where that is asked for, and is gone again.
        window.at("button", "keyring: …").click().await;
        let page = window.at("dialog", "Secrets");
        page.shows("Parrot/api-key").await;
        page.shows("argument 4 of Parrot").await;
        assert_without(&window.source().await, &needles, "the page of secrets");
        page.at("button", "Show Parrot/api-key").click().await;
        page.shows(ARGUMENT).await;
        assert!(
            needles[1].found_in(&window.source().await).is_some(),
            "the search finds what is there"
        );
        page.at("button", "Hide Parrot/api-key").click().await;
        page.at("button", "Show Parrot/api-key").facts().await;
        assert_without(&window.source().await, &needles, "the page of secrets");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_sign_in_gave_is_in_no_page() {
    let opener = Opener::new();
    let path = opener.path();
    drive_with(
        "secrets-given",
        &[("PATH", path.as_str())],
        async |window| {
            let server = "Demo server (sign-in)";
            let servers = window.at("navigation", "Servers");
            servers
                .at("button", &format!("Connect {server}"))
                .click()
                .await;
            window.at("tab", "Overview").click().await;
            window
                .at("region", "Sign-in")
                .at("button", "Sign in")
                .click()
                .await;
            allow(opener.next(window, 0).await).await;
            window.connected(server).await;
            let form = window.call("echo", &[("text…", "ciao")]).await;
            form.at("region", "Result of the call").shows("ciao").await;

            // What the keyring has by now is what to look for.
            let kept = Keyring::platform().get("sign-in demo-sign-in").await;
            let kept = kept.expect("the keyring").expect("a sign-in");
            let kept: Value = serde_json::from_str(expose(&kept)).expect("JSON");
            let token = |name: &str| {
                let token = kept["grant"][name].as_str();
                Needle::in_value(name, token.unwrap_or_else(|| panic!("no {name}")))
            };
            let needles = [token("access_token"), token("refresh_token")];
            nowhere(window, &needles).await;
        },
    )
    .await;
}
