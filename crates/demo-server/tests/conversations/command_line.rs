use crate::support::{Http, Piped, program, soon};

#[tokio::test]
async fn without_arguments_it_says_how_to_call_it() {
    let output = soon(program(&[]).output()).await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("Usage: roundtrip-demo-server stdio"),
        "{stderr}"
    );
}

#[tokio::test]
async fn help_and_version_go_to_standard_output() {
    let help = soon(program(&["--help"]).output()).await.unwrap();
    assert!(help.status.success() && help.stderr.is_empty());
    assert!(
        String::from_utf8(help.stdout)
            .unwrap()
            .contains("--until-stdin-closes")
    );
    let version = soon(program(&["--version"]).output()).await.unwrap();
    let expected = format!("roundtrip-demo-server {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(version.stdout).unwrap(), expected);
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let taken = Http::start().await;
    let port = taken
        .url
        .rsplit(':')
        .next()
        .and_then(|rest| rest.split('/').next())
        .unwrap()
        .to_owned();
    let output = soon(program(&["http", "--port", &port]).output())
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains(&format!("port {port}")) && stderr.contains("--port 0"),
        "{stderr}"
    );
}

#[tokio::test]
async fn an_empty_input_is_no_failure() {
    let (rest, status) = Piped::start().close().await;
    assert!(rest.is_empty() && status.success());
}

#[tokio::test]
async fn over_http_one_line_is_printed_and_the_end_of_input_ends_it() {
    let server = Http::start().await;
    assert!(
        server.url.starts_with("http://127.0.0.1:") && server.url.ends_with("/mcp"),
        "{}",
        server.url
    );
    let (rest, status) = server.close().await;
    assert_eq!(rest, "");
    assert!(status.success());
}
