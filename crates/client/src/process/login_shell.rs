//! The PATH that the person's terminal has. A desktop launcher starts programs with a bare PATH, in
//! which tools installed by nvm, Homebrew or cargo are not found.

use tokio::sync::OnceCell;

/// The login shell's PATH, asked for once in the life of this process. `None` where the shell does
/// not tell it within the time limit, and on Windows, where launchers have the whole PATH.
pub(crate) async fn path() -> Option<&'static str> {
    static PATH: OnceCell<Option<String>> = OnceCell::const_new();
    PATH.get_or_init(ask).await.as_deref()
}

#[cfg(not(unix))]
async fn ask() -> Option<String> {
    None
}

#[cfg(unix)]
async fn ask() -> Option<String> {
    let shell = std::env::var("SHELL")
        .ok()
        .filter(|shell| !shell.is_empty())?;
    let answer = tokio::time::timeout(TIME_LIMIT, run(&shell)).await;
    match answer {
        Ok(Ok(output)) => path_in(&String::from_utf8_lossy(&output)).map(str::to_owned),
        Ok(Err(error)) => {
            tracing::warn!(%shell, %error, "the login shell could not be asked for its PATH");
            None
        }
        Err(_) => {
            tracing::warn!(%shell, "the login shell did not tell its PATH in time");
            None
        }
    }
}

/// Start-up files can be slow, and can wait for an answer.
#[cfg(unix)]
const TIME_LIMIT: std::time::Duration = std::time::Duration::from_secs(3);

/// Start-up files print greetings: the environment stands between two lines of this. A line that
/// only holds it may be the shell's `_` variable, which is the last argument of the command before.
#[cfg(unix)]
const MARK: &str = "__roundtrip_environment__";

#[cfg(unix)]
async fn run(shell: &str) -> std::io::Result<Vec<u8>> {
    use process_wrap::tokio::{CommandWrap, ProcessSession};
    use tokio::io::AsyncReadExt as _;

    // Words that every shell reads alike, fish and nushell too.
    let script = format!("echo; echo {MARK}; /usr/bin/env; echo {MARK}");
    let mut wrap = CommandWrap::with_new(shell, |command| {
        command
            .args(["-ilc", &script])
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null());
    });
    // A session of its own has no terminal. An interactive shell would otherwise take the terminal
    // that Roundtrip was started from, or be stopped for trying.
    wrap.wrap(ProcessSession);
    let child = wrap.spawn()?;
    let mut group = child.id().and_then(super::unix::GroupGuard::new);
    let mut child = child;
    let mut output = Vec::new();
    if let Some(stdout) = child.stdout().take() {
        let mut stdout = stdout.take(1024 * 1024);
        let mut chunk = [0; 8192];
        // Read up to the second mark rather than to the end: start-up files may leave a program
        // behind that keeps the pipe.
        while marks(&output) < 2 {
            let byte_len = stdout.read(&mut chunk).await?;
            if byte_len == 0 {
                break;
            }
            output.extend_from_slice(&chunk[..byte_len]);
        }
    }
    if let Some(group) = &mut group {
        group.kill();
    }
    child.wait().await?;
    Ok(output)
}

#[cfg(unix)]
fn marks(output: &[u8]) -> usize {
    output
        .split(|byte| *byte == b'\n')
        .filter(|line| *line == MARK.as_bytes())
        .count()
}

#[cfg(unix)]
fn path_in(output: &str) -> Option<&str> {
    output
        .lines()
        .skip_while(|line| *line != MARK)
        .skip(1)
        .take_while(|line| *line != MARK)
        .find_map(|line| line.strip_prefix("PATH="))
        .filter(|path| !path.is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use super::path_in;

    #[test]
    fn the_path_is_read_from_between_the_marks() {
        let output = "Welcome!\nPATH=/wrong\n__roundtrip_environment__\nHOME=/home/a\n\
                      _=__roundtrip_environment__\n\
                      PATH=/home/a/.nvm/bin:/usr/bin\nLANG=C\n__roundtrip_environment__\nbye\n";
        assert_eq!(path_in(output), Some("/home/a/.nvm/bin:/usr/bin"));
    }

    #[test]
    fn a_shell_that_says_something_else_has_no_path() {
        assert_eq!(path_in(""), None);
        assert_eq!(path_in("PATH=/usr/bin\n"), None);
        assert_eq!(
            path_in("__roundtrip_environment__\nPATH=\n__roundtrip_environment__"),
            None
        );
    }
}
