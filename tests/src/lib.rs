//! What tests share that go beyond one crate: `tests/` holds them, one file a subject.
//!
//! `window` drives the real window and runs on a stage of its own (`cargo xtask test --only window`); all others are
//! integration tests and run anywhere.
#![expect(
    clippy::missing_panics_doc,
    reason = "what tests share panics as tests do"
)]

pub mod browser;
pub mod core;
pub mod document;
pub mod listener;
pub mod listening;
pub mod needles;
pub mod person;
pub mod programs;
#[cfg(target_os = "linux")]
pub mod secret_service;
#[cfg(target_os = "linux")]
pub mod window;
