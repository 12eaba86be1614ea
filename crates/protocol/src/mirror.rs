//! The rules of `x-mcp-header` (2026-07-28 basic/transports/streamable-http § Schema Extension).

use serde_json::value::RawValue;
use wire::object;

const ANNOTATION: &str = "x-mcp-header";
/// Deeper than any schema that a person wrote, and shallow enough to walk with one parse a level.
const DEEPEST: usize = 64;

/// A tool's parameter whose value is mirrored into a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// The chain of `properties` keys that leads to it.
    pub path: Vec<String>,
    /// The header's whole name, `Mcp-Param-Region`.
    pub header: String,
}

/// How the walk reached a schema.
#[derive(Clone)]
enum Reach {
    /// By `properties` keys alone; the path is empty at the root.
    Static(Vec<String>),
    /// Through something else, which is named.
    Other(String),
}

/// The parameters that an input schema mirrors into headers, in the schema's order.
///
/// # Errors
/// Why the tool must be excluded over HTTP: an annotation that breaks a rule, in a sentence.
pub fn mirrored_parameters(input_schema: &RawValue) -> Result<Vec<Mirrored>, String> {
    let mut found = Vec::new();
    walk(input_schema, &Reach::Static(Vec::new()), 0, &mut found)?;
    for (place, parameter) in found.iter().enumerate() {
        let same = |other: &&Mirrored| other.header.eq_ignore_ascii_case(&parameter.header);
        if let Some(other) = found.iter().take(place).find(same) {
            return Err(format!(
                "{ANNOTATION} names the header {} for both {} and {}; names must be unique, and case does not count",
                parameter.header,
                dotted(&other.path),
                dotted(&parameter.path)
            ));
        }
    }
    Ok(found)
}

fn walk(
    schema: &RawValue,
    reach: &Reach,
    depth: usize,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    if !may_hold_annotation(schema) {
        return Ok(());
    }
    if depth > DEEPEST {
        return Err(format!(
            "the input schema is nested deeper than {DEEPEST} levels, so its {ANNOTATION} annotations cannot be checked"
        ));
    }
    let Some(members) = object::read_members(schema) else {
        return walk_elements(schema, reach, depth, found);
    };
    if let Some((_, value)) = members.iter().rev().find(|(key, _)| key == ANNOTATION) {
        found.push(annotated(value, schema, reach)?);
    }
    for (key, value) in &members {
        match (key.as_str(), reach) {
            // The annotation itself, and values that are data rather than schemas.
            (ANNOTATION | "default" | "const" | "enum" | "examples", _) => {}
            ("properties", Reach::Static(path)) => {
                for (name, property) in object::read_members(*value).unwrap_or_default() {
                    let mut path = path.clone();
                    path.push(name);
                    walk(property, &Reach::Static(path), depth + 1, found)?;
                }
            }
            // Keywords that hold schemas by name: a name is no keyword.
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                _,
            ) => {
                for (_, named) in object::read_members(*value).unwrap_or_default() {
                    walk(named, &through(reach, key), depth + 1, found)?;
                }
            }
            _ => walk(value, &through(reach, key), depth + 1, found)?,
        }
    }
    Ok(())
}

fn walk_elements(
    schema: &RawValue,
    reach: &Reach,
    depth: usize,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    if !schema.get().trim_start().starts_with('[') {
        return Ok(());
    }
    for element in serde_json::from_str::<Vec<&RawValue>>(schema.get()).unwrap_or_default() {
        walk(element, reach, depth + 1, found)?;
    }
    Ok(())
}

fn through(reach: &Reach, keyword: &str) -> Reach {
    match reach {
        Reach::Static(path) if path.is_empty() => Reach::Other(keyword.to_owned()),
        Reach::Static(path) => Reach::Other(format!("{}.{keyword}", dotted(path))),
        Reach::Other(place) => Reach::Other(place.clone()),
    }
}

fn annotated(value: &RawValue, schema: &RawValue, reach: &Reach) -> Result<Mirrored, String> {
    let path = match reach {
        Reach::Static(path) if path.is_empty() => {
            return Err(format!(
                "{ANNOTATION} stands on the schema's root, which is no parameter"
            ));
        }
        Reach::Static(path) => path,
        Reach::Other(place) => {
            return Err(format!(
                "{ANNOTATION} stands inside {place}; it may only be reached by a chain of properties"
            ));
        }
    };
    let place = dotted(path);
    let Ok(name) = serde_json::from_str::<String>(value.get()) else {
        return Err(format!(
            "{ANNOTATION} of {place} is {} and not a string",
            value.get()
        ));
    };
    if name.is_empty() {
        return Err(format!("{ANNOTATION} of {place} is empty"));
    }
    if !name.bytes().all(is_token_byte) {
        return Err(format!(
            "{ANNOTATION} of {place} is {name:?}, which cannot be part of a header's name (letters, digits and !#$%&'*+-.^_`|~ only)"
        ));
    }
    primitive(schema).map_err(|why| format!("{ANNOTATION} of {place} is not allowed: {why}"))?;
    Ok(Mirrored {
        path: path.clone(),
        header: format!("Mcp-Param-{name}"),
    })
}

/// Whether a parameter is a string, an integer or a boolean, and perhaps null (which omits the header).
fn primitive(schema: &RawValue) -> Result<(), String> {
    let Some(kind) = object::get(schema, "type") else {
        return if enumerates_primitives(schema) {
            Ok(())
        } else {
            Err("the parameter has no type, and only strings, integers and booleans may be mirrored".to_owned())
        };
    };
    let kinds = serde_json::from_str::<String>(kind.get())
        .map(|one| vec![one])
        .or_else(|_| serde_json::from_str::<Vec<String>>(kind.get()))
        .unwrap_or_default();
    let may_be = |kind: &String| matches!(kind.as_str(), "string" | "integer" | "boolean" | "null");
    if kinds.iter().all(may_be) && kinds.iter().any(|kind| kind != "null") {
        return Ok(());
    }
    Err(format!(
        "its type is {}, and only strings, integers and booleans may be mirrored",
        kind.get()
    ))
}

fn enumerates_primitives(schema: &RawValue) -> bool {
    let values = match (object::get(schema, "enum"), object::get(schema, "const")) {
        (Some(values), _) => {
            serde_json::from_str::<Vec<&RawValue>>(values.get()).unwrap_or_default()
        }
        (None, Some(value)) => vec![value],
        (None, None) => Vec::new(),
    };
    let plain = |value: &&RawValue| {
        let token = value.get().trim();
        matches!(token, "true" | "false" | "null")
            || token.starts_with('"')
            || token.parse::<i64>().is_ok()
    };
    !values.is_empty() && values.iter().all(plain)
}

/// A quick look that spares most schemas the walk. Escapes can hide the key.
fn may_hold_annotation(schema: &RawValue) -> bool {
    schema.get().contains(ANNOTATION) || schema.get().contains("\\u")
}

fn dotted(path: &[String]) -> String {
    path.join(".")
}

/// `tchar` of RFC 9110 § 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
