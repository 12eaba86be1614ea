//! The person's browser, as the core sees it.

/// Where links are handed to that the person agreed to open. Nothing else is ever handed to it, and nothing of a link is
/// fetched here.
pub trait Browser: Send + Sync {
    /// Hands it an address; may block until it has started.
    ///
    /// # Errors
    /// Why it could not be started, in a sentence.
    fn open(&self, url: &str) -> Result<(), String>;
}

/// Where there is no browser.
pub(crate) struct NoBrowser;

impl Browser for NoBrowser {
    fn open(&self, _: &str) -> Result<(), String> {
        Err("There is no browser to start here.".to_owned())
    }
}
