//! Notifications of the system's, by which a prompt says that it is there when nobody looks. A click leads to it; when it is
//! over, its notification goes.

use std::collections::HashSet;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use app::App;
use app::api::feed::{PromptAsk, PromptView};
use parking_lot::Mutex;
use tauri::{AppHandle, Manager};

use crate::attention;

/// Notifications come no closer than this: a server that asks without end is told of once.
const PAUSE: Duration = Duration::from_secs(3);

/// What the system is asked to show: who asks, in their order.
#[derive(Debug, PartialEq, Eq)]
pub struct Notice(Vec<Asker>);

/// A prompt that is told of.
#[derive(Debug, PartialEq, Eq)]
struct Asker {
    prompt: u32,
    name: String,
    /// What is said when nobody else asks.
    alone: String,
}

/// One notice of all that is new. It holds the catalog's names alone: what a server says could be markup to whatever
/// shows it.
pub fn notice(news: &[PromptView]) -> Option<Notice> {
    let askers = news.iter().map(|prompt| {
        let name = plain(&prompt.server_name);
        let alone = match prompt.ask {
            PromptAsk::SendAgain { .. } => format!("{name}: send again?"),
            PromptAsk::SignIn { .. } => format!("{name} wants a sign-in."),
            PromptAsk::Link { .. } => format!("{name} asks you to open a link."),
            _ => format!("{name} needs an answer."),
        };
        Asker {
            prompt: prompt.id,
            name,
            alone,
        }
    });
    (!news.is_empty()).then(|| Notice(askers.collect()))
}

impl Notice {
    fn body(&self) -> String {
        match self.0.as_slice() {
            [] => String::new(),
            [only] => only.alone.clone(),
            [first, rest @ ..] if rest.iter().all(|other| other.name == first.name) => {
                format!("{}: {} prompts wait for you.", first.name, self.0.len())
            }
            [first, ..] => format!(
                "{} and others: {} prompts wait for you.",
                first.name,
                self.0.len()
            ),
        }
    }
}

/// A name without what some notification services read as markup, and without what hides or turns round what follows.
pub fn plain(name: &str) -> String {
    let is_hidden = |c: char| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let is_plain = |c: &char| !c.is_control() && !is_hidden(*c) && !matches!(c, '<' | '>' | '&');
    name.chars().filter(is_plain).take(80).collect()
}

/// Where notices go.
pub struct Notices {
    waiting: mpsc::Sender<Notice>,
    shown: Shown,
}

/// What is shown now: the prompts of each notification, and the system's number for it.
type Shown = Arc<Mutex<Vec<(Vec<u32>, u32)>>>;

impl Notices {
    /// Starts the thread that shows one after another, because asking the system may block.
    pub fn start(shell: &AppHandle) -> Self {
        let (waiting, receiver) = mpsc::channel::<Notice>();
        let shown = Shown::default();
        let notices = Self {
            waiting,
            shown: Arc::clone(&shown),
        };
        let shell = shell.clone();
        let started = std::thread::Builder::new()
            .name("notifications".to_owned())
            .spawn(move || {
                while let Ok(mut notice) = receiver.recv() {
                    // Those that came meanwhile are told of together with it.
                    while let Ok(later) = receiver.try_recv() {
                        notice.0.extend(later.0);
                    }
                    notice.0.retain(|asker| is_open(&shell, &[asker.prompt]));
                    if !notice.0.is_empty() {
                        show(&shell, &notice, &shown);
                        std::thread::sleep(PAUSE);
                    }
                }
            });
        if let Err(error) = started {
            tracing::warn!(%error, "no notifications will be shown");
        }
        notices
    }

    /// Shows a notice when its turn comes, if its prompts are still open then.
    pub fn show(&self, notice: Notice) {
        // The thread that shows them ends with the shell.
        let _gone = self.waiting.send(notice);
    }

    /// Takes back what tells of prompts that are all over.
    pub fn withdraw(&self, open: &HashSet<u32>) {
        let mut over = Vec::new();
        self.shown.lock().retain(|(prompts, id)| {
            let is_open = prompts.iter().any(|prompt| open.contains(prompt));
            if !is_open {
                over.push(*id);
            }
            is_open
        });
        if !over.is_empty() {
            tauri::async_runtime::spawn(close(over));
        }
    }
}

/// Whether one of these prompts is still to be answered.
fn is_open(shell: &AppHandle, prompts: &[u32]) -> bool {
    let Some(core) = shell.try_state::<App>() else {
        return false;
    };
    let open = core.open_prompts();
    let open = open.borrow();
    open.iter().any(|view| prompts.contains(&view.id))
}

fn show(shell: &AppHandle, notice: &Notice, shown: &Shown) {
    let mut notification = notify_rust::Notification::new();
    notification
        .appname("Roundtrip")
        .summary("A server asks you")
        .body(&notice.body())
        .icon("roundtrip")
        .action("default", "Show");
    // The file that the packages bring: by it a desktop knows whose notification it is.
    #[cfg(target_os = "linux")]
    notification.hint(notify_rust::Hint::DesktopEntry("Roundtrip".to_owned()));
    let prompts = notice.0.iter().map(|asker| asker.prompt).collect();
    match notification.show() {
        Ok(handle) => wait_for_click(shell, handle, prompts, shown),
        // There may be nothing that shows notifications; title and badge say it too.
        Err(error) => tracing::debug!(%error, "a notification could not be shown"),
    }
}

/// Waits for a click on a thread of its own, which ends with the notification.
#[cfg(target_os = "linux")]
fn wait_for_click(
    shell: &AppHandle,
    handle: notify_rust::NotificationHandle,
    prompts: Vec<u32>,
    shown: &Shown,
) {
    let id = handle.id();
    let told = prompts.clone();
    shown.lock().push((prompts, id));
    // One that was over just before is not withdrawn by anybody else.
    let is_over = !is_open(shell, &told);
    let (shell, all) = (shell.clone(), Arc::clone(shown));
    let waiting = std::thread::Builder::new()
        .name("notification".to_owned())
        .spawn(move || {
            handle.wait_for_action(|action| {
                // Of those that it told of, to the first that is still to be answered.
                let prompt = told.iter().find(|prompt| is_open(&shell, &[**prompt]));
                if action == "default"
                    && let Some(prompt) = prompt.or(told.first())
                {
                    attention::go_to(&shell, *prompt);
                }
            });
            all.lock().retain(|(_, one)| *one != id);
        });
    if let Err(error) = waiting {
        tracing::warn!(%error, "a notification cannot be clicked");
    }
    if is_over {
        tauri::async_runtime::spawn(close(vec![id]));
    }
}

/// The system itself brings Roundtrip forward.
#[cfg(not(target_os = "linux"))]
fn wait_for_click(_: &AppHandle, _: notify_rust::NotificationHandle, _: Vec<u32>, _: &Shown) {}

/// Takes notifications back.
#[cfg(target_os = "linux")]
async fn close(notifications: Vec<u32>) {
    const SERVICE: &str = "org.freedesktop.Notifications";
    let closed = async {
        let bus = zbus::Connection::session().await?;
        for id in notifications {
            bus.call_method(
                Some(SERVICE),
                "/org/freedesktop/Notifications",
                Some(SERVICE),
                "CloseNotification",
                &(id,),
            )
            .await?;
        }
        Ok::<_, zbus::Error>(())
    };
    if let Err(error) = closed.await {
        tracing::debug!(%error, "a notification could not be taken back");
    }
}

#[cfg(not(target_os = "linux"))]
async fn close(_: Vec<u32>) {}

#[cfg(test)]
mod tests {
    use app::api::feed::{PromptAsk, PromptView};

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
        let body = |asked: &[PromptView]| notice(asked).expect("a notice").body();
        assert_eq!(
            body(&[prompt(4, "Demo <server>\u{202e}\n")]),
            "Demo server needs an answer."
        );
        assert_eq!(
            body(&[prompt(4, "a"), prompt(5, "b")]),
            "a and others: 2 prompts wait for you."
        );
        assert_eq!(
            body(&[prompt(4, "a"), prompt(5, "a")]),
            "a: 2 prompts wait for you."
        );
    }
}
