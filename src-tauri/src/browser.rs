//! The system's browser, for links that the person agreed to open. The page cannot reach it.

use app::browser::Browser;

/// The browser that the system starts for addresses.
pub struct SystemBrowser;

impl Browser for SystemBrowser {
    fn open(&self, url: &str) -> Result<(), String> {
        // The core has judged it; whatever else it were, only these are for a browser.
        if !(url.starts_with("https://") || url.starts_with("http://")) {
            return Err("Only web addresses are opened.".to_owned());
        }
        tauri_plugin_opener::open_url(url, None::<&str>).map_err(|error| format!("{error}."))
    }
}
