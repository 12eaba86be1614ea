//! A protected server with an authorization server of its own, for trying and testing sign-in: OAuth 2.1 as
//! 2026-07-28 basic/authorization has it, and nothing beyond.
//!
//! - the resource server ([`guard`]) takes tokens that are for it alone, and asks for a further scope where a tool
//!   needs one;
//! - the authorization server is at a path of its own, as another program would be: its documents ([`metadata`]), who
//!   its clients are ([`clients`]), the consent ([`consent`]) and the tokens ([`tokens`]).
//!
//! Nobody logs in: whoever sits at this computer is the person. Everything is in memory and gone with the process.

mod clients;
mod consent;
mod desk;
mod fields;
mod guard;
mod keys;
mod metadata;
mod page;
mod tokens;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use self::desk::Desk;
use self::keys::Keys;

/// What may be read.
pub(crate) const READ: &str = "guide:read";
/// Tables may be booked, and bookings undone.
pub(crate) const BOOK: &str = "bookings:write";
/// Roundtrip, or whoever it is, may come back without asking: a refresh token.
pub(crate) const OFFLINE: &str = "offline_access";

/// The longest form that is read.
const LONGEST_FORM: usize = 64 * 1024;

/// How the authorization server is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protection {
    /// How long an access token lasts.
    pub(crate) token_life: Duration,
    /// How long a refresh token lasts.
    pub(crate) refresh_life: Duration,
    /// A refresh gives a new refresh token, and the one before ends.
    pub(crate) rotates: bool,
    /// Clients may register themselves.
    pub(crate) registers: bool,
}

impl Default for Protection {
    fn default() -> Self {
        Self {
            token_life: Duration::from_mins(5),
            refresh_life: Duration::from_hours(24),
            rotates: true,
            registers: true,
        }
    }
}

/// The demo: both servers, which know each other.
pub(crate) struct Demo {
    /// `http://127.0.0.1:PORT`.
    origin: String,
    protection: Protection,
    keys: Keys,
    desk: Mutex<Desk>,
}

impl Demo {
    /// The resource, as its tokens name it.
    fn resource(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    /// The authorization server.
    fn issuer(&self) -> String {
        format!("{}/auth", self.origin)
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Protects what `open` serves at `/mcp`, and adds the authorization server.
pub(crate) fn protect(
    open: Router,
    origin: String,
    protection: Protection,
) -> Result<Router, String> {
    let demo = Arc::new(Demo {
        origin,
        protection,
        keys: Keys::new()?,
        desk: Mutex::default(),
    });
    let guarded = open.layer(middleware::from_fn_with_state(
        Arc::clone(&demo),
        guard::guard,
    ));
    let mut own = Router::new()
        .route(
            "/.well-known/oauth-protected-resource/mcp",
            get(metadata::resource),
        )
        .route(
            "/.well-known/oauth-authorization-server/auth",
            get(metadata::server),
        )
        .route("/auth/jwks", get(metadata::keys))
        .route("/auth/authorize", get(consent::ask))
        .route("/auth/consent", post(consent::answer))
        .route("/auth/token", post(tokens::token))
        .route("/auth/revoke", post(tokens::revoke));
    if demo.protection.registers {
        own = own.route("/auth/register", post(clients::register));
    }
    let own = own.layer(DefaultBodyLimit::max(LONGEST_FORM));
    Ok(guarded
        .merge(own.with_state(Arc::clone(&demo)))
        .layer(middleware::from_fn_with_state(demo, only_here)))
}

/// A name that leads to this machine from elsewhere (DNS rebinding) reaches nothing.
async fn only_here(State(demo): State<Arc<Demo>>, request: Request, next: Next) -> Response {
    let named = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let port = demo.origin.rsplit(':').next().unwrap_or_default();
    let is_here = named.is_some_and(|host| {
        host.rsplit_once(':')
            .is_some_and(|(name, at)| at == port && matches!(name, "127.0.0.1" | "localhost"))
    });
    if is_here {
        return next.run(request).await;
    }
    (
        StatusCode::MISDIRECTED_REQUEST,
        format!("This server is at {} and nowhere else.\n", demo.origin),
    )
        .into_response()
}

/// Seconds since the Unix epoch.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
