//! The host-neutral core of Roundtrip.
