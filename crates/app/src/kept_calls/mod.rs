//! Calls that outlive the window: each tool's history, and calls that the person gave a name. What looks like a secret
//! is not in their file: a saved call's is in the keyring, a made one's is not kept.

mod apart;
mod book;

use std::time::Duration;

use client::clock::now_micros;
use journal::event::{OperationEnd, OperationId};
use secrets::{SecretString, SecretsError};
use serde::Serialize;
use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use self::apart::{DEEPEST, Member, is_secret, rewrite};
pub use self::book::CallBook;
use crate::api::calls::CallToolArgs;
use crate::api::kept_calls::{
    CallArguments, ExportCallsArgs, KeptCall, KeptCallArgs, KeptCalls, KeptCallsArgs, KeptEnd,
    SaveCallArgs, ToolCallsArgs,
};
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{bad_input, secret_name};
use crate::engine::Called;
use crate::{App, run_aside, secret_values};

/// For how long a removed call can be brought back.
const KEPT_FOR: Duration = Duration::from_mins(2);

impl App {
    pub(crate) async fn kept_calls(&self, args: ToolCallsArgs) -> Result<KeptCalls, ErrorView> {
        let book = self.calls.clone();
        run_aside(move || book.of_tool(&args.server, &args.tool)).await
    }

    /// Keeps a call under a name: its secret-like values go to the keyring.
    pub(crate) async fn save_call(&self, args: SaveCallArgs) -> Result<String, ErrorView> {
        let name = args.name.trim().to_owned();
        if name.is_empty() {
            return Err(bad_input(
                "The call has no name.",
                "Give it a name to find it by.",
            ));
        }
        if let Err(error) = serde_json::from_str::<&RawValue>(&args.arguments) {
            return Err(bad_input(
                &format!("The arguments are not valid JSON: {error}."),
                "Mend them and save again.",
            ));
        }
        let id = new_id();
        let mut secrets = Vec::new();
        let rewritten = rewrite(&args.arguments, &mut |key, value| {
            // What is known as a secret elsewhere goes the same way, whatever it is called here.
            let is_known = || {
                ValueKind::of(value) != ValueKind::Object
                    && self.redactor.redact_text(value) != value
            };
            if !is_secret(key, value) && !is_known() {
                return Member::Stays;
            }
            let secret = format!("call {id}/{}", secrets.len());
            let reference = object::quote(&format!("${{secret:{secret}}}"));
            secrets.push((secret, value.to_owned()));
            Member::Becomes(reference)
        });
        let arguments = rewritten.ok_or_else(|| {
            bad_input(
                &format!("The arguments are nested deeper than {DEEPEST} levels."),
                "Save a call that is flatter.",
            )
        })?;
        for (secret, value) in &secrets {
            // What the record holds from now on has the name in its place.
            secret_values::teach_texts(&self.redactor, secret, value, 0);
        }
        let call = KeptCall {
            id: id.clone(),
            name: Some(self.redactor.redact_text(&name).into_owned()),
            arguments: self.redactor.redact_text(&arguments).into_owned(),
            secrets: u32::try_from(secrets.len()).unwrap_or(u32::MAX),
            at_micros: now_micros(),
            end: None,
        };
        let kept = self
            .keep_call(args.server, args.tool, call.clone(), secrets)
            .await;
        if kept.is_err() {
            self.forget_secrets(&[call]).await;
        }
        self.forget_secrets(kept?.as_slice()).await;
        Ok(id)
    }

    /// Puts a call into the book and its secrets into the keyring. Gives the call that had the name before.
    async fn keep_call(
        &self,
        server: ServerId,
        tool: String,
        call: KeptCall,
        secrets: Vec<(String, String)>,
    ) -> Result<Option<KeptCall>, ErrorView> {
        for (secret, value) in secrets {
            self.keyring
                .set(&secret, SecretString::from(value))
                .await
                .map_err(|error| ErrorView {
                    code: ErrorCode::Failed,
                    message: format!("A value that looks like a secret could not be kept: {error}"),
                    hint: Some(
                        "Unlock or start the keyring, or save the call without it.".to_owned(),
                    ),
                })?;
        }
        let book = self.calls.clone();
        run_aside(move || book.save(&server, &tool, call)).await?
    }

    /// Teaches the redactor the secrets of all saved calls. Gives the names of the calls whose secrets could not be
    /// read, with why.
    pub(crate) async fn learn_call_secrets(&self) -> Vec<(String, SecretsError)> {
        let mut unread = Vec::new();
        for call in self.calls.saved() {
            for secret in secret_names(&call) {
                match self.keyring.get(&secret).await {
                    Ok(Some(value)) => {
                        let json = secrets::expose(&value);
                        secret_values::teach_texts(&self.redactor, &secret, json, 0);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        let name = call.name.as_deref().unwrap_or_default();
                        unread.push((format!("the call {name}"), error));
                        break;
                    }
                }
            }
        }
        unread
    }

    /// The arguments of a kept call with its secrets, to be filled into the form.
    pub(crate) async fn call_arguments(
        &self,
        args: KeptCallArgs,
    ) -> Result<CallArguments, ErrorView> {
        let call = self.calls.call(&args.server, &args.tool, &args.id)?;
        if call.name.is_none() {
            return Ok(CallArguments {
                arguments: call.arguments,
                missing: call.secrets,
            });
        }
        let mut known = std::collections::HashMap::new();
        for secret in secret_names(&call) {
            // A keyring that does not answer knows none; the form says how many are missing.
            if let Ok(Some(value)) = self.keyring.get(&secret).await {
                let json = secrets::expose(&value).to_owned();
                secret_values::teach_texts(&self.redactor, &secret, &json, 0);
                known.insert(secret, json);
            }
        }
        let mut missing = 0;
        let arguments = rewrite(&call.arguments, &mut |_, value| {
            let Some(secret) = reference(&call, value) else {
                return Member::Stays;
            };
            if let Some(json) = known.get(&secret) {
                Member::Becomes(json.clone())
            } else {
                missing += 1;
                Member::Goes
            }
        });
        // A file that somebody wrote into may hold anything.
        let arguments = arguments.unwrap_or(call.arguments);
        Ok(CallArguments { arguments, missing })
    }

    pub(crate) async fn remove_calls(&self, args: KeptCallsArgs) -> Result<(), ErrorView> {
        let book = self.calls.clone();
        let ids = args.ids.clone();
        run_aside(move || book.remove(&args.server, &args.tool, &args.ids)).await??;
        let app = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(KEPT_FOR).await;
            let forgotten = app.calls.forget_removed(Some(&ids));
            app.forget_secrets(&forgotten).await;
        });
        Ok(())
    }

    pub(crate) async fn restore_calls(&self, args: KeptCallsArgs) -> Result<(), ErrorView> {
        let book = self.calls.clone();
        run_aside(move || book.restore(&args.server, &args.tool, &args.ids)).await?
    }

    /// The calls of a server as a JSON text for people and scripts, without secrets.
    pub(crate) async fn export_calls(&self, args: ExportCallsArgs) -> Result<String, ErrorView> {
        let tools = self.calls.of_server(&args.server);
        run_aside(move || {
            let exported: Vec<_> = tools
                .iter()
                .filter(|(tool, _)| args.tool.as_ref().is_none_or(|only| only == tool))
                .flat_map(|(tool, kept)| {
                    let calls = kept.saved.iter().chain(&kept.history);
                    calls.filter_map(|call| exported(tool, call))
                })
                .collect();
            serde_json::to_string_pretty(&exported).map_err(|error| ErrorView {
                code: ErrorCode::Failed,
                message: format!("The calls could not be written as JSON: {error}."),
                hint: None,
            })
        })
        .await?
    }

    /// Notes a call that was made at `at_micros`, and how it ends once it has.
    pub(crate) fn note_call(&self, args: &CallToolArgs, at_micros: u64, called: Called) {
        let known = self.redactor.redact_text(&args.arguments);
        let mut left_out = 0;
        let arguments = rewrite(&known, &mut |key, value| {
            if is_secret(key, value) {
                left_out += 1;
                Member::Goes
            } else {
                Member::Stays
            }
        });
        let Some(arguments) = arguments else {
            return;
        };
        let id = new_id();
        let call = KeptCall {
            id: id.clone(),
            name: None,
            arguments,
            secrets: left_out,
            at_micros,
            end: called
                .has_ended
                .then(|| self.end_of(called.operation))
                .flatten(),
        };
        let (server, tool) = (args.server.clone(), args.name.clone());
        self.calls.note(&server, &tool, call);
        if called.has_ended {
            return;
        }
        let (app, operation) = (self.clone(), called.operation);
        tokio::spawn(async move {
            // An engine that has ended leaves it open how the call ended.
            if app.ended(operation).await.is_ok()
                && let Some(end) = app.end_of(operation)
            {
                app.calls.note_end(&server, &tool, &id, end);
            }
        });
    }

    fn end_of(&self, operation: OperationId) -> Option<KeptEnd> {
        let summary = self.journal.read().operation(operation).ok()?;
        let (at_micros, end) = summary.end?;
        let (words, good) = match end {
            OperationEnd::Complete => ("complete".to_owned(), true),
            OperationEnd::ToolError => ("tool error".to_owned(), false),
            OperationEnd::Cancelled => ("cancelled".to_owned(), false),
            OperationEnd::Failed { brief, .. } | OperationEnd::Settled { brief, .. } => {
                (brief, false)
            }
        };
        Some(KeptEnd {
            words,
            good,
            total_micros: at_micros.saturating_sub(summary.start_micros),
        })
    }

    /// The app ends: what was made is written, and the secrets of what was removed are deleted.
    pub(crate) async fn close_calls(&self) {
        let removed = self.calls.forget_removed(None);
        self.forget_secrets(&removed).await;
        let book = self.calls.clone();
        if let Ok(Err(error)) = run_aside(move || book.write_now()).await {
            tracing::warn!(error = %error.message, "the calls that were made could not be written");
        }
    }

    /// A server will not come back: nor do its calls.
    pub(crate) async fn forget_calls_of(&self, server: &str) {
        let forgotten = self.calls.forget_server(server);
        self.forget_secrets(&forgotten).await;
    }

    async fn forget_secrets(&self, calls: &[KeptCall]) {
        for call in calls.iter().filter(|call| call.name.is_some()) {
            for secret in secret_names(call) {
                if let Err(error) = self.keyring.delete(&secret).await {
                    tracing::warn!(secret, %error, "a secret of a removed call stays in the keyring");
                }
            }
        }
    }
}

/// A call as it is exported.
#[derive(Serialize)]
struct Exported<'a> {
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: Box<RawValue>,
    #[serde(skip_serializing_if = "is_none")]
    secrets_left_out: u32,
    at_micros: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'a KeptEnd>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

fn exported<'a>(tool: &'a str, call: &'a KeptCall) -> Option<Exported<'a>> {
    let arguments = rewrite(
        &call.arguments,
        &mut |_, value| match reference(call, value) {
            Some(_) => Member::Goes,
            None => Member::Stays,
        },
    )?;
    Some(Exported {
        tool,
        name: call.name.as_deref(),
        arguments: RawValue::from_string(arguments).ok()?,
        secrets_left_out: call.secrets,
        at_micros: call.at_micros,
        end: call.end.as_ref(),
    })
}

/// The secret that stands for a value of this saved call. Text that the person wrote and that only looks so is none.
fn reference(call: &KeptCall, value: &str) -> Option<String> {
    let text = object::string(value)?;
    let name = secret_name(&text)?;
    let own = format!("call {}/", call.id);
    (call.name.is_some() && name.starts_with(&own)).then(|| name.to_owned())
}

fn secret_names(call: &KeptCall) -> Vec<String> {
    (0..call.secrets)
        .map(|at| format!("call {}/{at}", call.id))
        .collect()
}

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
