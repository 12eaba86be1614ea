//! Moments as other programs write them.

/// `2026-11-30T03:40:12.123456Z`.
pub(crate) fn iso(micros: u64) -> String {
    i64::try_from(micros)
        .ok()
        .and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok())
        .map_or_else(
            || "1970-01-01T00:00:00Z".to_owned(),
            |at| at.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        )
}

/// Microseconds since the Unix epoch, read from an ISO 8601 moment.
pub(crate) fn read_iso(text: &str) -> Option<u64> {
    let at: jiff::Timestamp = text.trim().parse().ok()?;
    u64::try_from(at.as_microsecond()).ok()
}

/// `14:02:09.120`, in UTC.
pub(crate) fn clock(micros: u64) -> String {
    iso(micros).get(11..23).unwrap_or_default().to_owned()
}
