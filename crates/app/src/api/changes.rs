//! What a server is like now and was not before, and its icons.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What has changed since a server was last connected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerChanges {
    /// When it was last connected before, in microseconds since the Unix epoch; absent when it never was, or was reached
    /// in another way.
    pub since_micros: Option<u64>,
    /// What it says of itself.
    pub facts: Vec<ChangedFact>,
    /// What it lists; a list that has not been fetched since is not compared.
    pub lists: Vec<ChangedList>,
}

/// Something that a server says of itself in another way than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedFact {
    /// What: `version`, `instructions`, `capability tools`, `extension …`.
    pub what: String,
    /// As it was; absent where there was none.
    pub before: Option<String>,
    /// As it is.
    pub now: Option<String>,
}

/// How a list differs. Names beyond a few hundred are only counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedList {
    /// Of what: `tools`.
    pub list: String,
    /// What was not there.
    pub new: Vec<String>,
    /// What is no longer there.
    pub gone: Vec<String>,
    /// What says something else.
    pub changed: Vec<String>,
    /// All differences, those that are only counted too.
    pub count: u32,
}

/// A server's icons, those that suit the wanted place best first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerIcons {
    /// The icons.
    pub icons: Vec<IconView>,
}

/// One icon, looked at by the core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IconView {
    /// Where the server says that it is; long ones are cut.
    pub src: String,
    /// The picture as a `data:` URI, of a type that its bytes show; absent when it is not drawn.
    pub picture: Option<String>,
    /// Why it is not drawn.
    pub problem: Option<String>,
}
