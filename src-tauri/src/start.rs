//! Starts the core, then the window; a start that fails says why and what to try.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use app::api::{ErrorCode, ErrorView};
use app::{App, Config, Keyring};
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::browser::SystemBrowser;
use crate::{attention, exit, pop_outs, window};

/// The folder of catalog, preferences and recordings.
pub struct DataFolder {
    /// Set when `ROUNDTRIP_DATA_DIR` names the folder.
    chosen: Option<PathBuf>,
}

/// Reads the environment for the data folder.
pub fn data_folder() -> DataFolder {
    let chosen = env::var_os("ROUNDTRIP_DATA_DIR")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    // A relative path means the folder that the person is in now, whatever changes later.
    DataFolder {
        chosen: chosen.map(|path| std::path::absolute(&path).unwrap_or(path)),
    }
}

impl DataFolder {
    /// Whether this is the platform's folder, which one running Roundtrip owns. A folder of one's own has a Roundtrip
    /// of its own.
    pub fn shared_by_instances(&self) -> bool {
        self.chosen.is_none()
    }

    /// Where the window's place is remembered, when not in the platform's configuration folder.
    pub fn window_state_file(&self) -> Option<String> {
        self.chosen
            .as_ref()
            .map(|folder| folder.join("window.json").to_string_lossy().into_owned())
    }

    /// Where the web view keeps its files, when not in the platform's folder.
    pub fn web_view_folder(&self) -> Option<PathBuf> {
        self.chosen.as_ref().map(|folder| folder.join("webview"))
    }

    fn path(&self) -> Result<PathBuf, ErrorView> {
        self.chosen
            .clone()
            .or_else(app::paths::Paths::platform_default)
            .ok_or_else(|| ErrorView {
                code: ErrorCode::Failed,
                message: "Roundtrip found no home folder to keep its data in.".to_owned(),
                hint: Some("Set ROUNDTRIP_DATA_DIR to a folder that it may write to.".to_owned()),
            })
    }
}

/// Starts the core and opens the window, or shows why that is not possible and leaves.
pub fn start(shell: &AppHandle, folder: DataFolder) {
    // The core spawns its tasks on the runtime that Tauri brings.
    let started = folder.path().and_then(|data_dir| {
        tauri::async_runtime::block_on(async {
            App::start_on_host(
                Config { data_dir },
                Keyring::platform(),
                Arc::new(SystemBrowser),
            )
        })
    });
    let opened = started.and_then(|core| {
        shell.manage(core);
        shell.manage(folder);
        shell.manage(pop_outs::Closing::default());
        exit::leave_on_signals(shell);
        attention::watch(shell);
        window::open(shell, &shell.state::<DataFolder>()).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("Roundtrip could not open its window: {error}"),
            hint: None,
        })
    });
    if let Err(error) = opened {
        refuse(shell, &error);
    }
}

/// Says why Roundtrip cannot start, on stderr and in a dialog, then leaves with a failure.
fn refuse(shell: &AppHandle, error: &ErrorView) {
    let text = match &error.hint {
        Some(hint) => format!("{}\n{hint}", error.message),
        None => error.message.clone(),
    };
    eprintln!("roundtrip: {text}");
    let leaving = shell.clone();
    shell
        .dialog()
        .message(text)
        .title("Roundtrip cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| leaving.exit(1));
}
