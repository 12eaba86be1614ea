//! Resources and prompts in the real window: read, subscribed to, filled in.

use tests::window::drive;

use crate::prompts::{answer_booking, book_table};

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_is_read_subscribed_to_and_its_change_is_shown() {
    drive("resources", async |window| {
        window.connect("Demo server").await;
        window.at("tab", "Resources…").click().await;
        window
            .at("listbox", "Resources")
            .at("option", "Bookings …")
            .click()
            .await;
        let pane = window.at("region", "Resource bookings");
        pane.at("button", "Read").click().await;
        pane.shows("demo://bookings").await;
        pane.at("button", "Subscribe").click().await;
        pane.shows("nothing has changed since").await;

        book_table(window).await;
        answer_booking(window, "Demo server").await;

        window.at("tab", "Resources…").click().await;
        let change = pane.at("region", "What changed");
        change.shows("Trattoria Lucia").await;
        pane.shows("the server told of 1 change").await;
        pane.at("button", "Unsubscribe").click().await;
        pane.at("button", "Subscribe").facts().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_shown_and_a_prompt_is_filled_in() {
    drive("offers", async |window| {
        window.connect("Demo server").await;
        window.at("tab", "Resources…").click().await;
        window
            .at("listbox", "Resources")
            .at("option", "Picture of a menu card …")
            .click()
            .await;
        let pane = window.at("region", "Resource menu-card.png");
        pane.at("button", "Read").click().await;
        pane.at("img", "").facts().await;

        window.at("tab", "Prompts…").click().await;
        window
            .at("listbox", "Prompts")
            .at("option", "write_review …")
            .click()
            .await;
        let pane = window.at("region", "Prompt …");
        // The server completes it.
        pane.at("combobox", "restaurant…")
            .fill("Trattoria Lucia")
            .await;
        pane.at("button", "Get the prompt").click().await;
        pane.shows("user").await;
    })
    .await;
}
