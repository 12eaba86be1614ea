//! How long answers are used again, with the time passed in.

use protocol::caching::{Cache, CacheScope, Hints};

use crate::script::raw;

const SECOND: u64 = 1_000_000;

fn hints(result: &str) -> (Option<u64>, Option<CacheScope>) {
    let hints = Hints::read(&raw(result));
    (hints.ttl_millis, hints.scope)
}

fn page(ttl_millis: u64, cursor: Option<&str>) -> String {
    let next = cursor.map_or(String::new(), |cursor| {
        format!(r#","nextCursor":"{cursor}""#)
    });
    format!(
        r#"{{"resultType":"complete","resources":[],"ttlMs":{ttl_millis},"cacheScope":"public"{next}}}"#
    )
}

fn content(ttl_millis: u64) -> String {
    format!(
        r#"{{"resultType":"complete","contents":[],"ttlMs":{ttl_millis},"cacheScope":"private"}}"#
    )
}

fn read(uri: &str) -> String {
    format!(r#"{{"uri":"{uri}"}}"#)
}

#[test]
fn hints_are_read_as_the_page_says() {
    for (result, expected) in [
        (
            r#"{"ttlMs":300000,"cacheScope":"public"}"#,
            (Some(300_000), Some(CacheScope::Public)),
        ),
        (
            r#"{"ttlMs":0,"cacheScope":"private"}"#,
            (Some(0), Some(CacheScope::Private)),
        ),
        // Absent is 0, and negative is taken as 0.
        ("{}", (None, None)),
        (r#"{"ttlMs":-1}"#, (Some(0), None)),
        (r#"{"ttlMs":1e3,"cacheScope":"shared"}"#, (Some(1000), None)),
        (r#"{"ttlMs":1500.9}"#, (Some(1500), None)),
        (r#"{"ttlMs":"60000"}"#, (Some(0), None)),
        (r#"{"ttlMs":1e400}"#, (Some(u64::MAX), None)),
        (r#"{"ttlMs":null,"cacheScope":null}"#, (Some(0), None)),
    ] {
        assert_eq!(hints(result), expected, "{result}");
    }
    // Nothing overflows.
    let forever = Hints::read(&raw(r#"{"ttlMs":18446744073709551615}"#));
    assert_eq!(forever.fresh_until_micros(5), u64::MAX);
}

#[test]
fn an_answer_is_fresh_until_its_time_is_over() {
    let mut cache = Cache::default();
    let (a, b) = (read("file:///a"), read("file:///b"));
    let received = 100 * SECOND;
    cache.keep(
        "resources/read",
        Some(&a),
        &raw(&content(60_000)),
        received,
        7_u32,
    );
    let last_moment = received + 60 * SECOND - 1;
    let kept = cache
        .fresh("resources/read", Some(&a), last_moment)
        .expect("it is fresh");
    assert_eq!((kept.place, kept.received_micros), (7, received));
    assert!(
        cache
            .fresh("resources/read", Some(&a), last_moment + 1)
            .is_none()
    );
    // Another resource, or another method, is another answer.
    assert!(cache.fresh("resources/read", Some(&b), received).is_none());
    assert!(cache.fresh("prompts/get", Some(&a), received).is_none());
    // What says how it is sent does not say what is asked.
    let with_meta = r#"{"uri":"file:///a","_meta":{"progressToken":3}}"#;
    assert!(
        cache
            .fresh("resources/read", Some(with_meta), received)
            .is_some()
    );
}

#[test]
fn what_must_not_be_kept_is_not() {
    let mut cache = Cache::default();
    let uri = read("file:///a");
    for (method, params, result) in [
        ("resources/read", uri.clone(), content(0)),
        (
            "resources/read",
            uri.clone(),
            r#"{"resultType":"complete","contents":[]}"#.to_owned(),
        ),
        (
            "resources/read",
            uri.clone(),
            content(9).replace("complete", "input_required"),
        ),
        ("tools/call", r#"{"name":"t"}"#.to_owned(), content(60_000)),
        ("prompts/get", r#"{"name":"p"}"#.to_owned(), content(60_000)),
        (
            "resources/read",
            r#"{"uri":"file:///a","inputResponses":{}}"#.to_owned(),
            content(60_000),
        ),
        (
            "resources/read",
            r#"{"uri":"file:///a","requestState":"s"}"#.to_owned(),
            content(60_000),
        ),
    ] {
        cache.keep(method, Some(&params), &raw(&result), 0, ());
        assert!(
            cache.fresh(method, Some(&params), 0).is_none(),
            "{method} {params} {result}"
        );
        assert!(
            cache.fresh("resources/read", Some(&uri), 0).is_none(),
            "{params}"
        );
    }
    // An answer that may not be kept ends one that was.
    cache.keep("resources/read", Some(&uri), &raw(&content(60_000)), 0, ());
    cache.keep("resources/read", Some(&uri), &raw(&content(0)), 1, ());
    assert!(cache.fresh("resources/read", Some(&uri), 1).is_none());
}

#[test]
fn a_list_is_fresh_while_each_of_its_pages_is() {
    let mut cache = Cache::default();
    let second = r#"{"cursor":"two"}"#;
    cache.keep(
        "resources/list",
        None,
        &raw(&page(60_000, Some("two"))),
        0,
        1,
    );
    assert!(
        cache.fresh_pages("resources/list", None, SECOND).is_none(),
        "half a list"
    );
    cache.keep(
        "resources/list",
        Some(second),
        &raw(&page(5_000, None)),
        SECOND,
        2,
    );
    let places = |now| {
        let pages = cache.fresh_pages("resources/list", None, now)?;
        Some(pages.iter().map(|page| page.place).collect::<Vec<_>>())
    };
    assert_eq!(places(2 * SECOND), Some(vec![1, 2]));
    // `{}` asks the same as nothing.
    assert!(
        cache
            .fresh_pages("resources/list", Some("{}"), 2 * SECOND)
            .is_some()
    );
    assert_eq!(places(6 * SECOND), None, "the second page has gone stale");

    let mut circle = Cache::default();
    circle.keep("tools/list", None, &raw(&page(60_000, Some("a"))), 0, ());
    circle.keep(
        "tools/list",
        Some(r#"{"cursor":"a"}"#),
        &raw(&page(60_000, Some("a"))),
        0,
        (),
    );
    assert!(circle.fresh_pages("tools/list", None, 1).is_none());
}

#[test]
fn notifications_end_freshness_at_once() {
    let mut cache = Cache::default();
    let uris = ["file:///a", "file:///a/b", "file:///ab", "file:///"];
    for uri in uris {
        cache.keep(
            "resources/read",
            Some(&read(uri)),
            &raw(&content(60_000)),
            0,
            (),
        );
    }
    cache.keep("resources/list", None, &raw(&page(60_000, None)), 0, ());
    let fresh = |cache: &Cache<()>| {
        let is_fresh = |uri: &&str| cache.fresh("resources/read", Some(&read(uri)), 1).is_some();
        uris.iter().copied().filter(is_fresh).collect::<Vec<_>>()
    };
    // A part of what was read changed, so what was read did.
    cache.forget_resource("file:///a/b");
    assert_eq!(fresh(&cache), ["file:///ab"]);
    assert!(cache.fresh("resources/list", None, 1).is_some());
    cache.forget_method("resources/list");
    assert!(cache.fresh("resources/list", None, 1).is_none());
    assert_eq!(fresh(&cache), ["file:///ab"]);
}

#[test]
fn what_is_kept_has_a_bound_and_the_oldest_goes_first() {
    let mut cache = Cache::default();
    let large = |len: usize| {
        format!(
            r#"{{"contents":[{{"uri":"x","text":"{}"}}],"ttlMs":60000}}"#,
            "x".repeat(len)
        )
    };
    cache.keep(
        "resources/read",
        Some(&read("huge")),
        &raw(&large(9 << 20)),
        0,
        (),
    );
    assert!(
        cache
            .fresh("resources/read", Some(&read("huge")), 1)
            .is_none()
    );
    for number in 0..6 {
        let uri = read(&number.to_string());
        cache.keep(
            "resources/read",
            Some(&uri),
            &raw(&large(7 << 20)),
            number,
            (),
        );
    }
    let kept: Vec<u64> = (0..6)
        .filter(|number| {
            let uri = read(&number.to_string());
            cache.fresh("resources/read", Some(&uri), 7).is_some()
        })
        .collect();
    assert_eq!(kept, [2, 3, 4, 5]);
}
