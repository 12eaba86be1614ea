//! Saving what a server sent as a file of the person's. The name may be a server's word, so nothing of it leads elsewhere.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use crate::api::ErrorCode;
use crate::api::ErrorView;
use crate::catalog::bad_input;

/// Characters of a name that are kept.
const NAME_CHARS: usize = 120;
/// Names with a number that are tried before giving up.
const MOST_NUMBERS: u32 = 1000;

/// The bytes of a Base64 text.
///
/// # Errors
/// It is none.
pub fn from_base64(base64: &str) -> Result<Bytes, ErrorView> {
    let compact: String = base64.split_ascii_whitespace().collect();
    STANDARD.decode(compact).map(Bytes::from).map_err(|error| {
        bad_input(
            &format!("The data is not valid Base64: {error}."),
            "Copy it as text instead.",
        )
    })
}

/// Writes a new file; one that is there is never overwritten, the new one gets a number. Gives its path.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<String, ErrorView> {
    let path = free_path(folder, name)?;
    std::fs::write(&path, bytes).map_err(|error| failed(&path, &error))?;
    Ok(path.display().to_string())
}

/// A new, empty file of this name; where there is one the new one gets a number.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn free_path(folder: &Path, name: &str) -> Result<PathBuf, ErrorView> {
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let name = safe_name(name);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name.as_str(), String::new()),
    };
    for number in 1..=MOST_NUMBERS {
        let path = folder.join(if number == 1 {
            format!("{stem}{extension}")
        } else {
            format!("{stem} ({number}){extension}")
        });
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, &error)),
        }
    }
    Err(failed(
        &folder.join(&name),
        &ErrorKind::AlreadyExists.into(),
    ))
}

/// Writes a file of the person's choice: whole, or not at all. What was there gives way, as they agreed in the dialog.
///
/// # Errors
/// It cannot be written.
pub fn write_there(path: &Path, bytes: &[u8]) -> Result<(), ErrorView> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: format!("{} could not be written: {error}", path.display()),
        hint: Some("Check the folder's permissions and the free space.".to_owned()),
    }
}

/// A name that is one part of a path on every system, and hidden on none.
pub fn safe_name(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|character| match character {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
            other if other.is_control() => '_',
            // They turn the direction of writing around, so that an extension reads as another.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '_',
            other => other,
        })
        .take(NAME_CHARS)
        .collect();
    let kept = kept.trim_matches(['.', ' ']);
    if kept.is_empty() {
        return "content".to_owned();
    }
    let stem = kept
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")));
    if is_device {
        format!("_{kept}")
    } else {
        kept.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for (name, safe) in [
            ("menu.csv", "menu.csv"),
            ("../../.bashrc", "_.._.bashrc"),
            ("a/b\\c:d", "a_b_c_d"),
            ("...", "content"),
            ("", "content"),
            ("nul.txt", "_nul.txt"),
            ("photo\u{202e}gpj.exe", "photo_gpj.exe"),
            ("line\nbreak", "line_break"),
        ] {
            assert_eq!(safe_name(name), safe, "{name:?}");
        }
        assert_eq!(safe_name(&"x".repeat(500)).len(), NAME_CHARS);
    }

    #[test]
    fn what_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let first = save(folder.path(), "a.txt", b"one").unwrap();
        let second = save(folder.path(), "a.txt", b"two").unwrap();
        assert!(second.ends_with("a (2).txt"), "{second}");
        assert_eq!(std::fs::read(first).unwrap(), b"one");
        assert_eq!(std::fs::read(second).unwrap(), b"two");
        assert!(from_base64("aGk=").is_ok_and(|bytes| bytes == "hi"));
        assert!(from_base64("a").is_err());
    }
}
