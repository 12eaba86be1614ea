//! A browser that opens nothing and remembers what it was asked to.

use app::browser::Browser;
use std::sync::Mutex;

/// A browser for tests.
#[derive(Debug, Default)]
pub struct FakeBrowser {
    opened: Mutex<Vec<String>>,
    broken: Mutex<Option<String>>,
}

impl FakeBrowser {
    /// What it was given, in order.
    pub fn opened(&self) -> Vec<String> {
        self.opened.lock().expect("no panic").clone()
    }

    /// From now on it cannot be started, for this reason; or it can again.
    pub fn set_broken(&self, why: Option<&str>) {
        *self.broken.lock().expect("no panic") = why.map(str::to_owned);
    }
}

impl Browser for FakeBrowser {
    fn open(&self, url: &str) -> Result<(), String> {
        if let Some(why) = self.broken.lock().expect("no panic").clone() {
            return Err(why);
        }
        self.opened.lock().expect("no panic").push(url.to_owned());
        Ok(())
    }
}
