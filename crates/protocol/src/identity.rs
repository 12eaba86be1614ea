//! What a server says of itself: the results of `server/discover` (2026-07-28 server/discover) and `initialize`
//! (2025-11-25 basic/lifecycle § Initialization).

use serde_json::value::RawValue;
use wire::object;

use crate::era::{Era, Revision};
use crate::findings::Finding;
use crate::icons::{self, Icon};
use crate::request::META_SERVER_INFO;
use crate::{rounds, rules};

/// The tasks extension (SEP-2663).
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What a server said of itself. It is not verified by anyone: for display only.
#[derive(Clone, Debug)]
pub struct ServerIdentity {
    /// Its name; an empty one counts as absent.
    pub name: Option<String>,
    /// Its title for people.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its website, plain text.
    pub website: Option<String>,
    /// Its icons as it describes them.
    pub icons: Vec<Icon>,
    /// Its instructions, plain text.
    pub instructions: Option<String>,
    /// Its capabilities as they came; `{}` where there are none.
    pub capabilities: Box<RawValue>,
    /// The names of the capabilities that are present, in order; extensions by their identifiers.
    pub capability_names: Vec<String>,
    /// The revisions it supports (modern only).
    pub supported_revisions: Vec<String>,
    /// The revision that `initialize` settled on; after `server/discover` the newest that is shared, where one is.
    pub revision: Option<Revision>,
}

impl ServerIdentity {
    /// Whether the capability is present and neither null nor false.
    pub fn has_capability(&self, name: &str) -> bool {
        self.capability_names.iter().any(|present| present == name)
    }

    /// Whether the server knows tasks: by the extension in the modern era, by the experimental capability in
    /// the legacy one.
    pub fn has_tasks(&self, era: Era) -> bool {
        match era {
            Era::Modern => self.has_capability(TASKS_EXTENSION),
            Era::Legacy => self.has_capability("tasks"),
        }
    }
}

/// Reads a `DiscoverResult`. What is missing or malformed is absent in the identity and named in the findings.
pub fn read_discover(result: &RawValue) -> (ServerIdentity, Vec<Finding>) {
    let mut findings = Vec::new();
    rounds::judge_result_type(result, &mut findings);
    rounds::judge_caching("server/discover", result, &mut findings);
    let meta = object::get(result, "_meta");
    let mut info = meta.and_then(|meta| object::get(meta, META_SERVER_INFO));
    if info.is_none() {
        info = object::get(result, "serverInfo");
        findings.push(match info {
            Some(_) => rules::server_info_misplaced(),
            None => rules::server_info_missing(),
        });
    }
    let mut identity = read(result, info, true, &mut findings);
    identity.supported_revisions = object::get(result, "supportedVersions")
        .and_then(|supported| serde_json::from_str::<Vec<&RawValue>>(supported.get()).ok())
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| serde_json::from_str(name.get()).ok())
        .collect();
    identity.revision = Revision::SPOKEN.into_iter().find(|revision| {
        revision.era() == Era::Modern
            && identity
                .supported_revisions
                .iter()
                .any(|name| name == revision.as_str())
    });
    (identity, findings)
}

/// Reads an `InitializeResult`.
pub fn read_initialize(result: &RawValue) -> (ServerIdentity, Vec<Finding>) {
    let mut findings = Vec::new();
    let info = object::get(result, "serverInfo");
    if info.is_none() {
        findings.push(rules::server_info_invalid("it is missing", false));
    }
    let mut identity = read(result, info, false, &mut findings);
    identity.revision = text_of(result, "protocolVersion").map(Revision::new);
    (identity, findings)
}

fn read(
    result: &RawValue,
    info: Option<&RawValue>,
    modern: bool,
    findings: &mut Vec<Finding>,
) -> ServerIdentity {
    if let Some(info) = info {
        let absent: Vec<&str> = ["name", "version"]
            .into_iter()
            .filter(|key| text_of(info, key).is_none())
            .collect();
        if object::read_members(info).is_none() {
            findings.push(rules::server_info_invalid("it is not an object", modern));
        } else if !absent.is_empty() {
            let what = format!("{} is missing, empty or not a string", absent.join(" and "));
            findings.push(rules::server_info_invalid(&what, modern));
        }
    }
    let of_info = |key| info.and_then(|info| text_of(info, key));
    let capabilities = object::get(result, "capabilities").and_then(object::read_members);
    if capabilities.is_none() {
        findings.push(rules::capabilities_missing(modern));
    }
    ServerIdentity {
        name: of_info("name"),
        title: of_info("title"),
        version: of_info("version"),
        website: of_info("websiteUrl"),
        icons: info.map(icons::read).unwrap_or_default(),
        instructions: text_of(result, "instructions"),
        capability_names: capability_names(&capabilities.unwrap_or_default()),
        capabilities: object::get(result, "capabilities")
            .filter(|capabilities| object::read_members(*capabilities).is_some())
            .map_or_else(empty_object, ToOwned::to_owned),
        supported_revisions: Vec::new(),
        revision: None,
    }
}

fn empty_object() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

fn capability_names(capabilities: &[(String, &RawValue)]) -> Vec<String> {
    let mut names = Vec::new();
    for (key, value) in capabilities {
        if key == "extensions" {
            let extensions = object::read_members(*value).unwrap_or_default();
            names.extend(
                extensions
                    .into_iter()
                    .filter(|(_, value)| is_present(value))
                    .map(|(name, _)| name),
            );
        } else if is_present(value) {
            names.push(key.clone());
        }
    }
    names.dedup();
    names
}

fn is_present(value: &RawValue) -> bool {
    !matches!(value.get().trim(), "null" | "false")
}

/// A string that is there and not empty.
fn text_of(object: &RawValue, key: &str) -> Option<String> {
    let value = object::get(object, key)?;
    serde_json::from_str::<String>(value.get())
        .ok()
        .filter(|text| !text.is_empty())
}
