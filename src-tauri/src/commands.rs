//! The doors of a page. Those to the core carry text: what JavaScript would parse, it would also round. The others are
//! about windows, which the shell alone can open, close and zoom.

#![allow(clippy::let_underscore_must_use)] // Written by Tauri's attribute.

use std::path::PathBuf;

use app::App;
use app::api::ErrorView;
use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;

use crate::ready::{self, Part};
use crate::{pop_outs, window};

/// Calls a command of the core: its name and its arguments as JSON text. The reply, or the error, is JSON text too.
#[tauri::command]
pub async fn rpc(core: State<'_, App>, name: String, args: String) -> Result<String, String> {
    if name == "ack" {
        ready::note(Part::Fed);
    }
    core.rpc(&name, &args).await
}

/// Makes `channel` the one that the core feeds this window's page by. A page that was reloaded attaches again and gets a
/// snapshot.
#[tauri::command]
pub async fn attach(
    window: WebviewWindow,
    core: State<'_, App>,
    channel: Channel<String>,
) -> Result<(), String> {
    let sink = Box::new(move |batch| channel.send(batch).is_ok());
    match pop_outs::prompt_of(window.label()) {
        Some(prompt) => core.attach_prompt(prompt, sink),
        None => core.attach(sink),
    }
    Ok(())
}

/// Opens a window for this prompt alone, or brings the one that there is forward.
#[tauri::command]
pub async fn pop_out(shell: AppHandle, prompt: u32) -> Result<(), String> {
    pop_outs::open(&shell, prompt)
}

/// Lets the person choose folders in the system's own dialog; their paths, none when they chose none.
#[tauri::command]
pub async fn pick_folders(window: WebviewWindow) -> Result<Vec<String>, String> {
    let (chosen, answer) = tokio::sync::oneshot::channel();
    window
        .dialog()
        .file()
        .set_parent(&window)
        .set_title("Choose folders")
        .pick_folders(move |folders| {
            // A page that was loaded anew meanwhile does not wait any more.
            let _gone = chosen.send(folders);
        });
    let folders = answer.await.ok().flatten().unwrap_or_default();
    folders
        .into_iter()
        .map(|folder| {
            let path = folder.into_path().map_err(|error| error.to_string())?;
            path.into_os_string().into_string().map_err(|path| {
                format!(
                    "The name of {} is not Unicode, so no server can be told of it.",
                    path.display()
                )
            })
        })
        .collect()
}

/// Lets the person choose in the system's own dialog where a prepared export goes, and writes it there; gives its path,
/// nothing when they chose none.
#[tauri::command]
pub async fn save_export(
    window: WebviewWindow,
    core: State<'_, App>,
    transfer: u32,
) -> Result<Option<String>, String> {
    let told = |error: ErrorView| error.json();
    let name = core.export_name(transfer).map_err(told)?;
    let Some(path) = place_to_save(&window, "Save the export", name).await? else {
        return Ok(None);
    };
    core.save_export_at(transfer, path.clone())
        .await
        .map_err(told)?;
    Ok(Some(path.display().to_string()))
}

/// Lets the person choose in the system's own dialog where something that a server sent, or that Roundtrip keeps, goes,
/// and writes it there; `args` is the JSON text that `save_content` takes. Gives its path, nothing when they chose none.
#[tauri::command]
pub async fn save_content_as(
    window: WebviewWindow,
    core: State<'_, App>,
    args: String,
) -> Result<Option<String>, String> {
    let told = |error: ErrorView| error.json();
    let (name, bytes) = core.content_to_save(&args).await.map_err(told)?;
    let Some(path) = place_to_save(&window, "Save as", name).await? else {
        return Ok(None);
    };
    core.write_content(path.clone(), bytes)
        .await
        .map_err(told)?;
    Ok(Some(path.display().to_string()))
}

/// Lets the person choose a file in the system's own dialog and begins to bring it in as a recording; gives the
/// transfer, nothing when they chose none.
#[tauri::command]
pub async fn import_file(
    window: WebviewWindow,
    core: State<'_, App>,
) -> Result<Option<u32>, String> {
    let (chosen, answer) = tokio::sync::oneshot::channel();
    window
        .dialog()
        .file()
        .set_parent(&window)
        .set_title("Import a recording, JSON lines or HAR")
        .add_filter("Sessions", &["mcpr", "jsonl", "har", "gz"])
        .add_filter("All files", &["*"])
        .pick_file(move |file| {
            let _gone = chosen.send(file);
        });
    let Some(file) = answer.await.ok().flatten() else {
        return Ok(None);
    };
    let path = file.into_path().map_err(|error| error.to_string())?;
    core.start_import(path)
        .map(Some)
        .map_err(|error| error.json())
}

/// A prompt's window was to be closed, and its page has asked: it goes, its prompt stays as it is and the main window
/// shows it (`leaves`); or it stays.
#[tauri::command]
pub async fn close_asked(
    window: WebviewWindow,
    shell: AppHandle,
    leaves: bool,
) -> Result<(), String> {
    if pop_outs::prompt_of(window.label()).is_none() {
        return Err("Only the window of a prompt is closed so.".to_owned());
    }
    if leaves {
        window::bring_forward(&shell);
        pop_outs::close(&window);
    } else {
        pop_outs::stays_open(&window);
    }
    Ok(())
}

/// How large the page may be drawn.
const FACTORS: std::ops::RangeInclusive<f64> = 0.3..=4.0;

/// Draws the page of this window this many times as large as its style says.
#[tauri::command]
pub async fn zoom(window: WebviewWindow, factor: f64) -> Result<(), String> {
    if !FACTORS.contains(&factor) {
        return Err(format!("A page is not drawn {factor} times as large."));
    }
    window.set_zoom(factor).map_err(|error| error.to_string())
}

/// Asks in the system's own dialog where to save; nothing when the person leaves it.
async fn place_to_save(
    window: &WebviewWindow,
    title: &str,
    name: String,
) -> Result<Option<PathBuf>, String> {
    let (chosen, answer) = tokio::sync::oneshot::channel();
    window
        .dialog()
        .file()
        .set_parent(window)
        .set_title(title)
        .set_file_name(name)
        .save_file(move |file| {
            // Whoever asked may have gone.
            let _gone = chosen.send(file);
        });
    match answer.await.ok().flatten() {
        None => Ok(None),
        Some(file) => file
            .into_path()
            .map(Some)
            .map_err(|error| error.to_string()),
    }
}
