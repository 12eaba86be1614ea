//! Fresh tokens, and tokens given back. Both are done by one process at a time: a refresh token that rotates must not be
//! used twice (OAuth 2.1 § 4.3.1).

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use client::clock::now_micros;
use protocol::authorization::flow::Request;
use protocol::authorization::token::{self, Form, Grant};
use protocol::authorization::trace::Stage;

use super::SignInInput;
use super::exchange::Desk;
use super::kept::Kept;
use super::running::Ended;
use crate::api::servers::ServerId;

/// How long another process may take with its refresh.
const LOCK_LIMIT: Duration = Duration::from_secs(40);
/// How often it is looked whether it is done.
const LOCK_LOOK: Duration = Duration::from_millis(50);

/// Fetches a fresh token, unless another process has.
pub(super) async fn refresh(
    mut desk: Desk,
    server: ServerId,
    mut kept: Kept,
    lock: Option<PathBuf>,
) {
    let before = kept.clone();
    // Dropped at the end, which unlocks it.
    let _locked = locked(lock).await;
    if let Ok(Some(stored)) = Kept::read(&desk.keyring, &server).await {
        stored.teach(&desk.redactor, &desk.owner);
        kept = kept.newer(stored);
    }
    desk.proof_key.clone_from(&kept.proof_key);
    let mut session_only = None;
    let by_another = kept.grant != before.grant;
    let outcome = match kept.grant.clone() {
        Some(grant) if by_another && !grant.is_running_out(now_micros()) => Ok(()),
        Some(grant) => match ask(&desk, &grant, kept.secrets.private_key.as_deref()).await {
            Ok(fresh) => {
                kept.grant = Some(fresh);
                kept.teach(&desk.redactor, &desk.owner);
                if let Err(error) = kept.write(&desk.keyring, &server).await {
                    session_only = Some(error.to_string());
                }
                Ok(())
            }
            Err(refused) => {
                if refused.is_final {
                    // It will never be taken again.
                    if let Some(grant) = &mut kept.grant {
                        grant.refresh_token = None;
                    }
                    if let Err(error) = kept.write(&desk.keyring, &server).await {
                        session_only = Some(error.to_string());
                    }
                }
                Err(protocol::authorization::trace::Failure {
                    message: refused.message,
                    hint: Some("Sign in again.".to_owned()),
                    asks_for_client: false,
                })
            }
        },
        None => Ok(()),
    };
    let operation = desk.operation;
    desk.tell(SignInInput::Refreshed {
        server,
        operation,
        ended: Box::new(Ended {
            outcome,
            kept,
            session_only,
        }),
    })
    .await;
}

struct Refused {
    message: String,
    is_final: bool,
}

async fn ask(desk: &Desk, grant: &Grant, key: Option<&str>) -> Result<Grant, Refused> {
    let Some(form) = grant.refresh_form() else {
        return Err(Refused {
            message: "There is no refresh token.".to_owned(),
            is_final: true,
        });
    };
    let refused = |message: String, is_final: bool| Refused { message, is_final };
    let request = request(
        grant,
        key,
        (Stage::Refresh, "refresh"),
        &grant.token_endpoint,
        form,
    )
    .map_err(|message| refused(message, false))?;
    let request = Request {
        is_proven: grant.is_bound,
        ..request
    };
    let reply = desk
        .exchange(1, &request)
        .await
        .map_err(|error| refused(error.message, false))?;
    match token::read(reply.status, &reply.body) {
        Ok(tokens) => Ok(grant.refreshed(tokens, now_micros())),
        Err(error) => {
            // OAuth 2.1 § 3.2.4: what else there is may pass.
            let is_final = matches!(
                error.error.as_deref(),
                Some("invalid_grant" | "invalid_client" | "unauthorized_client")
            );
            Err(refused(
                format!(
                    "The authorization server gave no fresh token. {}",
                    error.message
                ),
                is_final,
            ))
        }
    }
}

/// A request of the client's own, with the proof of who it is.
fn request(
    grant: &Grant,
    key: Option<&str>,
    (stage, label): (Stage, &str),
    url: &str,
    mut form: Form,
) -> Result<Request, String> {
    let (headers, assertion) = token::authenticate(&grant.client, &mut form);
    if let Some(assertion) = assertion {
        let key = key.ok_or("The private key of the client is not in the keyring.")?;
        let jwt = client::oauth::sign_assertion(
            key,
            &assertion.client_id,
            &assertion.audience,
            now_micros() / 1_000_000,
        )?;
        form.add(
            "client_assertion_type",
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        );
        form.add_secret("client_assertion", &jwt);
    }
    let mut request = Request::form(stage, label, url, &form);
    request.headers.extend(headers);
    Ok(request)
}

/// Takes the tokens away, and tells the authorization server where it wants to know (RFC 7009).
pub(super) async fn sign_out(desk: Desk, server: ServerId, mut kept: Kept, lock: Option<PathBuf>) {
    let _locked = locked(lock).await;
    if let Ok(Some(stored)) = Kept::read(&desk.keyring, &server).await {
        stored.teach(&desk.redactor, &desk.owner);
        kept = kept.newer(stored);
    }
    let mut outcome = Ok(());
    // The next one is bound to a key of its own.
    kept.proof_key = None;
    if let Some(grant) = kept.grant.take()
        && let Some(endpoint) = grant.revocation_endpoint.clone()
    {
        // The refresh token first: a server may end the access token with it.
        let tokens = grant
            .refresh_token
            .iter()
            .map(|token| (token, "refresh_token"))
            .chain([(&grant.access_token, "access_token")]);
        for (round, (token, hint)) in tokens.enumerate() {
            let form = token::revocation_form(token, hint);
            let label = format!("revocation of the {}", hint.replace('_', " "));
            let key = kept.secrets.private_key.as_deref();
            let told = match request(&grant, key, (Stage::Revocation, &label), &endpoint, form) {
                Ok(request) => desk
                    .exchange(u32::try_from(round).unwrap_or_default() + 1, &request)
                    .await
                    .map_err(|error| error.message)
                    .and_then(|reply| match reply.status {
                        200..300 => Ok(()),
                        status => Err(format!("it answered HTTP {status}")),
                    }),
                Err(problem) => Err(problem),
            };
            if let Err(problem) = told {
                outcome = Err(protocol::authorization::trace::Failure {
                    message: format!(
                        "Signed out here, but the authorization server may still take the {}: {problem}",
                        hint.replace('_', " ")
                    ),
                    hint: Some(
                        "It ends by itself, or can be taken back at the authorization server."
                            .to_owned(),
                    ),
                    asks_for_client: false,
                });
            }
        }
    }
    let session_only = kept
        .write(&desk.keyring, &server)
        .await
        .err()
        .map(|error| error.to_string());
    let operation = desk.operation;
    desk.tell(SignInInput::SignedOut {
        server,
        operation,
        ended: Box::new(Ended {
            outcome,
            kept,
            session_only,
        }),
    })
    .await;
}

/// The lock, once no other process holds it; nothing where there is none to be had, which must not keep anybody from
/// signing in.
async fn locked(path: Option<PathBuf>) -> Option<File> {
    let path = path?;
    let file = File::create(&path).ok()?;
    let waited = tokio::time::timeout(LOCK_LIMIT, async {
        while file.try_lock().is_err() {
            tokio::time::sleep(LOCK_LOOK).await;
        }
    });
    if waited.await.is_err() {
        tracing::warn!(path = %path.display(), "another process keeps a lock for long");
    }
    Some(file)
}
