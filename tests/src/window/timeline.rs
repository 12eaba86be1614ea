//! The timeline's rows, as they are read out.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Window;

/// The timeline of a window.
pub struct Timeline<'a> {
    window: &'a Window,
}

/// A row that is drawn.
#[allow(clippy::struct_excessive_bools)] // Each is a mark of its own on the row.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// Its place among all rows, from 0.
    pub place: u32,
    /// 1 for an operation, 2 for what is in it.
    pub level: u32,
    /// As it is read out: method and detail, chips, state, time.
    pub name: String,
    /// It has come from the core.
    pub arrived: bool,
    /// Its details are shown.
    pub selected: bool,
    /// What is in it is shown.
    pub expanded: bool,
    /// Something is in it.
    pub unfolds: bool,
    /// It is in sight as a whole.
    pub seen: bool,
}

#[derive(Deserialize)]
struct Rows {
    total: u32,
    rows: Vec<Row>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(window: &'a Window) -> Self {
        Self { window }
    }

    /// The rows that are drawn now.
    pub async fn rows(&self) -> Vec<Row> {
        self.read().await.rows
    }

    /// How many rows there are, drawn or not.
    pub async fn total(&self) -> u32 {
        self.read().await.total
    }

    /// The drawn rows as lines, each below its operation indented.
    pub async fn text(&self) -> String {
        let lines: Vec<String> = self
            .rows()
            .await
            .iter()
            .map(|row| {
                let indent = "  ".repeat(row.level.saturating_sub(1) as usize);
                format!("{indent}{}", row.name)
            })
            .collect();
        lines.join("\n")
    }

    /// Waits until an operation is complete: its row's name begins with `name`.
    pub async fn completes(&self, name: &str) -> Row {
        self.row_when(&format!("is {name}, complete"), |row| {
            row.name.starts_with(name) && row.name.contains("complete")
        })
        .await
    }

    /// Waits for a row that fits; the newest one of several.
    pub async fn row_when(&self, what: &str, fits: impl Fn(&Row) -> bool) -> Row {
        let found = self
            .window
            .poll(async || self.rows().await.into_iter().rfind(|row| fits(row)))
            .await;
        match found {
            Some(row) => row,
            None => panic!("no row {what}; the timeline is\n{}", self.text().await),
        }
    }

    /// Waits for a row that begins with these words.
    pub async fn row(&self, words: &str) -> Row {
        self.row_when(&format!("begins with {words:?}"), |row| {
            row.arrived && row.name.starts_with(words)
        })
        .await
    }

    /// Selects the newest row that begins with these words, with a click.
    pub async fn select(&self, words: &str) -> Row {
        let selected = self
            .window
            .poll(async || {
                let row = self
                    .rows()
                    .await
                    .into_iter()
                    .rfind(|row| row.name.starts_with(words))?;
                if row.selected {
                    return Some(row);
                }
                self.click("row", row.place).await;
                None
            })
            .await;
        match selected {
            Some(row) => row,
            None => panic!(
                "no row could be selected that begins with {words:?}:\n{}",
                self.text().await
            ),
        }
    }

    /// Unfolds the newest row that begins with these words, with a click on its mark.
    pub async fn unfold(&self, words: &str) -> Row {
        let unfolded = self
            .window
            .poll(async || {
                let row = self
                    .rows()
                    .await
                    .into_iter()
                    .rfind(|row| row.unfolds && row.name.starts_with(words))?;
                if row.expanded {
                    return Some(row);
                }
                self.click("mark", row.place).await;
                // The core answers with the rows; a second click would fold it again.
                self.window
                    .poll(async || {
                        let rows = self.rows().await;
                        let now = rows.iter().find(|now| now.place == row.place)?;
                        now.expanded.then(|| now.clone())
                    })
                    .await
            })
            .await;
        match unfolded {
            Some(row) => row,
            None => panic!(
                "no row could be unfolded that begins with {words:?}:\n{}",
                self.text().await
            ),
        }
    }

    /// Drags the scroll bar: 0 is the top, 1000 the end.
    pub async fn scroll(&self, thousandths: u32) {
        self.window
            .run(ROWS, vec![json!("scroll"), json!(thousandths)])
            .await
            .expect("the timeline scrolls");
    }

    /// Chooses a row: its details are shown.
    pub async fn choose(&self, place: u32) {
        self.click("row", place).await;
        self.row_when("is chosen", |row| row.place == place && row.selected)
            .await;
    }

    /// Unfolds the row at this place.
    pub async fn unfold_at(&self, place: u32) {
        self.click("mark", place).await;
        self.row_when("is unfolded", |row| row.place == place && row.expanded)
            .await;
    }

    async fn click(&self, what: &str, place: u32) {
        let Ok(found) = self.window.run(ROWS, vec![json!(what), json!(place)]).await else {
            return;
        };
        for element in self.window.elements(json!([found])) {
            // The row may have moved; whoever asked looks again.
            element.click().await.ok();
        }
    }

    async fn read(&self) -> Rows {
        match self
            .window
            .run(ROWS, vec![json!("rows"), Value::Null])
            .await
        {
            Ok(rows) => serde_json::from_value(rows).expect("the script's rows"),
            Err(_) => Rows {
                total: 0,
                rows: Vec::new(),
            },
        }
    }
}

const ROWS: &str = include_str!("rows.js");
