//! What sign-in needs of the machine: random values, hashes and signatures, and the place on the loopback where the
//! person comes back to. What it means is `protocol`'s (`protocol::authorization`).

mod proving;
mod redirect;
mod signing;

pub use proving::{ProofKey, content_hash, token_hash};
pub use redirect::{Arrival, RedirectListener};
pub use signing::{check_key, pkce, random, sign_assertion};
