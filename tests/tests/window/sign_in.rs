//! Signing in as a person does: the window, and a real browser beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tests::programs;
use tests::window::{Opener, drive_with};

/// Allows, in a headless browser, what the page at this address asks for.
pub async fn allow(url: String) {
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
        allow(opener.next(window, 0).await).await;
        panel.at("button", "Sign in again").facts().await;
        window.connected("Demo server (sign-in)").await;
        let held = panel.shows("for this server").await;
        assert!(held.contains("guide:read"), "{held}");
        window.timeline().row("sign-in Demo server (sign-in)").await;

        let form = window.call("echo", &[("text…", "ciao")]).await;
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
