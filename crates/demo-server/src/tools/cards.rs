//! Tools that ask with forms: one with every kind of field, two at once, and three after each other.

use std::ops::ControlFlow;

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ElicitRequestParams, ElicitResult, ElicitationAction,
    ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::asking::{
    By, answer, ask, form, identity_of, is_modern, knows_forms, no_forms, reply_of,
    restaurant_to_ask_about, speaks, wait_for,
};
use crate::guide::Restaurant;
use crate::server::DemoServer;

/// The key of the guest card among the input requests.
const CARD: &str = "card";
/// The keys of the two forms that come in one round.
const HOST: &str = "host";
const TABLE: &str = "table";

/// What the guest card has as the member's number: more digits than a double keeps.
const MEMBER_NUMBER: i64 = 9_007_199_254_740_993;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct CardInput {
    /// Nothing on the card must be filled in.
    #[serde(default)]
    #[schemars(title = "All optional")]
    all_optional: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct SeatInput {
    /// A restaurant of the guide, e.g. Trattoria Lucia.
    #[schemars(title = "Restaurant", length(min = 1))]
    restaurant: String,
}

/// The courses that were chosen so far. The client carries them from round to round.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Courses {
    chosen: Vec<String>,
}

const COURSES: [&str; 3] = ["starter", "main", "dessert"];

#[tool_router(router = card_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Fill in a guest card",
        description = "Asks for a guest card: a form with every kind of field that the client's revision knows. Gives \
                       back what was filled in, as it came. It has no request state: the answer is all that the second \
                       call needs.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn guest_card(
        &self,
        Parameters(input): Parameters<CardInput>,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !knows_forms(&context) {
            return no_forms(&context);
        }
        let has_lists = speaks(&context, &ProtocolVersion::V_2025_11_25);
        let card = card(&input, has_lists)?;
        if !is_modern(&context) {
            return Ok(match wait_for(card, &context).await? {
                Ok(reply) => filled_in(&reply).into(),
                Err(failure) => failure.into(),
            });
        }
        match reply_of(&mut responses, CARD)? {
            Some(reply) => Ok(filled_in(&reply).into()),
            None => Ok(ask([(CARD, card)], None)),
        }
    }

    #[tool(
        title = "Seat a party",
        description = "Asks two forms at once: who is the host, and which table it shall be. A client of 2026-07-28 gets \
                       both in one round, an older one as two requests at the same time.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn seat_party(
        &self,
        Parameters(input): Parameters<SeatInput>,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let restaurant = match restaurant_to_ask_about(&input.restaurant, By::Forms, &context) {
            ControlFlow::Continue(restaurant) => restaurant,
            ControlFlow::Break(over) => return over,
        };
        let (host, table) = (host_form(restaurant)?, table_form(restaurant)?);
        if !is_modern(&context) {
            let (host, table) = tokio::join!(wait_for(host, &context), wait_for(table, &context));
            return Ok(match (host?, table?) {
                (Ok(host), Ok(table)) => seated(restaurant, &host, &table).into(),
                (Err(failure), _) | (_, Err(failure)) => failure.into(),
            });
        }
        let replies = (
            reply_of(&mut responses, HOST)?,
            reply_of(&mut responses, TABLE)?,
        );
        match replies {
            (Some(host), Some(table)) => Ok(seated(restaurant, &host, &table).into()),
            // What is missing is asked for again, and only that would need an answer; both are asked, because nothing
            // is kept of the one that came (basic/patterns/mrtr § Error Handling).
            _ => Ok(ask([(HOST, host), (TABLE, table)], None)),
        }
    }

    #[tool(
        title = "Compose a menu",
        description = "Asks for a starter, a main course and a dessert, one form after the other. The choices travel in \
                       a request state that is another one in each round.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn compose_menu(
        &self,
        Parameters(input): Parameters<SeatInput>,
        RequestState(state): RequestState,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let restaurant = match restaurant_to_ask_about(&input.restaurant, By::Forms, &context) {
            ControlFlow::Continue(restaurant) => restaurant,
            ControlFlow::Break(over) => return over,
        };
        if !is_modern(&context) {
            let mut courses = Courses::default();
            while let Some(course) = courses.next() {
                let question = course_form(restaurant, course, &courses)?;
                let reply = match wait_for(question, &context).await? {
                    Ok(reply) => reply,
                    Err(failure) => return Ok(failure.into()),
                };
                if let Some(over) = courses.take(restaurant, &reply) {
                    return Ok(over.into());
                }
            }
            return Ok(courses.menu(restaurant).into());
        }
        let call = identity_of("compose_menu", &input)?;
        let mut courses = match state.as_deref() {
            None => Courses::default(),
            Some(state) => self.open::<Courses>(state, &call)?,
        };
        // Without a state nothing was asked yet, and answers to nothing are ignored.
        if let (Some(_), Some(course)) = (&state, courses.next())
            && let Some(reply) = reply_of(&mut responses, course)?
            && let Some(over) = courses.take(restaurant, &reply)
        {
            return Ok(over.into());
        }
        match courses.next() {
            None => Ok(courses.menu(restaurant).into()),
            Some(course) => {
                let question = course_form(restaurant, course, &courses)?;
                Ok(ask([(course, question)], Some(self.seal(&courses, &call)?)))
            }
        }
    }
}

impl Courses {
    /// The course that is still to be chosen.
    fn next(&self) -> Option<&'static str> {
        COURSES.get(self.chosen.len()).copied()
    }

    /// Takes a choice; gives the result when there is to be no menu.
    fn take(&mut self, restaurant: &Restaurant, reply: &ElicitResult) -> Option<CallToolResult> {
        if reply.action != ElicitationAction::Accept {
            let words = format!(
                "No menu was composed: the question about the {} was {}.",
                self.next().unwrap_or("menu"),
                ending(reply)
            );
            let data = json!({ "status": ending(reply), "courses": self.chosen });
            return Some(answer(words, data));
        }
        let chosen = said(reply, "dish").and_then(Value::as_str);
        let dishes = restaurant.dishes.iter().map(|(dish, _)| *dish);
        // A choice that is not on the menu is asked for again.
        let dish = dishes
            .into_iter()
            .find(|dish| chosen == Some(dish) && !self.chosen.iter().any(|one| one == dish))?;
        self.chosen.push(dish.to_owned());
        None
    }

    fn menu(&self, restaurant: &Restaurant) -> CallToolResult {
        let words = format!(
            "The menu at {}: {}.",
            restaurant.name,
            self.chosen.join(", then ")
        );
        answer(
            words,
            json!({ "status": "accepted", "courses": self.chosen }),
        )
    }
}

/// The guest card. Arrays and titled choices came with 2025-11-25; an older client gets what it knows.
fn card(input: &CardInput, has_lists: bool) -> Result<ElicitRequestParams, ErrorData> {
    let mut fields = Map::new();
    let mut add = |name: &str, schema: Value| fields.insert(name.to_owned(), schema);
    add(
        "name",
        json!({ "type": "string", "title": "Name", "description": "As it shall stand on the table card.",
                "minLength": 2, "maxLength": 60 }),
    );
    add(
        "email",
        json!({ "type": "string", "title": "E-mail", "format": "email" }),
    );
    add(
        "website",
        json!({ "type": "string", "title": "Website", "format": "uri" }),
    );
    add(
        "birthday",
        json!({ "type": "string", "title": "Birthday", "format": "date" }),
    );
    add(
        "arrival",
        json!({ "type": "string", "title": "Arrival", "description": "When the party comes, with the time zone.",
                "format": "date-time" }),
    );
    add(
        "guests",
        json!({ "type": "integer", "title": "Guests", "minimum": 1, "maximum": 12 }),
    );
    add(
        "member_number",
        json!({ "type": "integer", "title": "Member number", "description": "It has more digits than a double keeps.",
                "default": MEMBER_NUMBER }),
    );
    add(
        "tip_percent",
        json!({ "type": "number", "title": "Tip in percent", "minimum": 0, "maximum": 30, "default": 12.5 }),
    );
    add(
        "newsletter",
        json!({ "type": "boolean", "title": "Newsletter", "description": "No answer is an answer, too." }),
    );
    add(
        "high_chair",
        json!({ "type": "boolean", "title": "High chair", "default": false }),
    );
    add(
        "seating",
        json!({ "type": "string", "title": "Seating", "enum": ["indoors", "terrace", "bar"], "default": "terrace" }),
    );
    add(
        "occasion",
        json!({ "type": "string", "title": "Occasion", "enum": ["birthday", "wedding", "none"],
                "enumNames": ["A birthday", "A wedding", "No occasion"] }),
    );
    add(
        "country",
        json!({ "type": "string", "title": "Country", "description": "More than can be shown at once.",
                "enum": ["Austria", "Belgium", "Czechia", "Denmark", "France", "Germany", "Italy", "Japan", "Portugal",
                         "Slovenia", "Spain", "Switzerland"] }),
    );
    if has_lists {
        add(
            "wine",
            json!({ "type": "string", "title": "Wine", "oneOf": [
                { "const": "#7b1e3a", "title": "Red" },
                { "const": "#e9e3b4", "title": "White" },
                { "const": "#f4b9b8", "title": "Rosé" }
            ] }),
        );
        add(
            "diets",
            json!({ "type": "array", "title": "Diets", "maxItems": 2,
                    "items": { "type": "string", "enum": ["vegan", "vegetarian", "gluten-free"] },
                    "default": ["vegetarian"] }),
        );
        add(
            "allergies",
            json!({ "type": "array", "title": "Allergies", "minItems": 1, "items": { "anyOf": [
                { "const": "a1", "title": "Nuts" },
                { "const": "a2", "title": "Milk" },
                { "const": "a3", "title": "Shellfish" },
                { "const": "none", "title": "None" }
            ] } }),
        );
    }
    let required = match (input.all_optional, has_lists) {
        (true, _) => json!([]),
        (false, true) => json!(["name", "guests", "allergies"]),
        (false, false) => json!(["name", "guests"]),
    };
    let schema = json!({ "type": "object", "properties": fields, "required": required });
    form("Please fill in the guest card.".to_owned(), schema)
}

fn host_form(restaurant: &Restaurant) -> Result<ElicitRequestParams, ErrorData> {
    form(
        format!("Who is the host at {}?", restaurant.name),
        json!({
            "type": "object",
            "properties": { "name": { "type": "string", "title": "Host", "minLength": 1 } },
            "required": ["name"]
        }),
    )
}

fn table_form(restaurant: &Restaurant) -> Result<ElicitRequestParams, ErrorData> {
    form(
        format!("Which table at {} shall it be?", restaurant.name),
        json!({
            "type": "object",
            "properties": {
                "table": { "type": "integer", "title": "Table", "minimum": 1, "maximum": 20 },
                "by_the_window": { "type": "boolean", "title": "By the window" }
            },
            "required": ["table"]
        }),
    )
}

/// The question about one course: what is left of the menu.
fn course_form(
    restaurant: &Restaurant,
    course: &str,
    courses: &Courses,
) -> Result<ElicitRequestParams, ErrorData> {
    let left: Vec<&str> = restaurant
        .dishes
        .iter()
        .map(|(dish, _)| *dish)
        .filter(|dish| !courses.chosen.iter().any(|chosen| chosen == dish))
        .collect();
    let before = match courses.chosen.as_slice() {
        [] => String::new(),
        chosen => format!("After {}: ", chosen.join(" and ")),
    };
    form(
        format!("{before}which {course} shall it be?"),
        json!({
            "type": "object",
            "properties": { "dish": { "type": "string", "title": "Dish", "enum": left } },
            "required": ["dish"]
        }),
    )
}

fn said<'a>(reply: &'a ElicitResult, name: &str) -> Option<&'a Value> {
    reply.content.as_ref()?.get(name)
}

/// What the person did, in a word.
fn ending(reply: &ElicitResult) -> &'static str {
    match reply.action {
        ElicitationAction::Accept => "accepted",
        ElicitationAction::Decline => "declined",
        // Whatever later revisions add: nothing but these two is a choice.
        _ => "cancelled",
    }
}

/// The card as it came back.
fn filled_in(reply: &ElicitResult) -> CallToolResult {
    let status = ending(reply);
    if reply.action != ElicitationAction::Accept {
        let words = format!("There is no guest card: it was {status}.");
        return answer(words, json!({ "status": status }));
    }
    let card = reply.content.clone().unwrap_or_else(|| json!({}));
    let count = card.as_object().map_or(0, Map::len);
    let words = match count {
        0 => "The guest card came back empty.".to_owned(),
        1 => "One field of the guest card was filled in.".to_owned(),
        count => format!("{count} fields of the guest card were filled in."),
    };
    answer(words, json!({ "status": status, "card": card }))
}

fn seated(restaurant: &Restaurant, host: &ElicitResult, table: &ElicitResult) -> CallToolResult {
    let data = json!({
        "host": { "status": ending(host), "content": host.content },
        "table": { "status": ending(table), "content": table.content },
    });
    let words = match (
        said(host, "name").and_then(Value::as_str),
        said(table, "table"),
    ) {
        (Some(name), Some(number)) => {
            format!(
                "{name} and the party sit at table {number} of {}.",
                restaurant.name
            )
        }
        _ => format!(
            "Nobody was seated: the host's form was {}, the table's {}.",
            ending(host),
            ending(table)
        ),
    };
    answer(words, data)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CardInput, MEMBER_NUMBER, card};

    #[test]
    fn the_card_keeps_its_order_its_digits_and_every_kind_of_field() {
        for (has_lists, count) in [(true, 16), (false, 13)] {
            let input = CardInput {
                all_optional: false,
            };
            let form = serde_json::to_value(card(&input, has_lists).unwrap()).unwrap();
            let schema = &form["requestedSchema"];
            let properties = schema["properties"].as_object().unwrap();
            let names: Vec<_> = properties.keys().collect();
            assert_eq!(names.len(), count);
            assert_eq!(names[..3], ["name", "email", "website"]);
            assert_eq!(properties["member_number"]["default"], MEMBER_NUMBER);
            assert_eq!(properties["occasion"]["enumNames"][0], "A birthday");
            assert_eq!(properties.contains_key("allergies"), has_lists);
        }
        let form = card(&CardInput { all_optional: true }, true).unwrap();
        let form = serde_json::to_value(form).unwrap();
        assert_eq!(form["requestedSchema"]["required"], json!([]));
    }
}
