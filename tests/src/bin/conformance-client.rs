//! The client that the protocol's conformance suite drives (`cargo xtask conformance`): Roundtrip's core, with a script of
//! what a person would do with a server that they do not know. It connects, looks at everything that is offered, calls
//! each tool with arguments that its schema asks for, answers questions with what their forms propose, and leaves.
//!
//! The suite names the server as the last argument, and the revision in `MCP_CONFORMANCE_PROTOCOL_VERSION`. Where it has
//! calls in mind that no schema could tell, it names them in `MCP_CONFORMANCE_CONTEXT`.

use std::collections::{HashMap, HashSet};
use std::env;
use std::process::ExitCode;
use std::time::Duration;

use app::api::feed::{PromptAsk, PromptView};
use app::api::options::ServerOptions;
use app::api::replies::{OperationReply, ReplyKind};
use app::api::servers::{ConnectionView, Endpoint, EraChoice, Phase, ServerDraft};
use app::api::sign_in::{SignInHow, SignInOptions};
use app::api::tools::ToolView;
use app::api::{ErrorCode, OperationId};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tests::core::Core;
use tests::person;

/// The Client ID Metadata Document that the suite knows; it is never fetched.
const METADATA_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// How often prompts are looked for.
const LOOK: Duration = Duration::from_millis(10);

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = env::args()
        .next_back()
        .filter(|url| url.starts_with("http"))
    else {
        eprintln!("The last argument must be the server's URL.");
        return ExitCode::from(2);
    };
    let core = Core::start().await;
    // The person consents to everything; both go on until the visit is over.
    let well = tokio::select! {
        well = visit(&core, &url) => well,
        () = person::consents(&core) => false,
        () = person::agrees(&core) => false,
    };
    core.close().await;
    if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Does everything; gives false when the server cannot be connected to.
async fn visit(core: &Core, url: &str) -> bool {
    let revision = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok();
    let era = match revision.as_deref() {
        None => EraChoice::Auto,
        Some(revision) if revision < "2026" => EraChoice::Legacy,
        Some(_) => EraChoice::Modern,
    };
    let server = core
        .add(ServerDraft {
            name: "conformance".to_owned(),
            endpoint: Endpoint::Http {
                url: url.to_owned(),
                headers: Vec::new(),
            },
            era,
            options: ServerOptions {
                revision,
                ..ServerOptions::default()
            },
        })
        .await;
    prepare_sign_in(core, &server).await;
    let mut connection = core.connect(&server).await;
    let is_refused = |connection: &ConnectionView| {
        connection
            .error
            .as_ref()
            .is_some_and(|error| error.code == ErrorCode::SignInNeeded)
    };
    if is_refused(&connection) {
        let view = person::signs_in(core, &server).await;
        if let Some(error) = view.error {
            eprintln!("not signed in: {}", error.message);
            return false;
        }
        // It connects by itself then.
        connection = core.must("settled", json!({ "server": server })).await;
    }
    if connection.phase != Phase::Connected {
        let error = connection.error.map(|error| error.message);
        eprintln!("not connected: {}", error.unwrap_or_default());
        return false;
    }
    let offers = |capability: &str| {
        connection.report.as_ref().is_some_and(|report| {
            report
                .capability_names
                .iter()
                .any(|name| name == capability)
        })
    };
    let visitor = Visitor {
        core,
        server,
        calls: asked_for(),
    };
    if offers("tools") {
        visitor.call_tools().await;
    } else {
        // A server that declares nothing is asked all the same: that it says so is an answer too.
        visitor.ask("tools/list", None).await;
    }
    if offers("resources") {
        visitor.read_resources().await;
    }
    if offers("prompts") {
        visitor.get_prompts().await;
    }
    true
}

/// What the suite gives to sign in with, as a person would enter it.
async fn prepare_sign_in(core: &Core, server: &str) {
    let context = context();
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let how = if context["idp_id_token"].is_string() {
        SignInHow::IdentityAssertion
    } else if context["valid_jwt"].is_string() {
        SignInHow::JwtBearer
    } else if env::var("MCP_CONFORMANCE_SCENARIO")
        .is_ok_and(|name| name.starts_with("auth/client-credentials"))
    {
        SignInHow::ClientCredentials
    } else {
        SignInHow::Person
    };
    let options = SignInOptions {
        how,
        client_id: text("client_id"),
        client_issuer: text("issuer"),
        metadata_document: Some(METADATA_DOCUMENT.to_owned()),
        provider_token_endpoint: text("idp_token_endpoint"),
        provider_client_id: text("idp_client_id"),
        ..SignInOptions::default()
    };
    let secrets = json!({
        "client_secret": text("client_secret"),
        "private_key": text("private_key_pem"),
        "assertion": text("valid_jwt"),
        "id_token": text("idp_id_token"),
    });
    let args = json!({ "server": server, "options": options, "secrets": secrets });
    core.must::<()>("save_sign_in", args).await;
}

fn context() -> Value {
    env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// The calls that the suite has in mind: arguments by tool.
fn asked_for() -> HashMap<String, Value> {
    let context = context();
    let calls = context["toolCalls"].as_array().cloned().unwrap_or_default();
    calls
        .into_iter()
        .filter_map(|call| Some((call["name"].as_str()?.to_owned(), call["arguments"].clone())))
        .collect()
}

struct Visitor<'a> {
    core: &'a Core,
    server: String,
    calls: HashMap<String, Value>,
}

impl Visitor<'_> {
    async fn call_tools(&self) {
        let tools = self.core.tools(&self.server).await.entries;
        for tool in &tools {
            // It is struck through in the list, and a person cannot choose it.
            if tool.excluded.is_some() {
                continue;
            }
            let arguments = match self.calls.get(&tool.name) {
                Some(arguments) => arguments.to_string(),
                None => arguments(tool, &tools),
            };
            let name = Value::from(tool.name.as_str());
            let params = format!("{{\"name\":{name},\"arguments\":{arguments}}}");
            self.ask("tools/call", Some(params)).await;
        }
    }

    async fn read_resources(&self) {
        for resource in self.list("resources/list", "resources").await {
            let params = json!({ "uri": resource["uri"] }).to_string();
            self.ask("resources/read", Some(params)).await;
        }
    }

    async fn get_prompts(&self) {
        for prompt in self.list("prompts/list", "prompts").await {
            let wanted = prompt["arguments"].as_array().cloned().unwrap_or_default();
            let arguments: Map<String, Value> = wanted
                .iter()
                .filter(|argument| argument["required"] == true)
                .filter_map(|argument| {
                    Some((argument["name"].as_str()?.to_owned(), json!("example")))
                })
                .collect();
            let params = json!({ "name": prompt["name"], "arguments": arguments }).to_string();
            self.ask("prompts/get", Some(params)).await;
        }
    }

    async fn list(&self, method: &str, member: &str) -> Vec<Value> {
        let reply = self.ask(method, None).await;
        reply
            .replies
            .iter()
            .filter(|page| page.kind == ReplyKind::Result)
            .filter_map(|page| serde_json::from_str::<Value>(&page.text).ok())
            .flat_map(|page| page[member].as_array().cloned().unwrap_or_default())
            .collect()
    }

    /// Sends a request and answers what the server asks meanwhile.
    async fn ask(&self, method: &str, params: Option<String>) -> OperationReply {
        let operation: OperationId = self
            .core
            .must(
                "request",
                json!({
                    "server": self.server, "method": method, "params": params, "pages": "all",
                    "progress": true, "limit_millis": null,
                }),
            )
            .await;
        let reply = self.core.must("reply", json!({ "operation": operation }));
        let mut reply = std::pin::pin!(reply);
        let mut answered = HashSet::new();
        loop {
            tokio::select! {
                reply = &mut reply => return reply,
                () = tokio::time::sleep(LOOK) => {
                    for prompt in self.core.seen().prompts {
                        // Those are answered beside everything else.
                        if matches!(prompt.ask, PromptAsk::SignIn { .. }) {
                            continue;
                        }
                        if answered.insert(prompt.id) {
                            self.answer(&prompt).await;
                        }
                    }
                }
            }
        }
    }

    /// Accepts a form with what it proposes; nothing else can be accepted without looking.
    async fn answer(&self, prompt: &PromptView) {
        let answer = match &prompt.ask {
            PromptAsk::Form { schema } => {
                let schema: Value = serde_json::from_str(schema).unwrap_or_default();
                let content = proposed(&schema).to_string();
                json!({ "prompt": prompt.id, "action": "accept", "content": content })
            }
            _ => json!({ "prompt": prompt.id, "action": "decline", "content": null }),
        };
        // A prompt that was withdrawn meanwhile needs no answer.
        let _withdrawn: Result<(), Value> = self.core.rpc("answer_prompt", answer).await;
    }
}

/// What a form proposes: its defaults, and something for what it requires beside them.
fn proposed(schema: &Value) -> Value {
    let required = required(schema);
    let properties = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    properties
        .iter()
        .filter_map(|(name, field)| {
            let value = match field.get("default") {
                Some(value) => value.clone(),
                None if required.contains(name) => example(field),
                None => return None,
            };
            Some((name.clone(), value))
        })
        .collect::<Map<_, _>>()
        .into()
}

/// Arguments for a tool: what its schema requires. JSON text, since a schema among them must stay as it came.
fn arguments(tool: &ToolView, tools: &[ToolView]) -> String {
    let schema: Value = serde_json::from_str(&tool.input_schema).unwrap_or_default();
    let members: Vec<String> = required(&schema)
        .iter()
        .map(|name| {
            let field = &schema["properties"][name];
            let value = if asks_for_schema(name, field) {
                other_schema(tool, tools).unwrap_or_else(|| "{}".to_owned())
            } else {
                example(field).to_string()
            };
            format!("{}:{value}", Value::from(name.as_str()))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Whether an argument is to be the schema of another tool, as its description says.
fn asks_for_schema(name: &str, field: &Value) -> bool {
    let description = field["description"].as_str().unwrap_or_default();
    name == "schema" && description.contains("inputSchema")
}

fn other_schema(tool: &ToolView, tools: &[ToolView]) -> Option<String> {
    let other = tools.iter().find(|other| other.name != tool.name)?;
    let schema: Box<RawValue> = serde_json::from_str(&other.input_schema).ok()?;
    Some(schema.get().to_owned())
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().cloned().unwrap_or_default();
    names
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// A value that a schema takes.
fn example(schema: &Value) -> Value {
    for key in ["default", "const"] {
        if let Some(value) = schema.get(key) {
            return value.clone();
        }
    }
    for key in ["enum", "examples"] {
        if let Some(value) = schema[key].get(0) {
            return value.clone();
        }
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(variant) = schema[key].get(0) {
            return example(variant);
        }
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some("array") => json!([]),
        Some("object") => proposed(schema),
        _ => json!("example"),
    }
}
