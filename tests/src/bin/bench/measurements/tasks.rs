//! Hundreds of tasks at once: how much of a core's thread it takes to follow them, with a view attached that is told of
//! each poll.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use app::api::servers::EraChoice;
use serde_json::json;
use tests::core::Core;
use tests::listener::{self, Listener};

use super::Outcome;
use super::report::{Figure, Goal, Unit};

const TASKS: usize = 500;
/// What the server wants between polls of one task: the interval of SEP-2663's examples.
const INTERVAL_MILLIS: u64 = 5_000;
const SETTLE: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(15);
/// Clock ticks a second in `/proc`.
const TICKS_A_SECOND: f64 = 100.0;

/// Measures the engine's thread, which does all the work with the tasks but answering their polls.
///
/// # Errors
/// The system does not tell how long a thread worked.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let (listener, polls) = server().await;
    let core = Core::start().await;
    let server = core
        .add_url("many", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    for _ in 0..TASKS {
        core.start_call(&server, "echo", "{}").await;
    }
    core.until("all tasks", |seen| {
        (seen.tasks.len() == TASKS && seen.tasks.iter().all(|task| task.polls > 0)).then_some(())
    })
    .await;
    tokio::time::sleep(SETTLE).await;
    let before = (
        engine_ticks()?,
        polls.load(Ordering::Relaxed),
        Instant::now(),
    );
    tokio::time::sleep(MEASURED).await;
    let ticks = engine_ticks()? - before.0;
    let polled = polls.load(Ordering::Relaxed) - before.1;
    let seconds = before.2.elapsed().as_secs_f64();
    core.close().await;
    #[expect(clippy::cast_precision_loss, reason = "they are few")]
    let (worked, rate) = (ticks as f64 / TICKS_A_SECOND, polled as f64 / seconds);
    Ok(vec![Figure {
        key: "tasks_500_cpu_ratio",
        what: format!("one processor's share to follow {TASKS} tasks"),
        value: worked / seconds,
        unit: Unit::Ratio,
        goal: Some(Goal::AtMost(0.10)),
        note: format!("{rate:.0} polls a second over HTTP, all told to a view"),
    }])
}

/// How long the thread named `engine` of this process has worked, in ticks.
fn engine_ticks() -> Outcome<u64> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(|error| error.to_string())?;
    let mut ticks = 0;
    for thread in threads.flatten() {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        if name.trim() != "engine" {
            continue;
        }
        let stat = std::fs::read_to_string(thread.path().join("stat"))
            .map_err(|error| error.to_string())?;
        // The name in parentheses may hold spaces; user and system time are the 14th and 15th field.
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        for place in [11, 12] {
            ticks += fields
                .get(place)
                .and_then(|field| field.parse::<u64>().ok())
                .ok_or("the thread's times cannot be read")?;
        }
    }
    if ticks == 0 {
        return Err("there is no thread named engine that has worked".to_owned());
    }
    Ok(ticks)
}

async fn server() -> (Listener, Arc<AtomicUsize>) {
    let (started, polls) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&polls);
    let listener = Listener::start(move |asked, mut talk| {
        let (started, polls) = (Arc::clone(&started), Arc::clone(&counted));
        async move {
            let state = |kind: &str, id: &str| {
                json!({
                    "resultType": kind,
                    "taskId": id,
                    "status": "working",
                    "statusMessage": format!("at {}", polls.load(Ordering::Relaxed)),
                    "createdAt": "2026-11-30T10:30:00Z",
                    "lastUpdatedAt": "2026-11-30T10:30:00Z",
                    "ttlMs": null,
                    "pollIntervalMs": INTERVAL_MILLIS,
                })
            };
            match asked.asks().as_str() {
                "tools/call" => {
                    let id = format!("task-{}", started.fetch_add(1, Ordering::Relaxed));
                    talk.result(&asked, &state("task", &id)).await;
                }
                "tasks/get" => {
                    polls.fetch_add(1, Ordering::Relaxed);
                    let message = asked.message();
                    let id = message["params"]["taskId"].as_str().unwrap_or_default();
                    talk.result(&asked, &state("complete", id)).await;
                }
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    (listener, polls)
}
