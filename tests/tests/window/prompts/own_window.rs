//! A prompt in a window of its own: what was begun goes on there, closing it is an answer only after a question, and it
//! needs nothing else that is open.

use tests::window::{Desktop, Window, drive, key};

use super::Asks;

const SERVER: &str = "Demo server";
const OWN: &str = "Roundtrip — prompt from Demo server";
const QUESTION: &str = "Cancel this prompt?";

/// Brings a form into a window of its own, with its first field filled in, and goes on there. Gives the main window.
async fn popped_out(window: &Window, asks: &Asks<'_>) -> thirtyfour::WindowHandle {
    let card = asks.card();
    card.at("button", "Open in a window of its own")
        .click()
        .await;
    card.shows("asks in a window of its own").await;
    window.into_other().await
}

/// Waits until the windows that are shown are these, in any order.
async fn shown(window: &Window, desktop: &Desktop, wanted: &[&str]) {
    let mut last = Vec::new();
    let came = window
        .poll(async || {
            last = desktop.titles();
            let is_so = last.len() == wanted.len()
                && wanted.iter().all(|one| last.iter().any(|t| t == one));
            is_so.then_some(())
        })
        .await;
    assert!(came.is_some(), "{wanted:?} should be shown, not {last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_a_prompts_window_asks_first_and_is_cancel_on_the_persons_word_alone() {
    drive("prompts-closed", async |window| {
        let desktop = Desktop::new();
        window.connect_as(SERVER, "modern").await;
        let asks = Asks::of(window, SERVER);
        asks.call("guest_card", false).await;
        let card = asks.card();
        card.at("textbox", "Name…").fill("Ada").await;
        let main = popped_out(window, &asks).await;

        // It goes on with what was begun, and shows nothing else.
        card.at("textbox", "Name…").holds("Ada").await;
        card.at("textbox", "Name…").fill("Ada L.").await;
        assert!(window.at("navigation", "Servers").all().await.is_empty());

        // The frame's button asks; Escape is no answer to it, and loses nothing.
        let question = window.at("dialog", QUESTION);
        let go_on = question.at("button", "Go on answering");
        for again in ["escape", "button"] {
            desktop.close(OWN);
            question.shows("would be told that you dismissed it").await;
            go_on
                .facts_when("have the focus", |facts| facts.focused)
                .await;
            if again == "escape" {
                desktop.focus(OWN);
                desktop.press(&[], key::ESCAPE);
            } else {
                go_on.click().await;
            }
            question.is_gone().await;
            card.at("textbox", "Name…").holds("Ada L.").await;
        }

        // "Keep it in the main window", by the keyboard: the window goes, its prompt and what was begun stay.
        desktop.close(OWN);
        go_on
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        desktop.focus(OWN);
        desktop.press(&[key::SHIFT], key::TAB);
        question
            .at("button", "Keep it in the main window")
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        window.into_window(main).await;
        desktop.press(&[], key::RETURN);
        card.at("textbox", "Name…").holds("Ada L.").await;
        shown(window, &desktop, &["Roundtrip — Demo server asks"]).await;
        let row = window.timeline().row("tools/call guest_card").await;
        assert!(row.name.contains("waiting on you"), "{row:?}");

        // "Cancel the prompt" is the answer that the server gets.
        let main = popped_out(window, &asks).await;
        card.at("textbox", "Name…").holds("Ada L.").await;
        desktop.close(OWN);
        go_on
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        desktop.focus(OWN);
        for _ in 0..2 {
            desktop.press(&[key::SHIFT], key::TAB);
        }
        question
            .at("button", "Cancel the prompt")
            .facts_when("have the focus", |facts| facts.focused)
            .await;
        window.into_window(main).await;
        desktop.press(&[], key::RETURN);
        asks.ends("it was cancelled").await;
        shown(window, &desktop, &["Roundtrip"]).await;
        let timeline = window.timeline();
        timeline.unfold("tools/call guest_card").await;
        let row = timeline.row("form: “Please fill in").await;
        assert!(row.name.contains("cancelled"), "{row:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_answered_in_a_window_of_its_own_while_nothing_else_is_open() {
    drive("prompts-alone", async |window| {
        let desktop = Desktop::new();
        window.connect_as(SERVER, "modern").await;
        let asks = Asks::of(window, SERVER);
        asks.call("compose_menu", true).await;
        let card = asks.card();
        card.shows("which starter").await;
        let main = popped_out(window, &asks).await;
        card.shows("which starter").await;
        // Who asks stands there too, where nothing else says so.
        card.shows("built in · stdio").await;

        // Closing the main window leaves the prompt: it is all that is open.
        desktop.close("Roundtrip — Demo server asks");
        shown(window, &desktop, &[OWN]).await;
        card.choose("Dish…", "Crème caramel").await;
        let text = card.text().await;
        assert!(!text.contains("which main"), "{text}");

        // Answering closes it; the call asks on, so that the main window comes back with the next question.
        desktop.focus(OWN);
        window.into_window(main).await;
        desktop.press(&[key::CONTROL], key::RETURN);
        card.shows("which main").await;
        shown(window, &desktop, &["Roundtrip — Demo server asks"]).await;
        for (course, dish) in [
            ("which main", "Gramigna alla salsiccia"),
            ("which dessert", "Parmigiana di melanzane"),
        ] {
            card.shows(course).await;
            card.choose("Dish…", dish).await;
            asks.send().await;
        }
        asks.ends("The menu at Trattoria Lucia: Crème caramel, then Gramigna alla salsiccia")
            .await;
        shown(window, &desktop, &["Roundtrip"]).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_prompts_have_a_window_each_and_an_answer_in_one_leaves_the_other() {
    drive("prompts-two-windows", async |window| {
        let desktop = Desktop::new();
        window.connect_as(SERVER, "modern").await;
        let asks = Asks::of(window, SERVER);
        asks.call("seat_party", true).await;
        let card = asks.card();
        card.shows("Who is the host").await;
        card.at("textbox", "Host…").fill("Ada").await;
        let main = popped_out(window, &asks).await;
        card.at("textbox", "Host…").holds("Ada").await;

        window.into_window(main.clone()).await;
        let queue = window.at("navigation", "Prompts that wait");
        queue.shows("1 of 2").await;
        queue.at("button", "Next prompt").click().await;
        card.shows("Which table").await;
        card.at("textbox", "Table…").fill("7").await;
        asks.send().await;
        queue.is_gone().await;
        card.shows("asks in a window of its own").await;

        // The other one stands as it was left, and is sent by its own keys.
        let main = window.into_other().await;
        card.at("textbox", "Host…").holds("Ada").await;
        desktop.focus(OWN);
        window.into_window(main).await;
        desktop.press(&[key::CONTROL], key::RETURN);
        asks.ends("Ada and the party sit at table 7 of Trattoria Lucia.")
            .await;
        shown(window, &desktop, &["Roundtrip"]).await;
    })
    .await;
}
