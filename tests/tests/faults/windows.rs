//! More than one page at once: the main one, and prompts in windows of their own.

use app::api::feed::{FeedBatch, PromptAction};
use app::api::servers::EraChoice;
use serde_json::{Value, json};
use tests::core::Core;

#[tokio::test(flavor = "multi_thread")]
async fn a_prompts_own_window_is_fed_apart() {
    let core = Core::start().await;
    let server = core.add_odd("asks", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let prompt = core.prompt().await;
    assert!(!prompt.popped_out);

    // A window that takes and never says so: it gets two batches, and the main page goes on.
    let mut hung = core.attach_prompt(prompt.id);
    let first: FeedBatch = hung.recv().await.expect("a batch");
    assert_eq!(first.number, 1);
    assert_eq!(first.prompts.as_ref().map(Vec::len), Some(1));
    assert!(first.servers.is_some() && first.timeline.is_none() && first.status.is_none());
    core.until("the prompt is popped out", |seen| {
        seen.prompts.first()?.popped_out.then_some(())
    })
    .await;

    // It is loaded anew, answers, and both pages see that it is over.
    let mut window = core.attach_prompt(prompt.id);
    assert_eq!(window.recv().await.expect("a batch").number, 1);
    core.acknowledge(prompt.id, 1).await;
    core.answer(prompt.id, PromptAction::Accept, Some(r#"{"count":1}"#))
        .await;
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    loop {
        let batch = window.recv().await.expect("a batch");
        core.acknowledge(prompt.id, batch.number).await;
        if batch.prompts.is_some_and(|prompts| prompts.is_empty()) {
            break;
        }
    }
    core.outcome(operation).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_is_kept_until_the_prompt_is_over() {
    let core = Core::start().await;
    let server = core.add_odd("asks", EraChoice::Auto).await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    let prompt = core.prompt().await;
    let one = json!({ "prompt": prompt.id });
    assert_eq!(core.must::<String>("draft", one.clone()).await, "");
    let kept = json!({ "prompt": prompt.id, "draft": "{\"begun\":12345678901234567890}" });
    let _: () = core.must("keep_draft", kept).await;
    assert_eq!(
        core.must::<String>("draft", one.clone()).await,
        "{\"begun\":12345678901234567890}"
    );
    let large = json!({ "prompt": prompt.id, "draft": "x".repeat((32 << 20) + 1) });
    let refused = core.rpc::<Value>("keep_draft", large).await.unwrap_err();
    assert_eq!(refused["code"], "bad_input", "{refused}");

    core.answer(prompt.id, PromptAction::Cancel, None).await;
    let gone = core.rpc::<Value>("draft", one).await.unwrap_err();
    assert_eq!(gone["code"], "gone", "{gone}");
    // Nothing of it is on the disk.
    let written = walk(core.folder());
    assert!(!written.is_empty());
    for (path, bytes) in written {
        let found = bytes.windows(5).any(|part| part == b"begun");
        assert!(!found, "{path:?} holds what was begun");
    }
    core.close().await;
}

fn walk(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_may_be_closed_by_a_thread_that_runs_nothing_else() {
    let core = Core::start().await;
    let server = core.add_odd("asks", EraChoice::Auto).await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    let prompt = core.prompt().await;
    let _page = core.attach_prompt(prompt.id);
    core.until("the prompt is popped out", |seen| {
        seen.prompts.first()?.popped_out.then_some(())
    })
    .await;
    let app = core.app().clone();
    std::thread::spawn(move || app.detach_prompt(prompt.id))
        .join()
        .expect("no panic");
    core.until("the prompt is back", |seen| {
        let prompt = seen.prompts.first()?;
        (!prompt.popped_out).then_some(())
    })
    .await;
    core.close().await;
}
