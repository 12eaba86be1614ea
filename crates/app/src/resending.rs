//! Sending a recorded request again, as it was or changed: an operation of its own, which names the one it is from.

use journal::event::OperationId;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::ResendArgs;
use crate::details;
use crate::engine::Input;

impl App {
    pub(crate) async fn resend(&self, args: ResendArgs) -> Result<OperationId, ErrorView> {
        let original = self
            .journal
            .read()
            .operation(args.of)
            .map_err(|error| details::journal_error(&error))?;
        let operation = self.request(args.request).await?;
        let title = match &original.name {
            Some(name) => format!("{} {name}", original.method),
            None => original.method.clone(),
        };
        let (of, round) = (args.of.0, args.round);
        let text = if args.changed {
            format!("Branch of #{of} ({title}) from round {round}: the request was changed.")
        } else {
            format!("Sent again from #{of} ({title}), round {round}, as it was.")
        };
        self.engine.tell(Input::Note { operation, text }).await?;
        Ok(operation)
    }
}
