//! Tools (2026-07-28 and 2025-11-25 server/tools § Listing Tools).

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::fields::{check_object, optional_text};
use crate::listing::{self, Entry, ListKind, Page};
use crate::mirror::{Mirrored, mirrored_parameters};
use crate::text;

/// A page of tools.
pub type ToolPage = Page<ToolEntry>;

/// One tool.
#[derive(Clone, Debug)]
pub struct ToolEntry {
    /// Its name; empty when there is none (then `problems` says so).
    pub name: String,
    /// Its title for people: its own, or that of its annotations.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// The input schema as it came, whatever it is; `{}` when there is none.
    pub input_schema: Box<RawValue>,
    /// The output schema as it came.
    pub output_schema: Option<Box<RawValue>>,
    /// `readOnlyHint`; not to be trusted, as the others.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
    /// `execution.taskSupport` of 2025-11-25: `required`, `optional` or `forbidden`, or what came instead.
    pub task_support: Option<String>,
    /// Parameters mirrored into headers; empty when `excluded`.
    pub mirrored: Vec<Mirrored>,
    /// Why it cannot be called over modern HTTP: an `x-mcp-header` that breaks a rule, in a sentence. Other
    /// transports may ignore that.
    pub excluded: Option<String>,
    /// What is wrong with it, a sentence each.
    pub problems: Vec<String>,
    /// The whole entry as it came.
    pub raw: Box<RawValue>,
}

/// Reads a page. A malformed entry is an entry with problems.
pub fn read_page(result: &RawValue) -> ToolPage {
    listing::read_page(result)
}

impl Entry for ToolEntry {
    const KIND: ListKind = ListKind::Tools;
    const REPEATED: &'static str =
        "An earlier tool has the same name; a call reaches whichever the server takes.";

    fn read(raw: &RawValue) -> Self {
        read_entry(raw)
    }

    fn key(&self) -> &str {
        &self.name
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }

    fn problems_mut(&mut self) -> &mut Vec<String> {
        &mut self.problems
    }
}

fn read_entry(raw: &RawValue) -> ToolEntry {
    let mut problems = Vec::new();
    check_object(raw, &mut problems);
    let mut optional = |key| optional_text(raw, key, &mut problems);
    let title = optional("title");
    let description = optional("description");
    let name = object::get(raw, "name")
        .and_then(object::string)
        .unwrap_or_default()
        .into_owned();
    problems.extend(name_problem(&name));
    let input_schema = read_input_schema(raw, &mut problems);
    let output_schema =
        object::get(raw, "outputSchema").filter(|schema| ValueKind::of(*schema) != ValueKind::Null);
    if let Some(schema) = output_schema.filter(|schema| ValueKind::of(*schema) != ValueKind::Object)
    {
        problems.push(format!(
            "outputSchema is {}, not an object.",
            ValueKind::of(schema)
        ));
    }
    let annotations = object::get(raw, "annotations");
    let hint = |key| {
        let value = object::get(annotations?, key)?;
        serde_json::from_str::<bool>(value.get()).ok()
    };
    let (mirrored, excluded) = match mirrored_parameters(&input_schema) {
        Ok(mirrored) => (mirrored, None),
        Err(why) => (Vec::new(), Some(format!("{why}."))),
    };
    ToolEntry {
        title: title.or_else(|| optional_text(annotations?, "title", &mut Vec::new())),
        name,
        description,
        output_schema: output_schema.map(ToOwned::to_owned),
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
        task_support: object::get(raw, "execution")
            .and_then(|execution| object::get(execution, "taskSupport"))
            .and_then(object::string)
            .map(std::borrow::Cow::into_owned),
        mirrored,
        excluded,
        problems,
        raw: raw.to_owned(),
        input_schema,
    }
}

fn read_input_schema(raw: &RawValue, problems: &mut Vec<String>) -> Box<RawValue> {
    let Some(schema) = object::get(raw, "inputSchema") else {
        problems.push("It has no inputSchema.".to_owned());
        return RawValue::from_string("{}".to_owned()).unwrap_or_default();
    };
    match ValueKind::of(schema) {
        ValueKind::Object => {
            let kind = object::get(schema, "type");
            if kind.and_then(object::string).as_deref() != Some("object") {
                let is = kind.map_or("missing".to_owned(), |kind| text::excerpt(kind.get(), 60));
                problems.push(format!(
                    "The type of inputSchema is {is}; it must be \"object\"."
                ));
            }
        }
        kind => problems.push(format!("inputSchema is {kind}, not an object.")),
    }
    schema.to_owned()
}

/// § Tool Names. All are SHOULDs, so the tool can be called all the same.
fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("It has no name.".to_owned());
    }
    let length = name.chars().count();
    if length > 128 {
        return Some(format!(
            "Its name has {length} characters; at most 128 are advised."
        ));
    }
    let stray = name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    Some(format!(
        "Its name contains {stray:?}; letters, digits, _, - and . are advised."
    ))
}
