//! Commands about what outlives a request: subscriptions and tasks.

use journal::event::OperationId;

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{
    ForgetTasksArgs, OperationArgs, PaceTaskArgs, SubscribeArgs, SubscriptionsArgs, TaskArgs,
    TasksArgs,
};
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

    pub(crate) async fn poll_task(&self, task: TaskArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| Input::Tasks(TaskWish::Poll { task, answer }))
            .await
    }

    pub(crate) async fn pace_task(&self, args: PaceTaskArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::Tasks(TaskWish::Pace { args, answer }))
            .await
    }

    pub(crate) async fn cancel_task(&self, task: TaskArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| Input::Tasks(TaskWish::Cancel { task, answer }))
            .await
    }

    pub(crate) async fn cancel_tasks(&self, args: TasksArgs) -> Result<u32, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::CancelAll {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn forget_tasks(&self, args: ForgetTasksArgs) -> Result<u32, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::Forget {
                    tasks: args.tasks,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn recall_tasks(&self, args: ForgetTasksArgs) -> Result<u32, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Tasks(TaskWish::Recall {
                    tasks: args.tasks,
                    answer,
                })
            })
            .await
    }
}
