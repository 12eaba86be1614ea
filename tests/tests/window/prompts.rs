//! What servers ask, answered in the real window: over stdio and over HTTP, in both eras, by the demo server and by one on
//! the TypeScript SDK.

mod own_window;
mod sdk;

use serde_json::{Value, json};
use tests::listening::Listening;
use tests::window::{Opener, Spot, Window, drive, drive_again, drive_with, visit};
use thirtyfour::Key;

/// As the demo server has it: a double has no room for its last digit.
const MEMBER_NUMBER: &str = "9007199254740993";

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_answered_and_the_call_goes_on() {
    drive("prompt", async |window| {
        window.connect("Demo server").await;
        book_table(window).await;
        let row = window.timeline().row("tools/call book_table").await;
        assert!(row.name.contains("waiting on you"), "{row:?}");

        let prompt = window.at("article", "Prompt from Demo server");
        prompt.shows("Trattoria Lucia").await;
        prompt.at("textbox", "Party size…").fill("4").await;
        prompt.choose("Seating…", "Terrace").await;
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

/// Calls the tool of the demo server that asks for a form.
pub async fn book_table(window: &Window) {
    let fields = [("restaurant…", "Trattoria Lucia"), ("date…", "2026-12-04")];
    window.call("book_table", &fields).await;
    window
        .at("article", "Prompt from Demo server")
        .facts()
        .await;
}

/// Answers what `book_table` asks for.
pub async fn answer_booking(window: &Window, server: &str) {
    let prompt = window.at("article", &format!("Prompt from {server}"));
    prompt
        .fill_in(&[("Party size…", "2"), ("E-mail…", "ana@example.com")])
        .await;
    prompt.at("button", "Send").click().await;
    prompt.is_gone().await;
}

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
        window.connect_as(server, era).await;
        let asks = Asks::of(window, server);
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

pub struct Asks<'a> {
    window: &'a Window,
    server: &'a str,
}

impl<'a> Asks<'a> {
    pub fn of(window: &'a Window, server: &'a str) -> Self {
        Self { window, server }
    }

    pub fn card(&self) -> Spot<'a> {
        let name = format!("Prompt from {}", self.server);
        self.window.at("article", &name)
    }

    /// Calls a tool, with the restaurant where it wants one.
    pub async fn call(&self, tool: &str, restaurant: bool) {
        let lucia = [("restaurant…", "Trattoria Lucia")];
        let fields = if restaurant { &lucia[..] } else { &[] };
        self.window.call(tool, fields).await;
    }

    pub async fn send(&self) {
        self.card().at("button", "Send").click().await;
    }

    /// Waits for the call's result and until nothing is asked any more.
    pub async fn ends(&self, words: &str) -> Spot<'a> {
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
        card.fill_in(&[
            ("Name…", "Ada Lovelace"),
            ("E-mail…", "ada@example.com"),
            ("Birthday…", "1815-12-10"),
            ("Arrival…", "2026-12-04T19:30:00+01:00"),
        ])
        .await;
        card.choose("Newsletter…", "No").await;
        card.choose("Occasion…", "A wedding").await;
        card.choose("Wine…", "Red").await;
        card.tick("Diets…", "vegan").await;
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
        card.tick("Allergies…", "Nuts").await;

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
            card.choose("Dish…", dish).await;
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
        window.connect_as(server, "modern").await;
        let asks = Asks::of(window, server);
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
    let server = Listening::demo(&[]);
    let browser = Opener::new();
    let path = browser.path();
    drive_again(
        "prompts-restart",
        &[("PATH", &path)],
        async |window| {
            window.add_url("Guide", server.url()).await;
            let asks = Asks::of(window, "Guide");
            asks.call("pay_deposit", true).await;
            asks.card().at("button", "Open in browser").click().await;
            browser.next(window, 0).await;
            asks.card().shows("You may close Roundtrip meanwhile").await;
        },
        async |window| {
            let asks = Asks::of(window, "Guide");
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
