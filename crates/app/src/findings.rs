//! Commands about findings.

use std::collections::BTreeSet;
use std::sync::Arc;

use journal::event::ConnectionId;
use tokio::sync::oneshot;

use crate::api::ErrorView;
use crate::api::calls::{FindingPlacesArgs, ServerArgs};
use crate::api::findings::{FindingPlaceView, FindingPlaces, FindingsView, RuleView};
use crate::api::servers::ServerId;
use crate::engine::{self, Input};
use crate::{App, details, run_aside};

/// More at once are not shown.
const WINDOW: u32 = 500;

impl App {
    pub(crate) async fn findings(&self, args: ServerArgs) -> Result<FindingsView, ErrorView> {
        let connections = self.connections_of(args.server).await?;
        let journal = Arc::clone(&self.journal);
        run_aside(move || {
            let found = journal
                .read()
                .findings_by_rule(&|connection| connections.contains(&connection))
                .map_err(|error| details::journal_error(&error))?;
            let rules = found
                .into_iter()
                .map(|found| RuleView {
                    last: found.last,
                    count: found.count,
                    first_micros: found.first_micros,
                    last_micros: found.last_micros,
                })
                .collect();
            Ok(FindingsView { rules })
        })
        .await?
    }

    pub(crate) async fn finding_places(
        &self,
        args: FindingPlacesArgs,
    ) -> Result<FindingPlaces, ErrorView> {
        let connections = self.connections_of(args.server).await?;
        let journal = Arc::clone(&self.journal);
        run_aside(move || {
            let found = journal
                .read()
                .findings_about(
                    &args.rule,
                    &|connection| connections.contains(&connection),
                    args.start,
                    args.len.min(WINDOW),
                )
                .map_err(|error| details::journal_error(&error))?;
            let places = found
                .into_iter()
                .map(|place| FindingPlaceView {
                    seq: place.seq,
                    at_micros: place.at_micros,
                    message: place.finding.message,
                    operation: place.operation,
                    title: place.title,
                })
                .collect();
            Ok(FindingPlaces { places })
        })
        .await?
    }

    /// All connections to a server since the start.
    async fn connections_of(&self, server: ServerId) -> Result<BTreeSet<ConnectionId>, ErrorView> {
        let (answer, connections) = oneshot::channel();
        self.engine
            .tell(Input::ConnectionsOf { server, answer })
            .await?;
        connections.await.map_err(|_| engine::ended())
    }
}
