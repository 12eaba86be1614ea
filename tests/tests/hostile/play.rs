//! Plays the rows of a table, each in a core of its own beside a healthy connection, and gathers what is not as expected.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use app::api::details::{BodyForm, BodyText, RowDetails};
use app::api::replies::OperationReply;
use app::api::servers::{EraChoice, Phase};
use journal::event::OperationId;
use journal::row::{Row, RowKind};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener};
use tests::programs;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::acts;
use crate::fault::{Acts, Ends, Fault, Peer, Then};
use crate::leftovers;

/// What a whole row may take. Longer than any takes on a slow machine: reaching it means that something hangs.
const ROW_LIMIT: Duration = Duration::from_mins(8);
/// How long something is awaited that is on its way.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long the core may take to end.
const CLOSE_LIMIT: Duration = Duration::from_secs(30);
/// The limit of a call that is to run out.
const SHORT_LIMIT_MILLIS: u64 = 1500;
/// Rows that are played at a time.
const AT_A_TIME: usize = 4;

/// Plays all rows and fails with what was not as expected of each.
pub async fn play(faults: Vec<Fault>) {
    let places = Arc::new(Semaphore::new(AT_A_TIME));
    let mut playing = JoinSet::new();
    for fault in faults {
        let places = Arc::clone(&places);
        playing.spawn(async move {
            let _place = places.acquire_owned().await.expect("it is never closed");
            let name = fault.name.clone();
            // A task of its own, so that a panic is this row's only.
            let problems = match tokio::spawn(tokio::time::timeout(ROW_LIMIT, row(fault))).await {
                Ok(Ok(problems)) => problems,
                Ok(Err(_)) => vec![format!("it did not end within {ROW_LIMIT:?}")],
                Err(error) => vec![format!("{error}")],
            };
            (name, problems)
        });
    }
    let mut report = String::new();
    while let Some(played) = playing.join_next().await {
        let (name, problems) = played.expect("it does not panic");
        for problem in problems {
            writeln!(report, "* {name}: {problem}").expect("memory");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// The peer of a row.
struct Playing {
    server: String,
    listener: Option<Listener>,
    pid: Option<u32>,
}

/// Plays one row and gives what was not as expected.
async fn row(fault: Fault) -> Vec<String> {
    let mut problems = Vec::new();
    let core = Core::start().await;
    let healthy = Listener::start(|asked, mut talk| async move {
        listener::modern(&asked, &mut talk).await;
    })
    .await;
    let well = core
        .add_url("healthy", &healthy.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&well).await;
    let peer = start(&core, &fault.peer).await;

    let limit = match fault.outcome.ends {
        Ends::TimedOut => Some(SHORT_LIMIT_MILLIS),
        Ends::ByItself | Ends::Cancelled => None,
    };
    let operation = call(&core, &peer.server, limit).await;
    problems.extend(goes_on(&core, &well, "during the fault").await);
    if fault.outcome.ends == Ends::Cancelled {
        if let Some(listener) = &peer.listener {
            listener
                .until(|received| received.asks() == "tools/call")
                .await;
        }
        problems.extend(until_shown(&core, &fault.outcome.shows).await);
        if let Err(error) = core
            .rpc::<()>("cancel", json!({ "operation": operation }))
            .await
        {
            problems.push(format!("it could not be cancelled: {error}"));
        }
    }
    let end = until_ended(&core, operation).await;
    if end.trim_end() != format!("tools/call echo — {}", fault.outcome.state) {
        problems.push(format!("the row is {end:?}, not {:?}", fault.outcome.state));
    }
    problems.extend(after(&core, &peer, fault.outcome.then).await);
    problems.extend(until_shown(&core, &fault.outcome.shows).await);
    let told = told(&core, operation).await;
    for words in &fault.outcome.told {
        if !told.contains(words) {
            problems.push(format!("no {words:?} is told, but {}", short(&told)));
        }
    }
    let rules = until_found(&core, &fault.outcome.finds).await;
    if rules != fault.outcome.finds {
        problems.push(format!("found {rules:?}, not {:?}", fault.outcome.finds));
    }
    problems.extend(goes_on(&core, &well, "after the fault").await);

    let timeline = if problems.is_empty() {
        String::new()
    } else {
        core.unfolded().await
    };
    if core.connection(&peer.server).phase == Phase::Connected {
        let _: () = core
            .must("disconnect", json!({ "server": peer.server }))
            .await;
        core.until_phase(&peer.server, Phase::Disconnected).await;
    }
    if let Some(pid) = peer.pid {
        for process in leftovers::processes_of_group(pid).await {
            problems.push(format!("a process is left: {process}"));
        }
    }
    if let Some(listener) = &peer.listener {
        for socket in leftovers::sockets_to_port(listener.port()).await {
            problems.push(format!("a socket is left: {socket}"));
        }
    }
    for row in &core.look(0, 400).await.rows {
        if row.row.kind == RowKind::Operation && row.row.end_micros.is_none() {
            problems.push(format!("{} runs on", row.row.label));
        }
    }
    if tokio::time::timeout(CLOSE_LIMIT, core.close())
        .await
        .is_err()
    {
        problems.push("the core does not end".to_owned());
    }
    if let Some(first) = problems.first_mut().filter(|_| !timeline.is_empty()) {
        *first = format!("{first}\n{}", short(&timeline));
    }
    problems
}

async fn start(core: &Core, peer: &Peer) -> Playing {
    match peer {
        Peer::Socket(acts) => {
            let listener = hostile_listener(Arc::clone(acts)).await;
            let server = core
                .add_url("hostile", &listener.url(), &[], EraChoice::Modern)
                .await;
            core.connect_well(&server).await;
            core.tools(&server).await;
            Playing {
                server,
                listener: Some(listener),
                pid: None,
            }
        }
        Peer::Process(moment, acts) => {
            let script = core.folder().join("script.json");
            std::fs::write(&script, acts::script(moment, &acts("%ID%"))).expect("a script");
            let program = programs::hostile_server();
            let args = ["-u", &program.to_string_lossy(), &script.to_string_lossy()];
            let server = core
                .add_command("hostile", "python3", &args, EraChoice::Modern)
                .await;
            let pid = core.connect_well(&server).await.pid;
            if *moment != "list" {
                core.tools(&server).await;
            }
            Playing {
                server,
                listener: None,
                pid,
            }
        }
    }
}

/// A modern server that plays the acts at its first call.
async fn hostile_listener(acts: Acts) -> Listener {
    let played = Arc::new(AtomicBool::new(false));
    Listener::start(move |asked, mut talk| {
        let (acts, played) = (Arc::clone(&acts), Arc::clone(&played));
        async move {
            if asked.asks() == "tools/call" && !played.swap(true, Ordering::SeqCst) {
                let id = asked.message()["id"].to_string();
                acts::play(acts(&id), talk).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        }
    })
    .await
}

/// Calls the tool `echo`.
async fn call(core: &Core, server: &str, limit_millis: Option<u64>) -> OperationId {
    core.must("request", asking(server, limit_millis)).await
}

fn asking(server: &str, limit_millis: Option<u64>) -> Value {
    json!({
        "server": server,
        "method": "tools/call",
        "params": r#"{"name":"echo","arguments":{"n":1}}"#,
        "pages": "one",
        "progress": true,
        "limit_millis": limit_millis,
    })
}

/// Whether the server answers a call as it should.
async fn goes_on(core: &Core, server: &str, when: &str) -> Option<String> {
    let answer = async {
        let operation: OperationId = core.rpc("request", asking(server, None)).await?;
        core.rpc::<OperationReply>("reply", json!({ "operation": operation }))
            .await
    };
    match tokio::time::timeout(PATIENCE, answer).await {
        Err(_) => Some(format!("{when} the healthy server was not heard")),
        Ok(Err(error)) => Some(format!("{when} a call failed: {error}")),
        Ok(Ok(reply)) => {
            let text = reply.replies.first().map(|reply| reply.text.as_str());
            (!text.is_some_and(|text| text.contains(r#"\"n\""#)))
                .then(|| format!("{when} a call was answered {reply:?}"))
        }
    }
}

/// What the server is after its fault.
async fn after(core: &Core, peer: &Playing, then: Then) -> Option<String> {
    match then {
        Then::Serves => goes_on(core, &peer.server, "on the same connection").await,
        Then::Mute => {
            let operation = call(core, &peer.server, Some(SHORT_LIMIT_MILLIS)).await;
            let end = until_ended(core, operation).await;
            (!["timed out", "process ended"]
                .iter()
                .any(|it| end.contains(it)))
            .then(|| format!("the call of a mute server ended as {end:?}"))
        }
        Then::Lost(words) => {
            let connection = core.until_phase(&peer.server, Phase::Failed).await;
            let message = connection.error.map(|error| error.message);
            (!message.as_deref().is_some_and(|it| it.contains(words)))
                .then(|| format!("the connection was lost with {message:?}, not {words:?}"))
        }
    }
}

/// Waits until the operation has ended and gives its row.
async fn until_ended(core: &Core, operation: OperationId) -> String {
    loop {
        let row = core.operation_row(operation).await;
        if !row.contains("— running") {
            return row;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the timeline shows all of these.
async fn until_shown(core: &Core, wanted: &[String]) -> Option<String> {
    let began = Instant::now();
    loop {
        let timeline = core.unfolded().await;
        let missing = wanted.iter().find(|words| !timeline.contains(*words))?;
        if began.elapsed() > PATIENCE / 4 {
            return Some(format!("the timeline never showed {missing:?}"));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a person finds in the row's details and in its reply.
async fn told(core: &Core, operation: OperationId) -> String {
    let key = format!("o{}", operation.0);
    let details: RowDetails = core.must("row", json!({ "key": key })).await;
    let mut text = String::new();
    for line in &details.summary {
        writeln!(text, "{}: {}", line.label, line.value).expect("memory");
    }
    for exchange in &details.exchanges {
        if let Some(error) = exchange.http.as_ref().and_then(|http| http.error.as_ref()) {
            writeln!(text, "Exchange: {error}").expect("memory");
        }
        let Some(response) = exchange.response else {
            continue;
        };
        let body = json!({ "event": response.event, "form": BodyForm::Raw, "limit": 0 });
        let body: BodyText = core.must("body", body).await;
        writeln!(text, "Bytes: {}\n{}", body.byte_len, body.text).expect("memory");
    }
    text
}

/// Waits until exactly these rules were found, and gives what was found in the end: some come of a wait.
async fn until_found(core: &Core, wanted: &[&'static str]) -> Vec<String> {
    let began = Instant::now();
    loop {
        let rules = rules(core).await;
        if rules == wanted || began.elapsed() > PATIENCE / 4 {
            return rules;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The rules of all findings of the hostile server, without those of its good behaviour before.
async fn rules(core: &Core) -> Vec<String> {
    let mut rules = Vec::new();
    for placed in core.look(0, 400).await.rows {
        let row = placed.row;
        let is_call = row.kind != RowKind::Operation || row.label == "tools/call";
        if row.server_name != "hostile" || row.depth > 0 || row.finding_count == 0 || !is_call {
            continue;
        }
        rules.extend(rules_of(core, &row).await);
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

async fn rules_of(core: &Core, row: &Row) -> Vec<String> {
    let details: RowDetails = core.must("row", json!({ "key": row.key })).await;
    details
        .findings
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

/// Enough of a text for a report.
fn short(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .take(40)
        .map(|line| line.chars().take(240).collect())
        .collect();
    lines.join("\n")
}
