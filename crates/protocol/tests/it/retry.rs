use protocol::retry::{
    ToolHints, back_off_millis, is_passing, is_safe_to_repeat, retry_after_millis,
};

const NO_HINTS: ToolHints = ToolHints {
    is_read_only: false,
    is_idempotent: false,
};

#[test]
fn only_what_reads_or_says_so_is_safe_to_repeat() {
    for method in [
        "server/discover",
        "ping",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "tasks/get",
    ] {
        assert!(is_safe_to_repeat(method, NO_HINTS), "{method}");
    }
    let read_only = ToolHints {
        is_read_only: true,
        ..NO_HINTS
    };
    let idempotent = ToolHints {
        is_idempotent: true,
        ..NO_HINTS
    };
    assert!(is_safe_to_repeat("tools/call", read_only));
    assert!(is_safe_to_repeat("tools/call", idempotent));
    assert!(!is_safe_to_repeat("tools/call", NO_HINTS));
    for method in [
        "initialize",
        "subscriptions/listen",
        "tasks/update",
        "tasks/cancel",
        "logging/setLevel",
        "vendor/do",
    ] {
        assert!(!is_safe_to_repeat(method, read_only), "{method}");
    }
}

#[test]
fn the_wait_doubles_up_to_half_a_minute_and_half_of_it_is_chance() {
    let waits = |chance| (1..=8).map(move |number| back_off_millis(number, chance));
    assert_eq!(
        waits(1.0).collect::<Vec<_>>(),
        [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]
    );
    assert_eq!(
        waits(0.0).collect::<Vec<_>>(),
        [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]
    );
    assert_eq!(back_off_millis(u32::MAX, 0.5), 22_500);
    assert_eq!(back_off_millis(0, f64::NAN), 500);
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    // 2026-11-30 00:00:00 UTC, a Monday.
    let now = 1_795_996_800_000_000;
    for (value, wait) in [
        ("0", Some(0)),
        ("120", Some(120_000)),
        (" 7 ", Some(7_000)),
        ("99999999999999999999999", Some(u64::MAX)),
        ("Mon, 30 Nov 2026 00:00:30 GMT", Some(30_000)),
        ("Monday, 30-Nov-26 00:01:00 GMT", Some(60_000)),
        ("Mon Nov 30 00:00:01 2026", Some(1_000)),
        ("Sun, 29 Nov 2026 23:59:00 GMT", Some(0)),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(retry_after_millis(value, now), wait, "{value:?}");
    }
}

#[test]
fn only_four_statuses_pass() {
    let passing: Vec<u16> = (100..600).filter(|status| is_passing(*status)).collect();
    assert_eq!(passing, [429, 502, 503, 504]);
}
