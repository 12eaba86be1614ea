//! All findings of a journal, by the rule that they are about.

use protocol::findings::{Finding, Severity};

use crate::event::{ConnectionId, EventBody, EventSeq, OperationId};
use crate::log::{Journal, JournalError};

/// The findings about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFindings {
    /// The last of them.
    pub last: Finding,
    /// How many.
    pub count: u32,
    /// When the first was seen, in microseconds since the Unix epoch.
    pub first_micros: u64,
    /// When the last was seen.
    pub last_micros: u64,
}

/// One finding, and what it was seen in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingPlace {
    /// The event that tells of it.
    pub seq: EventSeq,
    /// When, in microseconds since the Unix epoch.
    pub at_micros: u64,
    /// What was seen.
    pub finding: Finding,
    /// The operation in which it was seen; none for what belongs to no operation.
    pub operation: Option<OperationId>,
    /// Its method, and what it is about where it is about something: `tools/call echo`.
    pub title: Option<String>,
}

impl Journal {
    /// What was found on some connections, by rule: breaches of a MUST first, and of equals those that were seen more
    /// often.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn findings_by_rule(
        &self,
        among: &dyn Fn(ConnectionId) -> bool,
    ) -> Result<Vec<RuleFindings>, JournalError> {
        let rules = self.tree().found_rules();
        let mut found = Vec::new();
        for rule in rules.rules() {
            let places = rules.places(rule, among);
            let (Some(first), Some(last)) = (places.first(), places.last()) else {
                continue;
            };
            let last = self.finding_at(EventSeq(*last))?;
            found.push(RuleFindings {
                count: u32::try_from(places.len()).unwrap_or(u32::MAX),
                first_micros: self.finding_at(EventSeq(*first))?.at_micros,
                last_micros: last.at_micros,
                last: last.finding,
            });
        }
        found.sort_by_key(|rule| (weight(rule.last.severity), std::cmp::Reverse(rule.count)));
        Ok(found)
    }

    /// A window of the findings about one rule on some connections, in their order.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn findings_about(
        &self,
        rule: &str,
        among: &dyn Fn(ConnectionId) -> bool,
        start: u32,
        len: u32,
    ) -> Result<Vec<FindingPlace>, JournalError> {
        self.tree()
            .found_rules()
            .places(rule, among)
            .into_iter()
            .skip(start as usize)
            .take(len as usize)
            .map(|seq| self.finding_at(EventSeq(seq)))
            .collect()
    }

    fn finding_at(&self, seq: EventSeq) -> Result<FindingPlace, JournalError> {
        let event = self.event(seq)?;
        let EventBody::FindingSeen { finding, .. } = event.body else {
            return Err(self.damaged(seq));
        };
        let operation = event.operation.and_then(|id| self.tree().operation(id));
        let title = operation.map(|operation| {
            let method = self.tree().name(operation.method);
            match operation.name {
                crate::tree::NONE => method.to_owned(),
                name => format!("{method} {}", self.tree().name(name)),
            }
        });
        Ok(FindingPlace {
            seq,
            at_micros: event.at_micros,
            finding,
            operation: operation.map(|operation| operation.id),
            title,
        })
    }
}

/// The worst first.
fn weight(severity: Severity) -> u8 {
    match severity {
        Severity::Must => 0,
        Severity::Should => 1,
        Severity::Note => 2,
    }
}
