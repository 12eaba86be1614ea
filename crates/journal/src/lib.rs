//! The journal: an append-only log of events, and what can be seen of it.
//!
//! [`log::Journal`] owns the log and the [`tree::OperationTree`] that subscribes to it. A
//! [`view::View`] is one person's look at the tree: a [`filter`], a set of unfolded operations, and a
//! window of [`row::Row`]s. [`search`] goes over the recorded bytes for it. [`details`] answers what the right pane
//! shows of a row. [`export`] takes a journal away as a file, and [`import`] brings one in.
//!
//! What holds here:
//!
//! * The log is the record. Every event that is appended can be read again by its
//!   [`event::EventSeq`], and a frame's bytes come back exactly as they were given. Rows, spans and
//!   totals are derived; a reopened recording derives the same.
//! * Nothing here parses a message. What a frame turned out to be is decided before it is
//!   appended and stands in its [`event::FrameRole`].
//! * Appending never fails and never waits for a reader. What the disk refuses stays in memory
//!   and in [`log::Journal::problem`].
//! * The memory of the index is a few words an event: the texts of notifications, stderr lines and
//!   replies are read from the log when a window shows them.
//! * There is no clock here: times come with the events, and "until now" with the question.
//! * One writer. Readers share a lock with it; a view is brought up to date by whoever holds it.

pub mod details;
pub mod event;
pub mod export;
pub mod filter;
pub mod findings;
pub mod import;
pub mod log;
mod record;
pub mod row;
mod rows;
pub mod search;
mod store;
pub mod summary;
mod text;
pub mod texts;
pub mod tree;
pub mod view;
