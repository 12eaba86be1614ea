//! Servers that a test adds and connects.

use app::api::ErrorView;
use app::api::lists::ListNews;
use app::api::options::ServerOptions;
use app::api::servers::{
    ConnectionView, Endpoint, EraChoice, NamedValue, Phase, ServerDraft, ServerView,
};
use serde_json::json;

use super::Core;

/// What a person is told about a connection that was not made.
#[derive(Debug)]
pub struct Failure {
    /// At the place of action.
    pub error: ErrorView,
    /// In the timeline.
    pub row: String,
    /// The row's summary, a line each.
    pub details: String,
}

impl Core {
    /// Adds a server.
    pub async fn add(&self, draft: ServerDraft) -> String {
        self.must("save_server", json!({ "server": null, "draft": draft }))
            .await
    }

    /// Adds a server that is a child process.
    pub async fn add_command(
        &self,
        name: &str,
        command: &str,
        args: &[&str],
        era: EraChoice,
    ) -> String {
        self.add(process(name, command, args, era, ServerOptions::default()))
            .await
    }

    /// Adds the server that is odd in this way.
    pub async fn add_odd(&self, oddity: &str, era: EraChoice) -> String {
        self.add_odd_as(oddity, &[], era, ServerOptions::default())
            .await
    }

    /// Adds the server that is odd in this way, treated so.
    pub async fn add_odd_as(
        &self,
        oddity: &str,
        args: &[&str],
        era: EraChoice,
        options: ServerOptions,
    ) -> String {
        let script = crate::programs::odd_server();
        let script = script.to_string_lossy();
        let args = [&["-u", &script, oddity], args].concat();
        self.add(process(oddity, "python3", &args, era, options))
            .await
    }

    /// Adds a server that is a URL.
    pub async fn add_url(
        &self,
        name: &str,
        url: &str,
        headers: &[(&str, &str)],
        era: EraChoice,
    ) -> String {
        let headers = headers.iter().map(|(name, value)| NamedValue {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            secret: true,
        });
        let endpoint = Endpoint::Http {
            url: url.to_owned(),
            headers: headers.collect(),
        };
        self.add(draft(name, endpoint, era, ServerOptions::default()))
            .await
    }

    /// Adds a server that is a URL, with options of its own.
    pub async fn add_url_with(
        &self,
        name: &str,
        url: &str,
        era: EraChoice,
        options: ServerOptions,
    ) -> String {
        let endpoint = Endpoint::Http {
            url: url.to_owned(),
            headers: Vec::new(),
        };
        self.add(draft(name, endpoint, era, options)).await
    }

    /// Connects and waits until it is made or has failed.
    pub async fn connect(&self, server: &str) -> ConnectionView {
        self.connect_as(server, None).await
    }

    /// Connects with this era and waits until it is made or has failed.
    pub async fn connect_as(&self, server: &str, era: Option<EraChoice>) -> ConnectionView {
        let before = self.connection(server).since_micros;
        let _: () = self
            .must("connect", json!({ "server": server, "era": era }))
            .await;
        self.until("the connection", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (matches!(view.connection.phase, Phase::Connected | Phase::Failed)
                && view.connection.since_micros > before)
                .then(|| view.connection.clone())
        })
        .await
    }

    /// Connects and expects it to be made.
    pub async fn connect_well(&self, server: &str) -> ConnectionView {
        let connection = self.connect(server).await;
        assert_eq!(
            connection.phase,
            Phase::Connected,
            "{connection:#?}\n{}",
            self.timeline()
        );
        connection
    }

    /// Connects, expects that it fails, and gives what a person is told about it.
    pub async fn connect_badly(&self, server: &str, era: Option<EraChoice>) -> Failure {
        let connection = self.connect_as(server, era).await;
        assert_eq!(
            connection.phase,
            Phase::Failed,
            "{connection:#?}\n{}",
            self.timeline()
        );
        let error = connection.error.expect("a failed connection has an error");
        let operation = connection.operation.expect("its error has a row");
        Failure {
            error,
            row: self.operation_row(operation).await,
            details: self.details(operation).await,
        }
    }

    /// A server's connection as the view holds it; an empty one of a server that it does not know yet.
    pub fn connection(&self, server: &str) -> ConnectionView {
        self.seen()
            .servers
            .into_iter()
            .find(|view| view.id == server)
            .map_or_else(nothing, |view| view.connection)
    }

    /// Its phase as the core has it, which the feed tells a little later.
    pub(super) async fn phase_now(&self, server: &str) -> Phase {
        let servers: Vec<ServerView> = self.must("servers", json!({})).await;
        servers
            .into_iter()
            .find(|view| view.id == server)
            .map_or(Phase::Disconnected, |view| view.connection.phase)
    }

    /// Waits until a server's connection is in this phase.
    pub async fn until_phase(&self, server: &str, phase: Phase) -> ConnectionView {
        self.until(&format!("{phase:?}"), |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (view.connection.phase == phase).then(|| view.connection.clone())
        })
        .await
    }
}

fn process(
    name: &str,
    command: &str,
    args: &[&str],
    era: EraChoice,
    options: ServerOptions,
) -> ServerDraft {
    let endpoint = Endpoint::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        folder: None,
    };
    draft(name, endpoint, era, options)
}

fn draft(name: &str, endpoint: Endpoint, era: EraChoice, options: ServerOptions) -> ServerDraft {
    ServerDraft {
        name: name.to_owned(),
        endpoint,
        era,
        options,
    }
}

fn nothing() -> ConnectionView {
    ConnectionView {
        phase: Phase::Disconnected,
        since_micros: 0,
        step: None,
        error: None,
        operation: None,
        report: None,
        pid: None,
        last_round_trip_micros: None,
        tools_version: 0,
        tool_count: None,
        resources: ListNews::default(),
        resource_templates: ListNews::default(),
        prompts: ListNews::default(),
        subscriptions_version: 0,
        open_prompts: 0,
        wakes: false,
    }
}
