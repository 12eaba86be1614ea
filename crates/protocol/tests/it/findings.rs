//! Findings that whoever reads the frames asks for.

use protocol::findings::{
    Severity, id_type_changed, progress_not_increasing, server_request_in_modern_era,
    stdout_not_protocol,
};

#[test]
fn each_names_what_was_seen_and_the_clause() {
    let seen = [
        stdout_not_protocol("not JSON"),
        server_request_in_modern_era("sampling/createMessage"),
        id_type_changed("7", "\"7\""),
        progress_not_increasing(5.0, 5.0).expect("it did not grow"),
    ];
    for (finding, (rule, message)) in seen.iter().zip([
        ("stdout-not-protocol", "The server wrote something to stdout that is not an MCP message: not JSON."),
        ("server-request", "The server sent the request sampling/createMessage of its own; in this revision it asks within a result (input_required)."),
        ("id-type-changed", "The request's id was 7 and the reply's is \"7\"; the reply was matched all the same."),
        ("progress-not-increasing", "Progress went from 5 to 5."),
    ]) {
        assert_eq!((finding.rule.as_str(), finding.message.as_str()), (rule, message));
        assert_eq!(finding.severity, Severity::Must);
        assert!(finding.clause.starts_with("2026-07-28 basic") && finding.clause.ends_with('”'), "{}", finding.clause);
    }
}

#[test]
fn progress_that_grows_is_no_finding() {
    assert_eq!(progress_not_increasing(0.0, 0.5), None);
    assert!(progress_not_increasing(2.0, 1.0).is_some());
}
