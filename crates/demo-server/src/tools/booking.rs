//! Booking a table: a tool that must ask the person before it can answer.
//!
//! A client of 2026-07-28 gets the form in an `InputRequiredResult` and calls again with what the person said
//! (basic/patterns/mrtr); an older client gets an `elicitation/create` request while its call waits.

use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, ElicitRequest,
    ElicitResult, ElicitationAction, ElicitationCapability, FormElicitationCapability,
    InputRequest, InputRequests, InputRequiredResult, ProtocolVersion, Resource, SealOptions,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// How long a person may take with the form.
const PATIENCE: Duration = Duration::from_mins(30);

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
        InputResponses(responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wish = match check(&input) {
            Ok(wish) => wish,
            Err(problem) => return Ok(failed(problem).into()),
        };
        let is_modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if !is_modern {
            return self
                .ask_while_waiting(&wish, &context)
                .await
                .map(Into::into);
        }
        let reply = responses.unwrap_or_default().remove(DETAILS);
        self.ask_by_rounds(&input, &wish, state.as_deref(), reply, &context)
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
        reply: Option<serde_json::Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !knows_forms(context) {
            let mut required = ClientCapabilities::default();
            required.elicitation = Some(
                ElicitationCapability::default().with_form(FormElicitationCapability::default()),
            );
            return Err(ErrorData::missing_required_client_capability(required));
        }
        let call = identity_of(input)?;
        let asked = match state {
            None => Asked { times: 0, reference: Bookings::new_reference() },
            Some(state) => self.request_states.open_json_with(state, &call).map_err(|error| {
                ErrorData::invalid_params(
                    format!("the requestState is not one that this server gave out for this call: {error}"),
                    None,
                )
            })?,
        };
        let message = match reply {
            // Without a state nothing was asked yet, and answers to nothing are ignored.
            Some(reply) if asked.times > 0 => {
                let reply: ElicitResult = serde_json::from_value(reply).map_err(|error| {
                    ErrorData::invalid_params(
                        format!("inputResponses.{DETAILS} is not an answer: {error}"),
                        None,
                    )
                })?;
                match self.weigh(wish, &asked, &reply) {
                    Next::Answer(result) => return Ok(result.into()),
                    Next::AskAgain(message) => message,
                }
            }
            _ => wish.question(),
        };
        let asked = Asked {
            times: asked.times + 1,
            ..asked
        };
        let state = self
            .request_states
            .seal_json_with(
                &asked,
                &SealOptions::new().associated_data(&call).ttl(PATIENCE),
            )
            .map_err(|error| {
                ErrorData::internal_error(format!("the state cannot be sealed: {error}"), None)
            })?;
        let form = InputRequest::Elicitation(ElicitRequest::new(form::request(
            message,
            EnumStyle::Titled,
        )?));
        let requests = InputRequests::from([(DETAILS.to_owned(), form)]);
        Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
    }

    /// The whole conversation with an older client, which answers while its call waits.
    async fn ask_while_waiting(
        &self,
        wish: &Wish,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if !knows_forms(context) {
            return Ok(failed(
                "This client has not said that it can show forms (the capability elicitation), so the party size \
                 cannot be asked for.",
            ));
        }
        let mut asked = Asked {
            times: 1,
            reference: Bookings::new_reference(),
        };
        let mut message = wish.question();
        loop {
            let form = form::request(message, EnumStyle::Plain)?;
            let reply = tokio::select! {
                reply = context.peer.create_elicitation_with_timeout(form, Some(PATIENCE)) => reply,
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled by the caller", None)),
            };
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => {
                    return Ok(failed(format!(
                        "The form came back without an answer: {error}."
                    )));
                }
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

fn knows_forms(context: &RequestContext<RoleServer>) -> bool {
    // A client that names no mode knows forms (client/elicitation § Capabilities).
    context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// What a state belongs to: this method, this tool, these arguments.
fn identity_of(input: &BookInput) -> Result<Vec<u8>, ErrorData> {
    serde_json::to_vec(&("tools/call", "book_table", input)).map_err(|error| {
        ErrorData::internal_error(format!("the call cannot be identified: {error}"), None)
    })
}
