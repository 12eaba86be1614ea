//! Says that a server asks when nobody looks: in the main window's title, at the app's icon, and by a notification of the
//! system's, whose click leads to the prompt.

use std::collections::HashSet;

use app::App;
use app::api::feed::{PromptAsk, PromptView};
use tauri::{AppHandle, Manager, UserAttentionType};

use crate::badge::Badge;
use crate::notices::{self, Notices};
use crate::{pop_outs, window};

/// Follows the open prompts for as long as the core lives.
pub fn watch(shell: &AppHandle) {
    let shell = shell.clone();
    let mut asked = shell.state::<App>().open_prompts();
    let (notices, badge) = (Notices::start(&shell), Badge::new(&shell));
    tauri::async_runtime::spawn(async move {
        let mut known = HashSet::new();
        while asked.changed().await.is_ok() {
            let open = asked.borrow_and_update().clone();
            pop_outs::close_answered(&shell, &open);
            // While somebody is in their browser nothing is asked of them.
            let open: Vec<_> = open
                .into_iter()
                .filter(|prompt| !matches!(prompt.ask, PromptAsk::Browser { .. }))
                .collect();
            title(&shell, &open);
            badge.show(open.len());
            let news: Vec<_> = open
                .iter()
                .filter(|prompt| !known.contains(&prompt.id))
                .cloned()
                .collect();
            known = open.iter().map(|prompt| prompt.id).collect();
            notices.withdraw(&known);
            if let Some(notice) = notices::notice(&news)
                && !is_in_front(&shell)
            {
                draw_attention(&shell);
                notices.show(notice);
            }
        }
    });
}

/// Whether a window of Roundtrip has the focus.
fn is_in_front(shell: &AppHandle) -> bool {
    let windows = shell.webview_windows();
    windows
        .values()
        .any(|window| window.is_focused().unwrap_or_default())
}

/// How many prompts wait, in the title.
fn title(shell: &AppHandle, open: &[PromptView]) {
    let Some(main) = window::main(shell) else {
        return;
    };
    let title = match open {
        [] => "Roundtrip".to_owned(),
        [only] => format!("Roundtrip — {} asks", notices::plain(&only.server_name)),
        _ => format!("Roundtrip — {} prompts waiting", open.len()),
    };
    if let Err(error) = main.set_title(&title) {
        tracing::debug!(%error, "the title could not be changed");
    }
}

fn draw_attention(shell: &AppHandle) {
    if let Some(main) = window::main(shell)
        && let Err(error) = main.request_user_attention(Some(UserAttentionType::Informational))
    {
        tracing::debug!(%error, "attention could not be drawn");
    }
}

/// Leads to a prompt: to its own window, to the main one where that is shown, else to a window of its own.
pub fn go_to(shell: &AppHandle, prompt: u32) {
    if pop_outs::of(shell, prompt).is_none()
        && let Some(main) = window::main(shell)
        && main.is_visible().unwrap_or_default()
    {
        window::raise(&main);
        pop_outs::wish(&main, "prompt", &prompt.to_string());
        return;
    }
    if let Err(message) = pop_outs::open(shell, prompt) {
        tracing::debug!(message, "the prompt of a notification is gone");
        window::bring_forward(shell);
    }
}
