//! Signing in to a protected demo server, whose authorization server is part of it, through the whole core. The person's
//! part in the browser is played over real HTTP: pages are fetched, redirects followed, the consent form posted.

mod bound;
mod failing;
mod keeping;
mod keyring;
mod permission;
mod scene;
