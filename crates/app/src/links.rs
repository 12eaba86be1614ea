//! Commands about links.

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::ServerArgs;
use crate::api::links::{ForgetHostArgs, HostList, LinkArgs};
use crate::engine::{Input, LinkWish};

impl App {
    pub(crate) async fn link(&self, args: LinkArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Link(LinkWish::Act {
                    prompt: args.prompt,
                    act: args.act,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn agreed_hosts(&self, args: ServerArgs) -> Result<HostList, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Link(LinkWish::Hosts {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn forget_host(&self, args: ForgetHostArgs) -> Result<HostList, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Link(LinkWish::Forget {
                    server: args.server,
                    host: args.host,
                    answer,
                })
            })
            .await
    }
}
