//! Bytes to frames to JSON-RPC messages.
//!
//! What every module here keeps to:
//!
//! * **Pure.** No I/O, no clock, no threads, no global state: the same bytes give the same answer.
//!   Whoever reads the bytes stamps the time ([`frame::Frame::at_micros`]).
//! * **Nothing fails.** Servers are the thing under inspection, so broken input is a result like
//!   any other: a reader returns what it could read and the [`message::Problem`]s it met. No
//!   input makes it panic, recurse without bound, or take more than linear time.
//! * **The bytes are the record.** The splitters cut a stream without losing or changing a byte
//!   (line endings of stdio lines aside), and a message borrows its values from those bytes as raw
//!   JSON: the order of keys, the digits of numbers, duplicate keys and white space survive.
//! * **Chunks do not matter.** A splitter gives the same pieces however the transport happened to
//!   cut the stream, and gives each as soon as its last byte is there.
//!
//! Deliberately absent: what MCP means by a method, a parameter or a header. That is `protocol`'s.

pub mod frame;
pub mod header;
pub mod http;
pub mod line;
pub mod message;
pub mod object;
pub mod outline;
pub mod pretty;
pub mod sse;
