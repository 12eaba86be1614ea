//! A server asks while nobody looks: the desktop is told, and a click leads to the prompt.

use tests::window::{Desktop, Notifications, drive};

use crate::prompts::Asks;

/// A name with what some notification services would read as markup.
const NAME: &str = "<b>Lucia</b> & Söhne";
/// The same without.
const PLAIN: &str = "bLucia/b  Söhne";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_while_nobody_looks_is_told_of_and_a_click_leads_to_it() {
    let notifications = Notifications::serve().await;
    drive("attention", async |window| {
        let desktop = Desktop::new();
        let command = tests::programs::demo_server();
        let dialog = window.add_server().await;
        dialog
            .fill_in(&[
                ("Name", NAME),
                ("Command", &command.to_string_lossy()),
                ("Arguments", "stdio"),
            ])
            .await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;
        window.connected(NAME).await;
        let asks = Asks::of(window, NAME);

        // In front, a prompt is seen: nobody is told of it, and its number is where it always is.
        desktop.focus("Roundtrip");
        window.has_focus(true).await;
        asks.call("guest_card", false).await;
        asks.card().facts().await;
        notifications.badge_is(window, Some(1)).await;
        asks.card().at("button", "Decline").click().await;
        asks.ends("declined").await;
        notifications.badge_is(window, None).await;
        assert_eq!(notifications.all(), []);

        // Not in front: the desktop's focus is elsewhere when the server asks.
        let form = window.choose_tool("guest_card").await;
        desktop.leave();
        window.has_focus(false).await;
        form.at("button", "Call").click().await;
        let told = notifications.next(window, 0).await;
        assert_eq!(told.program, "Roundtrip");
        assert_eq!(told.summary, "A server asks you");
        assert_eq!(told.body, format!("{PLAIN} needs an answer."));
        assert_eq!(told.actions, ["default", "Show"]);
        let words = format!("{told:?}");
        for word in ["guest card", "fill in", "<", "&"] {
            assert!(!words.contains(word), "{word:?} in {words}");
        }
        notifications.badge_is(window, Some(1)).await;
        let titles = desktop.titles();
        assert_eq!(titles, [format!("Roundtrip — {PLAIN} asks")]);

        // A click brings the window to the front, and the prompt into the focus.
        window.at("tab", "Overview").click().await;
        notifications
            .click_until(window, told.id, async || window.is_in_front().await)
            .await;
        asks.card()
            .facts_when("have the focus", |facts| facts.focused)
            .await;

        asks.card().at("button", "Decline").click().await;
        asks.card().is_gone().await;
        notifications.badge_is(window, None).await;
        assert_eq!(desktop.titles(), ["Roundtrip"]);

        // Two at once are one notification, with their number.
        desktop.leave();
        window.has_focus(false).await;
        asks.call("seat_party", true).await;
        let told = notifications.next(window, 1).await;
        assert_eq!(told.body, format!("{PLAIN}: 2 prompts wait for you."));
        notifications.badge_is(window, Some(2)).await;
        assert_eq!(desktop.titles(), ["Roundtrip — 2 prompts waiting"]);

        // What was answered is not told of any more, though nobody clicked it.
        let title = format!("Roundtrip — {PLAIN} asks");
        asks.card().at("button", "Decline").click().await;
        window
            .until("one prompt left", async || {
                (desktop.titles() == [title.clone()]).then_some(())
            })
            .await;
        asks.card().at("button", "Decline").click().await;
        asks.card().is_gone().await;
        notifications.is_taken_back(window, told.id).await;
        notifications.badge_is(window, None).await;
    })
    .await;
}
