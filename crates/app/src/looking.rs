//! Commands of who looks at the timeline as a whole, and at what an event means.

use journal::row::RowKey;
use tokio::sync::oneshot;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{
    DensityArgs, EventArgs, ExchangeArgs, LocateTimeArgs, RowKeysArgs, RowPlace,
};
use crate::api::details::Mirrors;
use crate::api::feed::DensityView;
use crate::api::tools::ContentView;
use crate::engine::{self, Input};
use crate::{details, outcome, run_aside};

/// So many keys of rows are given at once.
const MOST_KEYS: u32 = 10_000;

impl App {
    /// The keys of a stretch of rows.
    pub(crate) async fn row_keys(&self, args: RowKeysArgs) -> Result<Vec<RowKey>, ErrorView> {
        let len = args.len.min(MOST_KEYS);
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| Ok(past.row_keys(args.start, len)))
                .await;
        }
        let (answer, keys) = oneshot::channel();
        self.engine
            .tell(Input::RowKeys {
                start: args.start,
                len,
                answer,
            })
            .await?;
        keys.await.map_err(|_| engine::ended())
    }

    pub(crate) async fn locate_time(&self, args: LocateTimeArgs) -> Result<RowPlace, ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| {
                    let index = past.locate_time(args.at_micros);
                    Ok(RowPlace { index })
                })
                .await;
        }
        let (answer, place) = oneshot::channel();
        self.engine
            .tell(Input::LocateTime {
                at_micros: args.at_micros,
                answer,
            })
            .await?;
        let index = place.await.map_err(|_| engine::ended())?;
        Ok(RowPlace { index })
    }

    pub(crate) async fn density(&self, args: DensityArgs) -> Result<DensityView, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        let journal = journal.read();
        let density = journal.tree().density();
        Ok(DensityView {
            start_micros: density.start_micros(),
            last_micros: density.last_micros(),
            bucket_micros: density.bucket_micros(),
            events: density.events().to_vec(),
            errors: density.errors().to_vec(),
        })
    }

    pub(crate) async fn mirrors(&self, args: ExchangeArgs) -> Result<Mirrors, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        run_aside(move || details::mirrors(&journal.read(), args.operation, args.exchange)).await?
    }

    pub(crate) async fn event_content(
        &self,
        args: EventArgs,
    ) -> Result<Vec<ContentView>, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        run_aside(move || {
            let recorded = journal.read().event(args.event);
            recorded
                .map(|recorded| outcome::content_of(&recorded.body))
                .map_err(|error| details::journal_error(&error))
        })
        .await?
    }
}
