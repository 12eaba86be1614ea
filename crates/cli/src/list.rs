//! `roundtrip-cli list`

use std::collections::HashMap;

use app::api::servers::{ConnectionView, ServerView};
use app::api::tools::ToolList;
use app::{App, Visit};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answers::Answers;
use crate::arguments::{ListArguments, Listed, Reach};
use crate::exit::{Exit, Problem};
use crate::line::Line;
use crate::output::{Output, brief};
use crate::run::{finish, judged, limit, within};
use crate::session::{Session, rpc};
use crate::target::{self, data_folder};

/// The widest column of names.
const NAME_CHARS: usize = 48;
/// How much of a description a line shows.
const DESCRIPTION_CHARS: usize = 100;

/// Methods by the capability that allows them, and by era: both, modern alone, legacy alone.
const METHODS: &[(&str, Spoken, &[&str])] = &[
    ("", Spoken::Modern, &["server/discover"]),
    ("", Spoken::Legacy, &["initialize", "ping"]),
    ("tools", Spoken::Both, &["tools/list", "tools/call"]),
    (
        "resources",
        Spoken::Both,
        &[
            "resources/list",
            "resources/templates/list",
            "resources/read",
        ],
    ),
    (
        "resources",
        Spoken::Legacy,
        &["resources/subscribe", "resources/unsubscribe"],
    ),
    ("prompts", Spoken::Both, &["prompts/list", "prompts/get"]),
    ("completions", Spoken::Both, &["completion/complete"]),
    ("logging", Spoken::Legacy, &["logging/setLevel"]),
    ("", Spoken::Modern, &["subscriptions/listen"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    Both,
    Modern,
    Legacy,
}

/// Lists what is wanted.
///
/// # Errors
/// It did not go well.
pub async fn list(arguments: ListArguments, output: &mut Output) -> Result<Exit, Problem> {
    let reach = &arguments.reach;
    if arguments.what == Some(Listed::Servers) {
        return servers(reach, output).await;
    }
    let limit = limit(reach)?;
    let target = target::prepare(reach).await?;
    let mut session = Session::new(&target, reach, Answers::default());
    let errand = async {
        let connection = session.connect(&target, output).await?;
        match arguments.what {
            Some(what) => Box::pin(one(what, &mut session, &connection, output)).await?,
            None => {
                for what in [
                    Listed::Tools,
                    Listed::Resources,
                    Listed::Templates,
                    Listed::Prompts,
                ] {
                    if declares(&connection, what) {
                        Box::pin(one(what, &mut session, &connection, output)).await?;
                    }
                }
            }
        }
        Ok(Exit::Complete)
    };
    let ended = within(limit, errand).await;
    finish(session, &target, ended, output).await
}

async fn servers(reach: &Reach, output: &mut Output) -> Result<Exit, Problem> {
    let app = App::visit(Visit {
        data_dir: Some(data_folder(reach.data_dir.as_deref())?),
        recording: None,
    })
    .map_err(|error| Problem::of_core(Exit::Usage, error))?;
    let listed: Result<Vec<ServerView>, _> = rpc(&app, "servers", json!({})).await;
    app.shutdown().await;
    let listed = listed.map_err(|error| Problem::of_core(Exit::Internal, error))?;
    let mut rows = Vec::new();
    for server in &listed {
        output.event(
            Line::event("item")
                .text("list", "servers")
                .text("name", &server.name)
                .text("id", &server.id)
                .text("transport", &server.transport)
                .text("address", &server.address),
        );
        rows.push((server.name.clone(), server.address.clone()));
    }
    table(&rows, output);
    Ok(Exit::Complete)
}

/// Whether the server declares the capability.
fn declares(connection: &ConnectionView, what: Listed) -> bool {
    let capability = match what {
        Listed::Tools => "tools",
        Listed::Resources | Listed::Templates => "resources",
        Listed::Prompts => "prompts",
        Listed::Servers | Listed::Methods => return true,
    };
    connection.report.as_ref().is_some_and(|report| {
        report
            .capability_names
            .iter()
            .any(|name| name == capability)
    })
}

async fn one(
    what: Listed,
    session: &mut Session,
    connection: &ConnectionView,
    output: &mut Output,
) -> Result<(), Problem> {
    let (method, member, title) = match what {
        Listed::Tools => ("tools/list", "tools", "tools"),
        Listed::Resources => ("resources/list", "resources", "resources"),
        Listed::Templates => ("resources/templates/list", "resourceTemplates", "templates"),
        Listed::Prompts => ("prompts/list", "prompts", "prompts"),
        Listed::Servers => return Ok(()),
        Listed::Methods => {
            methods(connection, output);
            return output.check();
        }
    };
    if !declares(connection, what) {
        output.note(&format!("The server declares no {title}."));
        return Ok(());
    }
    // The core lists a server's tools when it has connected; asking once more would be another exchange.
    let listing = if what == Listed::Tools {
        let tools: Result<ToolList, _> = session
            .rpc("tools", json!({ "server": session.server() }))
            .await;
        tools.ok().and_then(|tools| tools.operation)
    } else {
        None
    };
    let reply = if let Some(operation) = listing {
        session.follow(operation, output).await?
    } else {
        let request = json!({
            "server": session.server(), "method": method, "params": null, "pages": "all",
            "progress": false, "limit_millis": null,
        });
        session.ask(request, output).await?
    };
    judged(&reply)?;
    let mut rows = Vec::new();
    for page in &reply.replies {
        let mut members: HashMap<String, Box<RawValue>> =
            serde_json::from_str(&page.text).unwrap_or_default();
        let items: Vec<Box<RawValue>> = members
            .remove(member)
            .and_then(|items| serde_json::from_str(items.get()).ok())
            .unwrap_or_default();
        for item in items {
            output.event(
                Line::event("item")
                    .text("list", title)
                    .json("item", item.get()),
            );
            rows.push(row(item.get()));
        }
    }
    output.note(&format!("{} {title}", rows.len()));
    table(&rows, output);
    output.check()
}

/// What a line says of an item: its name (or URI), and the beginning of its description.
fn row(item: &str) -> (String, String) {
    let item: Value = serde_json::from_str(item).unwrap_or_default();
    let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
    let name = ["uri", "uriTemplate", "name"]
        .into_iter()
        .map(text)
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| "(without a name)".to_owned());
    let description = ["description", "title"]
        .into_iter()
        .map(text)
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    (name, description)
}

fn methods(connection: &ConnectionView, output: &mut Output) {
    let Some(report) = &connection.report else {
        return;
    };
    let is_modern = report.era == "modern";
    let mut rows = Vec::new();
    for (capability, spoken, methods) in METHODS {
        let in_era = match spoken {
            Spoken::Both => true,
            Spoken::Modern => is_modern,
            Spoken::Legacy => !is_modern,
        };
        let allowed = capability.is_empty()
            || report
                .capability_names
                .iter()
                .any(|name| name == capability);
        if in_era && allowed {
            for method in *methods {
                output.event(
                    Line::event("item")
                        .text("list", "methods")
                        .text("method", method)
                        .text("capability", capability),
                );
                rows.push(((*method).to_owned(), (*capability).to_owned()));
            }
        }
    }
    table(&rows, output);
}

/// Two columns.
fn table(rows: &[(String, String)], output: &mut Output) {
    let widest = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default()
        .min(NAME_CHARS);
    for (name, description) in rows {
        // A name that has a line end is one line all the same.
        let name = name.replace(['\n', '\r'], " ");
        let description = brief(description, DESCRIPTION_CHARS);
        output.show(format!("{name:widest$}  {description}").trim_end());
    }
}
