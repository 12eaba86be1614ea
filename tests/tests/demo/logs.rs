//! The log of a server: its messages and the lines of its stderr, by window.

use app::api::logs::{LogFilter, LogWindow};
use app::api::servers::EraChoice;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

fn everything() -> LogFilter {
    LogFilter {
        messages: true,
        stderr: true,
        ..LogFilter::default()
    }
}

async fn window(
    core: &Core,
    server: &str,
    filter: LogFilter,
    start: u32,
    follow: bool,
) -> LogWindow {
    let args =
        json!({ "server": server, "filter": filter, "start": start, "len": 400, "follow": follow });
    core.must("logs", args).await
}

fn said(window: &LogWindow) -> Vec<String> {
    window
        .lines
        .iter()
        .map(|line| {
            let level = line
                .level
                .as_deref()
                .unwrap_or(if line.stderr { "stderr" } else { "-" });
            format!(
                "{level} {} {}",
                line.logger.as_deref().unwrap_or("-"),
                line.text
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_each_era_logs_from_the_level_that_is_asked_for() {
    for era in [EraChoice::Modern, EraChoice::Legacy] {
        let core = Core::start().await;
        core.connect_as("demo-stdio", Some(era)).await;
        let before = window(&core, "demo-stdio", everything(), 0, false).await;
        assert_eq!(before.can_log, Some(true), "{era:?}");
        assert_eq!(before.asked_level, None);
        let level = json!({ "server": "demo-stdio", "level": "error" });
        let _: () = core.must("set_log_level", level).await;
        let outcome = core.call("demo-stdio", "kitchen_log", "{}").await;
        assert_eq!(text_of(&outcome), "Sent 4 log messages.", "{era:?}");

        let after = window(&core, "demo-stdio", everything(), 0, false).await;
        assert_eq!(after.asked_level.as_deref(), Some("error"));
        let messages: Vec<_> = after.lines.iter().filter(|line| !line.stderr).collect();
        let levels: Vec<_> = messages
            .iter()
            .filter_map(|line| line.level.as_deref())
            .collect();
        assert_eq!(
            levels,
            ["error", "critical", "alert", "emergency"],
            "{era:?}"
        );
        assert_eq!(after.levels.len(), 4);
        assert_eq!(after.loggers.len(), 1, "{:?}", after.loggers);
        assert!(
            messages[0].text.starts_with('{'),
            "data is JSON text: {}",
            messages[0].text
        );

        // By level, by logger and by text.
        let worst = LogFilter {
            level: Some("alert".to_owned()),
            ..everything()
        };
        let shown = window(&core, "demo-stdio", worst, 0, false).await;
        let shown: Vec<_> = shown
            .lines
            .iter()
            .filter_map(|line| line.level.as_deref())
            .collect();
        assert_eq!(shown, ["alert", "emergency"]);
        let nobody = LogFilter {
            logger: Some("nobody".to_owned()),
            ..everything()
        };
        assert_eq!(window(&core, "demo-stdio", nobody, 0, false).await.total, 0);
        let station = LogFilter {
            text: "STATION".to_owned(),
            ..everything()
        };
        assert_eq!(
            window(&core, "demo-stdio", station, 0, false).await.total,
            4
        );

        // A line leads to its row.
        let operation = messages[0].operation.expect("it came within the call");
        let key = format!("o{}", operation.0);
        let row: serde_json::Value = core.must("row", json!({ "key": key })).await;
        assert_eq!(row["title"], "tools/call kitchen_log", "{row}");
        let place: serde_json::Value = core.must("locate_row", json!({ "key": key })).await;
        assert!(place["index"].is_u64(), "{place}");

        let nonsense = core
            .rpc::<()>(
                "set_log_level",
                json!({ "server": "demo-stdio", "level": "loud" }),
            )
            .await
            .expect_err("no such level");
        assert!(
            nonsense["hint"]
                .as_str()
                .is_some_and(|hint| hint.contains("debug")),
            "{nonsense}"
        );
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stderr_is_part_of_the_log() {
    let core = Core::start().await;
    let server = core.add_odd("hangs", EraChoice::Legacy).await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    core.until_row("the call came").await;
    let all = window(&core, &server, everything(), 0, false).await;
    assert!(
        said(&all).contains(&"stderr - the call came".to_owned()),
        "{:?}",
        said(&all)
    );
    let messages = LogFilter {
        stderr: false,
        ..everything()
    };
    assert_eq!(window(&core, &server, messages, 0, false).await.total, 0);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_messages_come_by_window_and_the_last_are_followed() {
    const MESSAGES: u32 = 10_050;
    let core = Core::start().await;
    let listener = Listener::start(move |asked, mut talk| async move {
        if asked.method != "GET" {
            listener::legacy(&asked, &mut talk).await;
            return;
        }
        talk.stream().await;
        let mut events = String::new();
        for at in 0..MESSAGES {
            let level = if at % 100 == 7 { "warning" } else { "info" };
            let params = json!({ "level": level, "logger": format!("l{}", at % 3), "data": format!("line {at}") });
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
            events.extend(["data: ", &message.to_string(), "\n\n"]);
        }
        talk.say(&events).await;
        talk.until_closed().await;
    })
    .await;
    let server = core
        .add_url("talks", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    core.until("all events", |seen| {
        (seen.status.event_count >= MESSAGES).then_some(())
    })
    .await;
    let mut all = window(&core, &server, everything(), 0, false).await;
    for _ in 0..600 {
        if all.all == MESSAGES {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        all = window(&core, &server, everything(), 0, false).await;
    }
    assert_eq!(
        (all.all, all.total, all.start, all.lines.len()),
        (MESSAGES, MESSAGES, 0, 400)
    );
    assert_eq!(all.lines[399].text, "line 399");
    assert_eq!(
        all.loggers.iter().map(|one| one.count).sum::<u32>(),
        MESSAGES
    );
    let last = window(&core, &server, everything(), 0, true).await;
    assert_eq!(last.lines[399].text, format!("line {}", MESSAGES - 1));
    let warnings = LogFilter {
        level: Some("warning".to_owned()),
        ..everything()
    };
    let warnings = window(&core, &server, warnings, 50, false).await;
    assert_eq!(
        (warnings.total, warnings.lines[0].text.as_str()),
        (101, "line 5007")
    );
    let found = LogFilter {
        text: "Line 777".to_owned(),
        ..everything()
    };
    let found = window(&core, &server, found, 0, false).await;
    assert_eq!(found.total, 11, "{:?}", said(&found));
    core.close().await;
}
