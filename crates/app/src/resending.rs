//! Sending a recorded request again, as it was or changed: an operation of its own, which names the one it is from.

use journal::event::OperationId;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::ResendArgs;
use crate::catalog::bad_input;
use crate::details;
use crate::engine::Input;

/// What stands in a record where the value of a secret was.
const NAMED_SECRET: &str = "${secret:";

impl App {
    pub(crate) async fn resend(&self, args: ResendArgs) -> Result<OperationId, ErrorView> {
        let params = args.request.params.as_deref().unwrap_or_default();
        if let Some((_, named)) = params.split_once(NAMED_SECRET) {
            let name = named.split('}').next().unwrap_or_default();
            return Err(bad_input(
                &format!("The request has the name of the secret {name} where its value stood."),
                "Edit the request and put the value in; it is recorded by its name again.",
            ));
        }
        let journal = self.journal_of(args.recording.clone()).await?;
        let original = journal
            .read()
            .operation(args.of)
            .map_err(|error| details::journal_error(&error))?;
        let operation = self.request(args.request).await?;
        let title = match &original.name {
            Some(name) => format!("{} {name}", original.method),
            None => original.method.clone(),
        };
        let (of, round) = (args.of.0, args.round);
        let from = match &args.recording {
            None => String::new(),
            Some(recording) => format!(" of the recording {recording}"),
        };
        let text = if args.changed {
            format!("Branch of #{of} ({title}){from} from round {round}: the request was changed.")
        } else {
            format!("Sent again from #{of} ({title}){from}, round {round}, as it was.")
        };
        self.engine.tell(Input::Note { operation, text }).await?;
        Ok(operation)
    }
}
