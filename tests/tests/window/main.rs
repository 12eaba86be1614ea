//! The real window, driven as a person would: by mouse and keyboard, reading what the page shows.
#![cfg(target_os = "linux")]

mod prompts;
mod sign_in;
mod tasks;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tests::programs;
use tests::window::{Row, Spot, Window, drive};
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
        assert!(row.name.contains("waiting on you"), "{row:?}");

        let prompt = window.at("article", "Prompt from Demo server");
        prompt.shows("Trattoria Lucia").await;
        prompt.at("textbox", "Party size…").fill("4").await;
        prompt
            .at("radiogroup", "Seating…")
            .at("radio", "Terrace")
            .click()
            .await;
        prompt
            .at("textbox", "E-mail…")
            .fill("ana@example.com")
            .await;
        prompt.at("button", "Send").click().await;

        let result = window
            .at("region", "Result of the call")
            .shows("complete")
            .await;
        assert!(result.contains("waiting on you"), "{result}");
        window
            .at("region", "Result of the call")
            .shows("booked")
            .await;
        window
            .at("article", "Prompt from Demo server")
            .is_gone()
            .await;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_is_added_by_typing_a_command() {
    drive("everything", async |window| {
        let program = programs::servers()
            .join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let dialog = add_server(window).await;
        dialog.at("textbox", "Name").fill("Everything").await;
        dialog
            .at("textbox", "Command")
            .fill(&programs::node().to_string_lossy())
            .await;
        dialog
            .at("textbox", "Arguments")
            .fill(&program.to_string_lossy())
            .await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;

        connected(window, "Everything").await;
        let overview = window.at("tabpanel", "Overview").shows("legacy").await;
        assert!(overview.contains("fell back"), "{overview}");
        assert!(overview.contains("2025-11-25"), "{overview}");

        choose_tool(window, "echo").await;
        let form = window.at("region", "Tool echo");
        form.at("textbox", "message…").fill("salut").await;
        form.at("button", "Call…").click().await;
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
    let server = ModernServer::start();
    drive("sdk-v2", async |window| {
        let dialog = add_server(window).await;
        dialog
            .at("radiogroup", "Transport")
            .at("radio", "URL (HTTP)")
            .click()
            .await;
        dialog.at("textbox", "URL").fill(&server.url).await;
        dialog.at("textbox", "Name").fill("SDK").await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;

        connected(window, "SDK").await;
        let overview = window.at("tabpanel", "Overview").shows("modern").await;
        assert!(overview.contains("TypeScript SDK v2"), "{overview}");
        assert!(
            overview.contains("Adds numbers and repeats words."),
            "{overview}"
        );

        choose_tool(window, "add").await;
        let form = window.at("region", "Tool add");
        form.at("textbox", "a…").fill("2").await;
        form.at("textbox", "b…").fill("40").await;
        form.at("button", "Call…").click().await;
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
        let dialog = add_server(window).await;
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
        let dialog = add_server(window).await;
        dialog.at("textbox", "Name").fill("Nowhere").await;
        dialog
            .at("textbox", "Command")
            .fill("no-such-command-anywhere")
            .await;
        dialog.at("button", "Save and connect").click().await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_of_the_page_loses_nothing() {
    drive("reload", async |window| {
        let dialog = add_server(window).await;
        dialog.at("textbox", "Name").fill("Kept").await;
        dialog.at("textbox", "Command").fill("npx").await;
        dialog.at("button", "Save").click().await;
        dialog.is_gone().await;
        window
            .at("navigation", "Servers")
            .at("button", "Demo server,…")
            .click()
            .await;
        connect(window, "Demo server").await;
        open_prompt(window).await;
        let timeline = window.timeline();
        timeline.row("tools/call book_table").await;
        let names = |rows: Vec<Row>| -> Vec<String> {
            // The clocks of running rows are not in their names.
            rows.into_iter().map(|row| row.name).collect()
        };
        let before = names(timeline.rows().await);

        window.reload().await;

        let servers = window.at("navigation", "Servers");
        servers.at("button", "Kept, not connected…").facts().await;
        servers
            .at("button", "Demo server, connected…")
            .facts()
            .await;
        window.timeline().row("tools/call book_table").await;
        let after = window
            .until("the rows", async || {
                let after = names(window.timeline().rows().await);
                (after.len() == before.len()).then_some(after)
            })
            .await;
        assert_eq!(after, before);

        let prompt = window.at("article", "Prompt from Demo server");
        prompt.at("textbox", "Party size…").fill("2").await;
        prompt
            .at("textbox", "E-mail…")
            .fill("ana@example.com")
            .await;
        prompt.at("button", "Send").click().await;
        prompt.is_gone().await;
        window
            .timeline()
            .row_when("is complete", |row| {
                row.name.starts_with("tools/call book_table") && row.name.contains("complete")
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
        connect(window, "Demo server").await;
        choose_tool(window, "flood").await;
        let form = window.at("region", "Tool flood");
        form.at("textbox", "count…").fill(&COUNT.to_string()).await;
        form.at("button", "Call…").click().await;
        form.at("group", "The call is running")
            .shows("events")
            .await;

        // Meanwhile another server is called, and the rows scroll.
        connect(window, "Demo server (HTTP)").await;
        choose_tool(window, "echo").await;
        let echo = window.at("region", "Tool echo");
        echo.at("textbox", "text…").fill("above water").await;
        echo.at("button", "Call…").click().await;
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

/// A server on the official TypeScript SDK. It ends with its standard input.
struct ModernServer {
    url: String,
    process: Child,
}

impl ModernServer {
    fn start() -> Self {
        Self::run(&["modern.mjs"])
    }

    /// Runs one of the test servers, with its arguments.
    fn run(arguments: &[&str]) -> Self {
        let (script, arguments) = arguments.split_first().expect("a script");
        let mut process = Command::new(programs::node())
            .arg(programs::servers().join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js starts");
        let mut url = String::new();
        BufReader::new(process.stdout.take().expect("its stdout"))
            .read_line(&mut url)
            .expect("its first line");
        Self {
            url: url.trim().to_owned(),
            process,
        }
    }
}

impl Drop for ModernServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("it ends with its stdin");
    }
}

/// Opens the dialog.
async fn add_server(window: &Window) -> Spot<'_> {
    window
        .at("navigation", "Servers")
        .at("button", "Add server")
        .click()
        .await;
    let dialog = window.at("dialog", "Add a server");
    dialog.facts().await;
    dialog
}

/// Waits until the entry says so, and the workbench shows it.
async fn connected(window: &Window, server: &str) {
    window
        .at("navigation", "Servers")
        .at("button", &format!("{server}, connected…"))
        .facts()
        .await;
    window.at("contentinfo", "Status").shows("connected").await;
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

/// One click on a server's entry.
async fn connect(window: &Window, server: &str) {
    window
        .at("navigation", "Servers")
        .at("button", &format!("Connect {server}"))
        .click()
        .await;
    connected(window, server).await;
}

async fn choose_tool(window: &Window, tool: &str) {
    window.at("tab", "Tools…").click().await;
    // Only the rows in sight are drawn.
    window.at("searchbox", "Filter tools").fill(tool).await;
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
    form.at("textbox", "restaurant…")
        .fill("Trattoria Lucia")
        .await;
    form.at("textbox", "date…").fill("2026-12-04").await;
    form.at("button", "Call…").click().await;
    window
        .at("article", "Prompt from Demo server")
        .facts()
        .await;
}

/// Tries every way in which a page can load something, and gives what came of each.
const REACHES_OUT: &str = r"
const [elsewhere, done] = arguments;
const element = (name, change) => new Promise((resolve) => {
  const one = document.createElement(name);
  one.onload = () => resolve(`${name} loaded`);
  one.onerror = () => resolve('refused');
  change(one);
  document.body.append(one);
  setTimeout(() => resolve('refused'), 3000);
});
const attempt = (act) => Promise.resolve().then(act).then(() => 'done', () => 'refused');
const evaluated = () => { try { return new Function('return 1')() === 1 ? 'eval' : 'refused'; } catch { return 'refused'; } };
const inline = () => {
  window.ranInline = false;
  const script = document.createElement('script');
  script.textContent = 'window.ranInline = true';
  document.body.append(script);
  return window.ranInline ? 'inline script' : 'refused';
};
const socket = () => new Promise((resolve) => {
  try {
    const one = new WebSocket(elsewhere.replace('http', 'ws'));
    one.onopen = () => resolve('socket');
    one.onerror = () => resolve('refused');
  } catch { resolve('refused'); }
});
const core = (command) => attempt(() => window.__TAURI_INTERNALS__.invoke(command, {}));
Promise.all([
  attempt(() => fetch(elsewhere)),
  element('img', (one) => { one.src = `${elsewhere}/picture.png`; }),
  element('script', (one) => { one.src = `${elsewhere}/script.js`; }),
  element('link', (one) => { one.rel = 'stylesheet'; one.href = `${elsewhere}/style.css`; }),
  element('audio', (one) => { one.src = `${elsewhere}/sound.mp3`; }),
  socket(),
  evaluated(),
  inline(),
  window.open(elsewhere) === null ? 'refused' : 'a window',
  core('plugin:opener|open_url'),
  core('plugin:shell|execute'),
  core('plugin:fs|read_text_file'),
  core('plugin:window|create'),
  core('plugin:event|listen'),
]).then(done);";

#[tokio::test(flavor = "multi_thread")]
async fn the_window_loads_nothing_from_elsewhere() {
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    elsewhere.set_nonblocking(true).expect("it is set");
    let url = format!("http://{}", elsewhere.local_addr().expect("it is bound"));
    drive("elsewhere", async |window| {
        let came = window
            .measure(REACHES_OUT, vec![url.clone().into()])
            .await
            .expect("the script runs");
        let came = came.as_array().expect("a list").clone();
        assert_eq!(came.len(), 14);
        for (nth, one) in came.iter().enumerate() {
            assert_eq!(one, "refused", "way {nth} of {came:?}");
        }
        // Nor has the page left its address.
        window
            .at("navigation", "Servers")
            .shows("Demo server")
            .await;
    })
    .await;
    let reached = elsewhere.accept();
    assert!(reached.is_err(), "somebody came: {reached:?}");
}
