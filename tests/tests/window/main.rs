//! The real window, driven as a person would: by mouse and keyboard, reading what the page shows.
#![cfg(target_os = "linux")]

mod adding;
mod attention;
mod calls;
mod offers;
mod page;
mod pages;
mod prompts;
mod secrets;
mod sign_in;
mod tasks;
mod timeline;
mod viewers;
