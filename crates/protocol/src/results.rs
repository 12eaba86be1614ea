//! The result of a tool (2026-07-28 and 2025-11-25 server/tools § Tool Result).

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::resources::ResourcePart;
use crate::{base64, text};

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// `isError: true`.
    pub is_error: bool,
    /// The content blocks in order, those that are malformed included.
    pub content: Vec<Content>,
    /// `structuredContent` as it came: any JSON value, `null` too.
    pub structured: Option<Box<RawValue>>,
    /// What did not look as the specification says, a sentence each.
    pub problems: Vec<String>,
}

/// One content block.
#[derive(Clone, Debug)]
pub enum Content {
    /// `text`.
    Text {
        /// The text.
        text: String,
    },
    /// `image`.
    Image(Media),
    /// `audio`.
    Audio(Media),
    /// `resource_link`.
    ResourceLink {
        /// Its URI, plain text.
        uri: String,
        /// Its name; its title or URI when there is none.
        name: String,
        /// Its description.
        description: Option<String>,
        /// Its MIME type.
        mime_type: Option<String>,
    },
    /// `resource`: an embedded one.
    Resource {
        /// Its URI, plain text.
        uri: String,
        /// Its MIME type.
        mime_type: Option<String>,
        /// Its text, for a text resource.
        text: Option<String>,
        /// Its size in bytes, for a binary one.
        byte_len: Option<u64>,
        /// Its bytes in Base64, for a binary one, checked.
        base64: Option<String>,
    },
    /// A type that the specification does not know, or a block that is not well-formed.
    Other {
        /// The block as it came.
        raw: Box<RawValue>,
        /// What is wrong with it, in a sentence.
        problem: String,
    },
}

/// An image or a sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// Its MIME type as the server says; empty when it does not.
    pub mime_type: String,
    /// Its bytes in standard Base64, checked and padded; absent when they are not Base64.
    pub base64: Option<String>,
    /// What is wrong with it, in a sentence.
    pub problem: Option<String>,
}

/// Reads a tool's final result.
pub fn read_tool_result(result: &RawValue) -> ToolResult {
    let mut problems = Vec::new();
    if ValueKind::of(result) != ValueKind::Object {
        problems.push(format!(
            "The result is {}, not an object.",
            ValueKind::of(result)
        ));
    }
    if let Some(kind) = object::get(result, "resultType")
        && object::string(kind).as_deref() != Some("complete")
    {
        problems.push(format!(
            "resultType is {}, yet this is a final result.",
            text::excerpt(kind.get(), 60)
        ));
    }
    let is_error = match object::get(result, "isError").map(RawValue::get) {
        Some("true") => true,
        None | Some("false" | "null") => false,
        Some(other) => {
            problems.push(format!(
                "isError is {}, not true or false; it is taken as false.",
                text::excerpt(other, 60)
            ));
            false
        }
    };
    let content = object::get(result, "content");
    let blocks = content.and_then(object::read_elements);
    if blocks.is_none() && ValueKind::of(result) == ValueKind::Object {
        problems.push(content.map_or_else(
            || "The result has no content; an empty array is the least.".to_owned(),
            |content| format!("content is {}, not an array.", ValueKind::of(content)),
        ));
    }
    ToolResult {
        is_error,
        content: blocks
            .unwrap_or_default()
            .into_iter()
            .map(read_block)
            .collect(),
        structured: object::get(result, "structuredContent").map(ToOwned::to_owned),
        problems,
    }
}

/// Reads one content block, of a tool's result or a prompt's message.
pub fn read_block(block: &RawValue) -> Content {
    well_formed(block).unwrap_or_else(|problem| Content::Other {
        raw: block.to_owned(),
        problem,
    })
}

fn well_formed(block: &RawValue) -> Result<Content, String> {
    if ValueKind::of(block) != ValueKind::Object {
        return Err(format!(
            "The block is {}, not an object.",
            ValueKind::of(block)
        ));
    }
    let kind = required(block, "type", "The block")?;
    match kind.as_str() {
        "text" => Ok(Content::Text {
            text: required(block, "text", "A text block")?,
        }),
        "image" => Ok(Content::Image(media(block, "An image")?)),
        "audio" => Ok(Content::Audio(media(block, "An audio block")?)),
        "resource_link" => {
            let uri = required(block, "uri", "A resource link")?;
            Ok(Content::ResourceLink {
                name: optional(block, "name")
                    .or_else(|| optional(block, "title"))
                    .unwrap_or_else(|| uri.clone()),
                uri,
                description: optional(block, "description"),
                mime_type: optional(block, "mimeType"),
            })
        }
        "resource" => match object::get(block, "resource") {
            Some(resource) if ValueKind::of(resource) == ValueKind::Object => embedded(resource),
            _ => Err("An embedded resource must have an object resource.".to_owned()),
        },
        other => Err(format!(
            "The content type {:?} is not known.",
            text::excerpt(other, 60)
        )),
    }
}

/// Reads a part of what reading a resource gave: a text, a picture or sound, or bytes.
pub(crate) fn read_resource_part(part: &RawValue) -> ResourcePart {
    let content = embedded_content(part).unwrap_or_else(|problem| Content::Other {
        raw: part.to_owned(),
        problem,
    });
    ResourcePart {
        uri: optional(part, "uri").unwrap_or_default(),
        mime_type: optional(part, "mimeType"),
        content,
    }
}

fn embedded_content(part: &RawValue) -> Result<Content, String> {
    if ValueKind::of(part) != ValueKind::Object {
        return Err(format!(
            "The part is {}, not an object.",
            ValueKind::of(part)
        ));
    }
    let content = embedded(part)?;
    let Content::Resource {
        mime_type, text, ..
    } = &content
    else {
        return Ok(content);
    };
    let kind = mime_type.as_deref().unwrap_or_default();
    let media = || {
        let blob = optional(part, "blob").unwrap_or_default();
        let base64 = base64::check(&blob).ok();
        Media {
            mime_type: kind.to_owned(),
            base64: base64.map(|(clean, _)| clean.into_owned()),
            problem: None,
        }
    };
    Ok(match text {
        Some(text) => Content::Text { text: text.clone() },
        None if kind.starts_with("image/") => Content::Image(media()),
        None if kind.starts_with("audio/") => Content::Audio(media()),
        None => content,
    })
}

fn embedded(resource: &RawValue) -> Result<Content, String> {
    let uri = required(resource, "uri", "An embedded resource")?;
    let text = optional(resource, "text");
    let (base64, byte_len) = match optional(resource, "blob") {
        Some(blob) => {
            let (checked, byte_len) = base64::check(&blob)
                .map_err(|why| format!("The blob of {uri} cannot be read: {why}."))?;
            (Some(checked.into_owned()), Some(byte_len))
        }
        None => (None, None),
    };
    if text.is_none() && byte_len.is_none() {
        return Err(format!(
            "The embedded resource {uri} has neither a text nor a blob."
        ));
    }
    Ok(Content::Resource {
        uri,
        mime_type: optional(resource, "mimeType"),
        text,
        byte_len,
        base64,
    })
}

fn media(block: &RawValue, what: &str) -> Result<Media, String> {
    let data = required(block, "data", what)?;
    let mime_type = optional(block, "mimeType").unwrap_or_default();
    let mut problem = mime_type
        .is_empty()
        .then(|| format!("{what} must have a mimeType."));
    let base64 = match base64::check(&data) {
        Ok((_, 0)) => {
            problem = Some("Its data is empty.".to_owned());
            None
        }
        Ok((clean, _)) => Some(clean.into_owned()),
        Err(why) => {
            problem = Some(format!("Its data cannot be read: {why}."));
            None
        }
    };
    Ok(Media {
        mime_type,
        base64,
        problem,
    })
}

fn required(object: &RawValue, key: &str, what: &str) -> Result<String, String> {
    let value = object::get(object, key).ok_or_else(|| format!("{what} must have {key}."))?;
    object::string(value).map(Cow::into_owned).ok_or_else(|| {
        format!(
            "{what} must have {key} as a string; it is {}.",
            ValueKind::of(value)
        )
    })
}

fn optional(object: &RawValue, key: &str) -> Option<String> {
    object::get(object, key)
        .and_then(object::string)
        .map(Cow::into_owned)
}
