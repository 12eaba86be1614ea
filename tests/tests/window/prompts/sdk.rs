//! What a server on the TypeScript SDK asks.

use tests::listening::Listening;
use tests::programs;
use tests::window::{Spot, Window, drive};

use super::Asks;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_the_typescript_sdk_asks_in_the_modern_era() {
    let asking = Listening::on_node("asking.mjs", &["http"]);
    drive("prompts-sdk-modern", async |window| {
        window.add_url("Asking", asking.url()).await;
        asked_by_the_sdk(window, "modern").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_the_typescript_sdk_asks_in_the_legacy_era() {
    drive("prompts-sdk-legacy", async |window| {
        let dialog = window.add_server().await;
        let script = programs::servers().join("asking.mjs");
        let command = format!("{} {} stdio", programs::node().display(), script.display());
        dialog
            .at("textbox", "Paste a command…")
            .fill(&command)
            .await;
        dialog.at("button", "Fill in").click().await;
        dialog
            .at("textbox", "Arguments")
            .facts_when("be filled in", |facts| facts.value.ends_with("stdio"))
            .await;
        dialog.at("textbox", "Name").fill("Asking").await;
        dialog.at("button", "Save").click().await;
        dialog.is_gone().await;
        window.connect_as("Asking", "legacy").await;
        asked_by_the_sdk(window, "legacy").await;
    })
    .await;
}

async fn asked_by_the_sdk(window: &Window, era: &str) {
    window.connected("Asking").await;
    window.at("tabpanel", "Overview").shows(era).await;
    let asks = Asks::of(window, "Asking");
    asks.call("guest", false).await;
    let card = asks.card();
    card.fill_in(&[
        ("Name…", "Ada"),
        ("E-mail…", "ada@example.com"),
        ("Born…", "1815-12-10"),
        ("Nights…", "3"),
    ])
    .await;
    card.choose("Breakfast…", "Yes").await;
    card.choose("View…", "Sea").await;
    card.tick("Papers…", "evening").await;
    card.tick("Pillows…", "Hard").await;
    asks.send().await;
    asks.ends(
        r#"accept: {"name":"Ada","email":"ada@example.com","born":"1815-12-10","nights":3,"tip":2.5,"breakfast":true,"view":"s","papers":["evening"],"pillows":["p2"]}"#,
    )
    .await;

    asks.call("guest", false).await;
    card.at("button", "Decline").click().await;
    asks.ends("decline: null").await;

    asks.call("pair", false).await;
    // The older client is asked for one after the other, or for both at once, as the SDK likes.
    for _ in 0..2 {
        let text = window
            .until("a question", async || {
                let cards = card.all().await;
                let text = cards.first()?.text.clone();
                text.contains("one?").then_some(text)
            })
            .await;
        if text.contains("The left one?") {
            card.at("textbox", "Left…").fill("salt").await;
            asks.send().await;
            card_without(window, &card, "The left one?").await;
        } else {
            card.at("textbox", "Right…").fill("pepper").await;
            asks.send().await;
            card_without(window, &card, "The right one?").await;
        }
    }
    asks.ends("salt and pepper").await;

    asks.call("rounds", false).await;
    for (number, word) in [(1, "one"), (2, "two"), (3, "three")] {
        card.shows(&format!("Word {number}?")).await;
        card.at("textbox", "Word…").fill(word).await;
        asks.send().await;
    }
    asks.ends("one two three").await;
}

/// Waits until this question is not shown any more.
async fn card_without(window: &Window, card: &Spot<'_>, words: &str) {
    window
        .until("the end of the question", async || {
            let cards = card.all().await;
            cards
                .iter()
                .all(|card| !card.text.contains(words))
                .then_some(())
        })
        .await;
}
