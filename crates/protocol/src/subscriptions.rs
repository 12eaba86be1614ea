//! Subscriptions: the filter of `subscriptions/listen`, what a server agrees to, and what it then may send (2026-07-28
//! basic/patterns/subscriptions).

use serde_json::value::RawValue;
use wire::object::{self, ObjectWriter, quote};

use crate::capabilities::declares;
use crate::findings::{Finding, Severity};
use crate::rules::finding;

/// The method that opens a stream of notifications.
pub const LISTEN: &str = "subscriptions/listen";
/// What a server sends first.
pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const META_SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Which notifications are wanted, or agreed to (§ Notification Filter; SEP-2663 § Task Status Notifications).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `toolsListChanged`.
    pub tools_list_changed: bool,
    /// `promptsListChanged`.
    pub prompts_list_changed: bool,
    /// `resourcesListChanged`.
    pub resources_list_changed: bool,
    /// `resourceSubscriptions`: the URIs.
    pub resources: Vec<String>,
    /// `taskIds`.
    pub tasks: Vec<String>,
}

impl Filter {
    /// The changes of lists that a server's capabilities promise to tell of.
    pub fn promised(capabilities: &RawValue) -> Self {
        Self {
            tools_list_changed: declares(capabilities, &["tools", "listChanged"]),
            prompts_list_changed: declares(capabilities, &["prompts", "listChanged"]),
            resources_list_changed: declares(capabilities, &["resources", "listChanged"]),
            ..Self::default()
        }
    }

    /// Reads a filter from the parameters that hold it; what is not as it should be is not in it.
    pub fn read(params: &RawValue) -> Self {
        let filter = object::get(params, "notifications");
        let flag = |key| {
            filter
                .and_then(|filter| object::get(filter, key))
                .is_some_and(|value| value.get() == "true")
        };
        let list = |key| {
            filter
                .and_then(|filter| object::get(filter, key))
                .and_then(object::read_elements)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|value| object::string(value).map(std::borrow::Cow::into_owned))
                .collect()
        };
        Self {
            tools_list_changed: flag("toolsListChanged"),
            prompts_list_changed: flag("promptsListChanged"),
            resources_list_changed: flag("resourcesListChanged"),
            resources: list("resourceSubscriptions"),
            tasks: list("taskIds"),
        }
    }

    /// Whether it wants nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The parameters of the request that wants it: the text of a JSON object.
    pub fn params(&self) -> String {
        let mut filter = ObjectWriter::new();
        for (key, is_wanted) in self.flags() {
            if is_wanted {
                filter.raw(key, "true");
            }
        }
        for (key, list) in [
            ("resourceSubscriptions", &self.resources),
            ("taskIds", &self.tasks),
        ] {
            if !list.is_empty() {
                let list: Vec<String> = list.iter().map(|one| quote(one)).collect();
                filter.raw(key, &format!("[{}]", list.join(",")));
            }
        }
        let mut params = ObjectWriter::new();
        params.raw("notifications", &filter.finish());
        params.finish()
    }

    /// What it is about, in words for a row.
    pub fn subject(&self) -> String {
        self.words().join(", ")
    }

    /// Whether a notification is among what it names.
    pub fn names(&self, method: &str, params: Option<&RawValue>) -> bool {
        let member = |key| {
            params
                .and_then(|params| object::get(params, key))
                .and_then(object::string)
        };
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed,
            "notifications/prompts/list_changed" => self.prompts_list_changed,
            "notifications/resources/list_changed" => self.resources_list_changed,
            // A resource may be named by a part of it (2026-07-28 server/resources § Subscriptions).
            "notifications/resources/updated" => !self.resources.is_empty(),
            "notifications/tasks" => {
                member("taskId").is_some_and(|id| self.tasks.iter().any(|task| *task == *id))
            }
            _ => false,
        }
    }

    fn flags(&self) -> [(&'static str, bool); 3] {
        [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ]
    }

    fn words(&self) -> Vec<String> {
        let flags = self.flags().into_iter().filter(|(_, is_wanted)| *is_wanted);
        let flags = flags.map(|(key, _)| key.to_owned());
        let tasks = self.tasks.iter().map(|task| format!("task {task}"));
        flags
            .chain(self.resources.iter().cloned())
            .chain(tasks)
            .collect()
    }

    fn without(&self, other: &Self) -> Vec<String> {
        let known = other.words();
        let words = self.words().into_iter();
        words.filter(|word| !known.contains(word)).collect()
    }
}

/// Compares what a server agreed to with what was wanted (§ Acknowledgment).
pub fn judge_acknowledged(wanted: &Filter, agreed: &Filter) -> Vec<Finding> {
    let mut findings = Vec::new();
    let refused = wanted.without(agreed);
    if !refused.is_empty() {
        findings.push(finding(
            "subscription-in-part",
            Severity::Note,
            format!(
                "The server does not agree to tell of {}.",
                refused.join(", ")
            ),
            "2026-07-28 basic/patterns/subscriptions § Acknowledgment",
            "Notification types the server does not support are omitted.",
        ));
    }
    let unasked = agreed.without(wanted);
    if !unasked.is_empty() {
        findings.push(finding(
            "subscription-beyond",
            Severity::Must,
            format!(
                "The server agrees to tell of {}, which nobody asked for.",
                unasked.join(", ")
            ),
            "2026-07-28 basic/patterns/subscriptions § Opening a Stream",
            "The server MUST NOT send notification types the client has not explicitly requested.",
        ));
    }
    findings
}

/// Judges a notification on a subscription: `agreed` is what the server agreed to, once it has.
pub fn judge_notification(
    agreed: Option<&Filter>,
    method: &str,
    params: Option<&RawValue>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if params.and_then(subscription_id).is_none() {
        findings.push(finding(
            "subscription-id-missing",
            Severity::Must,
            format!("{method} came on a subscription and does not name it."),
            "2026-07-28 basic/patterns/subscriptions § Receiving Notifications",
            "All notifications delivered on the stream carry io.modelcontextprotocol/subscriptionId in _meta.",
        ));
    }
    let what = match agreed {
        None => Some("before the server acknowledged the subscription"),
        Some(agreed) if !agreed.names(method, params) => {
            Some("on a subscription that is not about it")
        }
        Some(_) => None,
    };
    if let Some(what) = what {
        findings.push(finding(
            "subscription-unasked",
            Severity::Must,
            format!("{method} came {what}."),
            "2026-07-28 basic/patterns/subscriptions § Acknowledgment",
            "The server MUST NOT send any notification on the subscription before the acknowledgment, nor types that were not requested.",
        ));
    }
    findings
}

/// The subscription that a notification names: the token of a request's id.
pub fn subscription_id(params: &RawValue) -> Option<&RawValue> {
    object::get(object::get(params, "_meta")?, META_SUBSCRIPTION_ID)
}
