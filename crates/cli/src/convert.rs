//! `roundtrip-cli export` and `roundtrip-cli import`: files made of files, without a server.

use std::path::{Path, PathBuf};

use app::api::transfers::ExportForm;
use app::{App, Converted, Visit};

use crate::arguments::{Data, ExportArguments, Form, ImportArguments};
use crate::exit::{Exit, Problem};
use crate::output::Output;
use crate::target::data_folder;

/// The endings of files that can be read, longest first.
const ENDINGS: [&str; 7] = [
    ".mcpr.gz",
    ".jsonl.gz",
    ".har.gz",
    ".jsonl",
    ".mcpr",
    ".har",
    ".gz",
];

/// Writes a file in another form and says where.
///
/// # Errors
/// It cannot be read or written.
pub async fn export(arguments: ExportArguments, output: &mut Output) -> Result<Exit, Problem> {
    let form = match arguments.form {
        Form::Recording => ExportForm::Recording,
        Form::Jsonl => ExportForm::JsonLines,
        Form::Har => ExportForm::Har,
        Form::Html => ExportForm::Page,
        Form::Markdown => ExportForm::Summary,
    };
    let to = target(&arguments.file, arguments.to, form.extension())?;
    let app = core(&arguments.data)?;
    let converted = app
        .convert(arguments.file, form, to.clone())
        .await
        .map_err(|error| Problem::of_core(Exit::Failed, error));
    ended(&app, converted, &to, output).await
}

/// Makes a recording of a file and says where.
///
/// # Errors
/// It cannot be read or written.
pub async fn import(arguments: ImportArguments, output: &mut Output) -> Result<Exit, Problem> {
    let to = target(&arguments.file, arguments.to, "mcpr")?;
    let app = core(&arguments.data)?;
    let converted = app
        .import_as(arguments.file, to.clone())
        .await
        .map_err(|error| Problem::of_core(Exit::Failed, error));
    ended(&app, converted, &to, output).await
}

async fn ended(
    app: &App,
    converted: Result<Converted, Problem>,
    to: &Path,
    output: &mut Output,
) -> Result<Exit, Problem> {
    app.shutdown().await;
    let Converted { redacted, notes } = converted?;
    for (name, count) in redacted {
        output.note(&format!("redacted {name}: {count}"));
    }
    for note in notes {
        output.note(&note);
    }
    output.show(&to.display().to_string());
    output.check()?;
    Ok(Exit::Complete)
}

/// A core that knows the secrets of the person's servers and does nothing else.
fn core(data: &Data) -> Result<App, Problem> {
    let folder = data_folder(data.data_dir.as_deref());
    let visit = Visit {
        // Without a catalog there are no secrets to look for.
        data_dir: folder.ok().filter(|folder| folder.is_dir()),
        recording: None,
    };
    App::visit(visit).map_err(|error| Problem::of_core(Exit::Internal, error))
}

/// Where the new file goes.
fn target(from: &Path, to: Option<PathBuf>, ending: &str) -> Result<PathBuf, Problem> {
    let to = to.unwrap_or_else(|| {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let stem = ENDINGS.iter().find_map(|known| name.strip_suffix(known));
        from.with_file_name(format!("{}.{ending}", stem.unwrap_or(&name)))
    });
    if to.exists() {
        return Err(
            Problem::new(Exit::Usage, format!("{} is there already.", to.display()))
                .with_hint("Name another file with --to."),
        );
    }
    Ok(to)
}
