//! The error object of an error response (2026-07-28 basic § Error Responses).

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::Problem;
use crate::object::{self, ValueKind};

/// What the peer says went wrong.
#[derive(Clone, Debug)]
pub struct RpcError {
    /// The code; 0 when there is none that can be read.
    pub code: i64,
    /// The message; empty when there is none.
    pub message: String,
    /// More about it, as it came. `null` is kept.
    pub data: Option<Box<RawValue>>,
}

impl PartialEq for RpcError {
    /// Compares `data` by its text.
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
            && self.message == other.message
            && self.data.as_deref().map(RawValue::get) == other.data.as_deref().map(RawValue::get)
    }
}

impl RpcError {
    /// Reads the value of `error` as far as it goes, adding to the problems. A string instead of
    /// an object is taken as the message.
    pub fn read(raw: &RawValue, problems: &mut Vec<Problem>) -> Self {
        let mut error = Self {
            code: 0,
            message: String::new(),
            data: None,
        };
        let (mut code, mut message) = (None, None);
        let members = object::each_member(raw.get(), |key, value| match &*key {
            b"code" => code = Some(value),
            b"message" => message = Some(value),
            b"data" => error.data = Some(value.to_owned()),
            _ => {}
        });
        if members.is_err() {
            let kind = ValueKind::of(raw);
            problems.push(Problem::new(format!(
                "error is {kind}; it must be an object with code and message"
            )));
            error.message = object::string(raw).map_or_else(
                || short(raw.get()).into_owned(),
                |text| short(&text).into_owned(),
            );
            return error;
        }
        error.read_code(code, problems);
        match message.map(|message| (message, object::string(message))) {
            Some((_, Some(text))) => error.message = text.into_owned(),
            Some((raw, None)) => {
                let kind = ValueKind::of(raw);
                problems.push(Problem::new(format!(
                    "error.message is {kind}; it must be a string"
                )));
                error.message = short(raw.get()).into_owned();
            }
            None => problems.push(Problem::new("error has no message")),
        }
        error
    }

    fn read_code(&mut self, code: Option<&RawValue>, problems: &mut Vec<Problem>) {
        let Some(code) = code else {
            problems.push(Problem::new("error has no code"));
            return;
        };
        let token = code.get();
        if let Ok(code) = token.parse() {
            self.code = code;
            return;
        }
        let text = object::string(code);
        let text = text.as_deref().unwrap_or(token).trim();
        // "-32601.0" and "-3.2601e4" are integers too; beyond 2^53 a float is no longer one.
        let whole = text
            .parse::<f64>()
            .ok()
            .filter(|number| number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0)
            .and_then(|number| format!("{number:.0}").parse().ok());
        self.code = text.parse().ok().or(whole).unwrap_or_default();
        problems.push(Problem::new(format!(
            "error.code is {}; it must be an integer",
            short(token)
        )));
    }
}

/// The first characters of a text that a peer chose the length of.
pub(super) fn short(text: &str) -> Cow<'_, str> {
    const CHARS: usize = 200;
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}
