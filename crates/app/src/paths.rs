//! Where Roundtrip keeps its files, and how it writes them: whole or not at all, readable by their owner only.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::api::{ErrorCode, ErrorView};

/// The folders and files below the data folder.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The data folder itself.
    pub data: PathBuf,
}

impl Paths {
    /// The platform's data folder for Roundtrip.
    pub fn platform_default() -> Option<PathBuf> {
        directories::ProjectDirs::from("dev", "roundtrip", "inspector")
            .map(|dirs| dirs.data_dir().to_path_buf())
    }

    /// Makes the data folder with all it needs.
    ///
    /// # Errors
    /// The folder cannot be made or written; the error names it.
    pub fn prepare(data: PathBuf) -> Result<Self, ErrorView> {
        let paths = Self { data };
        create_private_folder(&paths.recordings()).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "Roundtrip cannot write to its data folder {}: {error}",
                paths.data.display()
            ),
            hint: Some(
                "Make the folder writable, or set ROUNDTRIP_DATA_DIR to another one.".to_owned(),
            ),
        })?;
        Ok(paths)
    }

    /// The catalog.
    pub fn servers_file(&self) -> PathBuf {
        self.data.join("servers.json")
    }

    /// Which era each server was found to speak.
    pub fn eras_file(&self) -> PathBuf {
        self.data.join("eras.json")
    }

    /// What servers were like when they were last connected.
    pub fn last_seen_file(&self) -> PathBuf {
        self.data.join("last-seen.json")
    }

    /// The hosts that links may be opened to without being called new.
    pub fn consents_file(&self) -> PathBuf {
        self.data.join("consents.json")
    }

    /// The handles of tasks.
    pub fn tasks_file(&self) -> PathBuf {
        self.data.join("tasks.json")
    }

    /// The answers to sampling requests that were saved.
    pub fn answers_file(&self) -> PathBuf {
        self.data.join("answers.json")
    }

    /// Which servers are signed in to, without what they gave.
    pub fn sign_ins_file(&self) -> PathBuf {
        self.data.join("sign-ins.json")
    }

    /// When each secret was used last, by name.
    pub fn secret_uses_file(&self) -> PathBuf {
        self.data.join("secret-uses.json")
    }

    /// Which servers have link flows in the keyring, without what is in them.
    pub fn flows_file(&self) -> PathBuf {
        self.data.join("link-flows.json")
    }

    /// The calls that are kept.
    pub fn calls_file(&self) -> PathBuf {
        self.data.join("calls.json")
    }

    /// What the view wants remembered.
    pub fn preferences_file(&self) -> PathBuf {
        self.data.join("preferences.json")
    }

    /// Where what is saved goes: the person's folder of downloads, or one of ours where there is none.
    pub fn downloads(&self) -> PathBuf {
        directories::UserDirs::new()
            .and_then(|dirs| dirs.download_dir().map(Path::to_path_buf))
            .unwrap_or_else(|| self.data.join("saved"))
    }

    /// What was found out about recordings, so that they can be listed without being read; it can be deleted.
    pub fn recordings_index(&self) -> PathBuf {
        self.data.join("recordings.json")
    }

    /// How long recordings are kept.
    pub fn retention_file(&self) -> PathBuf {
        self.data.join("retention.json")
    }

    /// The folder of recordings.
    pub fn recordings(&self) -> PathBuf {
        self.data.join("recordings")
    }
}

fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Writes `text` to `path` so that a reader, or a crash, finds either the old file or the new one.
///
/// # Errors
/// Whatever the file system says.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".roundtrip-")
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
