//! Conversations with the real program: raw JSON lines over stdio, raw HTTP exchanges, and no MCP library on this side.

#![allow(clippy::unwrap_used)] // also in the helpers, which are tests too
#![allow(clippy::needless_pass_by_value)] // JSON is written where it is passed

mod booking;
mod chores;
mod command_line;
mod http;
mod legacy;
mod modern;
mod news;
mod offers;
mod pace;
mod protected;
mod support;
