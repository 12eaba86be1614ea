//! How a task ended, by its last state.

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use super::{NOTED, TaskDesign, TaskState, TaskStatus};
use crate::findings::Finding;
use crate::operation::Finish;
use crate::{rules, text};

/// The end that a completed or failed task of the extension has (SEP-2663 § Task Status).
pub(super) fn finish(state: &TaskState, result: &RawValue, findings: &mut Vec<Finding>) -> Finish {
    let is_completed = state.status == TaskStatus::Completed;
    let key = if is_completed { "result" } else { "error" };
    let inner = object::get(result, key).filter(|value| ValueKind::of(*value) == ValueKind::Object);
    let Some(inner) = inner else {
        let what = format!(
            "missing or not an object, though the status is {}",
            state.status.as_str()
        );
        findings.push(rules::task_field(TaskDesign::Extension, key, &what));
        return without(state, is_completed);
    };
    if is_completed {
        let is_error = object::get(inner, "isError").is_some_and(|flag| flag.get() == "true");
        return if is_error {
            Finish::ToolError
        } else {
            Finish::Complete
        };
    }
    Finish::RpcError {
        code: object::get(inner, "code")
            .and_then(|code| serde_json::from_str(code.get()).ok())
            .unwrap_or_default(),
        message: object::get(inner, "message")
            .and_then(object::string)
            .map_or_else(
                || "The error has no message.".to_owned(),
                std::borrow::Cow::into_owned,
            ),
    }
}

fn without(state: &TaskState, is_completed: bool) -> Finish {
    if is_completed {
        return Finish::Failed {
            brief: "no result".to_owned(),
            message: format!(
                "The server says that the task {} is completed, and gives no result.",
                state.id
            ),
            hint: Some("The last reply of tasks/get must have it in result.".to_owned()),
        };
    }
    let said = state.message.as_deref().unwrap_or_default();
    let message = format!(
        "The task {} failed, and the server does not say by which error. {said}",
        state.id
    );
    Finish::Failed {
        brief: "task failed".to_owned(),
        message: message.trim_end().to_owned(),
        hint: None,
    }
}

/// Nobody here asked for it.
pub(super) fn cancelled_by_server(state: &TaskState) -> Finish {
    let why = match &state.message {
        Some(message) => format!(" It says: {}", text::excerpt(message, NOTED)),
        None => String::new(),
    };
    Finish::Failed {
        brief: "cancelled by the server".to_owned(),
        message: format!(
            "The server cancelled the task {}, unasked by you.{why}",
            state.id
        ),
        hint: None,
    }
}
