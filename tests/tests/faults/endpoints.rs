//! Servers that cannot be reached, and what answers in their place.

use app::api::ErrorCode;
use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, NamedValue, ServerDraft};
use serde_json::json;
use tests::core::{Core, Failure, text_of};
use tests::listener::{self, Listener, Talk};
use tests::programs;

/// What a person is told, piece by piece.
struct Told {
    message: &'static [&'static str],
    hint: &'static str,
    row: &'static str,
}

fn check(what: &str, failure: &Failure, told: &Told) {
    let hint = failure.error.hint.as_deref().unwrap_or_default();
    for words in told.message {
        assert!(
            failure.error.message.contains(words),
            "{what}: no {words:?} in {failure:#?}"
        );
    }
    assert!(hint.contains(told.hint), "{what}: {failure:#?}");
    assert!(failure.row.contains(told.row), "{what}: {failure:#?}");
    assert!(
        failure.details.contains("Why: ") && failure.details.contains("What to try: "),
        "{what}: {failure:#?}"
    );
}

fn stdio(command: &str, args: &[&str], folder: Option<&str>) -> Endpoint {
    Endpoint::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        folder: folder.map(str::to_owned),
    }
}

fn http(url: &str) -> Endpoint {
    Endpoint::Http {
        url: url.to_owned(),
        headers: Vec::new(),
    }
}

async fn failure(core: &Core, endpoint: Endpoint) -> Failure {
    let draft = ServerDraft {
        name: "bad".to_owned(),
        endpoint,
        era: EraChoice::Auto,
        options: ServerOptions::default(),
    };
    let server = core.add(draft).await;
    let failure = core.connect_badly(&server, None).await;
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;
    failure
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_that_cannot_serve() {
    let core = Core::start().await;
    let script = programs::odd_server();
    let script = script.to_string_lossy();
    let cases = [
        (
            "command not found",
            stdio("no-such-command-here", &[], None),
            Told {
                message: &["no-such-command-here", "not found", "PATH"],
                hint: "Check the spelling",
                row: "process/start no-such-command-here — command not found",
            },
        ),
        (
            "path not found",
            stdio("/no/such/program", &[], None),
            Told {
                message: &["/no/such/program"],
                hint: "Check the path",
                row: "process/start program — command not found",
            },
        ),
        (
            "folder not found",
            stdio("cat", &[], Some("/no/such/folder")),
            Told {
                message: &["/no/such/folder", "does not exist"],
                hint: "Choose a folder that exists",
                row: "process/start cat — folder not found",
            },
        ),
        (
            "a traceback",
            stdio("python3", &[&script, "crash"], None),
            Told {
                message: &[
                    "exit code 1",
                    "RuntimeError: the database of the server is not there",
                ],
                hint: "Run the command in a terminal",
                row: "server/discover — process ended",
            },
        ),
        (
            "a last word without a line's end",
            stdio("sh", &["-c", "printf 'no licence' >&2; exit 3"], None),
            Told {
                message: &["exit code 3", "no licence"],
                hint: "Run the command in a terminal",
                row: "server/discover — process ended",
            },
        ),
        (
            "a killed process",
            stdio("sh", &["-c", "kill -9 $$"], None),
            Told {
                message: &["signal 9 (SIGKILL)", "nothing to stderr"],
                hint: "Run the command in a terminal",
                row: "server/discover — process ended",
            },
        ),
        (
            "a program that is no server",
            stdio("true", &[], None),
            Told {
                message: &["exit code 0"],
                hint: "Run the command in a terminal",
                row: "server/discover — process ended",
            },
        ),
        (
            "stdout that is closed",
            stdio("sh", &["-c", "exec >&-; while read line; do :; done"], None),
            Told {
                message: &["closed its stdout"],
                hint: "Look at its stderr",
                row: "initialize — stdout closed",
            },
        ),
    ];
    for (what, endpoint, told) in cases {
        check(what, &failure(&core, endpoint).await, &told);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_where_nobody_answers() {
    let core = Core::start().await;
    let plain = Listener::start(|_, mut talk| async move { talk.accepted().await }).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let refused = format!("http://{}/mcp", closed.local_addr().expect("an address"));
    drop(closed);
    let cases = [
        (
            "port closed",
            refused,
            Told {
                message: &["127.0.0.1", "refused"],
                hint: "Is the server started?",
                row: "server/discover — refused",
            },
        ),
        (
            "TLS with a plain port",
            format!("https://{}/mcp", plain.authority()),
            Told {
                message: &["TLS", "127.0.0.1", "does not speak TLS"],
                hint: "http://",
                row: "server/discover — TLS failed",
            },
        ),
        (
            "no such host",
            "http://no-such-host.invalid/".to_owned(),
            Told {
                message: &["no-such-host.invalid", "not found"],
                hint: "spelling",
                row: "server/discover — host not found",
            },
        ),
    ];
    for (what, url, told) in cases {
        check(what, &failure(&core, http(&url)).await, &told);
    }
    core.close().await;
}

/// Answers everything with this.
async fn with(status: &'static str, kind: &'static str, body: &'static str) -> Listener {
    Listener::start(move |_, mut talk: Talk| async move {
        talk.answer(status, &[("content-type", kind)], body).await;
    })
    .await
}

const PAGE: &str =
    "<!doctype html><html><head><title>Welcome to nginx!</title></head><body>Hi</body></html>";

#[tokio::test(flavor = "multi_thread")]
async fn what_answers_in_place_of_a_server() {
    let core = Core::start().await;
    let cases = [
        (
            "a web page",
            with("200 OK", "text/html; charset=utf-8", PAGE).await,
            Told {
                message: &["HTTP 200", "a web page", "Welcome to nginx!"],
                hint: "Check the URL",
                row: "server/discover — web page",
            },
        ),
        (
            "a web page that is not there",
            with("404 Not Found", "text/html", PAGE).await,
            Told {
                message: &["no MCP endpoint", "HTTP 404", "Welcome to nginx!"],
                hint: "/mcp",
                row: "initialize — HTTP 404",
            },
        ),
        (
            "not JSON",
            with("200 OK", "application/json", "{\"jsonrpc\": oops}").await,
            Told {
                message: &["HTTP 200", "not JSON", "oops"],
                hint: "Check the URL",
                row: "server/discover — not MCP",
            },
        ),
        (
            "JSON that is no JSON-RPC",
            with("200 OK", "application/json", "{\"status\":\"up\"}").await,
            Told {
                message: &["HTTP 200", "not JSON-RPC", "status"],
                hint: "Check the URL",
                row: "server/discover — not MCP",
            },
        ),
        (
            "a failing gateway",
            with("502 Bad Gateway", "text/plain", "upstream is down").await,
            Told {
                message: &["HTTP 502", "gateway", "upstream is down"],
                hint: "Check the URL",
                row: "server/discover — HTTP 502",
            },
        ),
        (
            "a stream without an answer",
            with("200 OK", "text/event-stream", ": hello\n\ndata:\n\n").await,
            Told {
                message: &["initialize", "HTTP 200", "empty"],
                hint: "Check the URL",
                row: "initialize — no reply",
            },
        ),
    ];
    for (what, listener, told) in &cases {
        check(what, &failure(&core, http(&listener.url())).await, told);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_sign_in() {
    let core = Core::start().await;
    for (status, body) in [
        ("401 Unauthorized", r#"{"error":"invalid_token"}"#),
        ("403 Forbidden", "Forbidden"),
        (
            "401 Unauthorized",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"who are you?"}}"#,
        ),
    ] {
        let listener = Listener::start(move |_, mut talk| async move {
            let headers = [
                ("content-type", "application/json"),
                ("www-authenticate", "Bearer realm=\"mcp\""),
            ];
            talk.answer(status, &headers, body).await;
        })
        .await;
        let failure = failure(&core, http(&listener.url())).await;
        assert_eq!(failure.error.code, ErrorCode::SignInNeeded);
        let told = Told {
            message: &["HTTP 40", "sign-in"],
            hint: "Authorization",
            row: "server/discover — HTTP 40",
        };
        check(status, &failure, &told);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_named_with_where_it_leads() {
    let core = Core::start().await;
    let listener = Listener::start(|_, mut talk| async move {
        let headers = [("location", "https://elsewhere.example/mcp")];
        talk.answer("307 Temporary Redirect", &headers, "").await;
    })
    .await;
    let failure = failure(&core, http(&listener.url())).await;
    let told = Told {
        message: &["307", "https://elsewhere.example/mcp"],
        hint: "URL",
        row: "server/discover — redirect",
    };
    check("a redirect", &failure, &told);
    // What was sent to the first address is not sent on to another.
    assert_eq!(listener.received().len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_within_the_origin_is_followed_with_method_and_body() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.path == "/mcp/" {
            listener::modern(&asked, &mut talk).await;
        } else {
            talk.answer("307 Temporary Redirect", &[("location", "/mcp/")], "")
                .await;
        }
    })
    .await;
    let server = core
        .add_url(
            "moved",
            &listener.url(),
            &[("x-key", "k-123456")],
            EraChoice::Auto,
        )
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", r#"{"a":1}"#).await;
    assert_eq!(text_of(&outcome), r#"{"a":1}"#);
    let received = listener.received();
    let asked: Vec<_> = received
        .iter()
        .map(|received| format!("{} {}", received.path, received.asks()))
        .collect();
    assert_eq!(
        asked,
        [
            "/mcp server/discover",
            "/mcp/ server/discover",
            "/mcp/ tools/list",
            "/mcp/ tools/call",
        ]
    );
    assert_eq!(received[0].body, received[1].body);
    assert!(
        received
            .iter()
            .all(|received| received.header("x-key") == Some("k-123456"))
    );
    let timeline = core.unfolded().await;
    assert!(timeline.contains("round 1 · id 1 — redirect"), "{timeline}");
    assert!(
        timeline.contains("round 1 · id 1 after redirect [retry 1] — complete"),
        "{timeline}"
    );
    core.close().await;

    // One that leads in a circle ends.
    let core = Core::start().await;
    let circle = Listener::start(|_, mut talk| async move {
        talk.answer("308 Permanent Redirect", &[("location", "/mcp")], "")
            .await;
    })
    .await;
    let failure = failure(&core, http(&circle.url())).await;
    assert!(
        failure.row.contains("server/discover — redirect"),
        "{failure:#?}"
    );
    assert_eq!(circle.received().len(), 4);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_with_another_id_over_http() {
    let core = Core::start().await;
    let listener = Listener::start(|_, mut talk| async move {
        let body = json!({ "jsonrpc": "2.0", "id": 0, "result": {} });
        talk.json("200 OK", &body).await;
    })
    .await;
    let told = Told {
        message: &["a reply with the id 0", "the request's id is 1"],
        hint: "its request's id",
        row: "server/discover — wrong id",
    };
    check(
        "the id 0",
        &failure(&core, http(&listener.url())).await,
        &told,
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_urls_that_cannot_be_sent() {
    let core = Core::start().await;
    let draft = ServerDraft {
        name: "bad header".to_owned(),
        endpoint: Endpoint::Http {
            url: "http://127.0.0.1:9/mcp".to_owned(),
            headers: vec![NamedValue {
                name: "x-note".to_owned(),
                value: "a\u{7}b".to_owned(),
                secret: false,
            }],
        },
        era: EraChoice::Auto,
        options: ServerOptions::default(),
    };
    // Refused at the form, or when it is used: in either case by name.
    match core
        .rpc::<String>("save_server", json!({ "server": null, "draft": draft }))
        .await
    {
        Err(error) => assert!(error["message"].to_string().contains("x-note"), "{error}"),
        Ok(server) => {
            let failure = core.connect_badly(&server, None).await;
            let told = Told {
                message: &["x-note"],
                hint: "",
                row: "bad header",
            };
            check("a header", &failure, &told);
        }
    }
    core.close().await;
}
