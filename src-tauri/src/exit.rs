//! Leaving in order: no child process outlives Roundtrip.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use app::App;
use tauri::{AppHandle, ExitRequestApi, Manager};

/// How long leaving may take. The core asks each child to end, then makes it.
const AT_MOST: Duration = Duration::from_secs(6);

/// How far leaving has come: there is one event loop and one core in a process.
static STAGE: AtomicU8 = AtomicU8::new(RUNNING);
const RUNNING: u8 = 0;
const LEAVING: u8 = 1;
const READY: u8 = 2;

/// Holds the event loop's exit back until the core has shut down.
pub fn on_requested(shell: &AppHandle, request: &ExitRequestApi, code: Option<i32>) {
    if STAGE.load(Ordering::Acquire) == READY || shell.try_state::<App>().is_none() {
        return;
    }
    request.prevent_exit();
    if STAGE.swap(LEAVING, Ordering::AcqRel) != RUNNING {
        return;
    }
    for window in shell.webview_windows().values() {
        // The person has left: what remains is not theirs to watch.
        if let Err(error) = window.hide() {
            tracing::debug!(%error, "a window could not be hidden");
        }
    }
    let shell = shell.clone();
    tauri::async_runtime::spawn(async move {
        let app = shell.state::<App>();
        if tokio::time::timeout(AT_MOST, app.shutdown()).await.is_err() {
            tracing::warn!("the core did not shut down within {AT_MOST:?}");
        }
        STAGE.store(READY, Ordering::Release);
        shell.exit(code.unwrap_or(0));
    });
}

/// Takes the signals that end a program as a wish to leave in order.
#[cfg(unix)]
pub fn leave_on_signals(shell: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ] {
        let shell = shell.clone();
        tauri::async_runtime::spawn(async move {
            match signal(kind) {
                Ok(mut signals) => {
                    if signals.recv().await.is_some() {
                        // The shell's custom: 128 and the signal's number.
                        shell.exit(128 + kind.as_raw_value());
                    }
                }
                Err(error) => tracing::warn!(%error, ?kind, "a signal cannot be watched"),
            }
        });
    }
}

/// The system closes the window instead.
#[cfg(not(unix))]
pub fn leave_on_signals(_shell: &AppHandle) {}
