//! The two doors between the page and the core. Both carry text: what JavaScript would parse, it would also round.

#![allow(clippy::let_underscore_must_use)] // Written by Tauri's attribute.

use app::App;
use tauri::State;
use tauri::ipc::Channel;

use crate::ready::{self, Part};

/// Calls a command of the core: its name and its arguments as JSON text. The reply, or the error, is JSON text too.
#[tauri::command]
pub async fn rpc(core: State<'_, App>, name: String, args: String) -> Result<String, String> {
    if name == "ack" {
        ready::note(Part::Fed);
    }
    core.rpc(&name, &args).await
}

/// Makes `channel` the one that the core feeds. A page that was reloaded attaches again and gets a snapshot.
#[tauri::command]
pub async fn attach(core: State<'_, App>, channel: Channel<String>) -> Result<(), String> {
    core.attach(Box::new(move |batch| channel.send(batch).is_ok()));
    Ok(())
}
