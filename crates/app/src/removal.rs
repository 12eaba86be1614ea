//! Removing a server, and bringing it back. Its secrets stay in the keyring for as long as it can come back.

use std::time::Duration;

use crate::api::ErrorView;
use crate::api::calls::ServerArgs;
use crate::api::servers::ServerId;
use crate::catalog::secret_names_in;
use crate::engine::{Input, Removal};
use crate::{App, secret_values};

/// For how long a removed server can be brought back.
const KEPT_FOR: Duration = Duration::from_mins(2);

impl App {
    pub(crate) async fn remove_server(&self, args: ServerArgs) -> Result<(), ErrorView> {
        let ServerArgs { server } = args;
        self.engine
            .ask(|answer| {
                Input::Removal(Removal::Remove {
                    server: server.clone(),
                    answer,
                })
            })
            .await?;
        let app = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(KEPT_FOR).await;
            app.forget_removed(Some(server)).await;
        });
        Ok(())
    }

    pub(crate) async fn restore_server(&self, args: ServerArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Removal(Removal::Restore {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    /// Deletes the secrets and the saved answers of servers that were removed and not brought back: of this one, or of all.
    pub(crate) async fn forget_removed(&self, server: Option<ServerId>) {
        let removed = self
            .engine
            .ask(|answer| Input::Removal(Removal::Forget { server, answer }))
            .await;
        // An engine that has ended did this before.
        for (server, endpoint) in removed.unwrap_or_default() {
            secret_values::forget(&self.keyring, secret_names_in(&endpoint)).await;
            if let Err(error) = self.saved_answers.forget(&server, None) {
                tracing::warn!(
                    message = error.message,
                    "saved answers outlive their server"
                );
            }
            self.forget_calls_of(&server).await;
        }
    }
}
