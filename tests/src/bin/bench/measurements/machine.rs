//! What it was measured on.

use std::fs;
use std::thread;

/// The machine in one line: processors, memory, kernel, and how busy it is. Figures of a busy machine are worse.
pub fn describe() -> String {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name");
    let memory_gib = field("/proc/meminfo", "MemTotal")
        .split_whitespace()
        .next()
        .and_then(|kib| kib.parse::<f64>().ok())
        .map_or(0.0, |kib| kib / 1024.0 / 1024.0);
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    let load: Vec<&str> = load.split_whitespace().take(2).collect();
    format!(
        "Machine: {cores} × {}, {memory_gib:.0} GiB, Linux {}; load {}",
        if processor.is_empty() {
            std::env::consts::ARCH
        } else {
            &processor
        },
        kernel.trim(),
        load.join(" ")
    )
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first `name : value` of a file.
fn field(path: &str, name: &str) -> String {
    read(path)
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(found, _)| found.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
        .unwrap_or_default()
}
