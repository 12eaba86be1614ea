//! Sending a recorded request again, as it was or changed: an operation of its own, a branch of the one it is from. Each
//! of the two names the other.

use journal::event::{BranchWay, OperationId};
use serde_json::value::RawValue;
use wire::object;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{HeaderEdit, ResendArgs};
use crate::catalog::bad_input;
use crate::details;
use crate::engine::Anew;

/// What stands in a record where the value of a secret was.
const NAMED_SECRET: &str = "${secret:";

impl App {
    pub(crate) async fn resend(&self, args: ResendArgs) -> Result<OperationId, ErrorView> {
        let ResendArgs {
            request,
            of,
            round,
            changed,
            headers,
            recording,
        } = args;
        let params = request.params.as_deref().unwrap_or_default();
        without_names(params, "request")?;
        for edit in &headers {
            checked(edit)?;
        }
        let journal = self.journal_of(recording.clone()).await?;
        journal
            .read()
            .operation(of)
            .map_err(|error| details::journal_error(&error))?;
        let way = match changed || !headers.is_empty() {
            false => BranchWay::AsItWas,
            true if is_answer(params) => BranchWay::Answered,
            true => BranchWay::Changed,
        };
        let anew = Anew {
            of,
            round,
            way,
            recording,
            edits: headers,
        };
        self.request_anew(request, Some(anew)).await
    }
}

/// Whether parameters answer what a server asked in the round before (2026-07-28 basic/utilities/mrtr).
fn is_answer(params: &str) -> bool {
    serde_json::from_str::<&RawValue>(params).is_ok_and(|params| {
        ["inputResponses", "requestState"]
            .iter()
            .any(|member| object::get(params, member).is_some())
    })
}

fn checked(edit: &HeaderEdit) -> Result<(), ErrorView> {
    let name = edit.name.trim();
    if name.is_empty() {
        return Err(bad_input(
            "A header has no name.",
            "Give it one, or remove its line.",
        ));
    }
    if ["host", "content-length"].contains(&name.to_ascii_lowercase().as_str()) {
        return Err(bad_input(
            &format!("The header {name} is set by what is sent, and cannot be another."),
            "Leave it as it is.",
        ));
    }
    without_names(edit.value.as_deref().unwrap_or_default(), "header")
}

/// A secret's name is not sent in place of its value.
fn without_names(text: &str, what: &str) -> Result<(), ErrorView> {
    let Some((_, named)) = text.split_once(NAMED_SECRET) else {
        return Ok(());
    };
    let name = named.split('}').next().unwrap_or_default();
    Err(bad_input(
        &format!("The {what} has the name of the secret {name} where its value stood."),
        &format!("Edit the {what} and put the value in; it is recorded by its name again."),
    ))
}
