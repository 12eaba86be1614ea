//! Commands about what outlives a request: subscriptions and tasks.

use journal::event::OperationId;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{OperationArgs, SubscribeArgs, SubscriptionsArgs, TaskArgs, TasksArgs};
use crate::api::subscriptions::SubscriptionList;
use crate::api::tasks::TaskList;
use crate::engine::{Input, SubscriptionWish, TaskWish};

impl App {
    pub(crate) async fn subscribe(&self, args: SubscribeArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Subscriptions(SubscriptionWish::Open {
                    server: args.server,
                    filter: args.filter,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn unsubscribe(&self, args: OperationArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Subscriptions(SubscriptionWish::End {
                    operation: args.operation,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn subscriptions(
        &self,
        args: SubscriptionsArgs,
    ) -> Result<SubscriptionList, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Subscriptions(SubscriptionWish::List {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn tasks(&self, args: TasksArgs) -> Result<TaskList, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::List {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn poll_task(&self, args: TaskArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::Poll {
                    server: args.server,
                    task: args.task,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn cancel_task(&self, args: TaskArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::Cancel {
                    server: args.server,
                    task: args.task,
                    answer,
                })
            })
            .await
    }
}
