//! Templates of URIs (RFC 6570): which variables they have, and what becomes of them.
//!
//! The expansion is `std-uritemplate`'s, which the official cases are run against. It passes over some malformed
//! templates, so the grammar is checked here before.

use std::collections::HashMap;

use stduritemplate::Value as Given;

/// A template that can be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    variables: Vec<Variable>,
}

/// A variable, once however often it stands in the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// It stands with `*`: a list has each value on its own.
    pub exploded: bool,
    /// It is part of the query or fragment, or follows a `;`: the URI holds together without it.
    pub detachable: bool,
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// Names and texts, in order.
    Pairs(Vec<(String, String)>),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Why it is malformed, in a sentence that names the place.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let place = text.len() - rest.len() + at;
            let wrong = |why: &str| {
                let before = text.get(..place).unwrap_or_default();
                format!(
                    "The URI template is malformed at character {}: {why}.",
                    before.chars().count() + 1
                )
            };
            let after = rest.get(at + 1..).unwrap_or_default();
            if rest.as_bytes().get(at) == Some(&b'}') {
                return Err(wrong("there is a } without its {"));
            }
            let end = after
                .find(['{', '}'])
                .filter(|end| after.as_bytes().get(*end) == Some(&b'}'))
                .ok_or_else(|| wrong("the { is not closed"))?;
            let (expression, beyond) = after.split_at(end);
            for variable in read_expression(expression).map_err(|why| wrong(&why))? {
                match variables
                    .iter_mut()
                    .find(|known| known.name == variable.name)
                {
                    Some(known) => {
                        known.exploded |= variable.exploded;
                        known.detachable &= variable.detachable;
                    }
                    None => variables.push(variable),
                }
            }
            rest = beyond.get(1..).unwrap_or_default();
        }
        Ok(Template {
            text: text.to_owned(),
            variables,
        })
    }

    /// The template's text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its variables, in the order in which they come first.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The URI that it makes of these values; a variable without one is undefined.
    ///
    /// # Errors
    /// A value that its variable cannot take, in a sentence.
    pub fn expand(&self, values: &[(String, Value)]) -> Result<String, String> {
        let text = |text: &String| Given::String(text.clone());
        let given: HashMap<String, Given> = values
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::Text(one) => text(one),
                    Value::List(several) => Given::List(several.iter().map(text).collect()),
                    Value::Pairs(pairs) => Given::Map(
                        pairs
                            .iter()
                            .map(|(name, value)| (name.clone(), text(value)))
                            .collect(),
                    ),
                };
                (name.clone(), value)
            })
            .collect();
        stduritemplate::expand(&self.text, &given)
            .map_err(|error| format!("The URI template cannot be filled in: {error}."))
    }
}

/// The variables of what stands between braces (RFC 6570 § 2.2 to 2.4).
fn read_expression(expression: &str) -> Result<Vec<Variable>, String> {
    let operator = expression.chars().next().filter(|c| !is_name_char(*c));
    let list = match operator {
        None => expression,
        Some('+' | '#' | '.' | '/' | ';' | '?' | '&') => expression.get(1..).unwrap_or_default(),
        Some(reserved @ ('=' | ',' | '!' | '@' | '|')) => {
            return Err(format!("the operator {reserved} is reserved"));
        }
        Some(other) => return Err(format!("a variable's name cannot have {other:?}")),
    };
    let detachable = matches!(operator, Some('?' | '&' | '#' | ';'));
    list.split(',')
        .map(|spec| {
            let (name, modifier) = match spec.find([':', '*']) {
                Some(at) => spec.split_at(at),
                None => (spec, ""),
            };
            check_name(name)?;
            let exploded = match modifier.strip_prefix(':') {
                None if modifier.is_empty() => false,
                None if modifier == "*" => true,
                None => return Err(format!("{modifier:?} after {name} means nothing")),
                Some(length) => {
                    check_length(name, length)?;
                    false
                }
            };
            Ok(Variable {
                name: name.to_owned(),
                exploded,
                detachable,
            })
        })
        .collect()
}

fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a variable has no name".to_owned());
    }
    if let Some(other) = name.chars().find(|c| !is_name_char(*c) && *c != '.') {
        return Err(format!("a variable's name cannot have {other:?}"));
    }
    if name.split('.').any(str::is_empty) {
        return Err(format!("a dot in the name {name} has nothing beside it"));
    }
    let mut parts = name.split('%').skip(1);
    let is_encoded =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !parts.all(is_encoded) {
        return Err(format!(
            "a % in the name {name} has no two hex digits after it"
        ));
    }
    Ok(())
}

fn check_length(name: &str, length: &str) -> Result<(), String> {
    let is_length = (1..=4).contains(&length.len())
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && !length.starts_with('0');
    if is_length {
        Ok(())
    } else {
        Err(format!(
            "the length {length:?} of {name} is not a number from 1 to 9999"
        ))
    }
}

/// `varchar`; a `%` must have two hex digits after it.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '%')
}
