//! What servers ask, answered in the real window: over stdio and over HTTP, in both eras, by the demo server and by one on
//! the TypeScript SDK.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tests::programs;
use tests::window::{Opener, Spot, Window, drive, drive_again, drive_with, visit};
use thirtyfour::Key;

use crate::{ModernServer, add_server, choose_tool, connected};

/// As the demo server has it: a double has no room for its last digit.
const MEMBER_NUMBER: &str = "9007199254740993";

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_asked_and_answered_over_stdio_in_the_modern_era() {
    walk("Demo server", "modern", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_is_asked_and_answered_over_stdio_in_the_legacy_era() {
    walk("Demo server", "legacy", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_is_asked_and_answered_over_http_in_the_modern_era() {
    walk("Demo server (HTTP)", "modern", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_asked_and_answered_over_http_in_the_legacy_era() {
    walk("Demo server (HTTP)", "legacy", true).await;
}

/// What the demo server asks, one after the other in one window; or what its transport and era bear on.
async fn walk(server: &str, era: &str, everything: bool) {
    let browser = Opener::new();
    let path = browser.path();
    let name = format!("prompts-{server}-{era}");
    drive_with(&name, &[("PATH", &path)], async |window| {
        connect_as(window, server, era).await;
        let asks = Asks { window, server };
        asks.two_forms().await;
        asks.three_rounds(era).await;
        asks.link(&browser).await;
        if everything {
            asks.every_kind_of_field().await;
            asks.declined_and_cancelled().await;
            asks.state_only(era).await;
            asks.sampling().await;
            asks.roots().await;
        }
    })
    .await;
}

struct Asks<'a> {
    window: &'a Window,
    server: &'a str,
}

impl<'a> Asks<'a> {
    fn card(&self) -> Spot<'a> {
        let name = format!("Prompt from {}", self.server);
        self.window.at("article", &name)
    }

    /// Calls a tool, with the restaurant where it wants one.
    async fn call(&self, tool: &str, restaurant: bool) {
        choose_tool(self.window, tool).await;
        let form = self.window.at("region", &format!("Tool {tool}"));
        if restaurant {
            form.at("textbox", "restaurant…")
                .fill("Trattoria Lucia")
                .await;
        }
        form.at("button", "Call").click().await;
    }

    async fn send(&self) {
        self.card().at("button", "Send").click().await;
    }

    /// Waits for the call's result and until nothing is asked any more.
    async fn ends(&self, words: &str) -> Spot<'a> {
        let result = self.window.at("region", "Result of the call");
        result.shows(words).await;
        self.card().is_gone().await;
        result
    }

    async fn every_kind_of_field(&self) {
        self.call("guest_card", false).await;
        let card = self.card();
        card.shows("Please fill in the guest card.").await;
        card.at("textbox", "Member number…")
            .holds(MEMBER_NUMBER)
            .await;
        card.at("textbox", "Name…").fill("Ada Lovelace").await;
        card.at("textbox", "E-mail…").fill("ada@example.com").await;
        card.at("textbox", "Birthday…").fill("1815-12-10").await;
        card.at("textbox", "Arrival…")
            .fill("2026-12-04T19:30:00+01:00")
            .await;
        let newsletter = card.at("radiogroup", "Newsletter…");
        newsletter.at("radio", "No").click().await;
        card.at("radiogroup", "Occasion…")
            .at("radio", "A wedding")
            .click()
            .await;
        card.at("radiogroup", "Wine…")
            .at("radio", "Red")
            .click()
            .await;
        card.at("group", "Diets…")
            .at("checkbox", "vegan")
            .click()
            .await;
        let country = card.at("combobox", "Country…");
        country.click().await;
        self.window.type_text("port").await;
        self.window.press(&[], Key::Enter).await;
        country.holds("Portugal").await;

        // What is missing is said at its field, which gets the focus.
        self.send().await;
        let guests = card.at("textbox", "Guests…");
        guests
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        guests.fill("4").await;
        self.send().await;
        card.at("group", "Allergies…")
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        card.shows("Choose or add at least 1 item.").await;
        card.at("group", "Allergies…")
            .at("checkbox", "Nuts")
            .click()
            .await;

        // What "Show JSON" shows is what the server gets.
        card.at("button", "Show JSON").click().await;
        let json = card.at("textbox", "Answer as JSON").facts().await.value;
        assert!(json.contains(MEMBER_NUMBER), "{json}");
        let shown: Value = serde_json::from_str(&json).expect("JSON");
        let wanted = json!({
            "name": "Ada Lovelace", "email": "ada@example.com", "birthday": "1815-12-10",
            "arrival": "2026-12-04T19:30:00+01:00", "guests": 4, "tip_percent": 12.5, "newsletter": false,
            "high_chair": false, "seating": "terrace", "occasion": "wedding", "country": "Portugal",
            "wine": "#7b1e3a", "diets": ["vegetarian", "vegan"], "allergies": ["a1"],
        });
        for (name, value) in wanted.as_object().expect("an object") {
            assert_eq!(&shown[name], value, "{name} in {json}");
        }
        assert!(shown.get("website").is_none(), "{json}");
        card.at("button", "Show fields").click().await;
        self.send().await;
        let result = self
            .ends("15 fields of the guest card were filled in.")
            .await;
        let structured = result.at("group", "Structured content").text().await;
        assert!(structured.contains(MEMBER_NUMBER), "{structured}");
    }

    async fn two_forms(&self) {
        self.call("seat_party", true).await;
        let queue = self.window.at("navigation", "Prompts that wait");
        queue.shows("1 of 2").await;
        let card = self.card();
        card.shows("Who is the host").await;
        card.at("textbox", "Host…").fill("Ada").await;
        queue.at("button", "Next prompt").click().await;
        card.shows("Which table").await;
        card.at("textbox", "Table…").fill("7").await;
        self.send().await;
        // The other one is as it was left.
        queue.is_gone().await;
        card.shows("Who is the host").await;
        card.at("textbox", "Host…").holds("Ada").await;
        self.send().await;
        self.ends("Ada and the party sit at table 7 of Trattoria Lucia.")
            .await;
    }

    async fn three_rounds(&self, era: &str) {
        self.call("compose_menu", true).await;
        let card = self.card();
        for (course, dish) in [
            ("which starter", "Crème caramel"),
            ("which main", "Gramigna alla salsiccia"),
            ("which dessert", "Parmigiana di melanzane"),
        ] {
            card.shows(course).await;
            card.at("radiogroup", "Dish…")
                .at("radio", dish)
                .click()
                .await;
            self.send().await;
        }
        self.ends("The menu at Trattoria Lucia: Crème caramel, then Gramigna alla salsiccia")
            .await;
        if era == "modern" {
            let timeline = self.window.timeline();
            timeline.unfold("tools/call compose_menu").await;
            timeline.row("round 4").await;
        }
    }

    async fn declined_and_cancelled(&self) {
        self.call("ask_for_ever", false).await;
        let card = self.card();
        card.shows("What would you like?").await;
        self.send().await;
        card.shows("That was wish 1.").await;
        card.at("button", "Decline").click().await;
        self.ends("You have had enough after 1 wishes.").await;
        self.call("guest_card", false).await;
        card.at("button", "Cancel").click().await;
        self.ends("it was cancelled").await;
    }

    async fn link(&self, browser: &Opener) {
        self.call("pay_deposit", true).await;
        let card = self.card();
        card.shows("20 euros").await;
        card.shows("http://127.0.0.1:").await;
        let before = browser.opened().len();
        card.at("button", "Open in browser").click().await;
        let url = browser.next(self.window, before).await;
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        card.shows("Waiting for you in the browser").await;
        assert_eq!(visit(&url, "Pay 20 euros").await, "Paid");
        self.ends("Trattoria Lucia has your deposit of 20 euros.")
            .await;
        assert_eq!(browser.opened().len(), before + 1, "it is opened once");
    }

    async fn state_only(&self, era: &str) {
        self.call("wait_for_table", false).await;
        self.ends("A table is free after 2 rounds.").await;
        if era == "modern" {
            let timeline = self.window.timeline();
            timeline.unfold("tools/call wait_for_table").await;
            timeline.row("round 3").await;
        }
    }

    async fn sampling(&self) {
        self.call("suggest_dish", true).await;
        let card = self.card();
        card.shows("You are a waiter").await;
        let answer = card.at("region", "Your answer");
        let text = answer.at("textbox", "Text of block 1");
        if text.all().await.is_empty() {
            answer.at("button", "+ Text").click().await;
        }
        text.fill("The crème caramel.").await;
        answer.at("textbox", "Model").fill("a person").await;
        self.send().await;
        self.ends("a person suggests: The crème caramel.").await;
    }

    async fn roots(&self) {
        self.call("shared_folders", false).await;
        let card = self.card();
        card.at("textbox", "Path of a folder").fill("/tmp").await;
        card.at("button", "Add").click().await;
        card.at("button", "Tell it 1 folder").click().await;
        self.ends("One folder is shared: tmp (file:///tmp").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_has_enough_is_stopped_and_that_is_explained() {
    drive("prompts-endless", async |window| {
        let server = "Demo server";
        connect_as(window, server, "modern").await;
        let asks = Asks { window, server };
        asks.call("ask_for_ever", false).await;
        // The last of these answers is answered by the same question once more, which is one too many.
        for wish in 0..19 {
            let words = match wish {
                0 => "What would you like?".to_owned(),
                wish => format!("That was wish {wish}."),
            };
            asks.card().shows(&words).await;
            asks.send().await;
        }
        let result = asks.ends("20 times by asking for more").await;
        result.shows("Compare the rounds in the timeline").await;
        let row = window.timeline().row("tools/call ask_for_ever").await;
        assert!(row.name.contains("asks without end"), "{row:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_flow_outlives_the_program_and_ends_after_a_restart() {
    let server = DemoServer::start();
    let browser = Opener::new();
    let path = browser.path();
    drive_again(
        "prompts-restart",
        &[("PATH", &path)],
        async |window| {
            let dialog = add_server(window).await;
            dialog
                .at("radiogroup", "Transport")
                .at("radio", "URL (HTTP)")
                .click()
                .await;
            dialog.at("textbox", "URL").fill(&server.url).await;
            dialog.at("textbox", "Name").fill("Guide").await;
            dialog.at("button", "Save and connect").click().await;
            dialog.is_gone().await;
            connected(window, "Guide").await;
            let asks = Asks {
                window,
                server: "Guide",
            };
            asks.call("pay_deposit", true).await;
            asks.card().at("button", "Open in browser").click().await;
            browser.next(window, 0).await;
            asks.card().shows("You may close Roundtrip meanwhile").await;
        },
        async |window| {
            let asks = Asks {
                window,
                server: "Guide",
            };
            let card = asks.card();
            card.shows("20 euros").await;
            let url = browser.next(window, 0).await;
            assert_eq!(visit(&url, "Pay 20 euros").await, "Paid");
            card.at("button", "Retry now").click().await;
            card.is_gone().await;
            window
                .timeline()
                .row_when("is the finished call", |row| {
                    row.name.contains("pay_deposit") && row.name.contains("complete")
                })
                .await;
            assert_eq!(browser.opened().len(), 1, "it was opened once");
        },
    )
    .await;
}

/// The demo server as a program of its own, which goes on while the app is closed. It ends with its standard input.
struct DemoServer {
    url: String,
    process: Child,
}

impl DemoServer {
    fn start() -> Self {
        let mut process = Command::new(programs::demo_server())
            .args(["http", "--until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the demo server starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("its stdout"))
            .read_line(&mut line)
            .expect("its first line");
        let url = line.trim().trim_start_matches("listening on ").to_owned();
        Self { url, process }
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("it ends with its stdin");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_goes_on_in_a_window_of_its_own() {
    drive("prompts-own-window", async |window| {
        connect_as(window, "Demo server", "modern").await;
        let asks = Asks {
            window,
            server: "Demo server",
        };
        asks.call("seat_party", true).await;
        let card = asks.card();
        card.at("textbox", "Host…").fill("Ada").await;
        card.at("button", "Open in a window of its own")
            .click()
            .await;
        card.shows("asks in a window of its own").await;

        let main = window.into_other().await;
        // It goes on with what was begun, and shows nothing else.
        card.at("textbox", "Host…").holds("Ada").await;
        card.at("textbox", "Host…").fill("Ada L.").await;
        assert!(window.at("navigation", "Servers").all().await.is_empty());

        // Answering it would end the driver's session with its window.
        window.into_window(main).await;
        card.shows("asks in a window of its own").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_the_typescript_sdk_asks_in_the_modern_era() {
    let asking = ModernServer::run(&["asking.mjs", "http"]);
    drive("prompts-sdk-modern", async |window| {
        let dialog = add_server(window).await;
        dialog
            .at("radiogroup", "Transport")
            .at("radio", "URL (HTTP)")
            .click()
            .await;
        dialog.at("textbox", "URL").fill(&asking.url).await;
        dialog.at("textbox", "Name").fill("Asking").await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;
        asked_by_the_sdk(window, "modern").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_the_typescript_sdk_asks_in_the_legacy_era() {
    drive("prompts-sdk-legacy", async |window| {
        let dialog = add_server(window).await;
        let script = programs::servers().join("asking.mjs");
        let command = format!("{} {} stdio", programs::node().display(), script.display());
        dialog
            .at("textbox", "Paste a command…")
            .fill(&command)
            .await;
        dialog.at("button", "Fill in").click().await;
        dialog
            .at("textbox", "Arguments")
            .facts_when("be filled in", |facts| facts.value.ends_with("stdio"))
            .await;
        dialog.at("textbox", "Name").fill("Asking").await;
        dialog.at("button", "Save").click().await;
        dialog.is_gone().await;
        connect_as(window, "Asking", "legacy").await;
        asked_by_the_sdk(window, "legacy").await;
    })
    .await;
}

async fn asked_by_the_sdk(window: &Window, era: &str) {
    connected(window, "Asking").await;
    window.at("tabpanel", "Overview").shows(era).await;
    let asks = Asks {
        window,
        server: "Asking",
    };
    asks.call("guest", false).await;
    let card = asks.card();
    card.at("textbox", "Name…").fill("Ada").await;
    card.at("textbox", "E-mail…").fill("ada@example.com").await;
    card.at("textbox", "Born…").fill("1815-12-10").await;
    card.at("textbox", "Nights…").fill("3").await;
    card.at("radiogroup", "Breakfast…")
        .at("radio", "Yes")
        .click()
        .await;
    card.at("radiogroup", "View…")
        .at("radio", "Sea")
        .click()
        .await;
    card.at("group", "Papers…")
        .at("checkbox", "evening")
        .click()
        .await;
    card.at("group", "Pillows…")
        .at("checkbox", "Hard")
        .click()
        .await;
    asks.send().await;
    asks.ends(
        r#"accept: {"name":"Ada","email":"ada@example.com","born":"1815-12-10","nights":3,"tip":2.5,"breakfast":true,"view":"s","papers":["evening"],"pillows":["p2"]}"#,
    )
    .await;

    asks.call("guest", false).await;
    card.at("button", "Decline").click().await;
    asks.ends("decline: null").await;

    asks.call("pair", false).await;
    // The older client is asked for one after the other, or for both at once, as the SDK likes.
    for _ in 0..2 {
        let text = window
            .until("a question", async || {
                let cards = card.all().await;
                let text = cards.first()?.text.clone();
                text.contains("one?").then_some(text)
            })
            .await;
        if text.contains("The left one?") {
            card.at("textbox", "Left…").fill("salt").await;
            asks.send().await;
            card_without(window, &card, "The left one?").await;
        } else {
            card.at("textbox", "Right…").fill("pepper").await;
            asks.send().await;
            card_without(window, &card, "The right one?").await;
        }
    }
    asks.ends("salt and pepper").await;

    asks.call("rounds", false).await;
    for (number, word) in [(1, "one"), (2, "two"), (3, "three")] {
        card.shows(&format!("Word {number}?")).await;
        card.at("textbox", "Word…").fill(word).await;
        asks.send().await;
    }
    asks.ends("one two three").await;
}

/// Waits until this question is not shown any more.
async fn card_without(window: &Window, card: &Spot<'_>, words: &str) {
    window
        .until("the end of the question", async || {
            let cards = card.all().await;
            cards
                .iter()
                .all(|card| !card.text.contains(words))
                .then_some(())
        })
        .await;
}

/// Connects a server with this era, by its menu.
pub async fn connect_as(window: &Window, server: &str, era: &str) {
    window
        .at("navigation", "Servers")
        .at("button", &format!("More for {server}"))
        .click()
        .await;
    window
        .at("menuitem", &format!("Connect as {era}"))
        .click()
        .await;
    connected(window, server).await;
}
