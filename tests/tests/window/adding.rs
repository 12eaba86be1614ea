//! Servers that a person adds: by a command, by a URL, and by what was pasted.

use tests::listening::Listening;
use tests::programs;
use tests::window::drive;

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_is_added_by_typing_a_command() {
    drive("everything", async |window| {
        let program = programs::servers()
            .join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let node = programs::node();
        window
            .add_command(
                "Everything",
                &node.to_string_lossy(),
                &program.to_string_lossy(),
                "Save and connect",
            )
            .await;
        window.connected("Everything").await;
        let overview = window.at("tabpanel", "Overview").shows("legacy").await;
        assert!(overview.contains("fell back"), "{overview}");
        assert!(overview.contains("2025-11-25"), "{overview}");

        let form = window.call("echo", &[("message…", "salut")]).await;
        form.at("region", "Result of the call")
            .shows("Echo: salut")
            .await;
        window.timeline().row("tools/call echo, complete").await;
        window.timeline().row("initialize").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_server_is_added_by_typing_a_url() {
    let server = Listening::on_node("modern.mjs", &[]);
    drive("sdk-v2", async |window| {
        window.add_url("SDK", server.url()).await;
        let overview = window.at("tabpanel", "Overview").shows("modern").await;
        assert!(overview.contains("TypeScript SDK v2"), "{overview}");
        assert!(
            overview.contains("Adds numbers and repeats words."),
            "{overview}"
        );

        let form = window.call("add", &[("a…", "2"), ("b…", "40")]).await;
        let result = form.at("region", "Result of the call");
        result.shows("2 + 40 = 42").await;
        result
            .at("group", "Structured content")
            .shows(r#""sum": 42"#)
            .await;

        window.timeline().row("tools/call add, complete").await;
        let details = window.at("region", "Details");
        details.at("tab", "HTTP").click().await;
        let sent = details
            .at("region", "Request head")
            .shows("tools/call")
            .await
            .to_lowercase();
        for header in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
            assert!(sent.contains(header), "{header} is not in\n{sent}");
        }
        details.at("region", "Response head").shows("200").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_mcp_servers_block_fills_the_form() {
    drive("paste", async |window| {
        let dialog = window.add_server().await;
        dialog
            .at("textbox", "Paste a command…")
            .fill(r#"{"mcpServers":{"notes":{"command":"npx","args":["-y","notes-server"],"env":{"LEVEL":"3"}}}}"#)
            .await;
        dialog.at("button", "Fill in").click().await;
        dialog.at("textbox", "Name").holds("notes").await;
        dialog.at("textbox", "Command").holds("npx").await;
        dialog
            .at("textbox", "Arguments")
            .holds("-y\nnotes-server")
            .await;
        dialog.at("textbox", "Value of LEVEL").holds("3").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_not_there_is_told_at_the_place_and_in_the_timeline() {
    drive("not-found", async |window| {
        window
            .add_command(
                "Nowhere",
                "no-such-command-anywhere",
                "",
                "Save and connect",
            )
            .await;
        let problem = window
            .at("tabpanel", "Overview")
            .at("alert", "")
            .shows("no-such-command-anywhere")
            .await;
        assert!(
            problem.contains("not found") || problem.contains("PATH"),
            "{problem}"
        );
        let row = window
            .timeline()
            .row_when("tells it", |row| {
                row.name.contains("no-such-command-anywhere") || row.name.contains("not found")
            })
            .await;
        assert_eq!(row.level, 1, "{row:?}");
    })
    .await;
}
