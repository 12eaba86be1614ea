//! What a connection may have left behind, as the system tells it.

use std::fs;
use std::time::{Duration, Instant};

/// How long what is on its way out may take: longer than anything takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until no process of this group runs. Gives the command lines of those that stay.
pub async fn processes_of_group(group: u32) -> Vec<String> {
    until_empty(|| {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let path = entry.path();
            let stat = fs::read_to_string(path.join("stat")).unwrap_or_default();
            // "pid (name) state ppid pgrp …"; a zombie has ended, whoever started it has yet to be told.
            let Some((_, rest)) = stat.rsplit_once(") ") else {
                continue;
            };
            let fields: Vec<&str> = rest.split(' ').collect();
            if fields[0] != "Z" && fields[2] == group.to_string() {
                let command = fs::read_to_string(path.join("cmdline")).unwrap_or_default();
                found.push(command.replace('\0', " "));
            }
        }
        found
    })
    .await
}

/// Waits until no socket of this process leads to this port. Gives those that stay, as `/proc/net/tcp` has them.
pub async fn sockets_to_port(port: u16) -> Vec<String> {
    let remote = format!(":{port:04X}");
    until_empty(|| {
        let table = fs::read_to_string("/proc/self/net/tcp").expect("the table of sockets");
        let leads_there = |line: &&str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // Closed ones linger in the system without a file (inode 0).
            fields.len() > 9 && fields[2].ends_with(&remote) && fields[9] != "0"
        };
        table
            .lines()
            .filter(leads_there)
            .map(str::to_owned)
            .collect()
    })
    .await
}

async fn until_empty(look: impl Fn() -> Vec<String>) -> Vec<String> {
    let began = Instant::now();
    loop {
        let found = look();
        if found.is_empty() || began.elapsed() > PATIENCE {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
