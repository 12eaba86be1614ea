//! The tables that were booked: in memory, for as long as the process runs.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where to sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Seating {
    Indoors,
    Terrace,
    Bar,
}

/// A booked table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Booking {
    pub(crate) reference: String,
    pub(crate) restaurant: String,
    /// `YYYY-MM-DD`.
    pub(crate) date: String,
    pub(crate) party_size: u32,
    pub(crate) seating: Seating,
    pub(crate) email: String,
    pub(crate) remind: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<String>,
}

/// At most so many are kept; the oldest goes first.
const CAPACITY: usize = 200;

/// All bookings, shared by every session of the process.
#[derive(Clone, Default)]
pub(crate) struct Bookings(Arc<Mutex<IndexMap<String, Booking>>>);

impl Bookings {
    /// A reference that is not in use, e.g. `RT-5F3A09`.
    pub(crate) fn new_reference() -> String {
        let digits = uuid::Uuid::new_v4().simple().to_string().to_uppercase();
        format!("RT-{}", &digits[..6])
    }

    /// Keeps a booking. The reference belongs to one asking of the form, so a reply that is sent twice books once:
    /// the first booking of the reference stays, and is given back.
    pub(crate) fn keep(&self, booking: Booking) -> Booking {
        let mut bookings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bookings.len() >= CAPACITY {
            bookings.shift_remove_index(0);
        }
        bookings
            .entry(booking.reference.clone())
            .or_insert(booking)
            .clone()
    }

    /// Takes a booking out; none when the reference is not known.
    pub(crate) fn cancel(&self, reference: &str) -> Option<Booking> {
        let mut bookings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bookings.shift_remove(reference.trim().to_uppercase().as_str())
    }

    /// All of them, the oldest first.
    pub(crate) fn all(&self) -> Vec<Booking> {
        let bookings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bookings.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Booking, Bookings, CAPACITY, Seating};

    fn booking(reference: &str, party_size: u32) -> Booking {
        Booking {
            reference: reference.to_owned(),
            restaurant: "Trattoria Lucia".to_owned(),
            date: "2026-12-04".to_owned(),
            party_size,
            seating: Seating::Bar,
            email: "ada@example.com".to_owned(),
            remind: false,
            notes: None,
        }
    }

    #[test]
    fn one_reference_books_once() {
        let bookings = Bookings::default();
        assert_eq!(bookings.keep(booking("RT-000001", 2)).party_size, 2);
        assert_eq!(bookings.keep(booking("RT-000001", 9)).party_size, 2);
        assert_eq!(bookings.all().len(), 1);
        assert!(bookings.cancel(" rt-000001 ").is_some());
        assert!(bookings.cancel("RT-000001").is_none());
    }

    #[test]
    fn the_oldest_goes_when_the_book_is_full() {
        let bookings = Bookings::default();
        for number in 0..=CAPACITY {
            bookings.keep(booking(&format!("RT-{number:06}"), 2));
        }
        assert_eq!(bookings.all().len(), CAPACITY);
        assert_eq!(bookings.all()[0].reference, "RT-000001");
    }
}
