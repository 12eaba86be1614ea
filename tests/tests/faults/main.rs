//! Bad input and odd peers: each ends in words that say what failed, where, and what to try, at the place of action
//! and as a row of the timeline; and what can go on goes on.
#![cfg(unix)]

mod about;
mod advertised;
mod batches;
mod bytes;
mod canary;
mod catalog_file;
mod endpoints;
mod eras;
mod interruptions;
mod kept_links;
mod legacy;
mod limits;
mod links;
mod lists;
mod locker;
mod offers;
mod old_transport;
mod processes;
mod recordings;
mod refusals;
mod results;
mod retries;
mod revisions;
mod sampling;
mod secret_list;
mod secrets;
mod sessions;
mod streams;
mod subscriptions;
mod tasks;
mod windows;
