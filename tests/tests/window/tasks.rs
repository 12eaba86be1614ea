//! Tasks in the real window: what they ask, and the page that lists them.

use tests::window::drive;

#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_is_listed_cancelled_and_its_result_opened() {
    drive("tasks", async |window| {
        window.connect("Demo server").await;

        // A form in the middle of a task.
        window
            .call("plan_banquet", &[("occasion…", "the harvest")])
            .await;
        let card = window.at("article", "Prompt from Demo server");
        card.shows("Who comes to the harvest?").await;
        window.at("tab", "Tasks…").click().await;
        let page = window.at("region", "Tasks");
        page.shows("1 needs you").await;
        let banquet = page.at("row", "plan_banquet …");
        banquet.shows("needs input").await;
        card.at("textbox", "Guests…").fill("12").await;
        card.at("button", "Send").click().await;
        card.is_gone().await;
        banquet.shows("completed").await;
        banquet.at("button", "Open result").click().await;
        let dialog = window.at("dialog", "plan_banquet…");
        dialog
            .shows("A banquet for 12: the harvest, with wine.")
            .await;
        dialog.at("button", "Close").click().await;
        dialog.is_gone().await;

        // One that would go on for an hour is cancelled from the page.
        window.call("rebuild_index", &[("seconds…", "3600")]).await;
        window.at("tab", "Tasks…").click().await;
        page.shows("1 running").await;
        let rebuild = page.at("row", "rebuild_index …");
        rebuild.shows("s of 3600 s").await;
        rebuild.at("button", "Cancel").click().await;
        rebuild.shows("cancelled").await;
        window
            .timeline()
            .row_when("is the cancelled task", |row| {
                row.name.starts_with("tools/call rebuild_index") && row.name.contains("cancelled")
            })
            .await;
    })
    .await;
}
