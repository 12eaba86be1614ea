//! What the core holds in memory of what it has recorded: a call that brings a million notifications of 300 bytes, and
//! how much larger the process is afterwards, for each of them. Their bytes are in the recording's file, so all of it is
//! index.

use std::process;

use app::api::servers::EraChoice;
use serde_json::json;
use tests::core::Core;

use super::flooder::Flooder;
use super::report::{Figure, Goal, Unit};
use super::{Outcome, memory};

const COUNT: u32 = 1_000_000;
const BYTES_EACH: usize = 300;
const GOAL: f64 = 100.0;
const MIB: f64 = 1024.0 * 1024.0;

/// Measures it.
///
/// # Errors
/// The core does not get through with it, or the kernel does not tell the memory.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let few = Flooder::start(1000, BYTES_EACH)?;
    let many = Flooder::start(COUNT, BYTES_EACH)?;
    let core = Core::start().await;
    // What grows once, whatever comes, is there before.
    flood(&core, "few", &few.url, 1000).await?;
    let (before, _) = memory::pss_mib(process::id())?;
    flood(&core, "many", &many.url, COUNT).await?;
    let (after, _) = memory::pss_mib(process::id())?;
    drop(core.close().await);
    Ok(vec![Figure {
        key: "bytes_per_event_overhead",
        what: "memory for each of a million events".to_owned(),
        value: (after - before) * MIB / f64::from(COUNT),
        unit: Unit::FewBytes,
        goal: Some(Goal::AtMost(GOAL)),
        note: format!("{before:.0} MiB before, {after:.0} MiB after; their bytes are in the file"),
    }])
}

async fn flood(core: &Core, name: &str, url: &str, count: u32) -> Outcome<()> {
    let server = core.add_url(name, url, &[], EraChoice::Auto).await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "flood", "{}").await;
    let row: serde_json::Value = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let recorded = row["event_count"].as_u64().unwrap_or_default();
    if recorded < u64::from(count) {
        return Err(format!(
            "only {recorded} of {count} events are in the journal"
        ));
    }
    Ok(())
}
