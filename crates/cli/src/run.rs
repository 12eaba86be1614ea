//! `roundtrip-cli run`

use std::io::Read as _;
use std::time::Duration;

use app::App;
use app::api::OperationEnd;
use app::api::replies::{OperationReply, ReplyKind};
use serde_json::json;

use crate::answers::Answers;
use crate::arguments::{Reach, RunArguments};
use crate::exit::{Exit, Problem};
use crate::line::Line;
use crate::output::Output;
use crate::session::Session;
use crate::target::{self, Target};

/// The longest time limit: a year is for ever.
const LONGEST_SECONDS: f64 = 365.0 * 24.0 * 3600.0;

/// Sends the request and shows what comes of it.
///
/// # Errors
/// It did not go well.
pub async fn run(arguments: RunArguments, output: &mut Output) -> Result<Exit, Problem> {
    let answers = match &arguments.answers {
        Some(path) => Answers::read(path)?,
        None => Answers::default(),
    };
    let params = arguments.params.as_deref().map(text_of).transpose()?;
    let limit = limit(&arguments.reach)?;
    let target = target::prepare(&arguments.reach).await?;
    let mut session = Session::new(&target, &arguments.reach, answers);
    let errand = async {
        session.connect(&target, output).await?;
        let request = json!({
            "server": session.server(),
            "method": arguments.method,
            "params": params,
            "pages": if arguments.all_pages { "all" } else { "one" },
            "progress": !arguments.no_progress,
            "limit_millis": null,
        });
        let reply = session.ask(request, output).await?;
        shown(&reply, output)
    };
    let ended = Box::pin(within(limit, errand)).await;
    finish(session, &target, ended, output).await
}

/// Ends the session, after what still runs was cancelled.
///
/// # Errors
/// Those of the errand.
pub async fn finish(
    mut session: Session,
    target: &Target,
    ended: Result<Exit, Problem>,
    output: &mut Output,
) -> Result<Exit, Problem> {
    session.cancel(output).await;
    session.close().await;
    ended.map_err(|problem| Problem {
        message: target.app.without_secrets(&problem.message),
        ..problem
    })
}

/// How long it may take.
///
/// # Errors
/// The limit is no time.
pub fn limit(reach: &Reach) -> Result<Option<Duration>, Problem> {
    match reach.time_limit {
        None => Ok(None),
        Some(seconds) if seconds > 0.0 && seconds <= LONGEST_SECONDS => {
            Ok(Some(Duration::from_secs_f64(seconds)))
        }
        Some(seconds) => Err(Problem::new(
            Exit::Usage,
            format!("--time-limit {seconds} is no time that can be waited for."),
        )
        .with_hint("Give seconds, such as 30 or 0.5.")),
    }
}

/// Does the errand unless the time is over or the person interrupts it.
///
/// # Errors
/// Those of the errand, or why it was stopped.
pub async fn within(
    limit: Option<Duration>,
    errand: impl Future<Output = Result<Exit, Problem>>,
) -> Result<Exit, Problem> {
    let over = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = interrupted() => Err(Problem::new(Exit::Interrupted, "Interrupted; the request was cancelled.")),
        ended = errand => ended,
        () = over => Err(Problem::new(
            Exit::TimedOut,
            format!("It was not done within {} seconds.", limit.unwrap_or_default().as_secs_f64()),
        )
        .with_hint("Give more with --time-limit, or look at what the server writes to stderr.")),
    }
}

/// Waits for a signal to end.
#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    async fn next(signal: std::io::Result<Signal>) {
        match signal {
            Ok(mut signal) => {
                signal.recv().await;
            }
            // It cannot be watched, and ends the program as it would any other.
            Err(_) => std::future::pending().await,
        }
    }
    tokio::select! {
        () = next(signal(SignalKind::interrupt())) => {}
        () = next(signal(SignalKind::terminate())) => {}
        () = next(signal(SignalKind::hangup())) => {}
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Shows the last reply, and says how the program ends for it.
fn shown(reply: &OperationReply, output: &mut Output) -> Result<Exit, Problem> {
    let exit = judged(reply)?;
    // All pages where all were asked for; else the final reply alone.
    for (index, answer) in reply.replies.iter().enumerate() {
        let is_last = index + 1 == reply.replies.len();
        let asks = answer.text.contains("\"input_required\"");
        if answer.kind != ReplyKind::Result || (!is_last && asks) {
            continue;
        }
        output.event(
            Line::event("result")
                .number("round", answer.round)
                .json("result", &answer.text),
        );
        output.show(&App::laid_out(&answer.text));
    }
    Ok(exit)
}

/// How the program ends for an operation's end.
///
/// # Errors
/// It did not go well.
pub fn judged(reply: &OperationReply) -> Result<Exit, Problem> {
    match &reply.end {
        Some(OperationEnd::Complete | OperationEnd::Settled { .. }) => Ok(Exit::Complete),
        Some(OperationEnd::ToolError) => Ok(Exit::ToolError),
        Some(OperationEnd::Cancelled) => Err(Problem::new(Exit::Interrupted, "Cancelled.")),
        Some(OperationEnd::Failed {
            brief,
            message,
            hint,
        }) => {
            let exit = if brief.starts_with("error ") {
                Exit::RpcError
            } else if brief == "timed out" {
                Exit::TimedOut
            } else {
                Exit::Failed
            };
            let error = reply
                .replies
                .last()
                .filter(|last| last.kind == ReplyKind::Error)
                .map(|last| last.text.clone());
            Err(Problem {
                exit,
                message: format!("{brief}: {message}"),
                hint: hint.clone(),
                error,
            })
        }
        None => Err(Problem::new(Exit::Internal, "The operation has not ended.")),
    }
}

/// The text of `--params`: as given, of a file, or of standard input.
fn text_of(given: &str) -> Result<String, Problem> {
    let read = if given == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else if let Some(path) = given.strip_prefix('@') {
        std::fs::read_to_string(path)
    } else {
        return Ok(given.to_owned());
    };
    read.map_err(|error| {
        Problem::new(
            Exit::Usage,
            format!("The parameters cannot be read from {given}: {error}."),
        )
    })
}
