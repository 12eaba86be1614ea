//! Recorded requests, sent again: a round answered anew, and the branch beside its original.

use tests::window::drive;

use crate::prompts::answer_booking;

#[tokio::test(flavor = "multi_thread")]
async fn a_round_is_answered_anew_and_its_branch_is_one_click_away() {
    drive("timeline-branch", async |window| {
        window.connect_as("Demo server (HTTP)", "modern").await;
        let fields = [("restaurant…", "Trattoria Lucia"), ("date…", "2026-12-04")];
        window.call("book_table", &fields).await;
        answer_booking(window, "Demo server (HTTP)").await;
        let timeline = window.timeline();
        timeline.completes("tools/call book_table").await;
        timeline.unfold("tools/call book_table").await;
        timeline.select("round 1").await;

        let details = window.at("region", "Details");
        details.at("tab", "Summary").click().await;
        details.at("button", "Answer anew").click().await;
        let editor = window.at("dialog", "Answer round 1 anew");
        let parameters = editor.at("textbox", "Parameters");
        parameters
            .facts_when("hold what was sent", |facts| {
                facts.value.contains("requestState") && facts.value.contains("ana@example.com")
            })
            .await;
        editor.at("radio", "Decline").click().await;
        parameters
            .facts_when("decline", |facts| facts.value.contains("\"decline\""))
            .await;
        editor.at("button", "Send").click().await;
        editor.is_gone().await;

        // The branch is selected, and names its original; that has a row of the branch.
        let branches = details.at("region", "Branches");
        branches.shows("round 1 answered anew").await;
        branches.at("button", "Compare").click().await;
        let comparison = window.at("dialog", "The original and its branch");
        comparison.shows("How it ended").await;
        comparison.at("button", "Close").click().await;
        comparison.is_gone().await;
        branches
            .at("button", "…tools/call book_table")
            .click()
            .await;
        let original = timeline
            .row_when("is the original", |row| row.selected && row.level == 1)
            .await;
        assert!(original.name.contains("1 branch"), "{original:?}");
        timeline
            .row_when("is the branch in the original", |row| {
                row.level > 1 && row.name.starts_with("round 1 answered anew #")
            })
            .await;
        branches
            .at("button", "…tools/call book_table")
            .click()
            .await;
        timeline
            .row_when("is the branch", |row| {
                row.selected && row.level == 1 && row.name.contains("branch of #")
            })
            .await;
    })
    .await;
}
