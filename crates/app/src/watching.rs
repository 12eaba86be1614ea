//! Watching the servers file for changes from outside. A change is read into the catalog; it never connects to anything.

use std::path::{Path, PathBuf};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::engine::{EngineHandle, Input};

/// What watches; it ends when it is dropped.
#[derive(Debug)]
pub struct CatalogWatch {
    _watcher: RecommendedWatcher,
}

/// Watches the file's folder: an editor that writes whole files replaces them.
///
/// # Errors
/// The system does not watch, in words; the file is then read at the next start.
pub fn watch(file: &Path, engine: EngineHandle) -> Result<CatalogWatch, String> {
    let folder = file
        .parent()
        .map(Path::to_path_buf)
        .ok_or_else(|| "it has no folder".to_owned())?;
    let name: PathBuf = file
        .file_name()
        .map(PathBuf::from)
        .ok_or_else(|| "it has no name".to_owned())?;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else {
            return;
        };
        let is_change = !matches!(event.kind, EventKind::Access(_));
        let is_ours = event
            .paths
            .iter()
            .any(|path| path.file_name() == Some(name.as_os_str()));
        if is_change && is_ours {
            engine.tell_and_wait(Input::CatalogTouched);
        }
    })
    .map_err(|error| error.to_string())?;
    watcher
        .watch(&folder, RecursiveMode::NonRecursive)
        .map_err(|error| error.to_string())?;
    Ok(CatalogWatch { _watcher: watcher })
}
