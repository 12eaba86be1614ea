//! Sessions of before, opened without their servers.

use std::fs::{self, File};
use std::io;

use flate2::read::GzDecoder;
use tests::window::{Window, drive, drive_again};

use super::{echo, save};

/// What a past session shows of the one call that it has.
async fn is_shown(window: &Window, text: &str) {
    window
        .at("region", "Past session")
        .shows("Past session")
        .await;
    let timeline = window.timeline();
    timeline.select("tools/call echo, complete").await;
    let details = window.at("region", "Details");
    details.at("tab", "Response").click().await;
    details.at("group", "Response").shows(text).await;
    details.at("tab", "Summary").click().await;
    details.at("list", "Where the time went").facts().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_opened_again_after_a_restart() {
    drive_again(
        "timeline-restart",
        &[],
        async |window| {
            window.connect("Demo server").await;
            echo(window, "kept for later").await;
        },
        async |window| {
            // Nothing is connected: the recording is enough.
            window
                .at("region", "Recordings")
                .at("button", "Demo server…")
                .click()
                .await;
            is_shown(window, "kept for later").await;
            let line = window.at("combobox", "Filter the timeline");
            line.fill("text:\"kept for later\"").await;
            window
                .until("the one row", async || {
                    (window.timeline().total().await == 1).then_some(())
                })
                .await;
            window
                .at("button", "Back to the live session")
                .click()
                .await;
            window.at("region", "Past session").is_gone().await;
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_away_as_a_recording_is_opened_again() {
    drive("timeline-reopen", async |window| {
        window.connect("Demo server").await;
        echo(window, "there and back").await;
        window.timeline().row("tools/call echo, complete").await;
        window
            .at("region", "Timeline")
            .at("button", "Export")
            .click()
            .await;
        let saved = save(window, "Recording…").await;
        assert!(saved.to_string_lossy().ends_with(".mcpr.gz"), "{saved:?}");

        // Where recordings are, it is one of them.
        let place = window.data_folder().join("recordings").join("taken.mcpr");
        let mut unpacked = GzDecoder::new(File::open(&saved).expect("the file"));
        let mut file = File::create(&place).expect("a recording");
        io::copy(&mut unpacked, &mut file).expect("it is unpacked");
        drop(file);
        window.at("button", "More for recordings").click().await;
        window.at("menuitem", "Look for new ones").click().await;
        let recordings = window.at("region", "Recordings");
        // The running session is called so; this one is called by its server.
        recordings.at("button", "Demo server…").click().await;
        is_shown(window, "there and back").await;
        assert!(fs::metadata(&place).is_ok());
    })
    .await;
}
