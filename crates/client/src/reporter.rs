//! The way from a link's tasks to its owner.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::clock::now_micros;
use crate::report::{LinkId, Report, ReportKind};

/// Nobody listens any more: the link was closed or dropped, or the owner's inbox is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Silenced;

/// Hands reports to the owner, at the owner's pace.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    link: LinkId,
    inbox: mpsc::Sender<Vec<Report>>,
    silenced: CancellationToken,
}

impl Reporter {
    pub(crate) fn new(link: LinkId, inbox: mpsc::Sender<Vec<Report>>) -> Self {
        Self {
            link,
            inbox,
            silenced: CancellationToken::new(),
        }
    }

    /// Cancelled when nothing may be reported any more.
    pub(crate) fn silenced(&self) -> &CancellationToken {
        &self.silenced
    }

    /// From here on nothing is reported.
    pub(crate) fn silence(&self) {
        self.silenced.cancel();
    }

    /// Completes when nothing may be reported any more, or the owner's inbox is gone.
    pub(crate) async fn owner_gone(&self) {
        tokio::select! {
            () = self.silenced.cancelled() => {}
            () = self.inbox.closed() => {}
        }
    }

    /// A report of this moment.
    pub(crate) fn now(&self, what: ReportKind) -> Report {
        self.at(now_micros(), what)
    }

    pub(crate) fn at(&self, at_micros: u64, what: ReportKind) -> Report {
        Report {
            link: self.link,
            at_micros,
            what,
        }
    }

    /// Hands over one report, waiting for room.
    pub(crate) async fn report(&self, what: ReportKind) -> Result<(), Silenced> {
        self.hand_over(&mut vec![self.now(what)]).await
    }

    /// Hands over the last report of a task, which need not know whether anybody listens.
    pub(crate) async fn report_last(&self, what: ReportKind) {
        if let Err(Silenced) = self.report(what).await {
            tracing::trace!("nobody listened to a last report");
        }
    }

    /// Hands over what has gathered, if there is room at once.
    pub(crate) fn try_hand_over(&self, reports: &mut Vec<Report>) {
        if !self.silenced.is_cancelled()
            && let Ok(permit) = self.inbox.try_reserve()
        {
            permit.send(std::mem::take(reports));
        }
    }

    /// Hands over what has gathered, waiting for room. Dropping the future loses nothing: what was
    /// not handed over is still in `reports`.
    pub(crate) async fn hand_over(&self, reports: &mut Vec<Report>) -> Result<(), Silenced> {
        if self.silenced.is_cancelled() {
            return Err(Silenced);
        }
        if reports.is_empty() {
            return Ok(());
        }
        self.try_hand_over(reports);
        if reports.is_empty() {
            return Ok(());
        }
        let permit = tokio::select! {
            biased;
            () = self.silenced.cancelled() => return Err(Silenced),
            permit = self.inbox.reserve() => permit,
        };
        if let Ok(permit) = permit {
            permit.send(std::mem::take(reports));
            Ok(())
        } else {
            // The owner dropped its inbox without closing the link: the same as closing it.
            self.silence();
            Err(Silenced)
        }
    }
}
