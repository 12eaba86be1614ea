//! What the authorization server remembers. Each kind has a limit, so that nobody fills the memory: what is oldest goes.

use std::collections::HashSet;
use std::time::Duration;

use indexmap::IndexMap;

use super::clients::Client;
use super::keys::Claims;
use super::now;

/// How many of each kind are kept.
const MOST: usize = 1000;
/// How long the consent page may be left open, in seconds.
const PENDING_SECONDS: u64 = 600;
/// How long a code lasts, in seconds.
const CODE_SECONDS: u64 = 60;

/// What a client asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) client: Client,
    pub(super) redirect_uri: String,
    pub(super) scopes: Vec<String>,
    pub(super) state: Option<String>,
    pub(super) challenge: String,
}

/// A consent that was given.
#[derive(Clone, Debug)]
pub(super) struct Consent {
    pub(super) client_id: String,
    pub(super) scopes: Vec<String>,
    /// The refresh token that is taken now.
    pub(super) refresh: Option<String>,
    refresh_until: u64,
}

/// A code on its way.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) asked: Asked,
    pub(super) scopes: Vec<String>,
    until: u64,
    /// The consent that it was exchanged for; a code is good once.
    used_for: Option<String>,
}

/// Why a code or a refresh token is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stale {
    Unknown,
    Expired,
    /// It was used before: whoever has it twice may not be who it was given to, so the consent ends.
    UsedTwice,
}

/// The authorization server's memory.
#[derive(Default)]
pub(super) struct Desk {
    clients: IndexMap<String, Client>,
    pending: IndexMap<String, (Asked, u64)>,
    codes: IndexMap<String, Code>,
    consents: IndexMap<String, Consent>,
    /// Each refresh token ever given, with its consent.
    refreshes: IndexMap<String, String>,
    ended_tokens: HashSet<String>,
}

/// Puts something in, and takes the oldest out where there are too many.
fn put<T>(all: &mut IndexMap<String, T>, key: String, value: T) {
    if all.len() >= MOST {
        all.shift_remove_index(0);
    }
    all.insert(key, value);
}

impl Desk {
    pub(super) fn add_client(&mut self, client: Client) {
        put(&mut self.clients, client.id.clone(), client);
    }

    pub(super) fn client(&self, id: &str) -> Option<Client> {
        self.clients.get(id).cloned()
    }

    pub(super) fn add_pending(&mut self, key: String, asked: Asked) {
        put(&mut self.pending, key, (asked, now() + PENDING_SECONDS));
    }

    /// What the page with this key asked; a page is answered once.
    pub(super) fn take_pending(&mut self, key: &str) -> Option<Asked> {
        let (asked, until) = self.pending.shift_remove(key)?;
        (until > now()).then_some(asked)
    }

    pub(super) fn add_code(&mut self, code: String, asked: Asked, scopes: Vec<String>) {
        let code_of = Code {
            asked,
            scopes,
            until: now() + CODE_SECONDS,
            used_for: None,
        };
        put(&mut self.codes, code, code_of);
    }

    /// The code, when it is taken still. It is not used up: see [`Self::use_code`].
    pub(super) fn code(&mut self, code: &str) -> Result<Code, Stale> {
        let found = self.codes.get(code).cloned().ok_or(Stale::Unknown)?;
        if let Some(consent) = &found.used_for {
            self.consents.shift_remove(consent);
            return Err(Stale::UsedTwice);
        }
        if found.until <= now() {
            return Err(Stale::Expired);
        }
        Ok(found)
    }

    /// The code was exchanged for this consent.
    pub(super) fn use_code(&mut self, code: &str, key: String, consent: Consent) {
        if let Some(code) = self.codes.get_mut(code) {
            code.used_for = Some(key.clone());
        }
        put(&mut self.consents, key, consent);
    }

    /// Gives a consent this refresh token, in the place of the one before.
    pub(super) fn give_refresh(&mut self, consent: &str, token: String, life: Duration) {
        if let Some(known) = self.consents.get_mut(consent) {
            known.refresh = Some(token.clone());
            known.refresh_until = now() + life.as_secs();
            put(&mut self.refreshes, token, consent.to_owned());
        }
    }

    /// The consent of a refresh token, when that is taken still.
    pub(super) fn refresh(&mut self, token: &str) -> Result<(String, Consent), Stale> {
        let key = self.refreshes.get(token).cloned().ok_or(Stale::Unknown)?;
        let consent = self.consents.get(&key).cloned().ok_or(Stale::Unknown)?;
        if consent.refresh.as_deref() != Some(token) {
            self.consents.shift_remove(&key);
            return Err(Stale::UsedTwice);
        }
        if consent.refresh_until <= now() {
            return Err(Stale::Expired);
        }
        Ok((key, consent))
    }

    /// Whether an access token was taken back, or its consent.
    pub(super) fn has_ended(&self, claims: &Claims) -> bool {
        self.ended_tokens.contains(&claims.jti) || !self.consents.contains_key(&claims.sid)
    }

    /// Takes an access token back.
    pub(super) fn end_token(&mut self, claims: &Claims) {
        if self.ended_tokens.len() >= MOST {
            // The consent goes with it, which nobody can fill the memory with.
            self.consents.shift_remove(&claims.sid);
        } else {
            self.ended_tokens.insert(claims.jti.clone());
        }
    }

    /// Takes a refresh token back, and all that came of its consent.
    pub(super) fn end_refresh(&mut self, token: &str, client_id: &str) {
        let Some(key) = self.refreshes.get(token).cloned() else {
            return;
        };
        if self
            .consents
            .get(&key)
            .is_some_and(|consent| consent.client_id == client_id)
        {
            self.consents.shift_remove(&key);
        }
    }
}

impl Consent {
    pub(super) fn new(client_id: String, scopes: Vec<String>) -> Self {
        Self {
            client_id,
            scopes,
            refresh: None,
            refresh_until: 0,
        }
    }
}
