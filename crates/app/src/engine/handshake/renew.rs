//! A new session for one that the server has ended: `initialize` and `notifications/initialized` anew.

use journal::event::{ConnectionId, OperationId};
use protocol::era::{InitializeVerdict, judge_initialize};
use protocol::request::Speaker;

use super::failure::{failed, sign_in};
use super::{HTTP_LIMIT, ask, reply_of, say_initialized, server_report};
use crate::api::ErrorView;
use crate::api::servers::ServerReport;
use crate::engine::input::{EngineHandle, HandshakeStep, Input};
use crate::engine::operation::Came;

/// Opens the session and tells the engine how it went.
pub(in crate::engine) async fn run(
    engine: EngineHandle,
    connection: ConnectionId,
    speaker: Speaker,
) {
    let (renewed, operation) = match renew(&engine, connection, speaker).await {
        Ok(renewed) => (Ok(renewed), None),
        Err((error, operation)) => (Err(error), operation),
    };
    let step = HandshakeStep::SessionRenewed {
        connection,
        renewed,
        operation,
    };
    // An engine that has ended has aborted this task, or is about to.
    let _ended = engine.tell(Input::Handshake(step)).await;
}

async fn renew(
    engine: &EngineHandle,
    connection: ConnectionId,
    speaker: Speaker,
) -> Result<Box<ServerReport>, (ErrorView, Option<OperationId>)> {
    let params = speaker.initialize_params();
    let asked = (speaker.clone(), "initialize", Some(params));
    let ending = ask(engine, connection, asked, HTTP_LIMIT)
        .await
        .map_err(|error| (error, None))?;
    let refused = |message: String, hint: Option<String>| {
        let failure = failed(message, hint, &ending);
        (failure.error, failure.operation)
    };
    if let Came::Failed { message, hint } | Came::WrongId { message, hint } = &ending.came {
        return Err(refused(message.clone(), hint.clone()));
    }
    match judge_initialize(&reply_of(&ending)) {
        InitializeVerdict::Legacy {
            report, revision, ..
        } if revision == speaker.revision => {
            say_initialized(engine, connection, &speaker).await;
            Ok(Box::new(server_report(&report, &speaker, String::new())))
        }
        InitializeVerdict::Legacy { revision, .. } => Err(refused(
            format!(
                "It answered initialize with the revision {revision}, and with {} before.",
                speaker.revision
            ),
            Some("Connect again.".to_owned()),
        )),
        InitializeVerdict::Refused { code, message } => Err(refused(
            format!("It refused initialize with error {code}: {message}"),
            Some("Look at the row's response for what the server said.".to_owned()),
        )),
        InitializeVerdict::SignIn { status } => {
            let failure = sign_in(status, &ending);
            Err((failure.error, failure.operation))
        }
        InitializeVerdict::ModernOnly { reason, .. } | InitializeVerdict::NotMcp { reason } => {
            Err(refused(reason, Some("Connect again.".to_owned())))
        }
        InitializeVerdict::NoCommonRevision { .. } => Err(refused(
            "It speaks a revision now that Roundtrip does not.".to_owned(),
            None,
        )),
    }
}
