//! The timeline, as a person works in it: scrolled, filtered, folded, zoomed, selected from, taken away, and opened again.

mod past;
mod resending;

use std::fs;
use std::path::PathBuf;

use tests::window::{Row, Window, drive};
use thirtyfour::Key;

/// Calls `echo` with this text, and waits for its row.
async fn echo(window: &Window, text: &str) {
    let form = window.call("echo", &[("text…", text)]).await;
    form.at("region", "Result of the call").shows(text).await;
}

/// Puts the focus among the rows, on the newest one.
async fn enter_rows(window: &Window) {
    let rows = window.at("treegrid", "Timeline rows");
    // A row that is selected already is not clicked again, so the click is on the rows themselves.
    rows.click().await;
    window.timeline().select("tools/call echo").await;
    rows.facts_when("have the focus", |facts| facts.focused)
        .await;
}

fn is_top(row: &Row) -> bool {
    row.level == 1
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_followed_scrolled_and_folded() {
    drive("timeline-scroll", async |window| {
        window.connect("Demo server").await;
        let form = window.call("flood", &[("count…", "3000")]).await;
        form.at("region", "Result of the call")
            .shows("complete")
            .await;
        let timeline = window.timeline();
        timeline.row("tools/call flood, ").await;
        let folded = timeline.total().await;
        timeline.unfold("tools/call flood").await;
        window
            .until("the rows inside", async || {
                (timeline.total().await >= folded + 3000).then_some(())
            })
            .await;

        // Whoever scrolls up stays there, and is told how many rows are new.
        timeline.scroll(300).await;
        let middle = timeline
            .row_when("is in the middle", |row| {
                row.seen && row.arrived && (700..1100).contains(&row.place)
            })
            .await;
        echo(window, "while you read").await;
        window.at("button", "1 new row").facts().await;
        let still = timeline
            .row_when("is where it was", |row| {
                row.place == middle.place && row.seen
            })
            .await;
        assert_eq!(still.name, middle.name);
        window.at("button", "1 new row").click().await;
        timeline
            .row_when("is the newest", |row| {
                row.seen && row.name.starts_with("tools/call echo")
            })
            .await;
        let follow = window.at("button", "Follow").facts().await;
        assert!(follow.chosen, "{follow:?}");

        // Folding takes the rows away, with the keyboard as well.
        timeline.scroll(0).await;
        let parent = timeline.select("tools/call flood").await;
        assert!(parent.expanded, "{parent:?}");
        window.press(&[], Key::Left).await;
        timeline
            .row_when("is folded", |row| {
                row.name.starts_with("tools/call flood") && !row.expanded
            })
            .await;
        window
            .until("the rows inside to go", async || {
                (timeline.total().await <= folded + 1).then_some(())
            })
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_filtered_found_and_zoomed() {
    drive("timeline-filter", async |window| {
        window.connect("Demo server").await;
        echo(window, "first needle").await;
        echo(window, "only hay").await;
        echo(window, "second needle").await;
        let timeline = window.timeline();
        let all = timeline.total().await;
        assert!(all > 3, "{}", timeline.text().await);

        let line = window.at("combobox", "Filter the timeline");
        line.fill("method:tools/call text:needle").await;
        let shown = window
            .until("the two rows", async || {
                let rows = timeline.rows().await;
                let fits = rows.len() == 2
                    && rows
                        .iter()
                        .all(|row| row.name.starts_with("tools/call echo"));
                (fits && timeline.total().await == 2).then_some(rows)
            })
            .await;
        // Next and previous go round.
        window.press(&[], Key::F3).await;
        timeline
            .row_when("is found", |row| {
                row.selected && row.place == shown[0].place
            })
            .await;
        window.press(&[], Key::F3).await;
        timeline
            .row_when("is found next", |row| {
                row.selected && row.place == shown[1].place
            })
            .await;
        // What is wrong with a line is said, and where.
        line.fill("status:odd").await;
        window.press(&[], Key::Enter).await;
        window
            .until("the problem", async || {
                window.text().await.contains("odd").then_some(())
            })
            .await;
        window.at("button", "Clear the filter").click().await;
        window
            .until("all rows", async || {
                (timeline.total().await >= all).then_some(())
            })
            .await;
        window
            .at("radiogroup", "Which rows")
            .at("radio", "Calls")
            .click()
            .await;
        window
            .until("the calls", async || {
                let rows = timeline.rows().await;
                let calls = rows.iter().filter(|row| is_top(row)).count();
                (calls == 3 && timeline.total().await == 3).then_some(())
            })
            .await;

        // The axis, by keys and by its buttons; the map says what is visible.
        enter_rows(window).await;
        let map = window.at("slider", "Visible time");
        map.facts().await;
        let fit = window.at("button", "Fit the visible rows");
        fit.facts_when("have nothing to do", |facts| !facts.enabled)
            .await;
        window.press(&[], '+').await;
        fit.facts_when("have something to do", |facts| facts.enabled)
            .await;
        window.press(&[Key::Shift], Key::Right).await;
        window.press(&[], '0').await;
        fit.facts_when("have nothing to do again", |facts| !facts.enabled)
            .await;
        window.at("button", "Zoom in").click().await;
        fit.click().await;
        fit.facts_when("have nothing to do in the end", |facts| !facts.enabled)
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_rows_are_selected_and_taken_away() {
    drive("timeline-export", async |window| {
        window.connect("Demo server").await;
        for text in ["apricots", "berries", "cherries"] {
            echo(window, text).await;
        }
        let timeline = window.timeline();
        enter_rows(window).await;
        window.press(&[], Key::End).await;
        window.press(&[Key::Shift], Key::Up).await;
        window.at("button", "2 selected").facts().await;
        let selected: Vec<Row> = timeline
            .rows()
            .await
            .into_iter()
            .filter(|row| row.selected)
            .collect();
        assert_eq!(selected.len(), 2, "{selected:?}");

        // The menu, by its key.
        window.press(&[Key::Shift], Key::F10).await;
        let menu = window.at("menu", "What can be done with the row");
        menu.at("menuitem", "Copy as roundtrip-cli").facts().await;
        menu.at("menuitem", "Export 2 rows…").click().await;
        let path = save(window, "JSON lines…").await;
        let text = fs::read_to_string(&path).expect("the file that was told");
        let calls = text
            .lines()
            .filter(|line| line.contains("\"operation_started\""))
            .count();
        assert_eq!(calls, 2, "{text}");
        assert!(
            text.contains("berries") && text.contains("cherries"),
            "{text}"
        );
        assert!(!text.contains("apricots"), "it was not selected:\n{text}");
    })
    .await;
}

/// In the dialog of an export: chooses the form, saves into the folder of downloads, and gives where it is.
async fn save(window: &Window, form: &str) -> PathBuf {
    let dialog = window.at("dialog", "Export");
    dialog.at("radio", form).click().await;
    dialog.at("button", "Save to Downloads").click().await;
    dialog.is_gone().await;
    let told = window
        .until("where it is", async || {
            let text = window.text().await;
            let line = text.lines().find(|line| line.contains("Saved as "))?;
            Some(line.trim().trim_start_matches("Saved as ").to_owned())
        })
        .await;
    PathBuf::from(told)
}
