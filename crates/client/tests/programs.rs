//! Finding a program, and the errors of those that cannot be found or run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test's own functions are tests, too")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use client::LinkSpec;
use client::error::{LinkError, LinkErrorKind};
use common::{Owner, stdio};

async fn refused(spec: LinkSpec) -> LinkError {
    match Owner::try_open(spec, 8).await {
        Ok(_) => panic!("it opened"),
        Err(error) => error,
    }
}

fn with_env(command: &str, env: &[(&str, &str)]) -> LinkSpec {
    LinkSpec::Stdio {
        command: command.to_owned(),
        args: Vec::new(),
        env: env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        folder: None,
    }
}

fn in_folder(command: &str, folder: &Path) -> LinkSpec {
    LinkSpec::Stdio {
        command: command.to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        folder: Some(folder.to_owned()),
    }
}

fn script(folder: &Path, name: &str, text: &str, mode: u32) {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_command_that_is_nowhere_names_where_it_was_looked_for() {
    let error = refused(stdio("no-such-command-here", &[])).await;
    assert_eq!(error.kind, LinkErrorKind::CommandNotFound);
    assert!(error.message.contains("no-such-command-here"), "{error}");
    assert!(error.message.contains("/usr/bin"), "{error}");
    assert!(error.hint.is_some());
}

#[tokio::test]
async fn a_missing_npx_is_answered_by_installing_node() {
    let error = refused(with_env("npx", &[("PATH", "/nowhere")])).await;
    assert_eq!(
        error.message,
        "The command npx was not found. Searched: the PATH set for this server (/nowhere)."
    );
    assert_eq!(error.hint.unwrap(), "Install Node.js, which brings it.");
}

#[tokio::test]
async fn a_whole_command_line_in_the_command_is_explained() {
    let error = refused(stdio("python3 server.py", &[])).await;
    assert_eq!(error.kind, LinkErrorKind::CommandNotFound);
    assert!(error.hint.unwrap().contains("arguments"));
    assert_eq!(
        refused(stdio("  ", &[])).await.kind,
        LinkErrorKind::CommandNotFound
    );
}

#[tokio::test]
async fn a_path_is_taken_from_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "server", "#!/bin/sh\npwd", 0o755);
    let (_link, mut owner) = Owner::open(in_folder("./server", folder.path())).await;
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(owner.exit().await[1], format!("out  {}", here.display()));
}

#[tokio::test]
async fn what_is_there_and_cannot_run_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let open = |command| refused(in_folder(command, folder.path()));

    assert_eq!(open("./missing").await.kind, LinkErrorKind::CommandNotFound);

    script(folder.path(), "plain", "#!/bin/sh\n", 0o644);
    let error = open("./plain").await;
    assert_eq!(error.kind, LinkErrorKind::CannotRun);
    assert!(error.hint.unwrap().contains("chmod +x"));

    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let error = open("./folder").await;
    assert_eq!(error.kind, LinkErrorKind::CannotRun);
    assert!(error.message.contains("is a folder"), "{error}");

    script(
        folder.path(),
        "orphaned",
        "#!/opt/no-such/interpreter -x\n",
        0o755,
    );
    let error = open("./orphaned").await;
    assert_eq!(error.kind, LinkErrorKind::CannotRun);
    assert!(
        error.message.contains("/opt/no-such/interpreter"),
        "{error}"
    );

    script(folder.path(), "text", "just text", 0o755);
    let error = open("./text").await;
    assert_eq!(error.kind, LinkErrorKind::CannotRun);
    assert!(error.message.contains("#!"), "{error}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let error = refused(in_folder("cat", Path::new("/no/such/folder"))).await;
    assert_eq!(error.kind, LinkErrorKind::FolderNotFound);
    assert!(error.message.contains("/no/such/folder"), "{error}");
    let error = refused(in_folder("cat", Path::new("/etc/passwd"))).await;
    assert_eq!(error.kind, LinkErrorKind::FolderNotFound);
}

#[tokio::test]
async fn an_environment_that_cannot_be_is_refused() {
    for env in [("", "x"), ("A=B", "x"), ("A", "x\0y"), ("A\0", "x")] {
        let error = refused(with_env("cat", &[env])).await;
        assert_eq!(error.kind, LinkErrorKind::CannotRun, "{env:?}");
        assert!(error.message.contains("environment variable"), "{error}");
    }
    let spec = stdio("cat", &["a\0b"]);
    assert_eq!(refused(spec).await.kind, LinkErrorKind::CannotRun);
}

/// `npx` with the bare PATH of a desktop launcher: found by the login shell's, and the child has it
/// too. Our own environment cannot change within a test, so an app of its own does this.
#[test]
fn a_bare_path_is_helped_by_the_login_shell() {
    let home = tempfile::tempdir().unwrap();
    let tools = home.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    script(
        &tools,
        "npx-for-test",
        "#!/usr/bin/env node-for-test\n",
        0o755,
    );
    script(
        &tools,
        "node-for-test",
        "#!/bin/sh\necho found by node\n",
        0o755,
    );
    let greeting = "echo welcome\nread -r answer\n";
    let shell = format!(
        "#!/bin/sh\n{greeting}PATH={}:/usr/bin:/bin\nexport PATH\neval \"$2\"\n",
        tools.display()
    );
    script(home.path(), "shell", &shell, 0o755);

    let app = |shell: &str| {
        app(
            &["npx-for-test"],
            &[("SHELL", shell), ("PATH", "/usr/bin:/bin")],
        )
    };
    let said = app(home.path().join("shell").to_str().unwrap());
    assert!(said.contains("out  found by node"), "{said}");

    // A shell that hangs, and one that is not there, cost a while and no more.
    script(home.path(), "hanging", "#!/bin/sh\nsleep 1000\n", 0o755);
    let said = app(home.path().join("hanging").to_str().unwrap());
    assert!(
        said.contains("The command npx-for-test was not found."),
        "{said}"
    );
    let said = app("/no/such/shell");
    assert!(
        said.contains("Searched: the PATH of this app (/usr/bin:/bin)."),
        "{said}"
    );
}

/// The usual shells, where this machine has them.
#[test]
fn real_login_shells_tell_their_path() {
    for shell in ["/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/fish"] {
        if !Path::new(shell).exists() {
            continue;
        }
        let said = app(
            &["npx-for-test"],
            &[("SHELL", shell), ("PATH", "/usr/bin:/bin")],
        );
        assert!(
            said.contains("the PATH of the login shell and of this app"),
            "{shell}: {said}"
        );
    }
}

#[test]
fn a_child_speaks_utf8_where_no_locale_is_set() {
    let say = ["/bin/sh", "-c", "echo \"[$LC_CTYPE]\""];
    let bare = [("LC_ALL", ""), ("LC_CTYPE", ""), ("LANG", "")];
    let expected = if cfg!(target_os = "macos") {
        "out  [UTF-8]"
    } else {
        "out  [C.UTF-8]"
    };
    assert!(app(&say, &bare).contains(expected));
    // A locale that somebody chose is left alone.
    let chosen = [
        ("LC_ALL", ""),
        ("LC_CTYPE", ""),
        ("LANG", "de_DE.ISO-8859-1"),
    ];
    assert!(app(&say, &chosen).contains("out  []"));
}

/// Runs a command as a server in an app of its own, whose environment can be changed, and gives
/// what was reported, or the error.
fn app(command: &[&str], env: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "an_app_with_another_environment",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env("ROUNDTRIP_TEST_COMMAND", command.join("\n"))
        .envs(env.iter().copied())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Not a test of its own.
#[test]
#[ignore = "run by other tests"]
fn an_app_with_another_environment() {
    let Ok(command) = std::env::var("ROUNDTRIP_TEST_COMMAND") else {
        return;
    };
    let words: Vec<&str> = command.lines().collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        match Owner::try_open(stdio(words[0], &words[1..]), 8).await {
            Ok((_link, mut owner)) => println!("{}", owner.exit().await.join("\n")),
            Err(error) => println!("{error}"),
        }
    });
}
