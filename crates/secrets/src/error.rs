//! What can go wrong with a store, in words for the person who uses the app.

use std::time::Duration;

/// Why a secret could not be read, kept or deleted. Each says what to try.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretsError {
    /// The machine has no such store, or it cannot be reached.
    #[error(
        "{store} cannot be reached ({why}). Start a keyring, such as GNOME Keyring or KWallet, in this session and try \
         again, or enter the value anew in each session."
    )]
    Absent {
        /// The store's name.
        store: &'static str,
        /// What the platform said.
        why: String,
    },
    /// The store asks for its own password, and nobody has given it yet.
    #[error(
        "{store} has not answered within {} s; it may be waiting for its password. Unlock it and try again.",
        waited.as_secs_f32()
    )]
    Silent {
        /// The store's name.
        store: &'static str,
        /// For how long it was waited.
        waited: Duration,
    },
    /// The store is locked, or its password dialog was closed.
    #[error("{store} is locked ({why}). Unlock it and try again.")]
    Locked {
        /// The store's name.
        store: &'static str,
        /// What the platform said.
        why: String,
    },
    /// The store is there but has no keyring to put anything into.
    #[error(
        "{store} has no default keyring. Create one, for example in \"Passwords and Keys\" or by logging in to the \
         desktop once, and try again."
    )]
    NoKeyring {
        /// The store's name.
        store: &'static str,
    },
    /// The name cannot be used.
    #[error("The name of a secret must not be empty or hold control characters.")]
    BadName,
    /// The value is longer than the store takes.
    #[error("The value is too long: {store} takes at most {limit} characters.")]
    TooLong {
        /// The store's name.
        store: &'static str,
        /// In characters.
        limit: u32,
    },
    /// What the store holds under the name is not what was put there.
    #[error(
        "What {store} holds under the name {name:?} is unreadable ({why}). Enter the value again."
    )]
    Unreadable {
        /// The store's name.
        store: &'static str,
        /// The secret's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// Too many requests wait for the store already.
    #[error("{store} is busy with earlier requests. Try again when they are done.")]
    Busy {
        /// The store's name.
        store: &'static str,
    },
    /// Anything else that the platform reports.
    #[error(
        "{store} failed: {why}. Try again; if it goes on, restart the keyring or log in again."
    )]
    Failed {
        /// The store's name.
        store: &'static str,
        /// What the platform said.
        why: String,
    },
}
