//! Resources, their templates and what reading one gives (2026-07-28 and 2025-11-25 server/resources).

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::fields::{check_object, optional_text, required_text};
use crate::listing::{Entry, ListKind};
use crate::results::{self, Content};
use crate::text;
use crate::uri_template::Template;

/// A resource of a fixed URI.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Its URI; empty when there is none (then `problems` says so).
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Its MIME type.
    pub mime_type: Option<String>,
    /// Its size in bytes, as far as the server says.
    pub size: Option<u64>,
    /// When it was modified last, as the server wrote it.
    pub last_modified: Option<String>,
    /// What is wrong with it, a sentence each.
    pub problems: Vec<String>,
    /// The whole entry as it came.
    pub raw: Box<RawValue>,
}

/// A template of resources.
#[derive(Clone, Debug)]
pub struct TemplateEntry {
    /// The template as it came (RFC 6570); empty when there is none.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// The MIME type of all that it leads to.
    pub mime_type: Option<String>,
    /// The template, or why it cannot be used, in a sentence.
    pub template: Result<Template, String>,
    /// What is wrong with it, a sentence each.
    pub problems: Vec<String>,
    /// The whole entry as it came.
    pub raw: Box<RawValue>,
}

impl Entry for ResourceEntry {
    const KIND: ListKind = ListKind::Resources;
    const REPEATED: &'static str =
        "An earlier resource has the same URI; both are read as whatever the server takes it for.";

    fn read(raw: &RawValue) -> Self {
        let mut problems = Vec::new();
        check_object(raw, &mut problems);
        let size = object::get(raw, "size").and_then(|size| {
            let read = size.get().parse::<u64>().ok();
            if read.is_none() && ValueKind::of(size) != ValueKind::Null {
                problems.push(format!(
                    "size is {}, not a number of bytes.",
                    text::excerpt(size.get(), 60)
                ));
            }
            read
        });
        ResourceEntry {
            uri: required_text(raw, "uri", &mut problems),
            name: required_text(raw, "name", &mut problems),
            title: optional_text(raw, "title", &mut problems),
            description: optional_text(raw, "description", &mut problems),
            mime_type: optional_text(raw, "mimeType", &mut problems),
            size,
            last_modified: object::get(raw, "annotations").and_then(|annotations| {
                optional_text(annotations, "lastModified", &mut Vec::new())
            }),
            problems,
            raw: raw.to_owned(),
        }
    }

    fn key(&self) -> &str {
        &self.uri
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }

    fn problems_mut(&mut self) -> &mut Vec<String> {
        &mut self.problems
    }
}

impl Entry for TemplateEntry {
    const KIND: ListKind = ListKind::ResourceTemplates;
    const REPEATED: &'static str = "An earlier entry has the same template.";

    fn read(raw: &RawValue) -> Self {
        let mut problems = Vec::new();
        check_object(raw, &mut problems);
        let uri_template = required_text(raw, "uriTemplate", &mut problems);
        let template = Template::parse(&uri_template);
        if let (Err(why), false) = (&template, uri_template.is_empty()) {
            problems.push(why.clone());
        }
        TemplateEntry {
            name: required_text(raw, "name", &mut problems),
            title: optional_text(raw, "title", &mut problems),
            description: optional_text(raw, "description", &mut problems),
            mime_type: optional_text(raw, "mimeType", &mut problems),
            uri_template,
            template,
            problems,
            raw: raw.to_owned(),
        }
    }

    fn key(&self) -> &str {
        &self.uri_template
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }

    fn problems_mut(&mut self) -> &mut Vec<String> {
        &mut self.problems
    }
}

/// What reading a resource gave.
#[derive(Clone, Debug)]
pub struct ResourceResult {
    /// Its parts in order, those that are malformed included; a folder may have several.
    pub contents: Vec<ResourcePart>,
    /// What did not look as the specification says, a sentence each.
    pub problems: Vec<String>,
}

/// One part of a resource.
#[derive(Clone, Debug)]
pub struct ResourcePart {
    /// Its URI; empty when there is none.
    pub uri: String,
    /// Its MIME type.
    pub mime_type: Option<String>,
    /// What it holds: a text, a picture or sound, or bytes ([`Content::Resource`] without a text).
    pub content: Content,
}

/// Reads the result of `resources/read`.
pub fn read_resource_result(result: &RawValue) -> ResourceResult {
    let mut problems = Vec::new();
    let contents = object::get(result, "contents");
    let parts = contents.and_then(object::read_elements);
    match (&parts, contents, ValueKind::of(result)) {
        (Some(parts), ..) if parts.is_empty() => problems.push(
            "contents is empty: that may mean an empty resource or none; a server must answer an error for one that does not exist."
                .to_owned(),
        ),
        (Some(_), ..) => {}
        (None, Some(contents), _) => {
            problems.push(format!("contents is {}, not an array.", ValueKind::of(contents)));
        }
        (None, None, ValueKind::Object) => problems.push("The result has no contents.".to_owned()),
        (None, None, kind) => problems.push(format!("The result is {kind}, not an object.")),
    }
    ResourceResult {
        contents: parts
            .unwrap_or_default()
            .into_iter()
            .map(results::read_resource_part)
            .collect(),
        problems,
    }
}
