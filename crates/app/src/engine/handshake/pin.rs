//! Which way a server is spoken to: what the person chose for it, put together.

use protocol::era::{Era, Revision};

use super::failure::list;
use crate::api::options::HttpStyle;
use crate::api::servers::{Endpoint, EraChoice};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{Entry, Reach};

/// The way that was chosen.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) era: EraChoice,
    /// Only this revision is spoken.
    pub(super) pin: Option<Revision>,
    pub(super) http: HttpStyle,
}

impl Way {
    /// `now` is the era chosen for this connection alone, which a pin of the other era yields to.
    ///
    /// # Errors
    /// The choices contradict each other, or no such revision is spoken.
    pub(super) fn of(entry: &Entry, now: Option<EraChoice>) -> Result<Self, ErrorView> {
        let pinned = entry
            .options
            .revision
            .as_deref()
            .map(revision)
            .transpose()?;
        let pin = pinned.filter(|pin| match (pin.era(), now) {
            (Era::Modern, Some(EraChoice::Legacy)) | (Era::Legacy, Some(EraChoice::Modern)) => {
                false
            }
            (_, None | Some(EraChoice::Auto))
            | (Era::Modern, Some(EraChoice::Modern))
            | (Era::Legacy, Some(EraChoice::Legacy)) => true,
        });
        let chosen = now.unwrap_or(entry.era);
        let era = match pin.as_ref().map(Revision::era) {
            Some(Era::Modern) => EraChoice::Modern,
            Some(Era::Legacy) => EraChoice::Legacy,
            None => chosen,
        };
        let is_http = matches!(
            entry.reach,
            Reach::DemoHttp | Reach::DemoProtected | Reach::Endpoint(Endpoint::Http { .. })
        );
        let http = entry.options.http;
        if !is_http || http != HttpStyle::Sse {
            return Ok(Self { era, pin, http });
        }
        if era == EraChoice::Modern {
            return Err(ErrorView {
                code: ErrorCode::Failed,
                message: "HTTP+SSE is chosen for this server, and the modern era cannot be spoken over it."
                    .to_owned(),
                hint: Some(
                    "Choose Streamable HTTP, or a legacy revision, in the server's options.".to_owned(),
                ),
            });
        }
        let era = EraChoice::Legacy;
        Ok(Self { era, pin, http })
    }

    /// What is spoken, newest first.
    pub(super) fn spoken(&self) -> Vec<Revision> {
        match &self.pin {
            Some(pin) => vec![pin.clone()],
            None => Revision::SPOKEN.to_vec(),
        }
    }
}

/// The pinned revision.
fn revision(name: &str) -> Result<Revision, ErrorView> {
    let known = Revision::SPOKEN
        .into_iter()
        .find(|revision| revision.as_str() == name.trim());
    known.ok_or_else(|| ErrorView {
        code: ErrorCode::Failed,
        message: format!(
            "This server is to be spoken to in the revision {name}, which Roundtrip does not speak."
        ),
        hint: Some(format!(
            "Choose one of {} in the server's options.",
            list(&Revision::SPOKEN.map(|revision| revision.to_string()))
        )),
    })
}
