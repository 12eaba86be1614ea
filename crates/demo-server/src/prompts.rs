//! Prompts: texts for a model, made from a few arguments.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::guide::{self, RESTAURANTS, Restaurant};

/// The tones a review can have.
pub(crate) const TONES: &[&str] = &["brief", "enthusiastic", "honest", "poetic", "warm"];

/// The prompt that is there only while it is the season.
const SEASONAL: &str = "praise_truffles";

/// Every prompt.
pub(crate) fn all(is_in_season: bool) -> Vec<Prompt> {
    let mut all = vec![
        Prompt::new(
            "write_review",
            Some("Asks a model to review a restaurant of the guide, with its menu at hand."),
            Some(vec![
                PromptArgument::new("restaurant")
                    .with_title("Restaurant")
                    .with_description("A restaurant of the guide; the server completes the name.")
                    .with_required(true),
                PromptArgument::new("tone")
                    .with_title("Tone")
                    .with_description("How the review should sound; honest when left out.")
                    .with_required(false),
            ]),
        )
        .with_title("Write a review"),
        Prompt::new(
            "plan_evening",
            Some("Asks a model to plan an evening among the restaurants of a city."),
            Some(vec![
                PromptArgument::new("city")
                    .with_title("City")
                    .with_description("A city of the guide; the server completes the name.")
                    .with_required(true),
                PromptArgument::new("guests")
                    .with_title("Guests")
                    .with_description("How many people; two when left out.")
                    .with_required(false),
            ]),
        )
        .with_title("Plan an evening"),
    ];
    if is_in_season {
        all.push(
            Prompt::new(SEASONAL, Some("There only while it is the season."), None)
                .with_title("Praise truffles"),
        );
    }
    all
}

/// The prompt of that name with these arguments. What is wrong with them is an error -32602 (server/prompts § Error
/// Handling).
pub(crate) fn get(
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    match name {
        "write_review" => write_review(arguments),
        "plan_evening" => plan_evening(arguments),
        SEASONAL => Ok(GetPromptResult::new(vec![PromptMessage::new_text(
            Role::User,
            "Praise white truffles in two sentences.",
        )])),
        other => Err(invalid(format!(
            "there is no prompt named {other:?}: prompts/list says what there is"
        ))),
    }
}

fn write_review(arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let restaurant = required(arguments, "restaurant")?;
    let restaurant = Restaurant::named_or_say(restaurant).map_err(invalid)?;
    let tone = optional(arguments, "tone")?.unwrap_or("honest");
    let ask = format!(
        "Write a review of {} in {}, in a {tone} tone and at most 120 words. Mention one dish of its menu.",
        restaurant.name, restaurant.city
    );
    let mut result = GetPromptResult::new(vec![
        PromptMessage::new_text(Role::User, ask),
        PromptMessage::new_resource(
            Role::User,
            restaurant.menu_uri(),
            Some("text/markdown".to_owned()),
            Some(restaurant.menu()),
            None,
            None,
            None,
        ),
    ]);
    result.description = Some(format!("A {tone} review of {}", restaurant.name));
    Ok(result)
}

fn plan_evening(arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let city = required(arguments, "city")?;
    let found: Vec<_> = RESTAURANTS
        .iter()
        .filter(|restaurant| restaurant.city.eq_ignore_ascii_case(city.trim()))
        .collect();
    if found.is_empty() {
        return Err(invalid(format!(
            "the guide knows nothing in {city:?}; it knows {}",
            guide::cities().join(", ")
        )));
    }
    let guests = match optional(arguments, "guests")? {
        None => 2,
        Some(text) => text
            .trim()
            .parse::<u32>()
            .ok()
            .filter(|guests| (1..=12).contains(guests))
            .ok_or_else(|| {
                invalid(format!(
                    "guests must be a number from 1 to 12, not {text:?}"
                ))
            })?,
    };
    let names: Vec<_> = found.iter().map(|restaurant| restaurant.name).collect();
    let ask = format!(
        "Plan an evening in {} for {guests}: an aperitif, dinner and a walk. Choose among {}, and book the table with \
         the tool book_table.",
        found[0].city,
        names.join(", ")
    );
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, ask)]);
    result.description = Some(format!("An evening in {}", found[0].city));
    Ok(result)
}

fn required<'a>(arguments: Option<&'a JsonObject>, name: &str) -> Result<&'a str, ErrorData> {
    optional(arguments, name)?.ok_or_else(|| invalid(format!("the argument `{name}` is missing")))
}

/// An argument's text; an empty one counts as left out.
fn optional<'a>(
    arguments: Option<&'a JsonObject>,
    name: &str,
) -> Result<Option<&'a str>, ErrorData> {
    match arguments.and_then(|arguments| arguments.get(name)) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
        Some(other) => Err(invalid(format!(
            "the argument `{name}` must be a string, not {other}"
        ))),
    }
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}
