//! What the Model Context Protocol means: eras and revisions, identities, requests and their headers,
//! the rounds and pages of an operation, lists of tools, resources and prompts, results, how long answers may be used
//! again, and the rules behind findings.
//!
//! Invariants:
//! - **Pure.** No I/O, no clock, no randomness. Whoever drives an [`operation::Operation`] sends what it
//!   says and tells it what came; waits are asked for, never slept.
//! - **Faithful.** What a person or a server wrote goes on the wire as it was written: members are added
//!   to the raw text beside the others ([`request`], [`operation`]), never through a parsed value. Digits,
//!   key order, duplicate keys and escapes survive; only line breaks between tokens become spaces, because
//!   a stdio message is one line.
//! - **Total.** A server's answer of any shape gives a value and its problems or findings; nothing panics,
//!   and one bad entry never hides the good ones beside it.
//! - **Never on the person's behalf.** No prompt is answered here; [`operation`] only says what is asked.
//!
//! Deliberately absent: JSON Schema validation, transports, retries of lost requests, and any parsing of
//! `requestState` or cursors, which are opaque.

pub mod authorization;
pub mod caching;
pub mod capabilities;
pub mod completion;
pub mod elicitation;
pub mod era;
pub mod findings;
pub mod headers;
pub mod icons;
pub mod identity;
pub mod link;
pub mod listing;
pub mod mirror_check;
pub mod naming;
pub mod operation;
pub mod prompts;
pub mod request;
pub mod resources;
pub mod results;
pub mod retry;
pub mod rules;
pub mod sampling;
pub mod stream;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
pub mod uri_template;

mod base64;
mod fields;
mod mirror;
mod paging;
pub mod rounds;
mod text;
