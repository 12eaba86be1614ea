//! Commands about signing in.

use journal::event::OperationId;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::ServerArgs;
use crate::api::sign_in::{SaveSignInArgs, SignInArgs, SignInNextArgs, SignInView};
use crate::engine::{self, Input, SignInInput};

impl App {
    pub(crate) async fn sign_in(&self, args: SignInArgs) -> Result<OperationId, ErrorView> {
        self.load_sign_in(&args.server).await?;
        self.engine
            .ask(|answer| {
                Input::SignIn(SignInInput::Start {
                    server: args.server,
                    step_by_step: args.step_by_step,
                    trial: args.trial.map(Box::new),
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn sign_in_next(&self, args: SignInNextArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::SignIn(SignInInput::Next {
                    server: args.server,
                    to_the_end: args.to_the_end,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn sign_in_view(&self, args: ServerArgs) -> Result<SignInView, ErrorView> {
        let loaded = self.load_sign_in(&args.server).await;
        let mut view = self
            .engine
            .ask(|answer| {
                Input::SignIn(SignInInput::View {
                    server: args.server,
                    answer,
                })
            })
            .await?;
        if let Err(problem) = loaded {
            view.error.get_or_insert(problem);
        }
        Ok(view)
    }

    pub(crate) async fn save_sign_in(&self, args: SaveSignInArgs) -> Result<(), ErrorView> {
        engine::save_sign_in(&self.engine, &self.keyring, &self.redactor, args).await
    }

    pub(crate) async fn sign_out(&self, args: ServerArgs) -> Result<OperationId, ErrorView> {
        self.load_sign_in(&args.server).await?;
        self.engine
            .ask(|answer| {
                Input::SignIn(SignInInput::SignOut {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    async fn load_sign_in(&self, server: &str) -> Result<(), ErrorView> {
        engine::load_sign_in(&self.engine, &self.keyring, &self.redactor, server).await
    }
}
