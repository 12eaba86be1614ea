//! How many prompts wait, as a number at the app's icon.

use tauri::AppHandle;
use tokio::sync::watch;

/// Shows each number that it is given.
pub struct Badge(watch::Sender<usize>);

impl Badge {
    /// Follows the numbers for as long as it lives. Nothing stands there before the first.
    pub fn new(shell: &AppHandle) -> Self {
        let (sender, counts) = watch::channel(0);
        tauri::async_runtime::spawn(follow(shell.clone(), counts));
        Self(sender)
    }

    /// Shows this number; none for zero.
    pub fn show(&self, count: usize) {
        self.0.send_if_modified(|shown| {
            let is_news = *shown != count;
            *shown = count;
            is_news
        });
    }
}

/// Docks and panels of Linux desktops learn the number from the session bus (`LauncherEntry`), where the app's desktop file
/// is its name. It is told beside everything else: a bus may be absent, or take its time.
#[cfg(target_os = "linux")]
async fn follow(_: AppHandle, mut counts: watch::Receiver<usize>) {
    let mut bus = None;
    while counts.changed().await.is_ok() {
        let count = *counts.borrow_and_update();
        let told = match &bus {
            Some(bus) => Ok(bus),
            None => zbus::Connection::session()
                .await
                .map(|new| &*bus.insert(new)),
        };
        let told = match told {
            Ok(bus) => linux::tell(bus, count).await,
            Err(error) => Err(error),
        };
        if let Err(error) = told {
            tracing::debug!(%error, "the number of prompts could not be shown at the icon");
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;

    use zbus::zvariant::Value;

    /// As the packages name it.
    const DESKTOP_FILE: &str = "application://Roundtrip.desktop";

    pub async fn tell(bus: &zbus::Connection, count: usize) -> zbus::Result<()> {
        let shown = i64::try_from(count).unwrap_or(i64::MAX);
        let says: HashMap<&str, Value<'_>> = HashMap::from([
            ("count", Value::from(shown)),
            ("count-visible", Value::from(count > 0)),
            ("urgent", Value::from(count > 0)),
        ]);
        bus.emit_signal(
            None::<zbus::names::BusName<'_>>,
            "/dev/roundtrip/inspector",
            "com.canonical.Unity.LauncherEntry",
            "Update",
            &(DESKTOP_FILE, says),
        )
        .await
    }
}

#[cfg(not(target_os = "linux"))]
async fn follow(shell: AppHandle, mut counts: watch::Receiver<usize>) {
    while counts.changed().await.is_ok() {
        let count = *counts.borrow_and_update();
        let badge = i64::try_from(count).ok().filter(|count| *count > 0);
        if let Some(main) = crate::window::main(&shell)
            && let Err(error) = main.set_badge_count(badge)
        {
            tracing::debug!(%error, "the number of prompts could not be shown at the icon");
        }
    }
}
