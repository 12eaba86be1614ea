//! Prompts in windows of their own: small, and in need of nothing else that is open.
//!
//! Closing one is a question to the person, asked by its page: dismissing a prompt is an answer, and only a person gives
//! it. A page that does not come to asking is closed by closing it once more, and its prompt stays open.

use std::collections::HashSet;
use std::time::Duration;

use app::App;
use app::api::feed::PromptView;
use parking_lot::Mutex;
use tauri::webview::WebviewWindowBuilder;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, Window, WindowEvent};

use crate::start::DataFolder;
use crate::window;

/// The windows' names: this and the prompt's number.
const PREFIX: &str = "prompt-";

/// How long an operation may take to end after its prompt was answered before the main window comes back to show it.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// Which windows' pages are asking whether to close.
#[derive(Default)]
pub struct Closing(Mutex<HashSet<String>>);

/// The prompt that a window of this name belongs to; nothing for the main one.
pub fn prompt_of(label: &str) -> Option<u32> {
    label.strip_prefix(PREFIX)?.parse().ok()
}

/// The window of a prompt, while there is one.
pub fn of(shell: &AppHandle, prompt: u32) -> Option<WebviewWindow> {
    shell.get_webview_window(&format!("{PREFIX}{prompt}"))
}

/// Opens a window for a prompt, or brings the one that there is forward.
///
/// # Errors
/// The prompt is not open any more, or the window system refused.
pub fn open(shell: &AppHandle, prompt: u32) -> Result<(), String> {
    if let Some(window) = of(shell, prompt) {
        window::raise(&window);
        return Ok(());
    }
    let asked = shell.state::<App>().open_prompts();
    let title = asked
        .borrow()
        .iter()
        .find(|view| view.id == prompt)
        .map(title);
    let title = title.ok_or("This prompt is not open any more.")?;
    let page = WebviewUrl::App(format!("index.html?prompt={prompt}").into());
    let builder = WebviewWindowBuilder::new(shell, format!("{PREFIX}{prompt}"), page)
        .title(title)
        .inner_size(500.0, 680.0)
        .min_inner_size(360.0, 320.0)
        .visible(false)
        .focused(true);
    let made = window::make(builder, &shell.state::<DataFolder>());
    made.map(drop)
        .map_err(|error| format!("The window could not be opened: {error}"))
}

fn title(prompt: &PromptView) -> String {
    format!("Roundtrip — prompt from {}", prompt.server_name)
}

/// Closes the windows of prompts that are not open any more.
pub fn close_answered(shell: &AppHandle, asked: &[PromptView]) {
    for (label, window) in shell.webview_windows() {
        let is_over =
            prompt_of(&label).is_some_and(|prompt| asked.iter().all(|view| view.id != prompt));
        if is_over {
            close(&window);
        }
    }
}

/// Closes a prompt's window without a question.
pub fn close(window: &WebviewWindow) {
    if let Err(error) = window.destroy() {
        tracing::warn!(%error, "the window of a prompt could not be closed");
    }
}

/// What happens to windows: closing a prompt's asks first, and closing the main one while a prompt has a window of its own
/// hides it, for the prompt's operation goes on.
pub fn on_event(window: &Window, event: &WindowEvent) {
    let shell = window.app_handle();
    let label = window.label();
    match (event, prompt_of(label)) {
        (WindowEvent::CloseRequested { api, .. }, Some(_)) => {
            let is_first = shell.state::<Closing>().0.lock().insert(label.to_owned());
            let page = shell.get_webview_window(label).filter(|_| is_first);
            if let Some(page) = page {
                api.prevent_close();
                wish(&page, "close", "null");
            }
        }
        (WindowEvent::CloseRequested { api, .. }, None) if any(shell) => {
            api.prevent_close();
            if let Err(error) = window.hide() {
                tracing::warn!(%error, "the main window could not be hidden");
            }
        }
        (WindowEvent::Destroyed, Some(prompt)) => {
            shell.state::<Closing>().0.lock().remove(label);
            if let Some(core) = shell.try_state::<App>() {
                core.detach_prompt(prompt);
            }
            return_if_last(shell.clone());
        }
        _ => {}
    }
}

/// The page has asked and the person goes on answering: the next wish to close is a first one again.
pub fn stays_open(window: &WebviewWindow) {
    let closing = window.state::<Closing>();
    closing.0.lock().remove(window.label());
}

/// Tells a page what is wanted of it. Both words are the shell's own, never a server's.
pub fn wish(page: &WebviewWindow, kind: &str, prompt: &str) {
    let script = format!(
        "window.dispatchEvent(new CustomEvent('roundtrip-wish', {{ detail: {{ kind: '{kind}', prompt: {prompt} }} }}))"
    );
    if let Err(error) = page.eval(script) {
        tracing::warn!(%error, "a page could not be told of a wish");
    }
}

/// Whether a prompt has a window of its own.
fn any(shell: &AppHandle) -> bool {
    let windows = shell.webview_windows();
    windows.keys().any(|label| prompt_of(label).is_some())
}

/// The last window of a prompt is gone and the main one is hidden: what still runs, or asks, brings it back, for nothing
/// of Roundtrip may go on unseen; else there is nothing left to do.
fn return_if_last(shell: AppHandle) {
    tauri::async_runtime::spawn(async move {
        let is_hidden = || {
            window::main(&shell).is_some_and(|main| !main.is_visible().unwrap_or(true))
                && !any(&shell)
        };
        if !is_hidden() {
            return;
        }
        tokio::time::sleep(ENDS_WITHIN).await;
        if !is_hidden() {
            return;
        }
        let Some(core) = shell.try_state::<App>() else {
            return;
        };
        if core.is_busy().await {
            window::bring_forward(&shell);
        } else {
            shell.exit(0);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_windows_name_tells_its_prompt() {
        assert_eq!(prompt_of("prompt-7"), Some(7));
        assert_eq!(prompt_of("prompt-"), None);
        assert_eq!(prompt_of("prompt-x"), None);
        assert_eq!(prompt_of("main"), None);
    }
}
