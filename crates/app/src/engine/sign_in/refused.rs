//! Refusals for want of a token or of permission: what is done about them before they are the operation's end.

use journal::event::{AttemptOutcome, ConnectionId, EventBody, OperationId};
use protocol::authorization::challenge;
use protocol::authorization::scope;

use crate::api::feed::PromptAsk;
use crate::api::sign_in::SignInHow;
use crate::engine::operation::{Purpose, Sent};
use crate::engine::prompts::Answers;
use crate::engine::retrying::Setback;
use crate::engine::state::Engine;
use crate::engine::streams::Again;
use tokio::time::Instant;

/// How often the sign-in is the answer to a refusal of one operation (2026-07-28 basic/authorization § Step-Up
/// Authorization Flow: no more than a few times).
const STEP_UPS: u32 = 2;
/// How often a token that came meanwhile is.
const RESENDS: u32 = 3;
/// What the question to sign in is called in the journal.
const QUESTION: &str = "sign-in";

/// What was done about an operation's refusals for want of a sign-in.
#[derive(Default)]
pub struct LettingIn {
    /// How often a sign-in was the answer.
    sign_ins: u32,
    /// How often it was sent again with a token that came meanwhile.
    resends: u32,
    /// A token was refreshed for its sake.
    was_refreshed: bool,
    /// The refusal that it waits for a sign-in with, and the scopes that are wanted.
    refusal: Option<(Setback, Vec<String>)>,
}

/// What is done about a refusal.
enum Plan {
    /// A newer token is there.
    SendAgain,
    /// A fresh one can be had without the person.
    Refresh,
    /// The person, or the client itself, signs in.
    SignIn { more: Vec<String> },
    /// Nothing.
    Leave,
}

impl Engine {
    /// Notes a refusal for a sign-in that the person may start.
    pub(in crate::engine) fn note_refusal(
        &mut self,
        connection: ConnectionId,
        status: u16,
        challenges: Vec<String>,
    ) {
        let Some(server) = self
            .connections
            .get(&connection)
            .filter(|connection| connection.is_over_http())
            .map(|connection| connection.server.clone())
        else {
            return;
        };
        let asks = challenge::for_tokens(&challenges).is_some_and(|one| one.wants_more_scope());
        if status == 401 || (status == 403 && asks) {
            self.sign_ins.of(&server).refusal = Some((status, challenges));
            self.sign_in_changed(&server);
        }
    }

    /// An attempt was refused with 401 or 403: what can be done about it is begun, and the operation waits for it. Gives
    /// false, and changes nothing, when the refusal stands.
    pub(in crate::engine) fn let_in(
        &mut self,
        operation: OperationId,
        status: u16,
        setback: &Setback,
    ) -> bool {
        let plan = self.plan_letting_in(operation, status);
        if matches!(plan, Plan::Leave) {
            return false;
        }
        let Some(active) = self.active.get(&operation) else {
            return false;
        };
        let connection = active.connection;
        let Some(server) = self
            .connections
            .get(&connection)
            .map(|connection| connection.server.clone())
        else {
            return false;
        };
        self.end_attempt(
            operation,
            AttemptOutcome::Transport {
                brief: setback.brief.clone(),
                message: setback.message.clone(),
            },
        );
        match plan {
            Plan::SendAgain => self.send_signed_in(operation),
            Plan::Refresh => {
                let is_under_way = self.sign_ins.of(&server).is_refreshing
                    || self.refresh_token(&server, connection);
                if is_under_way {
                    self.wait_for_token(
                        &server,
                        operation,
                        "the token is not taken: a fresh one is fetched",
                    );
                } else {
                    self.send_signed_in(operation);
                }
            }
            Plan::SignIn { more } => self.ask_to_sign_in(&server, operation, setback, more),
            Plan::Leave => {}
        }
        true
    }

    fn plan_letting_in(&mut self, operation: OperationId, status: u16) -> Plan {
        let Some(active) = self.active.get(&operation) else {
            return Plan::Leave;
        };
        let Some(attempt) = &active.current else {
            return Plan::Leave;
        };
        let (used, purpose) = (attempt.bearer, active.purpose);
        // What the person wrote is sent once; its refusal is its answer.
        if purpose == Purpose::Composed {
            return Plan::Leave;
        }
        let (sign_ins, resends, was_refreshed) = (
            active.letting_in.sign_ins,
            active.letting_in.resends,
            active.letting_in.was_refreshed,
        );
        let is_ours = active.sending.is_some()
            && !matches!(
                purpose,
                Purpose::Notification | Purpose::Served | Purpose::Process | Purpose::SignIn
            );
        let attempt_challenges = attempt.challenges.clone();
        let challenge = challenge::for_tokens(&attempt_challenges);
        let connection = active.connection;
        let Some(server) = self
            .connections
            .get(&connection)
            .map(|connection| connection.server.clone())
        else {
            return Plan::Leave;
        };
        if !is_ours || !self.signs_in(&server) {
            return Plan::Leave;
        }
        let present = self.pass(connection).map(|pass| pass.since);
        let grant = self
            .sign_ins
            .of(&server)
            .kept
            .clone()
            .and_then(|kept| kept.grant.clone());
        if status == 401 {
            let wants_nonce = used.is_some() && challenge::wants_nonce(&attempt_challenges);
            if (wants_nonce || present.is_some() && present != used) && resends < RESENDS {
                if let Some(active) = self.active.get_mut(&operation) {
                    active.letting_in.resends += 1;
                }
                return Plan::SendAgain;
            }
            let can_refresh = grant
                .as_ref()
                .is_some_and(|grant| grant.refresh_token.is_some());
            if used.is_some() && can_refresh && !was_refreshed {
                if let Some(active) = self.active.get_mut(&operation) {
                    active.letting_in.was_refreshed = true;
                }
                return Plan::Refresh;
            }
            // While connecting there is nothing to hold on to: the button to sign in stands at the server.
            if purpose == Purpose::Handshake || sign_ins >= 1 {
                return Plan::Leave;
            }
            return Plan::SignIn { more: Vec::new() };
        }
        let Some(challenge) = challenge.filter(challenge::Challenge::wants_more_scope) else {
            return Plan::Leave;
        };
        let held = grant
            .map(|grant| scope::union(&grant.requested, grant.granted.iter().map(String::as_str)))
            .unwrap_or_default();
        let more = scope::missing(&challenge.scopes(), &held);
        // Asking for what there is already would go round in circles.
        if more.is_empty() || purpose == Purpose::Handshake || sign_ins >= STEP_UPS {
            return Plan::Leave;
        }
        Plan::SignIn { more }
    }

    fn wait_for_token(&mut self, server: &str, operation: OperationId, reason: &str) {
        let Some(connection) = self.active.get(&operation).map(|active| active.connection) else {
            return;
        };
        self.record(
            connection,
            Some(operation),
            EventBody::WaitStarted {
                reason: reason.to_owned(),
            },
        );
        self.sign_ins.of(server).waiting.push(operation);
        self.publisher.touch(operation);
    }

    fn ask_to_sign_in(
        &mut self,
        server: &str,
        operation: OperationId,
        setback: &Setback,
        more: Vec<String>,
    ) {
        if let Some(active) = self.active.get_mut(&operation) {
            active.letting_in.sign_ins += 1;
            active.letting_in.refusal = Some((setback.clone(), more.clone()));
        }
        let sign_in = self.sign_ins.of(server);
        if sign_in.run.is_some() || sign_in.asked.is_some() {
            self.wait_for_token(
                server,
                operation,
                "the server wants a sign-in, which is under way",
            );
            return;
        }
        let needs_person = self
            .catalog
            .get(server)
            .is_none_or(|entry| entry.options.sign_in.how == SignInHow::Person);
        if !needs_person {
            self.sign_in_for(server, operation);
            return;
        }
        let issuer = self
            .sign_ins
            .of(server)
            .kept
            .as_ref()
            .and_then(|kept| kept.grant.as_ref())
            .map(|grant| grant.client.issuer.clone());
        let message = if more.is_empty() {
            "The server wants you to sign in before it answers this.".to_owned()
        } else {
            format!(
                "The server wants more permission for this: {}.",
                more.join(" ")
            )
        };
        self.sign_ins.of(server).asked = Some(operation);
        self.open_prompt(
            (operation, operation),
            Answers::SignIn {
                setback: setback.clone(),
            },
            QUESTION,
            QUESTION,
            (message, PromptAsk::SignIn { more, issuer }),
        );
    }

    /// The person has said whether to sign in.
    pub(in crate::engine) fn sign_in_answered(
        &mut self,
        operation: OperationId,
        setback: Setback,
        is_wanted: bool,
    ) {
        let Some(server) = self
            .active
            .get(&operation)
            .and_then(|active| self.connections.get(&active.connection))
            .map(|connection| connection.server.clone())
        else {
            return;
        };
        self.sign_ins.of(&server).asked = None;
        if is_wanted {
            self.sign_in_for(&server, operation);
            return;
        }
        self.fail(operation, &setback.brief, setback.message, setback.hint);
        self.give_up(&server, "It was not wanted.", None);
    }

    fn sign_in_for(&mut self, server: &str, operation: OperationId) {
        let Some(connection) = self.active.get(&operation).map(|active| active.connection) else {
            return;
        };
        self.wait_for_token(server, operation, "waiting for the sign-in");
        if let Err(error) = self.start_sign_in(server, Some(connection), false, None) {
            self.give_up(server, &error.message, error.hint.as_deref());
        }
    }

    /// The operation that asked is over; of those that waited with it, another asks.
    pub(super) fn ask_for_the_next(&mut self, server: &str) {
        let sign_in = self.sign_ins.of(server);
        if sign_in.run.is_some() || sign_in.is_refreshing || sign_in.waiting.is_empty() {
            return;
        }
        let next = sign_in.waiting.remove(0);
        let Some((connection, refusal)) = self
            .active
            .get(&next)
            .map(|active| (active.connection, active.letting_in.refusal.clone()))
        else {
            return;
        };
        self.record(connection, Some(next), EventBody::WaitEnded);
        match refusal {
            Some((setback, more)) => {
                if let Some(active) = self.active.get_mut(&next) {
                    active.letting_in.sign_ins -= 1;
                }
                self.ask_to_sign_in(server, next, &setback, more);
            }
            None => self.send_signed_in(next),
        }
    }

    /// Sends the round again, as no retry: nothing failed on the way.
    pub(super) fn send_signed_in(&mut self, operation: OperationId) {
        self.send_round_again(operation);
        if let Some(active) = self.active.get_mut(&operation) {
            active.retries = active.retries.saturating_sub(1);
        }
    }

    /// Keeps a request back until a fresh token is there.
    pub(in crate::engine) fn keep_for_token(
        &mut self,
        operation: OperationId,
        place: (u32, u32),
        request_id: Option<u64>,
        sent: Sent,
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let deadline = Instant::now() + active.limit;
        let Some(server) = self
            .connections
            .get(&active.connection)
            .map(|connection| connection.server.clone())
        else {
            return;
        };
        self.sign_ins.of(&server).waiting.push(operation);
        let again = Again::new(place, request_id, sent, deadline);
        self.send_after(
            operation,
            again,
            None,
            "The access token runs out; a fresh one is fetched first".to_owned(),
        );
    }
}
