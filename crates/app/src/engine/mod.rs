//! The engine: the one owner of connections, operations and prompts, and the journal's one writer.
//!
//! Everything that happens comes in as an [`Input`] and is handled by one loop, in order: commands from a
//! view, steps of a handshake, and reports from links. Reports are recorded before anything acts on them;
//! then the operation's state machine says what is next. What changed is told to the view by the
//! [`publisher`], at most once a tick.

mod about;
mod cached;
mod clocks;
mod composed;
mod connection;
mod ending;
mod flows;
mod frames;
mod handshake;
mod http_sse;
mod input;
mod lingering;
mod links;
mod listening;
mod lists;
mod logging;
mod loopback;
mod no_reply;
mod offers;
mod operation;
mod pages;
mod prompts;
mod publisher;
mod record;
mod redaction;
mod refusals;
mod reports;
mod requested;
mod requests;
mod restarting;
mod retrying;
mod search;
mod secret_names;
mod sending;
mod servers;
mod serving;
mod sessions;
mod settling;
mod sign_in;
mod speaking;
mod state;
mod steps;
mod streams;
mod sweep;
mod tasks;
mod toolbox;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

pub use about::AboutInput;
pub use composed::ComposeInput;
pub use flows::{FlowInput, FlowNotes};
pub use input::{EngineHandle, FeedSink, Input, Removal, ended};
pub use links::{LinkWish, SharedBrowser};
pub use listening::SubscriptionWish;
pub use logging::LogInput;
pub use offers::OfferInput;
pub use operation::{Called, Came, Ending};
pub use pages::PageInput;
pub use publisher::WINDOW_LIMIT;
pub use requested::SamplingAsked;
pub use requests::{Anew, Started};
pub use search::{FindWish, Search};
pub use secret_names::SecretInput;
pub use sign_in::{SignInInput, SignInNotes, load as load_sign_in, save as save_sign_in};
pub use state::{Parts, SharedJournal};
pub use tasks::TaskWish;
pub use tasks::file::{KeptTask, TaskFile};

use state::Engine;

/// How often a view is told what changed.
const TICK: Duration = Duration::from_millis(33);
/// How often the journal's tail is written, and time limits are looked at.
const SWEEP: Duration = Duration::from_millis(200);
/// How many batches of reports may wait before the links slow down.
const INBOX_CAPACITY: usize = 256;
/// How many commands may wait.
const COMMAND_CAPACITY: usize = 256;

/// Starts the engine on a thread of its own; it ends when it is told to ([`Input::Shutdown`]) or when every handle is
/// gone. Links and handshakes run on that thread too: a call then passes from the loop to its socket and back without
/// waking another thread.
///
/// # Errors
/// The system gives no thread, or nothing to wait for sockets and timers with.
pub fn start(parts: Parts) -> std::io::Result<EngineHandle> {
    let (input_sender, input_receiver) = mpsc::channel(COMMAND_CAPACITY);
    let (report_sender, report_receiver) = mpsc::channel(INBOX_CAPACITY);
    let handle = EngineHandle::new(input_sender);
    let engine = Engine::new(parts, handle.downgrade(), report_sender);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new()
        .name("engine".to_owned())
        .spawn(move || {
            runtime.block_on(run(engine, input_receiver, report_receiver));
            // A name that is still being looked up need not be waited for.
            runtime.shutdown_background();
        })?;
    Ok(handle)
}

async fn run(
    mut engine: Engine,
    mut inputs: mpsc::Receiver<Input>,
    mut reports: mpsc::Receiver<Vec<client::report::Report>>,
) {
    engine.read_flows();
    let mut next_sweep = Instant::now() + SWEEP;
    let mut last_publish = Instant::now() - TICK;
    // One timer, set anew only when its time changes: each setting may wake the thread that waits for timers.
    let mut timer = std::pin::pin!(tokio::time::sleep_until(next_sweep));
    loop {
        let mut wake = if engine.publish_due() {
            next_sweep.min(last_publish + TICK)
        } else {
            next_sweep
        };
        if let Some(wait_over) = engine.next_wait_over() {
            wake = wake.min(wait_over);
        }
        if timer.deadline() != wake {
            timer.as_mut().reset(wake);
        }
        tokio::select! {
            input = inputs.recv() => match input {
                Some(Input::Shutdown { done }) => {
                    engine.shutdown(inputs, reports).await;
                    // Nobody waiting for it is fine: the window may be gone.
                    let _gone = done.send(());
                    return;
                }
                Some(input @ Input::Closed { .. }) => {
                    // What the link reported before it was closed came by the other channel: it is taken first.
                    while let Ok(batch) = reports.try_recv() {
                        engine.take_reports(batch);
                    }
                    engine.handle(input);
                }
                Some(Input::Request { args, anew, answer }) => {
                    start_first(&mut engine, answer, |answer| Input::Request {
                        args,
                        anew,
                        answer,
                    })
                    .await;
                }
                Some(input) => engine.handle(input),
                None => {
                    engine.shutdown(inputs, reports).await;
                    return;
                }
            },
            Some(batch) = reports.recv() => engine.take_reports(batch),
            () = timer.as_mut() => {}
        }
        let now = Instant::now();
        engine.end_waits(now);
        let sweep_due = now >= next_sweep;
        let publish_due = engine.publish_due() && now >= last_publish + TICK;
        if sweep_due || publish_due {
            // Those who were answered go first.
            tokio::task::yield_now().await;
        }
        if sweep_due {
            engine.sweep();
            next_sweep = now + SWEEP;
        }
        if publish_due {
            engine.publish();
            last_publish = now;
        }
    }
}

/// Starts what is asked for before it answers: the task that carries the message runs before the one that hears of it.
async fn start_first<T: Send + 'static>(
    engine: &mut Engine,
    answer: input::Answer<T>,
    input: impl FnOnce(input::Answer<T>) -> Input,
) {
    let (answered, mut started) = oneshot::channel();
    engine.handle(input(answered));
    tokio::task::yield_now().await;
    match started.try_recv() {
        Ok(started) => {
            // Whoever asked may have gone.
            let _gone = answer.send(started);
        }
        // It waits for the server's process to be started anew.
        Err(TryRecvError::Empty) => {
            tokio::spawn(async move {
                if let Ok(started) = started.await {
                    let _gone = answer.send(started);
                }
            });
        }
        Err(TryRecvError::Closed) => {}
    }
}

/// Makes the shared journal that the engine writes and everybody reads.
pub fn shared(journal: journal::log::Journal) -> SharedJournal {
    Arc::new(parking_lot::RwLock::new(journal))
}
