//! What the engine is told of sign-in, and what is done beside its loop: the keyring may take its time.

use journal::event::{ConnectionId, EventBody, OperationId};
use secrets::{Keyring, Redactor};

use super::Progress;
use super::kept::Kept;
use super::running::Ended;
use crate::api::servers::ServerId;
use crate::api::sign_in::{SaveSignInArgs, SignInOptions, SignInSecrets, SignInView};
use crate::api::{ErrorCode, ErrorView};
use crate::engine::input::{Answer, EngineHandle, Input};

/// Something about sign-in for the engine to do.
pub enum SignInInput {
    /// Whether the keyring is to be read for a server.
    IsToLoad {
        /// Which.
        server: ServerId,
        /// The server's name, when it is.
        answer: Answer<Option<String>>,
    },
    /// The keyring was read.
    Loaded {
        /// For which server.
        server: ServerId,
        /// What it holds.
        kept: Option<Box<Kept>>,
    },
    /// Sign in.
    Start {
        /// To which server.
        server: ServerId,
        /// Wait before each step.
        step_by_step: bool,
        /// With other options than the server's.
        trial: Option<Box<SignInOptions>>,
        /// The operation that shows it.
        answer: Answer<OperationId>,
    },
    /// Go on with a sign-in that waits before a step.
    Next {
        /// Of which server.
        server: ServerId,
        /// All the rest.
        to_the_end: bool,
        /// Done.
        answer: Answer<()>,
    },
    /// How it stands.
    View {
        /// With which server.
        server: ServerId,
        /// Whole.
        answer: Answer<SignInView>,
    },
    /// Keep how a server is signed in to.
    Save {
        /// Which.
        server: ServerId,
        /// How.
        options: Box<SignInOptions>,
        /// What goes into the keyring.
        secrets: Box<SignInSecrets>,
        /// What the keyring is to hold, when that changes.
        answer: Answer<Option<(String, Kept)>>,
    },
    /// The keyring was written, or could not be.
    Saved {
        /// For which server.
        server: ServerId,
        /// What it holds.
        kept: Box<Kept>,
        /// Why it lasts for this session only.
        session_only: Option<String>,
    },
    /// Sign out.
    SignOut {
        /// Of which server.
        server: ServerId,
        /// The operation that shows it.
        answer: Answer<OperationId>,
    },
    /// Events of an exchange.
    Record {
        /// Of which connection.
        connection: ConnectionId,
        /// Of which operation.
        operation: OperationId,
        /// When, and what.
        events: Vec<(u64, EventBody)>,
    },
    /// How far a sign-in is.
    Progress {
        /// With which server.
        server: ServerId,
        /// Which sign-in.
        operation: OperationId,
        /// So far.
        progress: Box<Progress>,
    },
    /// A sign-in ended.
    Ended {
        /// With which server.
        server: ServerId,
        /// Which.
        operation: OperationId,
        /// How.
        ended: Box<Ended>,
    },
    /// A refresh ended.
    Refreshed {
        /// With which server.
        server: ServerId,
        /// Which.
        operation: OperationId,
        /// How.
        ended: Box<Ended>,
    },
    /// A sign-out ended.
    SignedOut {
        /// Of which server.
        server: ServerId,
        /// Which.
        operation: OperationId,
        /// How.
        ended: Box<Ended>,
    },
}

/// Reads the keyring for a server, where somebody signed in to it and that was not done yet.
///
/// # Errors
/// The keyring is there and cannot be read.
pub async fn load(
    engine: &EngineHandle,
    keyring: &Keyring,
    redactor: &Redactor,
    server: &str,
) -> Result<(), ErrorView> {
    let owner = engine
        .ask(|answer| {
            Input::SignIn(SignInInput::IsToLoad {
                server: server.to_owned(),
                answer,
            })
        })
        .await?;
    let Some(owner) = owner else {
        return Ok(());
    };
    let kept = Kept::read(keyring, server)
        .await
        .map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("The sign-in of {owner} could not be read: {error}"),
            hint: Some("Unlock the keyring and try again.".to_owned()),
        })?;
    if let Some(kept) = &kept {
        kept.teach(redactor, &owner);
    }
    engine
        .tell(Input::SignIn(SignInInput::Loaded {
            server: server.to_owned(),
            kept: kept.map(Box::new),
        }))
        .await
}

/// Keeps how a server is signed in to: the options in the catalog, the secrets in the keyring.
///
/// # Errors
/// Something cannot be used, or the catalog cannot be written. What the keyring does not take lasts for this session.
pub async fn save(
    engine: &EngineHandle,
    keyring: &Keyring,
    redactor: &Redactor,
    args: SaveSignInArgs,
) -> Result<(), ErrorView> {
    load(engine, keyring, redactor, &args.server).await?;
    let server = args.server.clone();
    let changed = engine
        .ask(|answer| {
            Input::SignIn(SignInInput::Save {
                server: args.server,
                options: Box::new(args.options),
                secrets: Box::new(args.secrets),
                answer,
            })
        })
        .await?;
    let Some((owner, kept)) = changed else {
        return Ok(());
    };
    kept.teach(redactor, &owner);
    let session_only = kept
        .write(keyring, &server)
        .await
        .err()
        .map(|error| error.to_string());
    engine
        .tell(Input::SignIn(SignInInput::Saved {
            server,
            kept: Box::new(kept),
            session_only,
        }))
        .await
}
