//! What is done before each picture.

use std::fs;
use std::path::Path;

use tests::window::{Spot, Window};
use thirtyfour::Key;

use super::pages;

/// The sizes that each screen is shown at, in CSS pixels. The first is where things are done.
const SIZES: [(u32, u32); 2] = [(1440, 900), (960, 640)];
/// Narrower than most people ever make it.
const NARROWEST: (u32, u32) = (760, 640);

pub struct Camera<'a> {
    pub window: &'a Window,
    pub theme: &'a str,
    pub folder: &'a Path,
}

impl Camera<'_> {
    /// Takes the present screen at each size.
    pub async fn take(&self, name: &str) {
        for size in SIZES {
            self.take_at(size, name).await;
        }
        self.window.resize(SIZES[0].0, SIZES[0].1).await;
    }

    async fn take_at(&self, (width, height): (u32, u32), name: &str) {
        self.window.resize(width, height).await;
        let picture = self.window.picture().await;
        let file = format!("{}-{width}x{height}-{name}.png", self.theme);
        let file = self.folder.join(file);
        fs::create_dir_all(self.folder)
            .and_then(|()| fs::write(&file, picture))
            .unwrap_or_else(|error| panic!("{} cannot be written: {error}", file.display()));
    }
}

/// Goes through every screen.
pub async fn screens(camera: &Camera<'_>) {
    let window = camera.window;
    window.resize(SIZES[0].0, SIZES[0].1).await;
    camera.take("01-start").await;
    adding(camera).await;
    connecting(camera).await;
    calling(camera).await;
    prompting(camera).await;
    timeline(camera).await;
    many_rows(camera).await;
    pages::pages(camera).await;
    for name in ["14-narrow"] {
        camera.take_at(NARROWEST, name).await;
    }
}

async fn adding(camera: &Camera<'_>) {
    let window = camera.window;
    let dialog = window.add_server().await;
    camera.take("02-add-server").await;
    dialog
        .at("textbox", "Paste a command…")
        .fill(
            r#"{"mcpServers":{"notes":{"command":"npx","args":["-y","notes-server","--root","/home/ada/notes"],"env":{"NOTES_TOKEN":"secret","LEVEL":"3"}},"maps":{"url":"https://maps.example.com/mcp"}}}"#,
        )
        .await;
    dialog.at("button", "Fill in").click().await;
    dialog.at("textbox", "Name").holds("notes").await;
    camera.take("03-add-server-pasted").await;
    dialog.at("button", "Cancel").click().await;
    dialog.at("button", "Discard").click().await;
    dialog.is_gone().await;
}

async fn connecting(camera: &Camera<'_>) {
    let window = camera.window;
    // It reads and never answers.
    window
        .add_command("A quiet program", "sleep", "1000", "Save and connect")
        .await;
    window
        .at("tabpanel", "Overview")
        .at("button", "Stop")
        .facts()
        .await;
    camera.take("04-connecting").await;
    window
        .at("tabpanel", "Overview")
        .at("button", "Stop")
        .click()
        .await;
    window
        .at("button", "A quiet program, not connected…")
        .facts()
        .await;

    window
        .add_command(
            "Mistyped",
            "no-such-command-anywhere",
            "--stdio",
            "Save and connect",
        )
        .await;
    window
        .at("tabpanel", "Overview")
        .at("alert", "")
        .facts()
        .await;
    camera.take("05-failed").await;

    let long =
        "a-command-with-a-name-that-goes-on-and-on-until-nobody-would-ever-read-it-to-its-end";
    let name = "A server whose name is much longer than any pane of any window is wide, with 漢字 and עברית in it";
    let command = format!("/usr/local/lib/{long}/{long}");
    let argument = format!("--configuration=/home/ada/{long}/{long}.json");
    window.add_command(name, &command, &argument, "Save").await;
    camera.take("06-long-names").await;
}

async fn calling(camera: &Camera<'_>) {
    let window = camera.window;
    window.connect("Demo server (HTTP)").await;
    window
        .at("tabpanel", "Overview")
        .at("heading", "Instructions")
        .facts()
        .await;
    camera.take("07-overview").await;

    let form = choose_tool(window, "find_restaurants").await;
    form.at("textbox", "city…").fill("Bologna").await;
    camera.take("08-tool-form").await;
    form.at("button", "Call").click().await;
    form.at("region", "Result of the call").facts().await;
    camera.take("09-result-structured").await;

    let form = choose_tool(window, "menu_card").await;
    form.at("textbox", "restaurant…")
        .fill("Trattoria Lucia")
        .await;
    form.at("button", "Call").click().await;
    window
        .at("region", "Result of the call")
        .at("img", "")
        .facts()
        .await;
    camera.take("09-result-image").await;

    let fail = choose_tool(window, "fail").await;
    fail.at("radio", "rpc_error").click().await;
    fail.at("button", "Call").click().await;
    fail.at("alert", "").facts().await;
    camera.take("09-result-error").await;
}

async fn prompting(camera: &Camera<'_>) {
    let window = camera.window;
    let form = choose_tool(window, "book_table").await;
    form.fill_in(&[("restaurant…", "Trattoria Lucia"), ("date…", "2026-12-04")])
        .await;
    form.at("button", "Call").click().await;
    let prompt = window.at("article", "Prompt from Demo server (HTTP)");
    prompt.at("textbox", "Party size…").fill("4").await;
    camera.take("10-prompt").await;
    prompt
        .at("textbox", "E-mail…")
        .fill("ada@example.com")
        .await;
    prompt.at("button", "Send").click().await;
    prompt.is_gone().await;
    window.timeline().completes("tools/call book_table").await;
}

async fn timeline(camera: &Camera<'_>) {
    let window = camera.window;
    window.timeline().unfold("tools/call book_table").await;
    window.timeline().select("tools/call book_table").await;
    let details = window.at("region", "Details");
    for (number, tab) in ["Summary", "Request", "Response", "HTTP", "Events…", "Raw"]
        .into_iter()
        .enumerate()
    {
        details.at("tab", tab).click().await;
        details
            .at("tab", tab)
            .facts_when("be shown", |facts| facts.chosen)
            .await;
        let name = tab.trim_end_matches('…').to_lowercase();
        camera
            .take(&format!("11-details-{}-{name}", number + 1))
            .await;
    }
    details.at("tab", "Summary").click().await;

    window.press(&[Key::Control], 'k').await;
    window.at("dialog", "Commands").facts().await;
    camera.take("12-palette").await;
    window.press(&[], Key::Escape).await;
    window.at("dialog", "Commands").is_gone().await;
}

async fn many_rows(camera: &Camera<'_>) {
    let window = camera.window;
    let form = choose_tool(window, "flood").await;
    form.at("textbox", "count…").fill("12000").await;
    form.at("button", "Call").click().await;
    let timeline = window.timeline();
    timeline.row("tools/call flood, complete").await;
    timeline.unfold("tools/call flood").await;
    window
        .until("all rows", async || {
            (timeline.total().await > 12_000).then_some(())
        })
        .await;
    timeline.scroll(500).await;
    let middle = timeline
        .row_when("is in the middle", |row| {
            row.seen && row.arrived && row.place > 5000
        })
        .await;
    timeline.select(&middle.name).await;
    camera.take("13-many-rows").await;
}

/// Chooses a tool, with the whole list beside it, and gives its form.
pub async fn choose_tool<'a>(window: &'a Window, tool: &str) -> Spot<'a> {
    let form = window.choose_tool(tool).await;
    window.at("searchbox", "Filter tools").fill("").await;
    form
}
