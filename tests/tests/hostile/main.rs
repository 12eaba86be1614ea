//! Peers that break every rule: each table row is one fault, how it is played, and what a person reads of it. For each
//! row the runner (`play.rs`) also looks that it ends, that other connections of the same core go on, and that nothing
//! is left of it: no process, no socket, no running row.
#![cfg(target_os = "linux")]

mod acts;
mod bodies;
mod connections;
mod fault;
mod floods;
mod handshakes;
mod heads;
mod leftovers;
mod lengths;
mod messages;
mod play;
mod processes;
mod replies;
mod statuses;
mod streams;
