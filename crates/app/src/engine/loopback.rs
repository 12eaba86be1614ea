//! The bundled demo server: where its program is, and how it is launched over HTTP on a free loopback port.
//!
//! The plain one belongs to the connection that started it. The one that wants a sign-in is as a server elsewhere: it
//! runs from when it is first wanted until Roundtrip ends, for a sign-in is with the server and not with a connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use client::error::{LinkError, LinkErrorKind};
use client::report::{LinkId, Report, ReportKind};
use client::{Link, LinkSpec};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handshake::link_failure;
use super::input::{self, NewLink};
use crate::api::{ErrorCode, ErrorView};

/// What the demo server says on stdout once it listens.
const LISTENING: &str = "listening on ";
/// How long it may take to say so.
const LAUNCH_LIMIT: Duration = Duration::from_secs(15);

/// The demo server's program: beside this one, or below the folder that holds it (tests run from `deps/`).
///
/// # Errors
/// It is not there; the error names where it was looked for.
pub(super) fn demo_program() -> Result<String, ErrorView> {
    let name = format!("roundtrip-demo-server{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
        .map(|path| path.to_string_lossy().into_owned())
        .ok_or_else(|| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The bundled demo server {name} is not beside Roundtrip's own program in {}.",
                here.parent()
                    .map(|folder| folder.display().to_string())
                    .unwrap_or_default()
            ),
            hint: Some("Install Roundtrip again, or build it with: cargo xtask run".to_owned()),
        })
}

/// How the demo server is launched over HTTP. It ends by itself when its stdin is closed.
pub(super) fn demo_http_spec() -> Result<LinkSpec, ErrorView> {
    spec(&["http", "--port", "0", "--until-stdin-closes"])
}

fn spec(args: &[&str]) -> Result<LinkSpec, ErrorView> {
    Ok(LinkSpec::Stdio {
        command: demo_program()?,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        folder: None,
    })
}

/// The bundled server that wants a sign-in: one process for all connections and sign-ins.
#[derive(Clone, Default)]
pub(super) struct ProtectedDemo(Arc<Mutex<Demo>>);

#[derive(Default)]
struct Demo {
    running: Option<Running>,
    is_closed: bool,
}

struct Running {
    link: Link,
    url: String,
    ended: CancellationToken,
}

impl ProtectedDemo {
    /// Where it listens; it is started when it does not run.
    ///
    /// # Errors
    /// It cannot be started, or Roundtrip is closing.
    pub(super) async fn url(&self, closing: &TaskTracker) -> Result<String, ErrorView> {
        let demo = self.0.clone();
        // Not a part of the task that asks, which may be aborted: whoever closes the engine is to learn of a process that
        // was just being started.
        let started = closing.spawn(async move { demo.lock().await.url().await });
        started.await.unwrap_or_else(|_| Err(input::ended()))
    }

    /// Ends it for good.
    pub(super) async fn close(&self) {
        let mut demo = self.0.lock().await;
        demo.is_closed = true;
        if let Some(running) = demo.running.take() {
            running.link.close().await;
        }
    }
}

impl Demo {
    async fn url(&mut self) -> Result<String, ErrorView> {
        if self.is_closed {
            return Err(input::ended());
        }
        if let Some(running) = &self.running
            && !running.ended.is_cancelled()
        {
            return Ok(running.url.clone());
        }
        let (inbox, mut reports) = mpsc::channel::<Vec<Report>>(16);
        let link = LinkId(0);
        let spec = spec(&["http", "--protected", "--until-stdin-closes"])?;
        let ended = CancellationToken::new();
        let over = ended.clone();
        // It has no row of its own; what it says on stderr is of no connection.
        tokio::spawn(async move {
            while let Some(batch) = reports.recv().await {
                for report in batch {
                    if let ReportKind::ProcessExited { status, .. } = report.what {
                        tracing::debug!(status, "the demo server with sign-in has ended");
                        over.cancel();
                    }
                }
            }
            over.cancel();
        });
        let (link, url) = launch(spec, NewLink { link, inbox })
            .await
            .map_err(|error| link_failure(&error))?;
        self.running = Some(Running {
            link,
            url: url.clone(),
            ended,
        });
        Ok(url)
    }
}

/// Launches it and waits until it says where it listens. What else it reports goes on to the engine.
///
/// # Errors
/// It cannot be started, ends, or does not say where it listens in time.
pub(super) async fn launch(spec: LinkSpec, new: NewLink) -> Result<(Link, String), LinkError> {
    let (own_inbox, mut reports) = mpsc::channel::<Vec<Report>>(16);
    let link = Link::open(new.link, spec, own_inbox).await?;
    let (told, mut listening) = mpsc::channel::<String>(1);
    let engine = new.inbox;
    tokio::spawn(async move {
        while let Some(batch) = reports.recv().await {
            let mut passed_on = Vec::with_capacity(batch.len());
            for report in batch {
                match &report.what {
                    ReportKind::Lines(frames) => {
                        for frame in frames {
                            let said = String::from_utf8_lossy(&frame.bytes);
                            if let Some(url) = said.strip_prefix(LISTENING) {
                                // Only the first one is waited for.
                                let _full = told.try_send(url.trim().to_owned());
                            }
                        }
                    }
                    _ => passed_on.push(report),
                }
            }
            if engine.send(passed_on).await.is_err() {
                return;
            }
        }
    });
    match tokio::time::timeout(LAUNCH_LIMIT, listening.recv()).await {
        Ok(Some(url)) => Ok((link, url)),
        Ok(None) | Err(_) => Err(LinkError {
            kind: LinkErrorKind::ProcessGone,
            message: "The demo server did not say where it listens.".to_owned(),
            hint: Some("Look at its lines on stderr in the timeline.".to_owned()),
        }),
    }
}
