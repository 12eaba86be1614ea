//! Secrets: where they are kept, and how they stay out of everything else.
//!
//! A secret is known by its name. Its value exists in the store of the operating system and in the request that is
//! being sent; every event, log line and export passes a [`Redactor`], which puts the name in the value's place.
//!
//! - [`Keyring`] is the door to a store for asynchronous code; clones lead to the same store.
//! - [`SecretStore`] is the port behind it, with [`PlatformStore`] (Secret Service, Keychain, Credential Manager)
//!   and [`MemoryStore`].
//! - [`Redactor`] replaces values that it was told of, in the forms in which they travel; [`RedactedStream`] does so
//!   over pieces of a stream.
//!
//! Invariants:
//! - a platform store is used by one thread of its own, because a locked one may block for as long as a person lets
//!   its password dialog stand; whoever asks waits for a limited time;
//! - a store that is absent reads as empty and refuses to be written, in words that say what to try;
//! - no `Debug` and no error shows a value.
//!
//! Deliberately absent: a list of what a store holds. The platforms differ in it, so whoever keeps secrets keeps
//! their names.

mod error;
mod keyring;
mod memory;
mod parts;
mod platform;
mod redact;
mod store;

pub use error::SecretsError;
pub use keyring::Keyring;
pub use memory::MemoryStore;
pub use platform::PlatformStore;
pub use redact::{RedactedStream, Redactor};
pub use secrecy::SecretString;
pub use store::{Condition, SecretStore, StoreState};

/// A secret's value, for the one place that needs it. Do not keep, log or format it.
pub fn expose(secret: &SecretString) -> &str {
    secrecy::ExposeSecret::expose_secret(secret)
}
