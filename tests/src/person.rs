//! A person who gives every consent that is asked for: pages are opened by HTTP, redirects are followed, and questions to
//! sign in are accepted.

use std::time::Duration;

use app::api::feed::PromptAsk;
use app::api::sign_in::{SignInState, SignInView};
use journal::event::OperationId;
use serde_json::{Value, json};

use crate::core::Core;

/// How often is looked for something to do.
pub const LOOK: Duration = Duration::from_millis(10);

/// Opens what the core hands to the browser, for as long as it is awaited.
pub async fn consents(core: &Core) {
    let client = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client");
    let mut seen = 0;
    loop {
        let opened = core.browser().opened();
        for url in &opened[seen..] {
            // A page that cannot be opened leaves the sign-in waiting, which the test sees.
            let _shown = client.get(url).send().await;
        }
        seen = opened.len();
        tokio::time::sleep(LOOK).await;
    }
}

/// Accepts every question to sign in, for as long as it is awaited.
pub async fn agrees(core: &Core) {
    let mut answered = std::collections::HashSet::new();
    loop {
        for prompt in core.seen().prompts {
            if matches!(prompt.ask, PromptAsk::SignIn { .. }) && answered.insert(prompt.id) {
                let answer = json!({ "prompt": prompt.id, "action": "accept", "content": null });
                // One that was withdrawn meanwhile needs no answer.
                let _withdrawn: Result<(), Value> = core.rpc("answer_prompt", answer).await;
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Signs in, and waits for the end of it.
pub async fn signs_in(core: &Core, server: &str) -> SignInView {
    let _operation: OperationId = core.must("sign_in", json!({ "server": server })).await;
    ended(core, server).await
}

/// Waits until no sign-in runs.
pub async fn ended(core: &Core, server: &str) -> SignInView {
    loop {
        let view: SignInView = core.must("sign_in_view", json!({ "server": server })).await;
        if view.news.state != SignInState::Running {
            return view;
        }
        tokio::time::sleep(LOOK).await;
    }
}
