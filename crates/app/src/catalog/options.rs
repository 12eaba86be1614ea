//! What a person may set for a server, checked before it is kept.

use wire::object::ValueKind;

use super::bad_input;
use crate::api::ErrorView;
use crate::api::options::ServerOptions;
use crate::folders;

/// Trims what was typed; an empty field is one that is not set.
///
/// # Errors
/// What cannot be used, for the field that holds it.
pub(super) fn check(options: &mut ServerOptions) -> Result<(), ErrorView> {
    for field in [&mut options.meta, &mut options.log_level] {
        *field = field
            .take()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
    }
    if let Some(meta) = &options.meta {
        let is_object = serde_json::from_str::<&serde_json::value::RawValue>(meta)
            .is_ok_and(|meta| ValueKind::of(meta) == ValueKind::Object);
        if !is_object {
            return Err(bad_input(
                "The members to add to _meta are not a JSON object.",
                "Write them in braces, such as {\"com.example/tenant\": \"a\"}.",
            ));
        }
    }
    for root in &mut options.roots {
        *root = root.trim().to_owned();
    }
    options.roots.retain(|root| !root.is_empty());
    for root in &options.roots {
        let problem = folders::unfit(root);
        if let Some(problem) = problem {
            return Err(bad_input(
                &format!("{root:?} is not the URI of a folder. {problem}"),
                "A root is a file URI, such as file:///home/me/project.",
            ));
        }
    }
    Ok(())
}
