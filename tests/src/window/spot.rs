//! Places of the page, by role and name.

use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::error::WebDriverResult;
use thirtyfour::{Key, WebElement};

use super::Window;

/// Where something is: the way to it by roles and accessible names, from the page inwards. A name that ends with `…`
/// is a name's beginning, one that starts with `…` stands anywhere in it, and an empty one is any. It is looked for
/// anew each time, because the page may have drawn it again.
#[derive(Clone)]
pub struct Spot<'a> {
    window: &'a Window,
    path: Vec<(String, String)>,
}

/// What can be read of something.
#[derive(Clone, Debug, Deserialize)]
pub struct Facts {
    /// Its accessible name.
    pub name: String,
    /// Its visible text.
    pub text: String,
    /// Of a field, what is in it.
    pub value: String,
    /// A choice is made, a box is ticked, a tab is shown, a button is pressed down.
    pub chosen: bool,
    /// It can be used.
    pub enabled: bool,
    /// It has the focus, or something in it has.
    pub focused: bool,
}

impl<'a> Spot<'a> {
    pub(super) fn new(window: &'a Window) -> Self {
        Self {
            window,
            path: Vec::new(),
        }
    }

    /// Something inside this.
    #[must_use]
    pub fn at(&self, role: &str, name: &str) -> Self {
        let mut inner = self.clone();
        inner.path.push((role.to_owned(), name.to_owned()));
        inner
    }

    /// All that fit, now.
    pub async fn all(&self) -> Vec<Facts> {
        match self.window.run(PAGE, self.arguments("facts")).await {
            Ok(found) => serde_json::from_value(found).expect("the script's facts"),
            Err(_) => Vec::new(),
        }
    }

    /// Waits until there is exactly one, and reads it.
    pub async fn facts(&self) -> Facts {
        self.facts_when("be there", |_| true).await
    }

    /// Waits until there is exactly one that is as wanted.
    pub async fn facts_when(&self, what: &str, fits: impl Fn(&Facts) -> bool) -> Facts {
        let mut last = Vec::new();
        let found = self
            .window
            .poll(async || {
                last = self.all().await;
                match last.as_slice() {
                    [one] if fits(one) => Some(one.clone()),
                    _ => None,
                }
            })
            .await;
        match found {
            Some(facts) => facts,
            None => panic!("{self} should {what}; found {last:#?}"),
        }
    }

    /// Waits until its text has these words, and gives the text.
    pub async fn shows(&self, words: &str) -> String {
        self.facts_when(&format!("show {words:?}"), |facts| {
            facts.text.contains(words)
        })
        .await
        .text
    }

    /// Its visible text, once it is there.
    pub async fn text(&self) -> String {
        self.facts().await.text
    }

    /// Waits until a field holds this value.
    pub async fn holds(&self, value: &str) {
        self.facts_when(&format!("hold {value:?}"), |facts| facts.value == value)
            .await;
    }

    /// Waits until it has gone.
    pub async fn is_gone(&self) {
        let gone = self
            .window
            .poll(async || self.all().await.is_empty().then_some(()))
            .await;
        assert!(gone.is_some(), "{self} should go");
    }

    /// Waits until it can be pressed, and presses it.
    pub async fn click(&self) {
        self.act("be pressed", async |element| element.click().await)
            .await;
    }

    /// Types into a field, in place of what it holds.
    pub async fn fill(&self, text: &str) {
        self.click().await;
        if !self.facts().await.value.is_empty() {
            self.act("be emptied", async |element| {
                element.send_keys(Key::Control + "a").await?;
                element.send_keys(Key::Delete + "").await
            })
            .await;
        }
        // WebDriver has no way to type nothing.
        if !text.is_empty() {
            self.act("be typed into", async |element| {
                element.send_keys(text).await
            })
            .await;
        }
        self.holds(text).await;
    }

    /// Types into text fields inside this, in place of what they hold: each by its name.
    pub async fn fill_in(&self, fields: &[(&str, &str)]) {
        for (name, text) in fields {
            self.at("textbox", name).fill(text).await;
        }
    }

    /// Chooses one of a group of radio buttons inside this.
    pub async fn choose(&self, group: &str, option: &str) {
        self.at("radiogroup", group)
            .at("radio", option)
            .click()
            .await;
    }

    /// Ticks one of a group of boxes inside this.
    pub async fn tick(&self, group: &str, option: &str) {
        self.at("group", group).at("checkbox", option).click().await;
    }

    /// Does something with it once it is there and can be used; again while the page moves under it.
    async fn act(&self, what: &str, action: impl AsyncFn(&WebElement) -> WebDriverResult<()>) {
        let mut last = String::new();
        let done = self
            .window
            .poll(async || {
                let found = match self.window.run(PAGE, self.arguments("targets")).await {
                    Ok(found) => self.window.elements(found),
                    Err(error) => {
                        last = error.to_string();
                        return None;
                    }
                };
                match found.as_slice() {
                    [one] => match action(one).await {
                        Ok(()) => Some(()),
                        Err(error) => {
                            last = error.to_string();
                            None
                        }
                    },
                    some => {
                        last = format!("{} can be used", some.len());
                        None
                    }
                }
            })
            .await;
        assert!(done.is_some(), "{self} should {what}: {last}");
    }

    fn arguments(&self, wanted: &str) -> Vec<Value> {
        vec![json!(self.path), json!(wanted)]
    }
}

impl std::fmt::Display for Spot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps: Vec<String> = self
            .path
            .iter()
            .map(|(role, name)| format!("{role} {name:?}"))
            .collect();
        f.write_str(&steps.join(" > "))
    }
}

const PAGE: &str = include_str!("page.js");
