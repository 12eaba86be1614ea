//! `roundtrip-cli` as scripts use it: the real program, its output and its exit codes.
#![cfg(unix)]

mod arguments;
mod calls;
mod prompts;
mod recordings;
mod scene;
