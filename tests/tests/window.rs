//! The real window, driven as a person would: by mouse and keyboard, reading what the page shows.
#![cfg(target_os = "linux")]

use tests::programs;
use tests::window::{Window, drive};
use thirtyfour::Key;

#[tokio::test(flavor = "multi_thread")]
async fn one_click_reaches_the_demo_server_over_stdio() {
    drive("demo-stdio", async |window| {
        connect(window, "Demo server").await;
        let overview = window.at("tabpanel", "Overview").shows("2026-07-28").await;
        assert!(overview.contains("modern"), "{overview}");

        choose_tool(window, "echo").await;
        let form = window.at("region", "Tool echo");
        form.at("textbox", "text…").fill("ciao").await;
        form.at("button", "Call…").click().await;
        let result = form.at("region", "Result of the call").shows("complete").await;
        assert!(result.contains("ciao"), "{result}");

        let timeline = window.timeline();
        let call = timeline.row("tools/call echo, complete").await;
        assert!(call.seen && call.selected, "{call:?}");
        timeline.row("server/discover").await;
        let details = window.at("region", "Details");
        details.at("tab", "Request").click().await;
        details
            .at("group", "Request")
            .shows(r#""method": "tools/call""#)
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_click_reaches_the_demo_server_over_http() {
    drive("demo-http", async |window| {
        connect(window, "Demo server (HTTP)").await;
        choose_tool(window, "echo").await;
        let form = window.at("region", "Tool echo");
        form.at("textbox", "text…").fill("ciao").await;
        form.at("button", "Call…").click().await;
        form.at("region", "Result of the call").shows("ciao").await;

        window.timeline().row("tools/call echo, complete").await;
        let details = window.at("region", "Details");
        details.at("tab", "HTTP").click().await;
        let sent = details.at("region", "Request head").shows("POST").await;
        assert!(sent.contains("tools/call"), "{sent}");
        details.at("region", "Response head").shows("200").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_answered_and_the_call_goes_on() {
    drive("prompt", async |window| {
        connect(window, "Demo server").await;
        open_prompt(window).await;
        let row = window.timeline().row("tools/call book_table").await;
        assert!(row.name.contains("input_required"), "{row:?}");

        let prompt = window.at("article", "Prompt from Demo server");
        prompt.shows("Trattoria Lucia").await;
        prompt.at("textbox", "Party size…").fill("4").await;
        prompt
            .at("radiogroup", "Seating…")
            .at("radio", "Terrace")
            .click()
            .await;
        prompt.at("textbox", "E-mail…").fill("ana@example.com").await;
        prompt.at("button", "Send").click().await;

        let result = window.at("region", "Result of the call").shows("complete").await;
        assert!(result.contains("waiting on you"), "{result}");
        window.at("region", "Result of the call").shows("booked").await;
        window.at("article", "Prompt from Demo server").is_gone().await;

        let timeline = window.timeline();
        timeline.unfold("tools/call book_table, ").await;
        timeline.row("round 1").await;
        timeline.row("round 2").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_tells_its_progress_and_is_cancelled() {
    drive("slow-count", async |window| {
        connect(window, "Demo server").await;
        choose_tool(window, "slow_count").await;
        let form = window.at("region", "Tool slow_count");
        form.at("textbox", "steps…").fill("600").await;
        form.at("textbox", "step_millis…").fill("200").await;
        form.at("button", "Call…").click().await;

        let running = form.at("group", "The call is running");
        running.shows("of 600").await;
        let timeline = window.timeline();
        timeline.unfold("tools/call slow_count").await;
        timeline.row("notifications/progress").await;

        running.at("button", "Cancel").click().await;
        form.at("region", "Result of the call")
            .shows("cancelled by you")
            .await;
        timeline
            .row_when("is cancelled", |row| {
                row.name.starts_with("tools/call slow_count") && row.name.contains("cancelled")
            })
            .await;
    })
    .await;
}

/// One click on a server's entry.
async fn connect(window: &Window, server: &str) {
    window
        .at("navigation", "Servers")
        .at("button", &format!("Connect {server}"))
        .click()
        .await;
    window.at("contentinfo", "Status").shows("connected").await;
}

async fn choose_tool(window: &Window, tool: &str) {
    window.at("tab", "Tools…").click().await;
    window
        .at("listbox", "Tools")
        .at("option", &format!("{tool} …"))
        .click()
        .await;
    window.at("region", &format!("Tool {tool}")).facts().await;
}

/// Calls the tool that asks for a form.
async fn open_prompt(window: &Window) {
    choose_tool(window, "book_table").await;
    let form = window.at("region", "Tool book_table");
    form.at("textbox", "restaurant…").fill("Trattoria Lucia").await;
    form.at("textbox", "date…").fill("2026-12-04").await;
    form.at("button", "Call…").click().await;
    window
        .at("article", "Prompt from Demo server")
        .facts()
        .await;
}
