//! What the protocol's rules make of what servers send, read as transcripts.

mod answers;
mod browser;
mod caching;
mod capabilities;
mod elicitation;
mod eras;
mod findings;
mod handshake;
mod headers;
mod hostile;
mod identity;
mod links;
mod listing;
mod mirror;
mod offers;
mod pages;
mod refusals;
mod requests;
mod results;
mod retry;
mod rounds;
mod script;
mod streams;
mod tasks;
mod tools;
mod uri_templates;
