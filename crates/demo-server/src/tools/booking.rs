//! Booking a table: a tool that must ask the person before it can answer.
//!
//! A client of 2026-07-28 gets the form in an `InputRequiredResult` and calls again with what the person said
//! (basic/patterns/mrtr); an older client gets an `elicitation/create` request while its call waits.

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitResult, ElicitationAction, Resource,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::asking::{ask, identity_of, is_modern, knows_forms, no_forms, reply_of, wait_for};
use super::form::{self, EnumStyle};
use super::{failed, without_number_formats};
use crate::bookings::{Booking, Bookings, Seating};
use crate::guide::Restaurant;
use crate::resources::BOOKINGS_URI;
use crate::server::DemoServer;

/// The key of the form among the input requests.
const DETAILS: &str = "details";

/// How often the form is asked before the tool gives up.
const MOST_ASKS: u32 = 3;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct BookInput {
    /// A restaurant of the guide, e.g. Trattoria Lucia.
    #[schemars(title = "Restaurant", length(min = 1))]
    restaurant: String,
    /// The day, as YYYY-MM-DD.
    #[schemars(title = "Date", extend("format" = "date", "x-mcp-header" = "Date"))]
    date: String,
    /// Anything the restaurant should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Notes", with = "String")]
    notes: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CancelInput {
    /// The booking's reference, e.g. RT-5F3A09.
    #[schemars(title = "Reference", length(min = 1))]
    reference: String,
}

/// How the asking ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Ending {
    Booked,
    Declined,
    Cancelled,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct BookOutput {
    status: Ending,
    restaurant: String,
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    party_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Seating")]
    seating: Option<Seating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    remind: Option<bool>,
}

/// A wish for a table that has been checked.
struct Wish {
    restaurant: &'static Restaurant,
    date: jiff::civil::Date,
    notes: Option<String>,
}

/// What the client carries from one round to the next. It is signed, and bound to the call that it belongs to.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    /// How often the form was asked.
    times: u32,
    /// The reference of the booking to be, so that a reply that is sent twice books once.
    reference: String,
}

/// What to do after a reply.
enum Next {
    Answer(CallToolResult),
    /// Ask once more, with this message.
    AskAgain(String),
}

#[tool_router(router = booking_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Book a table",
        description = "Books a table at a restaurant of the guide. Asks the person for the party size, the seating \
                       and an e-mail address before it books.",
        output_schema = rmcp::handler::server::tool::schema_for_output::<BookOutput>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = false, open_world_hint = false)
    )]
    async fn book_table(
        &self,
        Parameters(input): Parameters<BookInput>,
        RequestState(state): RequestState,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wish = match check(&input) {
            Ok(wish) => wish,
            Err(problem) => return Ok(failed(problem).into()),
        };
        if !knows_forms(&context) {
            return no_forms(&context);
        }
        if !is_modern(&context) {
            return self
                .ask_while_waiting(&wish, &context)
                .await
                .map(Into::into);
        }
        let reply = reply_of(&mut responses, DETAILS)?;
        self.ask_by_rounds(&input, &wish, state.as_deref(), reply)
    }

    #[tool(
        title = "Cancel a booking",
        description = "Takes a booking out of the book, for good.",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn cancel_booking(&self, Parameters(input): Parameters<CancelInput>) -> CallToolResult {
        match self.bookings.cancel(&input.reference) {
            Some(booking) => {
                self.notices.updated(BOOKINGS_URI);
                CallToolResult::success(vec![ContentBlock::text(format!(
                    "The table at {} on {} is free again.",
                    booking.restaurant, booking.date
                ))])
            }
            None => failed(format!(
                "There is no booking {:?}. The resource {BOOKINGS_URI} lists those that there are.",
                input.reference
            )),
        }
    }
}

impl DemoServer {
    /// One round of a client of 2026-07-28.
    fn ask_by_rounds(
        &self,
        input: &BookInput,
        wish: &Wish,
        state: Option<&str>,
        reply: Option<ElicitResult>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = identity_of("book_table", input)?;
        let asked = match state {
            None => Asked {
                times: 0,
                reference: Bookings::new_reference(),
            },
            Some(state) => self.open(state, &call)?,
        };
        let message = match reply {
            // Without a state nothing was asked yet, and answers to nothing are ignored.
            Some(reply) if asked.times > 0 => match self.weigh(wish, &asked, &reply) {
                Next::Answer(result) => return Ok(result.into()),
                Next::AskAgain(message) => message,
            },
            _ => wish.question(),
        };
        let asked = Asked {
            times: asked.times + 1,
            ..asked
        };
        let form = form::request(message, EnumStyle::Titled)?;
        Ok(ask([(DETAILS, form)], Some(self.seal(&asked, &call)?)))
    }

    /// The whole conversation with an older client, which answers while its call waits.
    async fn ask_while_waiting(
        &self,
        wish: &Wish,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let mut asked = Asked {
            times: 1,
            reference: Bookings::new_reference(),
        };
        let mut message = wish.question();
        loop {
            let form = form::request(message, EnumStyle::Plain)?;
            let reply = match wait_for(form, context).await? {
                Ok(reply) => reply,
                Err(failure) => return Ok(failure),
            };
            match self.weigh(wish, &asked, &reply) {
                Next::Answer(result) => return Ok(result),
                Next::AskAgain(again) => message = again,
            }
            asked.times += 1;
        }
    }

    /// Books, gives up, or asks again.
    fn weigh(&self, wish: &Wish, asked: &Asked, reply: &ElicitResult) -> Next {
        match reply.action {
            ElicitationAction::Accept => {}
            ElicitationAction::Decline => {
                return Next::Answer(wish.unbooked(
                    Ending::Declined,
                    "No table was booked: the form was declined.",
                ));
            }
            // Whatever later revisions add: nothing but `accept` agrees to a booking.
            _ => {
                return Next::Answer(wish.unbooked(
                    Ending::Cancelled,
                    "No table was booked: the form was closed.",
                ));
            }
        }
        match form::read(reply.content.as_ref()) {
            Ok(details) => {
                let booking = self.bookings.keep(Booking {
                    reference: asked.reference.clone(),
                    restaurant: wish.restaurant.name.to_owned(),
                    date: wish.date.to_string(),
                    party_size: details.party_size,
                    seating: details.seating,
                    email: details.email,
                    remind: details.remind,
                    notes: wish.notes.clone(),
                });
                self.notices.updated(BOOKINGS_URI);
                Next::Answer(booked(&booking))
            }
            Err(problems) if asked.times >= MOST_ASKS => Next::Answer(failed(format!(
                "No table was booked: the form was still wrong after {MOST_ASKS} times. {}",
                problems.join(" ")
            ))),
            Err(problems) => Next::AskAgain(format!("{} {}", problems.join(" "), wish.question())),
        }
    }
}

impl Wish {
    fn question(&self) -> String {
        format!(
            "A table at {} in {} on {}: how many people will come, and where would you like to sit?",
            self.restaurant.name, self.restaurant.city, self.date
        )
    }

    fn unbooked(&self, status: Ending, text: &str) -> CallToolResult {
        let output = BookOutput {
            status,
            restaurant: self.restaurant.name.to_owned(),
            date: self.date.to_string(),
            reference: None,
            party_size: None,
            seating: None,
            remind: None,
        };
        structured(vec![ContentBlock::text(text)], &output)
    }
}

fn booked(booking: &Booking) -> CallToolResult {
    let people = if booking.party_size == 1 {
        "one person".to_owned()
    } else {
        format!("{} people", booking.party_size)
    };
    let text = format!(
        "Booked a table for {people} at {} on {}. The reference is {}.",
        booking.restaurant, booking.date, booking.reference
    );
    let link = Resource::new(BOOKINGS_URI, "bookings")
        .with_title("Bookings")
        .with_mime_type("application/json");
    let output = BookOutput {
        status: Ending::Booked,
        restaurant: booking.restaurant.clone(),
        date: booking.date.clone(),
        reference: Some(booking.reference.clone()),
        party_size: Some(booking.party_size),
        seating: Some(booking.seating),
        remind: Some(booking.remind),
    };
    structured(
        vec![ContentBlock::text(text), ContentBlock::resource_link(link)],
        &output,
    )
}

fn structured(content: Vec<ContentBlock>, output: &BookOutput) -> CallToolResult {
    match serde_json::to_value(output) {
        Ok(value) => {
            let mut result = CallToolResult::success(content);
            result.structured_content = Some(value);
            result
        }
        Err(error) => failed(format!("The answer cannot be written as JSON: {error}.")),
    }
}

fn check(input: &BookInput) -> Result<Wish, String> {
    let restaurant = Restaurant::named_or_say(&input.restaurant)?;
    let date = input.date.trim();
    let date = date
        .parse::<jiff::civil::Date>()
        .map_err(|_| format!("{date:?} is not a day: write it as YYYY-MM-DD, e.g. 2026-12-04."))?;
    Ok(Wish {
        restaurant,
        date,
        notes: input.notes.clone(),
    })
}
