//! What servers say of themselves.

use protocol::era::{Era, Revision};
use protocol::findings::Finding;
use protocol::identity::{read_discover, read_initialize};

use crate::script::raw;

fn rules(findings: &[Finding]) -> Vec<&str> {
    findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect()
}

#[test]
fn a_whole_discovery() {
    let (identity, findings) = read_discover(&raw(
        r#"{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{"listChanged":true},"logging":null,"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/x":{"v":1.10}},"resources":{}},"instructions":"Be kind.","ttlMs":3600000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","title":"Demo","version":"1.0","websiteUrl":"https://a.example"}}}"#,
    ));
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(identity.name.as_deref(), Some("demo"));
    assert_eq!(identity.title.as_deref(), Some("Demo"));
    assert_eq!(identity.version.as_deref(), Some("1.0"));
    assert_eq!(identity.website.as_deref(), Some("https://a.example"));
    assert_eq!(identity.instructions.as_deref(), Some("Be kind."));
    assert_eq!(
        identity.capability_names,
        [
            "tools",
            "io.modelcontextprotocol/tasks",
            "com.example/x",
            "resources"
        ]
    );
    assert!(identity.capabilities.get().contains("1.10"));
    assert_eq!(identity.supported_revisions, ["2026-07-28", "2025-11-25"]);
    assert_eq!(identity.revision, Some(Revision::V2026_07_28));
    assert!(identity.has_tasks(Era::Modern) && !identity.has_tasks(Era::Legacy));
    assert!(identity.has_capability("tools") && !identity.has_capability("logging"));
}

#[test]
fn a_discovery_without_its_parts() {
    for (result, name, expected) in [
        (
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":{}}"#,
            None,
            &["server-info-missing"] as &[&str],
        ),
        (
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":{},"serverInfo":{"name":"x","version":"1"}}"#,
            Some("x"),
            &["server-info-misplaced"],
        ),
        (
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"","version":"1"}}}"#,
            None,
            &["server-info-invalid"],
        ),
        (
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":7}}"#,
            None,
            &["server-info-invalid"],
        ),
        (
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","version":"1"}}}"#,
            Some("x"),
            &["capabilities-missing"],
        ),
        (
            "{}",
            None,
            &[
                "result-type-missing",
                "ttl-missing",
                "cache-scope-missing",
                "server-info-missing",
                "capabilities-missing",
            ],
        ),
    ] {
        let (identity, findings) = read_discover(&raw(result));
        assert_eq!(identity.name.as_deref(), name, "{result}");
        assert_eq!(rules(&findings), expected, "{result}");
        assert_eq!(identity.capabilities.get(), "{}");
        assert_eq!(identity.revision, None);
    }
}

#[test]
fn initialize() {
    let (identity, findings) = read_initialize(&raw(
        r#"{"protocolVersion":"2025-06-18","capabilities":{"tasks":{},"tools":false},"serverInfo":{"name":"old","version":"2"},"instructions":""}"#,
    ));
    assert!(findings.is_empty());
    assert_eq!(identity.revision, Some(Revision::V2025_06_18));
    assert_eq!(identity.capability_names, ["tasks"]);
    assert!(identity.has_tasks(Era::Legacy) && !identity.has_tasks(Era::Modern));
    assert_eq!(identity.instructions, None);

    let (identity, findings) =
        read_initialize(&raw(r#"{"protocolVersion":7,"serverInfo":{"name":"old"}}"#));
    assert_eq!(identity.revision, None);
    assert_eq!(
        rules(&findings),
        ["server-info-invalid", "capabilities-missing"]
    );
    assert_eq!(
        findings[0].message,
        "serverInfo is not an Implementation: version is missing, empty or not a string."
    );
}
