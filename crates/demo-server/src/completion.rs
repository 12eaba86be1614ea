//! Completion of the arguments of prompts and of the resource template (server/utilities/completion).

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use crate::guide::{self, RESTAURANTS};
use crate::prompts::TONES;
use crate::resources::MENU_TEMPLATE;

/// The values that fit what was typed so far: those that start with it come first, then those that hold it.
pub(crate) fn complete(request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument.name.as_str();
    let candidates: Vec<&str> = match &request.r#ref {
        Reference::Prompt(prompt) => match (prompt.name.as_str(), argument) {
            ("write_review", "restaurant") => restaurant_names(),
            ("write_review", "tone") => TONES.to_vec(),
            ("plan_evening", "city") => guide::cities(),
            ("plan_evening", "guests") => vec!["2", "4", "6", "8"],
            ("write_review" | "plan_evening", _) => Vec::new(),
            (other, _) => return Err(unknown(&format!("prompt named {other:?}"))),
        },
        Reference::Resource(template) => match (template.uri.as_str(), argument) {
            (MENU_TEMPLATE, "name") => restaurant_names(),
            (MENU_TEMPLATE, _) => Vec::new(),
            (other, _) => return Err(unknown(&format!("resource template {other:?}"))),
        },
        _ => return Err(unknown("such kind of reference")),
    };
    let typed = request.argument.value.trim().to_lowercase();
    let mut fitting: Vec<_> = candidates
        .into_iter()
        .filter(|candidate| candidate.to_lowercase().contains(&typed))
        .collect();
    fitting.sort_by_key(|candidate| !candidate.to_lowercase().starts_with(&typed));
    let completion =
        CompletionInfo::with_all_values(fitting.into_iter().map(str::to_owned).collect())
            .map_err(|problem| ErrorData::internal_error(problem, None))?;
    Ok(CompleteResult::new(completion))
}

fn restaurant_names() -> Vec<&'static str> {
    RESTAURANTS
        .iter()
        .map(|restaurant| restaurant.name)
        .collect()
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no {what}"), None)
}
