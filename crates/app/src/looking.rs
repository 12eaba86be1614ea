//! Commands of who looks at the timeline as a whole.

use tokio::sync::oneshot;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{LocateTimeArgs, Nothing, RowPlace};
use crate::api::feed::DensityView;
use crate::engine::{self, Input};

impl App {
    pub(crate) async fn locate_time(&self, args: LocateTimeArgs) -> Result<RowPlace, ErrorView> {
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

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    pub(crate) async fn density(&self, _: Nothing) -> Result<DensityView, ErrorView> {
        let journal = self.journal.read();
        let density = journal.tree().density();
        Ok(DensityView {
            start_micros: density.start_micros(),
            last_micros: density.last_micros(),
            bucket_micros: density.bucket_micros(),
            events: density.events().to_vec(),
            errors: density.errors().to_vec(),
        })
    }
}
