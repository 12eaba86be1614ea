//! Checks a value against a JSON Schema (2020-12 unless the schema says otherwise) and says what is wrong
//! in plain words. Nothing is ever fetched: a `$ref` to the network makes the schema unusable
//! (2026-07-28 basic § `$ref` Resolution).

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::api::calls::{FieldError, Validation};

/// More errors than this help nobody.
const MOST_ERRORS: usize = 50;

/// Checks `value` against `schema`, both JSON texts.
pub fn validate(schema: &str, value: &str) -> Validation {
    let schema: Value = match serde_json::from_str(schema) {
        Ok(schema) => schema,
        Err(error) => return unusable(format!("The schema is not JSON: {error}.")),
    };
    let instance: Value = match serde_json::from_str(value) {
        Ok(value) => value,
        Err(error) => {
            return Validation {
                errors: vec![FieldError {
                    pointer: String::new(),
                    keyword: "json".to_owned(),
                    message: format!("This is not valid JSON: {error}."),
                }],
                schema_problem: None,
            };
        }
    };
    let validator = match jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
    {
        Ok(validator) => validator,
        Err(error) => {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() {
                "the top".to_owned()
            } else {
                place
            };
            return unusable(format!("The schema cannot be used, at {place}: {error}."));
        }
    };
    let errors = validator
        .iter_errors(&instance)
        .take(MOST_ERRORS)
        .map(|error| describe(&error))
        .collect();
    Validation {
        errors,
        schema_problem: None,
    }
}

fn unusable(problem: String) -> Validation {
    Validation {
        errors: Vec::new(),
        schema_problem: Some(problem),
    }
}

fn describe(error: &jsonschema::ValidationError<'_>) -> FieldError {
    let mut pointer = error.instance_path().to_string();
    let kind = error.kind();
    let message = match kind {
        ValidationErrorKind::Required { property } => {
            let name = property
                .as_str()
                .map_or_else(|| property.to_string(), str::to_owned);
            pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            "This is required.".to_owned()
        }
        ValidationErrorKind::MinLength { limit } => {
            format!("Enter at least {}.", count(*limit, "character"))
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("Enter at most {}.", count(*limit, "character"))
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("Choose or add at least {}.", count(*limit, "item"))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("Choose or add at most {}.", count(*limit, "item"))
        }
        ValidationErrorKind::Minimum { limit } => format!("Enter {limit} or more."),
        ValidationErrorKind::Maximum { limit } => format!("Enter {limit} or less."),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("Enter more than {limit}."),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("Enter less than {limit}."),
        ValidationErrorKind::MultipleOf { multiple_of } => {
            format!("Enter a multiple of {multiple_of}.")
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("This does not match the pattern {pattern}.")
        }
        ValidationErrorKind::Format { format } => format_words(format),
        ValidationErrorKind::Enum { .. } => "Choose one of the given values.".to_owned(),
        ValidationErrorKind::Constant { expected_value } => {
            format!("This must be {expected_value}.")
        }
        ValidationErrorKind::UniqueItems => "Each item must be different.".to_owned(),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("The schema does not allow {}.", unexpected.join(", "))
        }
        ValidationErrorKind::Type { .. } => format!("{error}."),
        _ => {
            let text = error.to_string();
            let cut: String = text.chars().take(300).collect();
            if cut.len() < text.len() {
                format!("{cut}…")
            } else {
                cut
            }
        }
    };
    FieldError {
        pointer,
        keyword: kind.keyword().to_owned(),
        message,
    }
}

fn count(limit: u64, noun: &str) -> String {
    if limit == 1 {
        format!("1 {noun}")
    } else {
        format!("{limit} {noun}s")
    }
}

fn format_words(format: &str) -> String {
    match format {
        "email" => "Enter an email address, like name@example.com.".to_owned(),
        "uri" => "Enter a whole address, like https://example.com/page.".to_owned(),
        "date" => "Enter a date, like 2026-12-04.".to_owned(),
        "date-time" => "Enter a date and time, like 2026-12-04T18:30:00Z.".to_owned(),
        other => format!("This is not a valid {other}."),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::validate;

    /// One line of the table that the form's own test runs over: what a person did, and what is sent for it.
    #[derive(Deserialize)]
    struct Case {
        says: String,
        schema: String,
        #[serde(default)]
        sent: Option<String>,
        #[serde(default)]
        refused: Vec<(String, String)>,
    }

    #[test]
    fn what_forms_send_is_judged_by_every_construct_of_the_restricted_schema() {
        let table = include_str!("../../../ui/src/components/form/model/restricted.json");
        let cases: Vec<Case> = serde_json::from_str(table).expect("the table");
        let sent = cases
            .iter()
            .filter_map(|case| Some((case, case.sent.as_ref()?)));
        let mut count = 0;
        for (case, sent) in sent {
            let found = validate(&case.schema, sent);
            assert_eq!(found.schema_problem, None, "{}", case.says);
            let errors: Vec<(String, String)> = found
                .errors
                .iter()
                .map(|error| (error.pointer.clone(), error.keyword.clone()))
                .collect();
            assert_eq!(errors, case.refused, "{}: {sent}", case.says);
            for error in &found.errors {
                assert!(
                    error.message.ends_with('.') && error.message.len() > 10,
                    "{}: {}",
                    case.says,
                    error.message
                );
            }
            count += 1;
        }
        assert!(count > 50, "{count}");
    }
}
