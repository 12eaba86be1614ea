//! The real window, driven as a person would: things are found by role and accessible name, clicked, typed into and
//! read. tauri-driver and the web view's own driver stand between. Linux only.
//!
//! What is deliberately absent: fixed pauses, and any look behind the page. A test waits for what a person would wait
//! for, and knows of the core what the page shows of it.

mod acts;
mod desktop;
mod notifications;
mod opener;
mod programs;
mod spot;
mod timeline;

use std::fs;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::error::WebDriverResult;
use thirtyfour::{Capabilities, Key, WebDriver, WebElement, WindowHandle};

pub use desktop::{Desktop, key};
pub use notifications::{Notification, Notifications};
pub use opener::{Opener, visit};
use programs::Programs;
pub use spot::{Facts, Spot};
pub use timeline::{Row, Timeline};

/// Longer than anything here takes on a slow machine: reaching it means that what is awaited never comes.
const PATIENCE: Duration = Duration::from_mins(1);

/// For a picture of a failure.
const FOR_A_PICTURE: Duration = Duration::from_secs(20);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(40);

/// Whether `WebKitGTK` may draw by way of the graphics card's buffers.
const RENDERER: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// A running app with its window.
pub struct Window {
    // First, because what is dropped first still needs the others.
    driver: WebDriver,
    programs: Programs,
}

/// Opens a window, does what a test does, and ends the window, its servers and its drivers. When the test fails, a
/// picture of the window and its text are kept in `target/window-failures/`.
pub async fn drive(name: &str, test: impl AsyncFnOnce(&Window)) {
    drive_with(name, &[], test).await;
}

/// The same in a theme, `light` or `dark`, for pictures.
pub async fn photograph(theme: &str, session: impl AsyncFnOnce(&Window)) {
    let name = format!("shots-{theme}");
    // The driver's pictures never come from the renderer that the app chooses when nothing is set.
    let variables = [("ROUNDTRIP_THEME", theme), (RENDERER, "0")];
    drive_with(&name, &variables, session).await;
}

/// The same with these variables for the app.
pub async fn drive_with(name: &str, variables: &[(&str, &str)], test: impl AsyncFnOnce(&Window)) {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    session(name, folder, variables, test).await;
}

/// Opens a window, ends it after a while, and opens it again on the same data, as a person does who comes back.
pub async fn drive_again(
    name: &str,
    variables: &[(&str, &str)],
    before: impl AsyncFnOnce(&Window),
    after: impl AsyncFnOnce(&Window),
) {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    session(name, Arc::clone(&folder), variables, before).await;
    session(name, folder, variables, after).await;
}

async fn session(
    name: &str,
    folder: Arc<TempDir>,
    variables: &[(&str, &str)],
    test: impl AsyncFnOnce(&Window),
) {
    let window = Window::open_in(folder, variables).await;
    let outcome = AssertUnwindSafe(test(&window)).catch_unwind().await;
    if outcome.is_err() {
        window.keep_evidence(name).await;
    }
    let left = window.close().await;
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
    assert!(left.is_empty(), "the window left behind {left:#?}");
}

impl Window {
    /// Opens a window on a data folder of its own, with these variables.
    pub async fn open(variables: &[(&str, &str)]) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        Self::open_in(folder, variables).await
    }

    async fn open_in(folder: Arc<TempDir>, variables: &[(&str, &str)]) -> Self {
        let programs = Programs::start(folder, variables);
        let mut capabilities = Capabilities::new();
        capabilities
            .set(
                "tauri:options",
                json!({ "application": crate::programs::app() }),
            )
            .expect("a capability");
        let driver =
            WebDriver::builder(format!("http://127.0.0.1:{}", programs.port), capabilities)
                .client(
                    reqwest::Client::builder()
                        .no_proxy()
                        .timeout(PATIENCE * 2)
                        .build()
                        .expect("an HTTP client"),
                )
                .await;
        let driver = match driver {
            Ok(driver) => driver,
            Err(error) => panic!("the window does not open: {error}\n{}", programs.log()),
        };
        let window = Self { driver, programs };
        // The page stands when the core has told it the servers.
        window
            .at("navigation", "Servers")
            .shows("Demo server")
            .await;
        window
    }

    /// Something on the page, by role and accessible name.
    pub fn at(&self, role: &str, name: &str) -> Spot<'_> {
        Spot::new(self).at(role, name)
    }

    /// The timeline.
    pub fn timeline(&self) -> Timeline<'_> {
        Timeline::new(self)
    }

    /// The app's data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.programs.data_folder()
    }

    /// Loads the page again, as if the web view had crashed.
    pub async fn reload(&self) {
        self.driver.refresh().await.expect("the page loads again");
    }

    /// Goes on in the window that opens beside this one. Gives this one, to come back to.
    pub async fn into_other(&self) -> WindowHandle {
        let here = self.driver.window().await.expect("this window");
        let other = self
            .until("another window", async || {
                let windows = self.driver.windows().await.ok()?;
                windows.into_iter().find(|window| *window != here)
            })
            .await;
        self.into_window(other).await;
        here
    }

    /// Goes on in this window.
    pub async fn into_window(&self, window: WindowHandle) {
        let gone = self.driver.switch_to_window(window).await;
        gone.expect("the window can be driven");
    }

    /// Whether the window has the desktop's focus.
    pub async fn is_in_front(&self) -> bool {
        let has = self.run("return document.hasFocus()", vec![]).await;
        has.is_ok_and(|has| has == json!(true))
    }

    /// Waits until the window has the desktop's focus, or has lost it.
    pub async fn has_focus(&self, wanted: bool) {
        let what = if wanted { "the focus" } else { "its loss" };
        self.until(what, async || {
            (self.is_in_front().await == wanted).then_some(())
        })
        .await;
    }

    /// Presses a key, with the keys that are held down meanwhile.
    pub async fn press(&self, held: &[Key], key: impl Into<char>) {
        let key = key.into();
        let mut actions = self.driver.action_chain();
        for held in held {
            actions = actions.key_down(held.clone());
        }
        actions = actions.key_down(key).key_up(key);
        for held in held.iter().rev() {
            actions = actions.key_up(held.clone());
        }
        actions.perform().await.expect("keys can be pressed");
    }

    /// Types into whatever has the focus.
    pub async fn type_text(&self, text: &str) {
        self.driver
            .action_chain()
            .send_keys(text)
            .perform()
            .await
            .expect("text can be typed");
    }

    /// Makes the page this large, in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        self.driver
            .set_window_rect(0, 0, width, height)
            .await
            .expect("the window changes its size");
        let wanted = json!([width, height]);
        let mut last = Value::Null;
        let fits = self
            .poll(async || {
                last = self
                    .run("return [innerWidth, innerHeight]", vec![])
                    .await
                    .ok()?;
                (last == wanted).then_some(())
            })
            .await;
        assert!(
            fits.is_some(),
            "the page should measure {wanted}, not {last}"
        );
    }

    /// Waits until all that the page shows has been painted.
    pub async fn painted(&self) {
        self.driver
            .execute_async(PAINTED, vec![])
            .await
            .expect("the page paints");
    }

    /// A picture of the page, as PNG, once all that it shows has been painted.
    pub async fn picture(&self) -> Vec<u8> {
        self.painted().await;
        self.driver
            .screenshot_as_png()
            .await
            .expect("the driver takes a picture")
    }

    /// All text of the page.
    pub async fn text(&self) -> String {
        match self.run("return document.body.innerText", vec![]).await {
            Ok(text) => text.as_str().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// All that the page holds: its elements with their attributes, and what is in its fields.
    pub async fn source(&self) -> String {
        let source = self.run(SOURCE, vec![]).await.expect("the page is read");
        source.as_str().expect("its source").to_owned()
    }

    /// Waits until something is so. Nothing when it never is.
    pub async fn poll<T>(&self, mut look: impl AsyncFnMut() -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look().await {
                return Some(found);
            }
            if Instant::now() > deadline {
                return None;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until something is so.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        match self.poll(look).await {
            Some(found) => found,
            None => panic!("{what} never came"),
        }
    }

    /// Closes the window as the desktop would, then its drivers. Gives the processes that outlived it.
    pub async fn close(self) -> Vec<String> {
        self.programs.leave().await;
        // The session has ended with the app, unless the app did not leave.
        if let Ok(Err(error)) = tokio::time::timeout(PATIENCE, self.driver.quit()).await {
            eprintln!("the session had ended: {error}");
        }
        self.programs.end()
    }

    /// Keeps what a failed test saw.
    async fn keep_evidence(&self, name: &str) {
        let folder = crate::programs::target().join("window-failures");
        let text = format!("{}\n\n{}", self.text().await, self.timeline().text().await);
        // The renderer that people get may give the driver no picture, and then no answer either.
        let picture = tokio::time::timeout(FOR_A_PICTURE, self.driver.screenshot_as_png()).await;
        let kept = fs::create_dir_all(&folder)
            .and_then(|()| fs::write(folder.join(format!("{name}.log")), self.programs.log()))
            .and_then(|()| fs::write(folder.join(format!("{name}.txt")), text))
            .and_then(|()| match picture {
                Ok(Ok(picture)) => fs::write(folder.join(format!("{name}.png")), picture),
                Ok(Err(error)) => Err(std::io::Error::other(error.to_string())),
                Err(_) => Err(std::io::Error::other(format!(
                    "the driver gives no picture of the renderer that people get; {RENDERER}=0 chooses the other"
                ))),
            });
        match kept {
            Ok(()) => eprintln!("what the window showed is in {}", shown(&folder, name)),
            Err(error) => eprintln!("not all that the window showed could be kept: {error}"),
        }
    }

    /// Runs a script in the page that gives its result to its last argument, a function: for measurements, which must
    /// see the page from within.
    ///
    /// # Errors
    /// The script throws, or gives nothing.
    pub async fn measure(
        &self,
        script: &'static str,
        arguments: Vec<Value>,
    ) -> Result<Value, String> {
        let given = async {
            self.driver.set_script_timeout(PATIENCE).await?;
            self.driver.execute_async(script, arguments).await
        };
        match given.await {
            Ok(given) => Ok(given.json().clone()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs a script of ours in the page.
    async fn run(&self, script: &'static str, arguments: Vec<Value>) -> WebDriverResult<Value> {
        let returned = self.driver.execute(script, arguments).await?;
        Ok(returned.json().clone())
    }

    /// The elements that a script gave.
    fn elements(&self, found: Value) -> Vec<WebElement> {
        let Value::Array(found) = found else {
            return Vec::new();
        };
        found
            .into_iter()
            .filter_map(|one| WebElement::from_json(one, self.driver.handle().clone()).ok())
            .collect()
    }
}

const SOURCE: &str = "\
const fields = [...document.querySelectorAll('input, textarea, select, output')].map((field) => field.value);
return [document.documentElement.outerHTML, ...fields].join('\\n');";

/// Fonts and pictures are there, and two frames have gone by: one that may still lay out, and one that shows it.
const PAINTED: &str = "\
const done = arguments[0];
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const pictures = [...document.images].map((image) => image.decode().catch(() => undefined));
Promise.all([document.fonts.ready, ...pictures]).then(frame).then(frame).then(() => done(true));";

fn shown(folder: &Path, name: &str) -> String {
    format!("{}.png, .txt and .log", folder.join(name).display())
}
