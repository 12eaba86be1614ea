//! The pages beside the tools in the real window: Overview, Logs, Composer and Findings; and a form of every construct.

use tests::window::drive;

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_has_the_icon_and_tells_what_changed() {
    drive("overview", async |window| {
        window.connect("Demo server").await;
        window.at("tab", "Overview…").click().await;
        let panel = window.at("main", "");
        panel.shows("Icons not drawn").await;
        panel.shows("neither https nor data").await;
        panel.at("button", "Disconnect").click().await;
        panel.at("button", "Connect").click().await;
        panel.shows("Nothing differs in what is known by now").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_listed_and_filtered() {
    drive("logs", async |window| {
        window.connect("Demo server").await;
        window.call("stderr_chatter", &[("lines…", "3")]).await;
        window.at("tab", "Logs…").click().await;
        let page = window.at("region", "Logs");
        page.shows("order 3 of 3").await;
        page.at("textbox", "Filter the log").fill("order 2").await;
        window
            .until("only that line", async || {
                let text = page.text().await;
                (text.contains("order 2 of 3") && !text.contains("order 3 of 3")).then_some(())
            })
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_written_sent_and_answered() {
    drive("composer", async |window| {
        window.connect("Demo server").await;
        window.at("tab", "Composer…").click().await;
        let page = window.at("region", "Composer");
        page.at("textbox", "Method").fill("tools/list").await;
        page.at("button", "Begin with it").click().await;
        page.shows("A request: its reply is awaited.").await;
        page.at("button", "Send as it is…").click().await;
        page.shows("find_restaurants").await;
        page.at("textbox", "The message")
            .fill("no JSON at all")
            .await;
        page.shows("This is not valid JSON").await;
        page.at("button", "Send as it is…").click().await;
        window.timeline().row("message").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_construct_of_a_form_can_be_filled_in() {
    drive("catering", async |window| {
        window.connect("Demo server").await;
        let form = window.choose_tool("order_catering").await;
        form.choose("occasion…", "picnic").await;
        form.choose("how…", "delivery").await;
        form.fill_in(&[("address…", "High Street 1"), ("invoice_to", "Ana")])
            .await;
        form.fill_in(&[("tax_number…", "IT12345678")]).await;
        form.at("button", "Fill in diets").click().await;
        form.at("button", "Add entry").click().await;
        form.fill_in(&[("Name of entry 1", "vegan")]).await;
        form.fill_in(&[("Value of vegan", "3")]).await;
        form.at("button", "Fill in seating").click().await;
        form.fill_in(&[("name…", "family")]).await;
        form.at("button", "Call").click().await;
        form.shows("Catering for 12: €288").await;
        window.timeline().row("tools/call order_catering").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_listed_by_rule() {
    drive("findings", async |window| {
        // It writes lines to stdout that are no messages.
        let command = format!("python3 {} noise", tests::programs::odd_server().display());
        let dialog = window.add_server().await;
        dialog
            .at("textbox", "Paste a command…")
            .fill(&command)
            .await;
        dialog.at("button", "Fill in").click().await;
        dialog.at("textbox", "Name").fill("Odd").await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;
        window.connected("Odd").await;
        window.at("tab", "Findings…").click().await;
        let page = window.at("region", "Findings");
        page.shows("wrote something to stdout that is not an MCP message")
            .await;
        page.shows("2026-07-28 basic/transports/stdio").await;
    })
    .await;
}
