//! The rules of tasks.

use super::finding;
use crate::findings::{Finding, Severity};
use crate::tasks::TaskDesign;

const UPDATES: &str = "SEP-2663 § Task Update Requests";

fn place(design: TaskDesign) -> &'static str {
    match design {
        TaskDesign::Extension => "SEP-2663 § Tasks",
        TaskDesign::Experimental => "2025-11-25 basic/utilities/tasks § Task",
    }
}

/// A member of a task that is not what it must be. `what` goes on after "is".
pub(crate) fn task_field(design: TaskDesign, key: &str, what: &str) -> Finding {
    finding(
        "task-field",
        Severity::Must,
        format!("The task's {key} is {what}."),
        place(design),
        "A Task carries operational metadata about ongoing work.",
    )
}

pub(crate) fn task_malformed(why: &str) -> Finding {
    finding(
        "task-malformed",
        Severity::Must,
        format!("What came is not a task: {why}"),
        "SEP-2663 § Task Polling",
        "Upon receiving a tasks/get request, the server MUST check the status of the task and respond accordingly.",
    )
}

pub(crate) fn task_of_another_id(asked: &str, came: &str) -> Finding {
    finding(
        "task-of-another-id",
        Severity::Must,
        format!(
            "The task {asked:?} was asked for, and {came:?} came; the answer was not believed."
        ),
        "SEP-2663 § Tasks",
        "taskId: Stable identifier for this task.",
    )
}

pub(crate) fn task_id_taken(id: &str) -> Finding {
    finding(
        "task-id-taken",
        Severity::Must,
        format!(
            "The identifier {id:?} is that of another task that goes on; what is said of one may be meant of the other."
        ),
        "SEP-2663 § Tasks",
        "Each task is uniquely identifiable by a server-generated task ID.",
    )
}

pub(crate) fn task_key_reused(key: &str) -> Finding {
    finding(
        "task-key-reused",
        Severity::Must,
        format!(
            "The key {key:?} stands for another request than before; each key is answered once."
        ),
        UPDATES,
        "A server MUST NOT use the same key to refer to two distinct requests over a task's lifetime.",
    )
}

/// The `resultType` of a reply to a task's method. The examples of the proposal themselves have `task` there.
pub(crate) fn task_result_type(token: &str) -> Finding {
    finding(
        "task-result-type",
        if token == "\"task\"" {
            Severity::Note
        } else {
            Severity::Must
        },
        format!("The reply's resultType is {token}; for this method it is \"complete\"."),
        "SEP-2663 § Task Polling",
        "The resultType field MUST be set to \"complete\" on this object.",
    )
}

pub(crate) fn task_not_for_this(method: &str) -> Finding {
    finding(
        "task-not-for-this",
        Severity::Must,
        format!("{method} was answered with a task, which only tools/call may be."),
        "SEP-2663 § Capability Negotiation",
        "A client that receives CreateTaskResult in response to an unsupported request type MUST interpret this as an invalid response to the request.",
    )
}

pub(crate) fn task_not_declared() -> Finding {
    finding(
        "task-not-declared",
        Severity::Must,
        "The answer is a task, though the request did not declare the tasks extension.",
        "SEP-2663 § Capability Negotiation",
        "A server MUST NOT return CreateTaskResult to a client that did not include the extension capability on its request.",
    )
}

pub(crate) fn task_not_created() -> Finding {
    finding(
        "task-not-created",
        Severity::Must,
        "The request asked for a task, and the answer holds none; it is taken for the result.",
        "2025-11-25 basic/utilities/tasks § Result Retrieval",
        "Receivers that accept a task-augmented request MUST return a CreateTaskResult as the response.",
    )
}
