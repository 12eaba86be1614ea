//! Sign-in: the rules one by one, and whole flows against scripted authorization servers.

mod flows;
mod rules;
