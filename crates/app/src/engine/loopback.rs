//! The bundled demo server: where its program is, and how it is launched over HTTP on a free loopback port.

use std::path::PathBuf;
use std::time::Duration;

use client::error::{LinkError, LinkErrorKind};
use client::report::{Report, ReportKind};
use client::{Link, LinkSpec};
use tokio::sync::mpsc;

use super::input::NewLink;
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
    Ok(LinkSpec::Stdio {
        command: demo_program()?,
        args: ["http", "--port", "0", "--until-stdin-closes"]
            .map(str::to_owned)
            .to_vec(),
        env: Vec::new(),
        folder: None,
    })
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
