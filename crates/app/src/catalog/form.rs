//! How an entry stands in the servers file: the `mcpServers` form, with Roundtrip's own fields in one member.

use serde_json::{Map, Value, json};

use super::{Entry, Reach};
use crate::api::options::ServerOptions;
use crate::api::servers::{Endpoint, NamedValue};

/// Where Roundtrip's own fields of an entry stand.
pub(super) const OWN_FIELDS: &str = "x-roundtrip";

/// Reads one entry.
///
/// # Errors
/// In plain words, what is missing or of the wrong kind.
pub(super) fn read_entry(name: &str, raw: &Value) -> Result<Entry, String> {
    let Value::Object(raw) = raw else {
        return Err("it is not an object".to_owned());
    };
    let own = raw.get(OWN_FIELDS);
    Ok(Entry {
        id: own
            .and_then(|own| own.get("id"))
            .and_then(Value::as_str)
            .map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned),
        name: name.to_owned(),
        reach: Reach::Endpoint(read_endpoint(raw)?),
        era: own
            .and_then(|own| own.get("era"))
            .and_then(|era| serde_json::from_value(era.clone()).ok())
            .unwrap_or_default(),
        options: own
            .and_then(|own| own.get("options"))
            .map(|options| serde_json::from_value(options.clone()))
            .transpose()
            .map_err(|error| format!("its options: {error}"))?
            .unwrap_or_default(),
        raw: raw.clone(),
    })
}

/// Reads one entry of an `mcpServers` object: `command`, `args`, `env` and `cwd`, or `url` and `headers`.
///
/// # Errors
/// In plain words, what is missing or of the wrong kind.
pub fn read_endpoint(raw: &Map<String, Value>) -> Result<Endpoint, String> {
    let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(url) = text("url")
        .or_else(|| text("serverUrl"))
        .or_else(|| text("httpUrl"))
    {
        return Ok(Endpoint::Http {
            url,
            headers: read_named(raw.get("headers"), "headers")?,
        });
    }
    let Some(command) = text("command") else {
        return Err("it has neither \"command\" nor \"url\"".to_owned());
    };
    let args = match raw.get("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(args)) => args
            .iter()
            .map(|arg| match arg {
                Value::String(arg) => Ok(arg.clone()),
                Value::Number(arg) => Ok(arg.to_string()),
                _ => Err("an entry of \"args\" is not a string".to_owned()),
            })
            .collect::<Result<_, _>>()?,
        Some(_) => return Err("\"args\" is not a list".to_owned()),
    };
    Ok(Endpoint::Stdio {
        command,
        args,
        env: read_named(raw.get("env"), "env")?,
        folder: text("cwd"),
    })
}

fn read_named(value: Option<&Value>, what: &str) -> Result<Vec<NamedValue>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(members)) => members
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::String(value) => value.clone(),
                    Value::Number(_) | Value::Bool(_) => value.to_string(),
                    _ => return Err(format!("{name:?} in \"{what}\" is not a string")),
                };
                Ok(NamedValue {
                    name: name.clone(),
                    secret: secret_name(&value).is_some(),
                    value,
                })
            })
            .collect(),
        Some(_) => Err(format!("\"{what}\" is not an object")),
    }
}

/// The name in `${secret:NAME}`, when the value is nothing but that.
pub fn secret_name(value: &str) -> Option<&str> {
    value.strip_prefix("${secret:")?.strip_suffix('}')
}

/// An entry as the file has it: ours, and what of others stood there.
pub(super) fn write_entry(entry: &Entry, endpoint: &Endpoint) -> Map<String, Value> {
    let mut raw = entry.raw.clone();
    for key in [
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "serverUrl",
        "httpUrl",
        "headers",
    ] {
        raw.shift_remove(key);
    }
    let named = |values: &[NamedValue]| {
        values
            .iter()
            .map(|value| (value.name.clone(), Value::String(value.value.clone())))
            .collect::<Map<_, _>>()
    };
    match endpoint {
        Endpoint::Stdio {
            command,
            args,
            env,
            folder,
        } => {
            raw.insert("command".to_owned(), json!(command));
            raw.insert("args".to_owned(), json!(args));
            if !env.is_empty() {
                raw.insert("env".to_owned(), Value::Object(named(env)));
            }
            if let Some(folder) = folder {
                raw.insert("cwd".to_owned(), json!(folder));
            }
        }
        Endpoint::Http { url, headers } => {
            raw.insert("url".to_owned(), json!(url));
            if !headers.is_empty() {
                raw.insert("headers".to_owned(), Value::Object(named(headers)));
            }
        }
    }
    let mut own = match raw.shift_remove(OWN_FIELDS) {
        Some(Value::Object(own)) => own,
        _ => Map::new(),
    };
    own.insert("id".to_owned(), json!(entry.id));
    own.insert("era".to_owned(), json!(entry.era));
    own.shift_remove("options");
    let options = differing(&entry.options);
    if !options.is_empty() {
        own.insert("options".to_owned(), Value::Object(options));
    }
    raw.insert(OWN_FIELDS.to_owned(), Value::Object(own));
    raw
}

/// The options that a person changed: a default that is mended later then reaches them too.
fn differing(options: &ServerOptions) -> Map<String, Value> {
    let (Value::Object(options), Value::Object(defaults)) =
        (json!(options), json!(ServerOptions::default()))
    else {
        return Map::new();
    };
    options
        .into_iter()
        .filter(|(name, value)| defaults.get(name) != Some(value))
        .collect()
}
