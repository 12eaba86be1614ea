//! The memory of a program with all its processes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::Outcome;

/// The proportional set size of a process and all that descend from it, in MiB, and how many processes that are. Pages
/// that processes share count once, in shares.
///
/// # Errors
/// The process has ended, or the kernel does not tell.
pub fn pss_mib(root: u32) -> Outcome<(f64, usize)> {
    let mut kib = 0.0;
    let processes = descendants(root);
    for process in &processes {
        let path = format!("/proc/{process}/smaps_rollup");
        match fs::read_to_string(&path) {
            Ok(text) => kib += pss_kib(&text).ok_or(format!("{path} has no Pss"))?,
            // One that has just ended has no memory.
            Err(_) if *process != root => {}
            Err(error) => return Err(format!("{path}: {error}")),
        }
    }
    Ok((kib / 1024.0, processes.len()))
}

/// The same of those of its processes that have this name, as the kernel cuts it, without what descends from them.
///
/// # Errors
/// There is none, or the kernel does not tell.
pub fn pss_mib_of(root: u32, name: &str) -> Outcome<f64> {
    let mut kib = 0.0;
    let mut is_there = false;
    for process in descendants(root) {
        let comm = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        if comm.trim() != name {
            continue;
        }
        is_there = true;
        let path = format!("/proc/{process}/smaps_rollup");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        kib += pss_kib(&text).ok_or(format!("{path} has no Pss"))?;
    }
    if is_there {
        Ok(kib / 1024.0)
    } else {
        Err(format!("no process is called {name}"))
    }
}

/// Bytes of memory that are this process's own, and of no file.
///
/// # Errors
/// The kernel does not tell.
pub fn own_bytes() -> Outcome<u64> {
    let status = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .ok_or("the kernel does not tell RssAnon")?;
    let kib = line
        .split_whitespace()
        .next()
        .and_then(|kib| kib.parse::<u64>().ok());
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| format!("RssAnon is {line}"))
}

fn pss_kib(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn descendants(root: u32) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for entry in entries {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name, in parentheses, may hold anything.
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, fields)| fields.split(' ').nth(1))
            .and_then(|parent| parent.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = BTreeSet::new();
    let mut to_visit = vec![root];
    while let Some(process) = to_visit.pop() {
        if found.insert(process) {
            to_visit.extend(children.get(&process).into_iter().flatten());
        }
    }
    found
}
