//! What a step was made from last time, so that a second run has nothing to do.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::{Outcome, house};

/// The fingerprint of a step's sources, kept in the target folder.
pub struct Stamp {
    file: PathBuf,
    now: String,
}

impl Stamp {
    /// Reads the sources: files, or folders with all below them. A folder named in `but` is left out.
    ///
    /// # Errors
    /// A source cannot be read.
    pub fn of(name: &str, sources: &[PathBuf], but: &[&str]) -> Outcome<Self> {
        let mut files = BTreeMap::new();
        for source in sources {
            collect(source, but, &mut files)
                .map_err(|error| format!("{} cannot be read: {error}", source.display()))?;
        }
        let mut hasher = DefaultHasher::new();
        files.hash(&mut hasher);
        Ok(Self {
            file: house::target().join("stamps").join(name),
            now: format!("{:016x}", hasher.finish()),
        })
    }

    /// Whether the step was done with just these sources.
    pub fn is_current(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|last| last == self.now)
    }

    /// Remembers that the step was done.
    ///
    /// # Errors
    /// The stamp cannot be written.
    pub fn keep(&self) -> Outcome {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&self.file, &self.now))
            .map_err(|error| format!("{} cannot be written: {error}", self.file.display()))
    }
}

fn collect(
    path: &Path,
    but: &[&str],
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if !but
                .iter()
                .any(|name| entry.file_name().to_str() == Some(name))
            {
                collect(&entry.path(), but, files)?;
            }
        }
    } else if path.is_file() {
        files.insert(path.to_path_buf(), fs::read(path)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_tells_a_changed_an_added_and_a_removed_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = [folder.path().to_path_buf()];
        let print = || {
            Stamp::of("test", &sources, &["left-out"])
                .expect("readable")
                .now
        };

        fs::write(folder.path().join("a"), "1").expect("written");
        let first = print();
        assert_eq!(print(), first);

        fs::write(folder.path().join("a"), "2").expect("written");
        let changed = print();
        assert_ne!(changed, first);

        fs::write(folder.path().join("b"), "").expect("written");
        assert_ne!(print(), changed);
        fs::remove_file(folder.path().join("b")).expect("removed");
        assert_eq!(print(), changed);

        fs::create_dir(folder.path().join("left-out")).expect("made");
        fs::write(folder.path().join("left-out/c"), "").expect("written");
        assert_eq!(print(), changed);
    }
}
