//! The system's browser, as the app finds it: a program that notes what it was asked to open. What it was given is then
//! opened for real, by Chromium without a window.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;
use tokio::process::Command;

use super::Window;
use crate::programs;

/// A browser that waits to be told what to do with what it was given.
pub struct Opener {
    folder: TempDir,
}

impl Opener {
    /// Puts the program in a folder of its own.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let opener = Self { folder };
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n",
            opener.notes().display()
        );
        let program = opener.folder.path().join("xdg-open");
        fs::write(&program, script).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        opener
    }

    /// The search path that finds it first.
    pub fn path(&self) -> String {
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{path}", self.folder.path().display())
    }

    /// What it was given so far, in order.
    pub fn opened(&self) -> Vec<String> {
        let notes = fs::read_to_string(self.notes()).unwrap_or_default();
        notes.lines().map(str::to_owned).collect()
    }

    /// Waits until it was given a link beside those before.
    pub async fn next(&self, window: &Window, before: usize) -> String {
        window
            .until("the browser", async || self.opened().get(before).cloned())
            .await
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("opened")
    }
}

/// Opens a page in Chromium, presses a button there, and gives the heading that comes.
pub async fn visit(url: &str, button: &str) -> String {
    let output = Command::new(programs::node())
        .arg(programs::servers().join("visit.mjs"))
        .args([url, button])
        .output()
        .await
        .expect("Node.js starts");
    assert!(
        output.status.success(),
        "the page was not visited: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
