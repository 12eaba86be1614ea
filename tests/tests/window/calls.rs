//! The demo server's tools, called and read: by mouse and by keyboard, slow ones and floods.

use tests::window::{Window, drive};
use thirtyfour::Key;

#[tokio::test(flavor = "multi_thread")]
async fn one_click_reaches_the_demo_server_over_stdio() {
    drive("demo-stdio", async |window| {
        window.connect("Demo server").await;
        let overview = window.at("tabpanel", "Overview").shows("2026-07-28").await;
        assert!(overview.contains("modern"), "{overview}");

        let form = window.call("echo", &[("text…", "ciao")]).await;
        let result = form
            .at("region", "Result of the call")
            .shows("complete")
            .await;
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
        window.connect("Demo server (HTTP)").await;
        let form = window.call("echo", &[("text…", "ciao")]).await;
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
async fn a_slow_call_tells_its_progress_and_is_cancelled() {
    drive("slow-count", async |window| {
        window.connect("Demo server").await;
        let form = window
            .call("slow_count", &[("steps…", "600"), ("step_millis…", "200")])
            .await;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_made_and_read_without_the_mouse() {
    drive("keyboard", async |window| {
        palette(window, "Connect Demo server").await;
        window.at("contentinfo", "Status").shows("connected").await;
        window.at("tab", "Tools…").facts().await;
        palette(window, "Call echo…").await;
        let field = window.at("region", "Tool echo").at("textbox", "text…");
        field
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        window.type_text("by hand").await;
        field.holds("by hand").await;
        window.press(&[Key::Control], Key::Enter).await;
        window
            .at("region", "Result of the call")
            .shows("by hand")
            .await;

        let rows = window.at("treegrid", "Timeline rows");
        for _ in 0..200 {
            if rows.facts().await.focused {
                break;
            }
            window.press(&[], Key::Tab).await;
        }
        assert!(
            rows.facts().await.focused,
            "Tab does not reach the timeline"
        );
        window.press(&[], Key::End).await;
        let call = window
            .timeline()
            .row_when("is selected", |row| {
                row.selected && row.name.starts_with("tools/call echo")
            })
            .await;
        assert!(!call.expanded, "{call:?}");
        window.press(&[], Key::Right).await;
        window
            .timeline()
            .row_when("is unfolded", |row| row.selected && row.expanded)
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_notifications_leaves_the_window_usable() {
    const COUNT: u32 = 100_000;
    drive("flood", async |window| {
        window.connect("Demo server").await;
        let form = window
            .call("flood", &[("count…", &COUNT.to_string())])
            .await;
        form.at("group", "The call is running")
            .shows("events")
            .await;

        // Meanwhile another server is called, and the rows scroll.
        window.connect("Demo server (HTTP)").await;
        let echo = window.call("echo", &[("text…", "above water")]).await;
        echo.at("region", "Result of the call")
            .shows("above water")
            .await;
        let timeline = window.timeline();
        timeline.row("tools/call echo, complete").await;

        timeline.row("tools/call flood, complete").await;
        timeline.unfold("tools/call flood, complete").await;
        let last = format!("{COUNT} of {COUNT}");
        let total = window
            .until("all rows", async || {
                let total = timeline.total().await;
                (total >= COUNT).then_some(total)
            })
            .await;
        assert!(total < COUNT + 100, "{total} rows");
        timeline.scroll(1000).await;
        timeline
            .row_when(&format!("is notification {last}"), |row| {
                row.seen
                    && row.name.starts_with("notifications/progress")
                    && row.name.contains(&last)
            })
            .await;
        timeline.scroll(500).await;
        let middle = timeline
            .row_when("is in the middle", |row| {
                row.seen && row.arrived && row.place.abs_diff(total / 2) < 100
            })
            .await;
        assert!(
            middle.name.starts_with("notifications/progress"),
            "{middle:?}"
        );
        timeline.select(&middle.name).await;
        window
            .at("region", "Details")
            .shows("notifications/progress")
            .await;
    })
    .await;
}

/// Chooses a command of the palette with the keyboard.
async fn palette(window: &Window, command: &str) {
    window.press(&[Key::Control], 'k').await;
    let palette = window.at("dialog", "Commands");
    palette
        .at("combobox", "")
        .facts_when("have the focus", |facts| facts.focused)
        .await;
    window.type_text(command.trim_end_matches('…')).await;
    palette
        .at("option", command)
        .facts_when("be marked", |facts| facts.chosen)
        .await;
    window.press(&[], Key::Enter).await;
    palette.is_gone().await;
}
