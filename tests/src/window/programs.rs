//! tauri-driver, the web view's driver below it, the app that both run, and whatever the app starts: they begin
//! together and end together.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::programs;

/// The variable that tells the app where its data is. All that it starts inherits it, which is how they are known.
const DATA_FOLDER: &str = "ROUNDTRIP_DATA_DIR";

/// What runs for one window.
pub struct Programs {
    driver: Child,
    /// Where tauri-driver listens.
    pub port: u16,
    folder: Arc<TempDir>,
}

/// A process that belongs to a window.
pub struct Process {
    pid: Pid,
    /// Its command line.
    pub command: String,
    is_app: bool,
}

impl Programs {
    /// Starts tauri-driver, with these variables for the app, whose data is in this folder.
    pub fn start(folder: Arc<TempDir>, variables: &[(&str, &str)]) -> Self {
        assert!(
            std::env::var_os("DISPLAY").is_some(),
            "a window needs a screen: `cargo xtask test --only window` brings one"
        );
        let data = folder.path().join("data");
        fs::create_dir_all(&data).expect("a data folder");
        let log = File::create(folder.path().join("log")).expect("a log");
        let [port, native_port] = free_ports();
        let driver = programs::tauri_driver();
        let web_kit = programs::web_kit_driver();
        let mut command = Command::new(&driver);
        if web_kit.is_absolute() {
            // Otherwise tauri-driver looks for it in PATH itself.
            command.arg("--native-driver").arg(&web_kit);
        }
        let child = command
            .arg("--port")
            .arg(port.to_string())
            .arg("--native-port")
            .arg(native_port.to_string())
            .env(DATA_FOLDER, &data)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be started: {error}", driver.display()));
        let mut programs = Self {
            driver: child,
            port,
            folder,
        };
        for port in [port, native_port] {
            let deadline = Instant::now() + super::PATIENCE;
            while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
                let is_running = matches!(programs.driver.try_wait(), Ok(None));
                assert!(
                    is_running && Instant::now() < deadline,
                    "nothing listens on port {port}:\n{}",
                    programs.log()
                );
                thread::sleep(super::PAUSE);
            }
        }
        programs
    }

    /// The app's data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// What the programs printed.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.folder.path().join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What lives of them now.
    pub fn living(&self) -> Vec<Process> {
        let mut mark = format!("{DATA_FOLDER}=").into_bytes();
        mark.extend_from_slice(self.data_folder().as_os_str().as_bytes());
        let app = fs::canonicalize(programs::app()).unwrap_or_else(|_| programs::app());
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| process(&entry.ok()?.path(), &mark, &app))
            .collect()
    }

    /// Asks the app to leave, as a desktop does at its end, and waits until it and its servers have.
    pub async fn leave(&self) {
        let deadline = Instant::now() + super::PATIENCE;
        let mut is_asked = false;
        loop {
            let apps: Vec<Process> = self
                .living()
                .into_iter()
                .filter(|process| process.is_app)
                .collect();
            if apps.is_empty() || Instant::now() > deadline {
                return;
            }
            if !is_asked {
                is_asked = true;
                signal(&apps, Signal::TERM);
            }
            tokio::time::sleep(super::PAUSE).await;
        }
    }

    /// Ends the drivers and gives what is left of the others after a while.
    pub fn end(mut self) -> Vec<String> {
        let is_ours = |process: &Process| {
            let command = &process.command;
            ["tauri-driver", "WebKitWebDriver"]
                .iter()
                .any(|driver| command.contains(driver))
        };
        let (drivers, _): (Vec<_>, Vec<_>) = self.living().into_iter().partition(is_ours);
        signal(&drivers, Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            // Reaps it, too: a process that is not waited for stays.
            self.driver.try_wait().expect("its own child");
            let left: Vec<String> = self
                .living()
                .into_iter()
                .map(|process| process.command)
                .collect();
            if left.is_empty() || Instant::now() > deadline {
                return left;
            }
            thread::sleep(super::PAUSE);
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for ending in [Signal::TERM, Signal::KILL] {
            signal(&self.living(), ending);
            let deadline = Instant::now() + Duration::from_secs(5);
            while Instant::now() < deadline {
                let driver_is_gone = matches!(self.driver.try_wait(), Ok(Some(_)) | Err(_));
                if driver_is_gone && self.living().is_empty() {
                    return;
                }
                thread::sleep(super::PAUSE);
            }
        }
    }
}

fn signal(processes: &[Process], signal: Signal) {
    for process in processes {
        // It may have ended by itself since.
        kill_process(process.pid, signal).ok();
    }
}

/// Reads a process's folder, if the process carries the mark.
fn process(folder: &Path, mark: &[u8], app: &Path) -> Option<Process> {
    let pid = folder.file_name().and_then(OsStr::to_str)?.parse().ok()?;
    let environment = fs::read(folder.join("environ")).ok()?;
    if !environment.split(|byte| *byte == 0).any(|one| one == mark) {
        return None;
    }
    let command = fs::read(folder.join("cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some(Process {
        pid: Pid::from_raw(pid)?,
        command: format!("{pid} {}", command.trim()),
        is_app: fs::read_link(folder.join("exe")).is_ok_and(|program| program == app),
    })
}

/// Two ports that were free a moment ago.
fn free_ports() -> [u16; 2] {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let both = [listen(), listen()];
    both.map(|listener| listener.local_addr().expect("its address").port())
}
