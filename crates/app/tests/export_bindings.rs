//! The TypeScript of everything that crosses to a view. `cargo xtask bindings` runs this with
//! `TS_RS_EXPORT_DIR` set,
//! and CI compares what it writes with what is committed.

use std::fs;

use app::api::feed::FeedBatch;
use app::api::{ErrorView, servers::ServerView};
use ts_rs::{Config, TS};

#[test]
fn export_bindings() {
    let scratch = tempfile::tempdir().expect("a folder for the bindings");
    let config = Config::from_env();
    let config = match std::env::var_os("TS_RS_EXPORT_DIR") {
        Some(_) => config,
        None => config.with_out_dir(scratch.path()),
    }
    .with_large_int("number");
    app::commands::export_types(&config).expect("the types of the commands");
    FeedBatch::export_all(&config).expect("the feed");
    ErrorView::export_all(&config).expect("the error");
    ServerView::export_all(&config).expect("the server");
    let commands = app::commands::typescript(&config);
    fs::write(config.out_dir().join("Commands.ts"), &commands).expect("the commands");

    assert!(
        commands.contains("call_tool: { args: CallToolArgs; reply: CallStarted };"),
        "{commands}"
    );
    let feed = fs::read_to_string(config.out_dir().join("FeedBatch.ts")).expect("the feed's file");
    assert!(feed.contains("timeline: TimelinePatch | null"), "{feed}");
}
