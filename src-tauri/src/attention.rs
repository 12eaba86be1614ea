//! Says that a server asks when nobody looks: in the main window's title, at the app's icon, and by a notification of the
//! system's, whose click leads to the prompt.

use std::collections::HashSet;
use std::sync::mpsc;
use std::time::Duration;

use app::App;
use app::api::feed::{PromptAsk, PromptView};
use tauri::{AppHandle, Manager, UserAttentionType};

use crate::{pop_outs, window};

/// Notifications come no closer than this: a server that asks without end is told of once.
const PAUSE: Duration = Duration::from_secs(3);

/// Follows the open prompts for as long as the core lives.
pub fn watch(shell: &AppHandle) {
    let shell = shell.clone();
    let mut asked = shell.state::<App>().open_prompts();
    let notices = notices(&shell);
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
            count(&shell, &open);
            let news: Vec<_> = open
                .iter()
                .filter(|prompt| !known.contains(&prompt.id))
                .cloned()
                .collect();
            known = open.iter().map(|prompt| prompt.id).collect();
            if let Some(notice) = notice(&news)
                && !is_in_front(&shell)
            {
                draw_attention(&shell);
                // The thread that shows them ends with the shell.
                let _gone = notices.send(notice);
            }
        }
    });
}

/// What the system is asked to show.
#[derive(Debug, PartialEq, Eq)]
struct Notice {
    prompt: u32,
    body: String,
}

/// One notice of all that is new. It holds the catalog's names alone: what a server says could be markup to whatever
/// shows it.
fn notice(news: &[PromptView]) -> Option<Notice> {
    let first = news.first()?;
    let name = plain(&first.server_name);
    let body = match (news.len(), &first.ask) {
        (1, PromptAsk::SendAgain { .. }) => format!("{name}: send again?"),
        (1, PromptAsk::Link { .. }) => format!("{name} asks you to open a link."),
        (1, _) => format!("{name} needs an answer."),
        (count, _) => format!("{name} and others: {count} prompts wait for you."),
    };
    Some(Notice {
        prompt: first.id,
        body,
    })
}

/// A name without what some notification services read as markup.
fn plain(name: &str) -> String {
    let is_plain = |c: &char| !c.is_control() && !matches!(c, '<' | '>' | '&');
    name.chars().filter(is_plain).take(80).collect()
}

/// Whether a window of Roundtrip has the focus.
fn is_in_front(shell: &AppHandle) -> bool {
    let windows = shell.webview_windows();
    windows
        .values()
        .any(|window| window.is_focused().unwrap_or_default())
}

/// How many prompts wait, in the title and, where the system has a place for it, at the icon.
fn count(shell: &AppHandle, open: &[PromptView]) {
    let Some(main) = window::main(shell) else {
        return;
    };
    let title = match open {
        [] => "Roundtrip".to_owned(),
        [only] => format!("Roundtrip — {} asks", plain(&only.server_name)),
        _ => format!("Roundtrip — {} prompts waiting", open.len()),
    };
    let badge = i64::try_from(open.len()).ok().filter(|count| *count > 0);
    let shown = main
        .set_title(&title)
        .and_then(|()| main.set_badge_count(badge));
    if let Err(error) = shown {
        tracing::debug!(%error, "the count of prompts could not be shown");
    }
}

fn draw_attention(shell: &AppHandle) {
    if let Some(main) = window::main(shell)
        && let Err(error) = main.request_user_attention(Some(UserAttentionType::Informational))
    {
        tracing::debug!(%error, "attention could not be drawn");
    }
}

/// Where notices go: to a thread that shows one after another, because waiting for a click blocks.
fn notices(shell: &AppHandle) -> mpsc::Sender<Notice> {
    let (sender, receiver) = mpsc::channel::<Notice>();
    let shell = shell.clone();
    let shown = std::thread::Builder::new()
        .name("notifications".to_owned())
        .spawn(move || {
            while let Ok(mut notice) = receiver.recv() {
                // Of those that came meanwhile the last one leads to what is open.
                while let Ok(later) = receiver.try_recv() {
                    notice = later;
                }
                show(&shell, &notice);
                std::thread::sleep(PAUSE);
            }
        });
    if let Err(error) = shown {
        tracing::warn!(%error, "no notifications will be shown");
    }
    sender
}

/// Shows a notice, and waits on a thread of its own for a click on it.
fn show(shell: &AppHandle, notice: &Notice) {
    let shown = notify_rust::Notification::new()
        .appname("Roundtrip")
        .summary("A server asks you")
        .body(&notice.body)
        .icon("roundtrip")
        .action("default", "Show")
        .show();
    let handle = match shown {
        Ok(handle) => handle,
        Err(error) => {
            // There may be nothing that shows notifications; title and badge say it too.
            tracing::debug!(%error, "a notification could not be shown");
            return;
        }
    };
    wait_for_click(shell, handle, notice.prompt);
}

#[cfg(all(unix, not(target_os = "macos")))]
fn wait_for_click(shell: &AppHandle, handle: notify_rust::NotificationHandle, prompt: u32) {
    let shell = shell.clone();
    let waiting = std::thread::Builder::new()
        .name("notification".to_owned())
        .spawn(move || {
            handle.wait_for_action(|action| {
                if action == "default" {
                    go_to(&shell, prompt);
                }
            });
        });
    if let Err(error) = waiting {
        tracing::warn!(%error, "a notification cannot be clicked");
    }
}

/// The system itself brings Roundtrip forward.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn wait_for_click(_: &AppHandle, _: notify_rust::NotificationHandle, _: u32) {}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(id: u32, server_name: &str) -> PromptView {
        PromptView {
            id,
            server: "s".to_owned(),
            server_name: server_name.to_owned(),
            address: "http://localhost".to_owned(),
            operation: None,
            operation_title: "tools/call".to_owned(),
            round: 1,
            input_key: "k".to_owned(),
            since_micros: 0,
            lapses_micros: None,
            popped_out: false,
            message: "<b>Click <a href='https://evil.example'>here</a></b>".to_owned(),
            ask: PromptAsk::Form {
                schema: "{}".to_owned(),
            },
        }
    }

    #[test]
    fn a_notice_names_who_asks_and_quotes_nobody() {
        assert_eq!(notice(&[]), None);
        let one = notice(&[prompt(4, "Demo <server>")]).expect("a notice");
        assert_eq!(
            (one.prompt, &*one.body),
            (4, "Demo server needs an answer.")
        );
        let two = notice(&[prompt(4, "a"), prompt(5, "b")]).expect("a notice");
        assert_eq!(two.body, "a and others: 2 prompts wait for you.");
    }
}
