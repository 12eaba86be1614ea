//! Folders that a server may be told of (client/roots): `file:` URIs, checked before they are told.

use std::path::Path;

use url::Url;
use wire::object::{self, ObjectWriter};

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::FoldersArgs;
use crate::api::sampling::FolderCheck;
use crate::catalog::bad_input;
use crate::run_aside;

/// How many folders a server is told of at most.
const MOST: usize = 1000;

impl App {
    pub(crate) async fn check_folders(
        &self,
        args: FoldersArgs,
    ) -> Result<Vec<FolderCheck>, ErrorView> {
        // A folder of another machine may take its time.
        run_aside(move || args.uris.iter().take(MOST).map(|uri| check(uri)).collect()).await
    }
}

/// Why a folder cannot be told at all, in a sentence (§ Data Types, § Security Considerations).
pub fn unfit(uri: &str) -> Option<String> {
    let url = match Url::parse(uri) {
        Ok(url) => url,
        Err(error) => return Some(format!("It is no URI: {error}.")),
    };
    let is_file = uri
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case("file://"));
    if !is_file {
        return Some(format!(
            "It begins with {}:, and must begin with file://.",
            url.scheme()
        ));
    }
    // `Url` resolves dots, so what was written differs from what would be meant.
    let has_dots = uri.split(['/', '\\']).any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        matches!(segment.as_str(), "." | "..")
    });
    has_dots.then(|| "Its path goes through . or .., which could mean another folder.".to_owned())
}

/// What is to be known of a folder before a server is told of it.
fn check(uri: &str) -> FolderCheck {
    if let Some(problem) = unfit(uri) {
        return FolderCheck {
            uri: uri.to_owned(),
            path: None,
            problem: Some(problem),
            is_tellable: false,
        };
    }
    let path = Url::parse(uri).ok().and_then(|url| url.to_file_path().ok());
    FolderCheck {
        uri: uri.to_owned(),
        problem: match &path {
            Some(path) => problem_of(path),
            None => Some("It is a folder of another machine.".to_owned()),
        },
        path: path.map(|path| path.display().to_string()),
        is_tellable: true,
    }
}

fn problem_of(path: &Path) -> Option<String> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some("It is a file, not a folder.".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Some("There is no such folder now.".to_owned())
        }
        Err(error) => Some(format!("It cannot be looked at: {error}.")),
    }
}

/// The text of a `ListRootsResult` that a person gives: `{"roots": [{"uri", "name"}]}`, checked.
///
/// # Errors
/// In plain words, which folder cannot be told and why.
pub fn answer(content: &str) -> Result<String, ErrorView> {
    let not_roots = || bad_input("The answer is not a list of folders.", "Choose folders.");
    let roots = object::get(content, "roots")
        .and_then(object::read_elements)
        .ok_or_else(not_roots)?;
    if roots.len() > MOST {
        return Err(bad_input(
            "There are more than 1000 folders.",
            "Choose a folder that holds them.",
        ));
    }
    let mut written = Vec::new();
    for root in roots {
        let text = |key| object::get(root, key).and_then(object::string);
        let uri = text("uri").ok_or_else(not_roots)?;
        if let Some(problem) = unfit(&uri) {
            return Err(bad_input(
                &format!("{uri}: {problem}"),
                "Take it out, or choose the folder anew.",
            ));
        }
        let mut one = ObjectWriter::new();
        one.string("uri", &uri);
        if let Some(name) = text("name").filter(|name| !name.is_empty()) {
            one.string("name", &name);
        }
        written.push(one.finish());
    }
    Ok(format!("{{\"roots\":[{}]}}", written.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_looked_at_before_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let uri = Url::from_directory_path(folder.path()).unwrap().to_string();
        let found = check(&uri);
        assert_eq!((found.problem, found.is_tellable), (None, true));
        let gone = check(&format!("{uri}gone"));
        assert_eq!(
            gone.problem.as_deref(),
            Some("There is no such folder now.")
        );
        assert!(gone.is_tellable);
        for bad in [
            "http://example.com/a",
            "/home/ana",
            "file:///home/ana/../root",
            "file:///home/%2E%2e/root",
            "file:///home/.",
            "",
        ] {
            let checked = check(bad);
            assert!(
                !checked.is_tellable && checked.problem.is_some(),
                "{bad:?}: {checked:?}"
            );
        }
    }

    #[test]
    fn an_answer_is_written_anew() {
        let sent = answer(
            r#"{"roots":[{"uri":"file:///a b","name":"A","more":1},{"uri":"file:///c","name":""}]}"#,
        );
        assert_eq!(
            sent.unwrap(),
            r#"{"roots":[{"uri":"file:///a b","name":"A"},{"uri":"file:///c"}]}"#
        );
        assert_eq!(answer(r#"{"roots":[]}"#).unwrap(), r#"{"roots":[]}"#);
        for bad in [
            "{}",
            "[]",
            "",
            r#"{"roots":[1]}"#,
            r#"{"roots":[{"uri":"http://a"}]}"#,
        ] {
            assert!(answer(bad).is_err(), "{bad}");
        }
    }
}
