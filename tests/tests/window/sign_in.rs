//! Signing in as a person does: the window, and a real browser beside it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::programs;
use tests::window::{Window, drive_with};

use crate::{choose_tool, connected};

/// A program in the place of the desktop's opener, which notes what it is to open.
struct Opener {
    folder: tempfile::TempDir,
}

impl Opener {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n",
            folder.path().join("opened").display()
        );
        let program = folder.path().join("xdg-open");
        std::fs::write(&program, script).expect("written");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
            .expect("it can be run");
        Self { folder }
    }

    /// A search path on which it comes first.
    fn path(&self) -> String {
        let before = std::env::var("PATH").unwrap_or_default();
        format!("{}:{before}", self.folder.path().display())
    }

    /// Waits until so many pages were opened, and gives the last.
    async fn opened(&self, window: &Window, count: usize) -> String {
        let file = self.folder.path().join("opened");
        window
            .until("a page to open", async || {
                let text = std::fs::read_to_string(&file).ok()?;
                let urls: Vec<&str> = text.lines().collect();
                (urls.len() >= count).then(|| urls[count - 1].to_owned())
            })
            .await
    }
}

/// Allows, in a headless browser, what the page at this address asks for.
async fn allow(url: String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let browser =
        std::env::var_os("CHROMIUM").map_or_else(|| "/usr/bin/chromium".into(), PathBuf::from);
    let done = tokio::task::spawn_blocking(move || {
        Command::new(programs::node())
            .arg(programs::servers().join("consent.mjs"))
            .arg(browser)
            .arg(root.join("ui/node_modules/playwright-core"))
            .arg(url)
            .output()
    });
    let done = done.await.expect("no panic").expect("node runs");
    assert!(
        done.status.success(),
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_consent_in_the_browser_signs_in_and_a_further_one_gives_more() {
    let opener = Opener::new();
    let path = opener.path();
    drive_with("sign-in", &[("PATH", path.as_str())], async |window| {
        let servers = window.at("navigation", "Servers");
        servers
            .at("button", "Connect Demo server (sign-in)")
            .click()
            .await;
        window.at("tab", "Overview").click().await;
        let panel = window.at("region", "Sign-in");
        panel.at("button", "Sign in").click().await;
        allow(opener.opened(window, 1).await).await;
        panel.at("button", "Sign in again").facts().await;
        connected(window, "Demo server (sign-in)").await;
        let held = panel.shows("for this server").await;
        assert!(held.contains("guide:read"), "{held}");
        window.timeline().row("sign-in Demo server (sign-in)").await;

        choose_tool(window, "echo").await;
        let form = window.at("region", "Tool echo");
        form.at("textbox", "text…").fill("ciao").await;
        form.at("button", "Call…").click().await;
        form.at("region", "Result of the call").shows("ciao").await;
        assert!(
            !window.text().await.contains("eyJ"),
            "a token is in the page"
        );

        window.at("tab", "Overview").click().await;
        panel.at("button", "Sign out").click().await;
        panel.at("button", "Sign in").facts().await;
        servers
            .at("button", "Demo server (sign-in), not connected…")
            .facts()
            .await;
    })
    .await;
}
