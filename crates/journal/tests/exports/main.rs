//! What is taken away as a file, and brought in again.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

#[path = "../common/mod.rs"]
mod common;
mod files;
mod har;
mod hostile;
mod pages;
mod session;
