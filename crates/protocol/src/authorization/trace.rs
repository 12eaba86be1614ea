//! What a flow did, step by step: who spoke to whom, what was checked, and what decided the next step.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "SignInStage")]
pub enum Stage {
    /// The server refuses a request and says what it wants.
    Challenge,
    /// What the protected resource says of itself.
    ResourceMetadata,
    /// What the authorization server says of itself.
    ServerMetadata,
    /// Who Roundtrip is to the authorization server.
    Client,
    /// The person is asked in the browser.
    Consent,
    /// An identity assertion is exchanged at the identity provider.
    Assertion,
    /// The token.
    Token,
    /// A fresh token for one that runs out.
    Refresh,
    /// Tokens are given back.
    Revocation,
}

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "SignInParty")]
pub enum Party {
    /// The person, in the browser.
    Person,
    /// Roundtrip.
    App,
    /// The MCP server.
    Server,
    /// The authorization server.
    AuthorizationServer,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "SignInVerdict")]
pub enum Verdict {
    /// The rule holds.
    Passed,
    /// It does not, and the flow goes on all the same.
    Warned,
    /// It does not, and the flow ends for it.
    Failed,
}

/// A rule that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "SignInCheck")]
pub struct Check {
    /// How it came out.
    pub verdict: Verdict,
    /// What was seen, in a sentence.
    pub what: String,
    /// The clause that says so.
    pub clause: String,
    /// What should be changed, and where.
    pub advice: Option<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "SignInTrace")]
pub struct Trace {
    /// What it is about.
    pub stage: Stage,
    /// Who speaks.
    pub from: Party,
    /// To whom.
    pub to: Party,
    /// In a few words.
    pub title: String,
    /// What was sent: a method and a URL, or a parameter a line.
    pub sent: Option<String>,
    /// What came, in short; nothing while it is awaited.
    pub came: Option<String>,
    /// What was checked of it.
    pub checks: Vec<Check>,
    /// What follows from it.
    pub decision: Option<String>,
}

/// Why a flow ended without a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What failed, and where.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
    /// Nothing is wrong, but somebody has to say who Roundtrip is: an identity that the authorization server knows.
    pub asks_for_client: bool,
}

impl Check {
    /// A rule that holds.
    pub fn passed(what: impl Into<String>, clause: &str) -> Self {
        Self {
            verdict: Verdict::Passed,
            what: what.into(),
            clause: clause.to_owned(),
            advice: None,
        }
    }

    /// A rule that does not hold, where that does no harm.
    pub fn warned(what: impl Into<String>, clause: &str, advice: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Warned,
            what: what.into(),
            clause: clause.to_owned(),
            advice: Some(advice.into()),
        }
    }

    /// A rule that does not hold, for which the flow ends.
    pub fn failed(what: impl Into<String>, clause: &str, advice: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Failed,
            what: what.into(),
            clause: clause.to_owned(),
            advice: Some(advice.into()),
        }
    }
}

impl Trace {
    pub(super) fn new(stage: Stage, from: Party, to: Party, title: impl Into<String>) -> Self {
        Self {
            stage,
            from,
            to,
            title: title.into(),
            sent: None,
            came: None,
            checks: Vec::new(),
            decision: None,
        }
    }
}
