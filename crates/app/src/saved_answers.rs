//! The answers to sampling requests that a person saved to use again: for each server, in a file of the data folder.
//! They hold no secret's value.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::api::sampling::SavedAnswer;
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::paths;

/// How many answers are kept for one server.
const MOST: usize = 100;
/// How large one may be: a picture or a sound fits.
const LARGEST: usize = 4 << 20;

type Kept = BTreeMap<ServerId, Vec<SavedAnswer>>;

/// The file. Clones are the same one.
#[derive(Clone, Debug)]
pub struct SavedAnswers {
    path: PathBuf,
    /// One change at a time.
    changing: Arc<Mutex<()>>,
}

impl SavedAnswers {
    /// Answers that are kept in this file.
    pub fn in_file(path: PathBuf) -> Self {
        Self {
            path,
            changing: Arc::default(),
        }
    }

    /// Those of a server, in the order in which they were saved.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn of(&self, server: &str) -> Result<Vec<SavedAnswer>, ErrorView> {
        Ok(self.read()?.remove(server).unwrap_or_default())
    }

    /// Saves one; it takes the place of one of the same name.
    ///
    /// # Errors
    /// It has no name or is too large, or the file cannot be written.
    pub fn save(&self, server: &str, answer: SavedAnswer) -> Result<(), ErrorView> {
        if answer.name.is_empty() {
            return Err(bad_input("The answer needs a name.", "Type one."));
        }
        if answer.answer.len() > LARGEST {
            return Err(bad_input(
                "The answer is too large to be saved.",
                "Answers of up to 4 MiB are saved; pictures and sounds count a third more than their files.",
            ));
        }
        let _changing = self.changing.lock();
        let mut kept = self.read()?;
        let own = kept.entry(server.to_owned()).or_default();
        match own.iter().position(|saved| saved.name == answer.name) {
            Some(place) => own[place] = answer,
            None if own.len() >= MOST => {
                return Err(bad_input(
                    "This server has 100 saved answers, which is as many as are kept.",
                    "Forget one first.",
                ));
            }
            None => own.push(answer),
        }
        self.write(&kept)
    }

    /// Forgets one of a server's answers, or all of them.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn forget(&self, server: &str, name: Option<&str>) -> Result<(), ErrorView> {
        let _changing = self.changing.lock();
        let mut kept = self.read()?;
        let Some(own) = kept.get_mut(server) else {
            return Ok(());
        };
        own.retain(|saved| name.is_some_and(|name| saved.name != name));
        if own.is_empty() {
            kept.remove(server);
        }
        self.write(&kept)
    }

    fn read(&self) -> Result<Kept, ErrorView> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Kept::new()),
            Err(error) => return Err(self.failed("read", &error)),
        };
        serde_json::from_str(&text).map_err(|error| self.failed("read", &error))
    }

    fn write(&self, kept: &Kept) -> Result<(), ErrorView> {
        let text =
            serde_json::to_string_pretty(kept).map_err(|error| self.failed("written", &error))?;
        paths::write_whole(&self.path, &text).map_err(|error| self.failed("written", &error))
    }

    fn failed(&self, what: &str, error: &dyn std::fmt::Display) -> ErrorView {
        ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The saved answers in {} could not be {what}: {error}",
                self.path.display()
            ),
            hint: Some("Check the file, or move it away to begin anew.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(name: &str, answer: &str) -> SavedAnswer {
        SavedAnswer {
            name: name.to_owned(),
            answer: answer.to_owned(),
        }
    }

    #[test]
    fn answers_are_kept_by_server_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let saved = SavedAnswers::in_file(folder.path().join("answers.json"));
        assert_eq!(saved.of("a").unwrap(), []);
        saved.save("a", answer("one", "1")).unwrap();
        saved.save("a", answer("two", "2")).unwrap();
        saved.save("b", answer("one", "3")).unwrap();
        saved.save("a", answer("one", "4")).unwrap();
        let again = SavedAnswers::in_file(folder.path().join("answers.json"));
        assert_eq!(
            again.of("a").unwrap(),
            [answer("one", "4"), answer("two", "2")]
        );
        again.forget("a", Some("two")).unwrap();
        again.forget("a", Some("never was")).unwrap();
        assert_eq!(again.of("a").unwrap(), [answer("one", "4")]);
        again.forget("a", None).unwrap();
        assert_eq!(again.of("a").unwrap(), []);
        assert_eq!(again.of("b").unwrap(), [answer("one", "3")]);
    }

    #[test]
    fn what_cannot_be_kept_says_why_and_harms_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answers.json");
        let saved = SavedAnswers::in_file(file.clone());
        assert_eq!(
            saved.save("a", answer("", "1")).unwrap_err().code,
            ErrorCode::BadInput
        );
        let large = answer("large", &"x".repeat(LARGEST + 1));
        assert_eq!(
            saved.save("a", large).unwrap_err().code,
            ErrorCode::BadInput
        );
        for number in 0..MOST {
            saved.save("a", answer(&number.to_string(), "1")).unwrap();
        }
        assert!(saved.save("a", answer("more", "1")).is_err());
        assert!(saved.save("a", answer("7", "2")).is_ok());
        std::fs::write(&file, "{oops").unwrap();
        assert!(saved.save("a", answer("7", "2")).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{oops");
    }
}
