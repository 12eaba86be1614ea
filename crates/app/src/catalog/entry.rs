//! A server of the catalog, and the bundled ones.

use serde_json::{Map, Value};

use super::form::OWN_FIELDS;
use crate::api::options::ServerOptions;
use crate::api::servers::{Endpoint, EraChoice, NamedValue, ServerDraft, ServerId};
use crate::references;

/// The bundled demo server over stdio.
pub const DEMO_STDIO: &str = "demo-stdio";
/// The bundled demo server over HTTP.
pub const DEMO_HTTP: &str = "demo-http";
/// The bundled demo server over HTTP that wants a sign-in.
pub const DEMO_SIGN_IN: &str = "demo-sign-in";

/// One server.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its identity.
    pub id: ServerId,
    /// Its name, unique in the file.
    pub name: String,
    /// Where it is and how it is spoken to.
    pub reach: Reach,
    /// Which era to speak.
    pub era: EraChoice,
    /// How it is treated.
    pub options: ServerOptions,
    /// The entry as the file has it, for the fields that are not ours.
    pub(super) raw: Map<String, Value>,
}

/// How an entry is reached.
#[derive(Clone, Debug)]
pub enum Reach {
    /// As the person said.
    Endpoint(Endpoint),
    /// The bundled demo server as a child process.
    DemoStdio,
    /// The bundled demo server on a free loopback port, started by the connection.
    DemoHttp,
    /// The bundled demo server that wants a sign-in. It outlives its connections, as what is signed in to does.
    DemoProtected,
}

impl Entry {
    /// Whether its identity stands in the file.
    pub(super) fn has_own_id(&self) -> bool {
        self.builtin()
            || self
                .raw
                .get(OWN_FIELDS)
                .and_then(|own| own.get("id"))
                .is_some()
    }

    /// Whether it is one of the bundled ones.
    pub fn builtin(&self) -> bool {
        !matches!(self.reach, Reach::Endpoint(_))
    }

    /// `stdio` or `http`.
    pub fn transport(&self) -> &'static str {
        match &self.reach {
            Reach::DemoStdio | Reach::Endpoint(Endpoint::Stdio { .. }) => "stdio",
            Reach::DemoHttp | Reach::DemoProtected | Reach::Endpoint(Endpoint::Http { .. }) => {
                "http"
            }
        }
    }

    /// The command line or the URL, without environment or headers.
    pub fn address(&self) -> String {
        match &self.reach {
            Reach::DemoStdio => "built in · stdio".to_owned(),
            Reach::DemoHttp => "built in · HTTP on this machine".to_owned(),
            Reach::DemoProtected => "built in · HTTP on this machine, with sign-in".to_owned(),
            Reach::Endpoint(Endpoint::Stdio { command, args, .. }) => command_line(command, args),
            Reach::Endpoint(Endpoint::Http { url, .. }) => url.clone(),
        }
    }

    /// The names of the secrets that it refers to.
    pub fn secret_names(&self) -> Vec<String> {
        let Reach::Endpoint(endpoint) = &self.reach else {
            return Vec::new();
        };
        secret_names_in(endpoint)
    }

    /// What the form shows, secret values emptied.
    pub fn draft(&self) -> Option<ServerDraft> {
        let Reach::Endpoint(endpoint) = &self.reach else {
            return None;
        };
        let mut endpoint = endpoint.clone();
        for value in named_values(&mut endpoint) {
            if value.secret {
                value.value.clear();
            }
        }
        Some(ServerDraft {
            name: self.name.clone(),
            endpoint,
            era: self.era,
            options: self.options.clone(),
        })
    }
}

/// The names of the secrets that an endpoint refers to, in all of its texts.
pub fn secret_names_in(endpoint: &Endpoint) -> Vec<String> {
    let texts: Vec<&String> = match endpoint {
        Endpoint::Stdio { args, env, .. } => {
            let values = env.iter().map(|value| &value.value);
            args.iter().chain(values).collect()
        }
        Endpoint::Http { url, headers } => {
            let values = headers.iter().map(|value| &value.value);
            std::iter::once(url).chain(values).collect()
        }
    };
    let names = texts
        .into_iter()
        .flat_map(|text| references::names_in(text));
    names.map(str::to_owned).collect()
}

/// The texts of an endpoint that are neither headers nor variables: its arguments, or its URL.
pub fn plain_texts(endpoint: &mut Endpoint) -> Vec<&mut String> {
    match endpoint {
        Endpoint::Stdio { args, .. } => args.iter_mut().collect(),
        Endpoint::Http { url, .. } => vec![url],
    }
}

/// The bundled servers.
pub(super) fn demos() -> Vec<Entry> {
    [
        (DEMO_STDIO, "Demo server", Reach::DemoStdio),
        (DEMO_HTTP, "Demo server (HTTP)", Reach::DemoHttp),
        (DEMO_SIGN_IN, "Demo server (sign-in)", Reach::DemoProtected),
    ]
    .map(|(id, name, reach)| Entry {
        id: id.to_owned(),
        name: name.to_owned(),
        reach,
        era: EraChoice::Auto,
        options: of_demos(),
        raw: Map::new(),
    })
    .into()
}

/// How the bundled servers are treated: they may ask for all that there is, for they show it.
fn of_demos() -> ServerOptions {
    let mut options = ServerOptions::default();
    options.advertise.roots = true;
    options
}

/// A command line as a person would type it.
pub fn command_line(command: &str, args: &[String]) -> String {
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    // A word with a NUL cannot be quoted; it is shown as it is.
    shlex::try_join(words.clone()).unwrap_or_else(|_| words.collect::<Vec<_>>().join(" "))
}

/// The environment or the headers of an endpoint.
pub fn named_values(endpoint: &mut Endpoint) -> &mut Vec<NamedValue> {
    match endpoint {
        Endpoint::Stdio { env, .. } => env,
        Endpoint::Http { headers, .. } => headers,
    }
}
