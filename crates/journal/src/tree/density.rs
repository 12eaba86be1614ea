//! When how much happened, over the whole journal, in bounded memory.

/// At most so many buckets.
pub const DENSITY_BUCKETS: usize = 512;
/// How long a bucket is at first. It doubles whenever the journal outgrows its buckets.
const FIRST_BUCKET_MICROS: u64 = 100;

/// Events by time: equal buckets from the first event on, whose length doubles as the journal grows longer. Adding an
/// event takes a few steps, so the whole of it is there at any time without reading a byte of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Density {
    start_micros: u64,
    last_micros: u64,
    bucket_micros: u64,
    events: Vec<u32>,
    errors: Vec<u32>,
}

impl Default for Density {
    fn default() -> Self {
        Density {
            start_micros: 0,
            last_micros: 0,
            bucket_micros: FIRST_BUCKET_MICROS,
            events: Vec::new(),
            errors: Vec::new(),
        }
    }
}

impl Density {
    /// When the first event happened, in microseconds since the Unix epoch; 0 where there was none.
    pub fn start_micros(&self) -> u64 {
        self.start_micros
    }

    /// The latest time of any event.
    pub fn last_micros(&self) -> u64 {
        self.last_micros
    }

    /// How long each bucket is.
    pub fn bucket_micros(&self) -> u64 {
        self.bucket_micros
    }

    /// How many events each bucket holds, from the first event's on; at most [`DENSITY_BUCKETS`].
    pub fn events(&self) -> &[u32] {
        &self.events
    }

    /// How many rows came to be errors in each bucket.
    pub fn errors(&self) -> &[u32] {
        &self.errors
    }

    /// Takes in an event, and how many rows it made errors. What is earlier than the first event, because a clock was
    /// set back, counts with it.
    pub(super) fn add(&mut self, at_micros: u64, errors: u32) {
        if self.events.is_empty() {
            self.start_micros = at_micros;
        }
        self.last_micros = self.last_micros.max(at_micros);
        let since = at_micros.saturating_sub(self.start_micros);
        let mut bucket = since / self.bucket_micros;
        while bucket >= DENSITY_BUCKETS as u64 {
            self.bucket_micros = self.bucket_micros.saturating_mul(2);
            halve(&mut self.events);
            halve(&mut self.errors);
            bucket = since / self.bucket_micros;
        }
        let bucket = usize::try_from(bucket).unwrap_or(DENSITY_BUCKETS - 1);
        if self.events.len() <= bucket {
            self.events.resize(bucket + 1, 0);
            self.errors.resize(bucket + 1, 0);
        }
        self.events[bucket] = self.events[bucket].saturating_add(1);
        self.errors[bucket] = self.errors[bucket].saturating_add(errors);
    }
}

/// Each two neighbours become one.
fn halve(counts: &mut Vec<u32>) {
    for index in 0..counts.len().div_ceil(2) {
        let second = counts.get(2 * index + 1).copied().unwrap_or_default();
        counts[index] = counts[2 * index].saturating_add(second);
    }
    counts.truncate(counts.len().div_ceil(2));
}
