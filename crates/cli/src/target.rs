//! Which server is meant, and the core that knows it.

use std::path::{Path, PathBuf};

use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, NamedValue, ServerDraft, ServerView};
use app::paths::Paths;
use app::{App, Visit};
use serde_json::{Value, json};

use crate::arguments::{Era, Reach};
use crate::exit::{Exit, Problem};
use crate::session::rpc;

/// A server in a core of its own.
pub struct Target {
    /// The core.
    pub app: App,
    /// The server's identity there.
    pub server: String,
    /// With this era instead of the server's own choice.
    pub era: Option<EraChoice>,
}

/// Starts a core that knows the server.
///
/// # Errors
/// The arguments name no server, or do not fit together.
pub async fn prepare(reach: &Reach) -> Result<Target, Problem> {
    let named = reach.server.clone().filter(|name| !name.is_empty());
    let endpoint = match (&named, reach.command.as_slice()) {
        (Some(_), [_, ..]) => {
            return Err(usage(
                "--server names a server, and a command is given too.",
                "Leave out one of them.",
            ));
        }
        (None, []) => {
            return Err(usage(
                "No server is given.",
                "Write --server NAME, --server URL, or -- COMMAND at the end.",
            ));
        }
        (Some(url), []) if is_url(url) => Some(Endpoint::Http {
            url: url.clone(),
            headers: named_values(&reach.headers, ':', "--header")?,
        }),
        (Some(_), []) => None,
        (None, [command, args @ ..]) => Some(Endpoint::Stdio {
            command: command.clone(),
            args: args.to_vec(),
            env: named_values(&reach.env, '=', "--env")?,
            folder: Some(folder(reach)?),
        }),
    };
    let is_http = matches!(endpoint, Some(Endpoint::Http { .. }));
    if !is_http && !reach.headers.is_empty() {
        return Err(usage(
            "--header goes with a URL.",
            "Headers of a server in the catalog are set in Roundtrip.",
        ));
    }
    let is_stdio = matches!(endpoint, Some(Endpoint::Stdio { .. }));
    if !is_stdio && (!reach.env.is_empty() || reach.cwd.is_some()) {
        return Err(usage(
            "--env and --cwd go with a command.",
            "Those of a server in the catalog are set in Roundtrip.",
        ));
    }
    let app = App::visit(Visit {
        data_dir: endpoint
            .is_none()
            .then(|| data_folder(reach.data_dir.as_deref()))
            .transpose()?,
        recording: reach.record.clone(),
    })
    .map_err(|error| Problem::of_core(Exit::Usage, error))?;
    let server = match endpoint {
        Some(mut endpoint) => {
            // A secret is replaced by its name in all that is written.
            let secrets = app::clear_values::take_out(&mut endpoint);
            let draft = ServerDraft {
                name: "server".to_owned(),
                endpoint,
                era: EraChoice::Auto,
                options: changed(&ServerOptions::default(), reach)?,
            };
            save(&app, None, &draft, &secrets).await?
        }
        None => in_catalog(&app, &named.unwrap_or_default(), reach).await?,
    };
    let era = reach.era.map(|era| match era {
        Era::Auto => EraChoice::Auto,
        Era::Modern => EraChoice::Modern,
        Era::Legacy => EraChoice::Legacy,
    });
    Ok(Target { app, server, era })
}

/// The person's catalog, to be read.
///
/// # Errors
/// There is no such folder.
pub fn data_folder(chosen: Option<&Path>) -> Result<PathBuf, Problem> {
    let chosen = chosen.map(Path::to_owned).or_else(|| {
        std::env::var_os("ROUNDTRIP_DATA_DIR")
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from)
    });
    chosen.or_else(Paths::platform_default).ok_or_else(|| {
        usage(
            "No home folder was found, and with it no catalog.",
            "Give --data-dir, or set ROUNDTRIP_DATA_DIR.",
        )
    })
}

async fn in_catalog(app: &App, name: &str, reach: &Reach) -> Result<String, Problem> {
    let servers: Vec<ServerView> = rpc(app, "servers", json!({}))
        .await
        .map_err(|error| Problem::of_core(Exit::Internal, error))?;
    let found = servers
        .iter()
        .find(|server| server.name == name || server.id == name);
    let Some(found) = found else {
        let names: Vec<_> = servers.iter().map(|server| server.name.as_str()).collect();
        return Err(usage(
            &format!("The catalog has no server named {name:?}."),
            &format!("It has: {}.", names.join(", ")),
        ));
    };
    if reach.options.is_empty() && reach.revision.is_none() {
        return Ok(found.id.clone());
    }
    let Some(draft) = found.draft.clone() else {
        return Err(usage(
            "The bundled servers have no options.",
            "Give its command after -- instead: roundtrip-demo-server.",
        ));
    };
    let options = changed(&draft.options, reach)?;
    // In this core's memory alone: see `App::visit`.
    save(app, Some(&found.id), &ServerDraft { options, ..draft }, &[]).await
}

async fn save(
    app: &App,
    server: Option<&str>,
    draft: &ServerDraft,
    secrets: &[NamedValue],
) -> Result<String, Problem> {
    rpc(
        app,
        "save_server",
        json!({ "server": server, "draft": draft, "secrets": secrets }),
    )
    .await
    .map_err(|error| Problem::of_core(Exit::Usage, error))
}

/// The options as `--option` and `--revision` change them.
fn changed(options: &ServerOptions, reach: &Reach) -> Result<ServerOptions, Problem> {
    let mut value = serde_json::to_value(options)
        .map_err(|error| Problem::new(Exit::Internal, error.to_string()))?;
    for option in &reach.options {
        let (key, text) = option.split_once('=').ok_or_else(|| {
            usage(
                &format!("--option {option:?} has no value."),
                "Write KEY=VALUE, such as round_limit=5.",
            )
        })?;
        let mut place = &mut value;
        for part in key.split('.') {
            let names: Vec<String> = place
                .as_object()
                .map(|object| object.keys().cloned().collect())
                .unwrap_or_default();
            place = place.get_mut(part).ok_or_else(|| {
                usage(
                    &format!("There is no option {key:?}."),
                    &format!("There are: {}.", names.join(", ")),
                )
            })?;
        }
        *place = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    }
    if let Some(revision) = &reach.revision {
        value["revision"] = Value::from(revision.as_str());
    }
    serde_json::from_value(value).map_err(|error| {
        usage(
            &format!("An option's value cannot be used: {error}."),
            "docs/cli.md lists them.",
        )
    })
}

fn named_values(given: &[String], between: char, flag: &str) -> Result<Vec<NamedValue>, Problem> {
    given
        .iter()
        .map(|text| {
            let (name, value) = text.split_once(between).ok_or_else(|| {
                let known_part: String = text
                    .chars()
                    .take_while(char::is_ascii_alphanumeric)
                    .collect();
                // What stands there may be a secret.
                usage(
                    &format!("{flag} {known_part}… has no {between:?}."),
                    &format!("Write NAME{between}VALUE."),
                )
            })?;
            let name = name.trim().to_owned();
            let value = value.trim_start().to_owned();
            // A secret is replaced by its name in all that is written.
            let secret = app::paste::looks_secret(&name) && !value.is_empty();
            Ok(NamedValue {
                name,
                value,
                secret,
            })
        })
        .collect()
}

fn folder(reach: &Reach) -> Result<String, Problem> {
    let folder = match &reach.cwd {
        Some(folder) => std::path::absolute(folder),
        None => std::env::current_dir(),
    };
    folder
        .map(|folder| folder.to_string_lossy().into_owned())
        .map_err(|error| {
            usage(
                &format!("The working folder cannot be used: {error}."),
                "Give another one with --cwd.",
            )
        })
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn usage(message: &str, hint: &str) -> Problem {
    Problem::new(Exit::Usage, message).with_hint(hint)
}
