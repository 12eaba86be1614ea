//! Signing in to a server over HTTP: OAuth 2.1 as 2026-07-28 basic/authorization has it, and the 2025-11-25 revision
//! before it.
//!
//! [`flow::Flow`] is the whole of it as a state machine: it says the next step, is told what came, and keeps a
//! [`trace::Trace`] of each step with what was checked and what decided the next one. Whoever drives it sends the
//! requests, opens the browser, signs and draws random values.
//!
//! Invariants:
//! - **Nothing unchecked is used.** A document that breaks a rule which protects the person (issuer, resource, PKCE,
//!   `iss`, `state`) ends the flow; what is only untidy is a warning in the trace.
//! - **Credentials know whose they are.** A [`client::Client`] and a [`token::Grant`] carry their issuer, and are used
//!   with no other (client-registration § Authorization Server Binding).
//! - **No token in a trace.** What traces quote of requests and replies leaves out codes, tokens and secrets.
//!
//! Deliberately absent: the verification of signatures. Tokens are opaque to a client; [`claims`] reads one only to
//! show it.

pub mod challenge;
pub mod claims;
pub mod client;
pub mod discovery;
pub mod documents;
pub mod flow;
pub mod proof;
pub mod redirect;
pub mod scope;
pub mod token;
pub mod trace;
