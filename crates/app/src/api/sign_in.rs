//! Signing in to a server: how it is done, how far it is, and what it gave. Tokens and secrets never cross.

use journal::event::OperationId;
use protocol::authorization::trace::Trace;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ErrorView;
use super::servers::ServerId;

/// How consent is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInHow {
    /// By the person, in the browser.
    #[default]
    Person,
    /// It was given to the client (client credentials).
    ClientCredentials,
    /// A workload's JWT stands for it.
    JwtBearer,
    /// The person's identity provider gives it.
    IdentityAssertion,
}

/// How a server is signed in to; an absent field is found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SignInOptions {
    /// How consent is given.
    pub how: SignInHow,
    /// Who Roundtrip is there, when it was registered by hand.
    pub client_id: Option<String>,
    /// The authorization server that knows this identity; absent for the first that it is used with.
    pub client_issuer: Option<String>,
    /// How it proves who it is: `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`.
    pub client_method: Option<String>,
    /// The URL of a Client ID Metadata Document for Roundtrip.
    pub metadata_document: Option<String>,
    /// The scopes to ask for, with spaces between.
    pub scopes: Option<String>,
    /// The resource to ask for.
    pub resource: Option<String>,
    /// No `resource` is sent: some authorization servers refuse it.
    pub omit_resource: bool,
    /// The authorization server.
    pub issuer: Option<String>,
    /// Its page in the browser.
    pub authorization_endpoint: Option<String>,
    /// Its token endpoint.
    pub token_endpoint: Option<String>,
    /// The token endpoint of the person's identity provider.
    pub provider_token_endpoint: Option<String>,
    /// Who Roundtrip is to the identity provider.
    pub provider_client_id: Option<String>,
}

/// Secrets of a sign-in on their way into the keyring: absent leaves what is there, empty takes it away.
#[derive(Clone, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SignInSecrets {
    /// The client's secret.
    #[ts(optional)]
    pub client_secret: Option<String>,
    /// The client's private key, PEM.
    #[ts(optional)]
    pub private_key: Option<String>,
    /// The workload's JWT.
    #[ts(optional)]
    pub assertion: Option<String>,
    /// The identity provider's id token.
    #[ts(optional)]
    pub id_token: Option<String>,
}

/// Says which are given, and no value.
impl std::fmt::Debug for SignInSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignInSecrets")
            .field("client_secret", &self.client_secret.is_some())
            .field("private_key", &self.private_key.is_some())
            .field("assertion", &self.assertion.is_some())
            .field("id_token", &self.id_token.is_some())
            .finish()
    }
}

/// Sign in.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SignInArgs {
    /// To which server.
    pub server: ServerId,
    /// Wait before each step until it is asked for.
    #[serde(default)]
    pub step_by_step: bool,
    /// Other options than the server's, for this time.
    #[serde(default)]
    #[ts(optional)]
    pub trial: Option<SignInOptions>,
}

/// Go on with a sign-in that waits before a step.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SignInNextArgs {
    /// Of which server.
    pub server: ServerId,
    /// All the rest at once.
    pub to_the_end: bool,
}

/// Keep how a server is signed in to.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SaveSignInArgs {
    /// Which server.
    pub server: ServerId,
    /// How.
    pub options: SignInOptions,
    /// What goes into the keyring.
    #[serde(default)]
    #[ts(as = "Option<SignInSecrets>", optional)]
    pub secrets: SignInSecrets,
}

/// How a server stands with sign-in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInState {
    /// Nobody signed in, and nobody was asked to.
    #[default]
    None,
    /// The server wants a sign-in.
    Needed,
    /// A sign-in is under way.
    Running,
    /// Signed in.
    SignedIn,
    /// The token has run out, and nothing is there to get a fresh one with.
    Expired,
}

/// What the list of servers needs of a sign-in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInNews {
    /// How it stands.
    pub state: SignInState,
    /// Counts up with each change; the view fetches `sign_in_view` again.
    pub version: u32,
    /// The authorization server.
    pub issuer: Option<String>,
    /// What is allowed.
    pub scopes: Vec<String>,
    /// When the token ends, in microseconds since the Unix epoch.
    pub expires_micros: Option<u64>,
    /// A fresh token is fetched by itself.
    pub refreshes: bool,
    /// Why it lasts for this session only: the keyring could not be written.
    pub session_only: Option<String>,
}

/// One step of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInStep {
    /// What happened, and what was checked.
    pub trace: Trace,
    /// When it began, in microseconds since the Unix epoch.
    pub started_micros: u64,
    /// When it was over.
    pub ended_micros: Option<u64>,
    /// The round of the sign-in's operation that holds its exchange.
    pub round: Option<u32>,
}

/// A token, without the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TokenView {
    /// `access token`, `refresh token`, `id token`.
    pub what: String,
    /// Its claims, laid out, where it can be read.
    pub claims: Option<String>,
    /// When it ends, in microseconds since the Unix epoch.
    pub expires_micros: Option<u64>,
    /// Whom it is for, where it can be read.
    pub audience: Vec<String>,
    /// It is for this server; absent where it does not say.
    pub fits_server: Option<bool>,
    /// The scopes that were granted and that the token itself, where it names any, lacks.
    pub lacking: Vec<String>,
}

/// What a sign-in gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignedIn {
    /// The authorization server.
    pub issuer: String,
    /// Who Roundtrip is there.
    pub client_id: String,
    /// How that identity was come by: `entered`, `metadata document` or `registered`.
    pub client_kind: String,
    /// How it proves who it is.
    pub client_method: String,
    /// The resource that was asked for.
    pub resource: Option<String>,
    /// The scopes that were asked for.
    pub requested: Vec<String>,
    /// The scopes that are allowed.
    pub granted: Vec<String>,
    /// Since when, in microseconds since the Unix epoch.
    pub obtained_micros: u64,
    /// Until when.
    pub expires_micros: Option<u64>,
    /// The tokens.
    pub tokens: Vec<TokenView>,
    /// Signing out tells the authorization server.
    pub can_revoke: bool,
    /// The thumbprint of the key that the token is bound to (`DPoP`, RFC 9449); absent for one that whoever has it can use.
    pub bound_to: Option<String>,
}

/// A server's sign-in, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInView {
    /// The news of it.
    pub news: SignInNews,
    /// The operation of the sign-in that runs, or ran last.
    pub operation: Option<OperationId>,
    /// Its steps.
    pub steps: Vec<SignInStep>,
    /// It waits before the next step until that is asked for.
    pub is_paused: bool,
    /// While the person is awaited in the browser: where they are, to be copied.
    pub open_url: Option<String>,
    /// Why the browser could not be started.
    pub browser_problem: Option<String>,
    /// Why the last one failed.
    pub error: Option<ErrorView>,
    /// The authorization server has to be told who Roundtrip is: a client id is missing.
    pub asks_for_client: bool,
    /// What the person has now.
    pub signed_in: Option<SignedIn>,
    /// How it is done.
    pub options: SignInOptions,
    /// Which secrets are kept for it: `client_secret`, `private_key`, `assertion`, `id_token`.
    pub kept_secrets: Vec<String>,
}
