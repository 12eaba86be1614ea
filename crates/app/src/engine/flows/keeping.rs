//! Writing flows to the keyring and reading them from it, beside the loop: a keyring may take its time. One task does it,
//! in order; of what waits for the same server only the newest is written.

use std::collections::BTreeMap;

use secrets::{Keyring, SecretString};
use tokio::sync::{mpsc, oneshot};

use super::FlowInput;
use super::notes::Note;
use crate::api::links::FlowKeeping;
use crate::api::servers::ServerId;
use crate::engine::input::{Input, WeakHandle};
use crate::engine::state::Engine;

/// What there is to do with the keyring.
pub(super) enum Job {
    /// Write a server's flows, or wipe them.
    Write {
        server: ServerId,
        kept_as: String,
        value: Option<SecretString>,
    },
    /// Tell when all that was asked for before is done.
    Flush(oneshot::Sender<()>),
}

impl Engine {
    /// Writes a server's flows as they are now.
    pub(super) fn write_flows(&mut self, server: &str) {
        let layout = self.layout_of(server);
        if !self.flows.notes.keeps() {
            if layout.is_some() {
                let why = "this run keeps nothing".to_owned();
                let kept = FlowKeeping::SessionOnly { why };
                self.flows.keeping.insert(server.to_owned(), kept);
                self.tell_keeping(server);
            }
            return;
        }
        let name = self
            .catalog
            .get(server)
            .map_or(server, |entry| entry.name.as_str());
        let kept_as = self.flows.notes.name_for(server, name);
        // Noted first: what the keyring has and nobody knows of would stay there.
        let note = Note {
            kept_as: kept_as.clone(),
            is_over: layout.is_none(),
        };
        self.flows.notes.set(server, note);
        let value = layout.map(|layout| SecretString::from(layout.text()));
        self.send_job(Job::Write {
            server: server.to_owned(),
            kept_as,
            value,
        });
    }

    fn send_job(&mut self, job: Job) {
        let (keyring, handle) = (self.keyring.clone(), self.handle.clone());
        let jobs = self.flows.jobs.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            tokio::spawn(work(receiver, keyring, handle));
            sender
        });
        // The task lives as long as the engine.
        let _sent = jobs.send(job);
    }

    /// Waits, while everything is being closed, until the keyring has what it is to have.
    pub(in crate::engine) fn flush_flows(&mut self) {
        if self.flows.jobs.is_none() {
            return;
        }
        let (done, flushed) = oneshot::channel();
        self.send_job(Job::Flush(done));
        self.closing.spawn(async move {
            // A keyring that keeps silent has its own limit.
            let _over = flushed.await;
        });
    }

    pub(super) fn flow_written(
        &mut self,
        server: &str,
        is_wiped: bool,
        outcome: Result<String, String>,
    ) {
        let is_over = self
            .flows
            .notes
            .get(server)
            .is_some_and(|note| note.is_over);
        if is_wiped {
            // One that begins meanwhile is noted anew.
            if is_over && outcome.is_ok() {
                self.flows.notes.remove(server);
            }
            if let Err(why) = outcome {
                tracing::warn!(
                    why,
                    "ended link flows are still in the keyring; it is asked again at the next start"
                );
            }
            return;
        }
        let kept = match outcome {
            Ok(store) => FlowKeeping::Kept { store },
            Err(why) => FlowKeeping::SessionOnly { why },
        };
        self.flows.keeping.insert(server.to_owned(), kept);
        self.tell_keeping(server);
    }

    /// Reads the flows of earlier runs, where there are any.
    pub(in crate::engine) fn read_flows(&mut self) {
        for (server, note) in self.flows.notes.all() {
            if note.is_over || self.catalog.get(&server).is_none() {
                self.write_flows(&server);
            } else {
                self.read_flows_of(&server);
            }
        }
    }

    pub(super) fn read_flows_of(&mut self, server: &str) {
        let Some(note) = self.flows.notes.get(server) else {
            return;
        };
        let (keyring, handle) = (self.keyring.clone(), self.handle.clone());
        let (server, kept_as) = (server.to_owned(), note.kept_as.clone());
        tokio::spawn(async move {
            let outcome = read(&keyring, &kept_as).await;
            if let Some(handle) = handle.upgrade() {
                // An engine that has ended offers nothing.
                let _ended = handle
                    .tell(Input::Flow(FlowInput::Read { server, outcome }))
                    .await;
            }
        });
    }
}

/// What the keyring holds. One that is absent reads as empty, which must not be taken for an end of the flows.
async fn read(keyring: &Keyring, kept_as: &str) -> Result<Option<SecretString>, String> {
    let value = keyring
        .get(kept_as)
        .await
        .map_err(|error| error.to_string())?;
    if value.is_none() {
        let state = keyring.describe().await;
        if !state.can_be_read() {
            return Err(format!("{state}."));
        }
    }
    Ok(value)
}

async fn work(mut jobs: mpsc::UnboundedReceiver<Job>, keyring: Keyring, handle: WeakHandle) {
    while let Some(first) = jobs.recv().await {
        let mut writes = BTreeMap::new();
        let mut flushed = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Write {
                    server,
                    kept_as,
                    value,
                } => {
                    writes.insert(server, (kept_as, value));
                }
                Job::Flush(done) => flushed.push(done),
            }
            next = jobs.try_recv().ok();
        }
        for (server, (kept_as, value)) in writes {
            let is_wiped = value.is_none();
            let outcome = match value {
                Some(value) => keyring.set(&kept_as, value).await,
                None => keyring.delete(&kept_as).await,
            };
            let outcome = outcome
                .map(|()| keyring.name().to_owned())
                .map_err(|error| error.to_string());
            if let Some(handle) = handle.upgrade() {
                let written = FlowInput::Written {
                    server,
                    is_wiped,
                    outcome,
                };
                // At the end of the run nobody is told any more.
                let _ended = handle.tell(Input::Flow(written)).await;
            }
        }
        for done in flushed {
            let _gone = done.send(());
        }
    }
}
