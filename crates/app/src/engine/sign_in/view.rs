//! Sign-ins as a view sees them: claims and figures, never a token.

use client::oauth::ProofKey;
use protocol::authorization::claims;
use protocol::authorization::client::ClientKind;
use protocol::authorization::scope;
use protocol::authorization::token::Grant;
use protocol::authorization::trace::Trace;

use super::{Kept, SignIn, now};
use crate::api::ErrorView;
use crate::api::sign_in::{SignInNews, SignInState, SignInView, SignedIn, TokenView};
use crate::catalog;
use crate::engine::state::Engine;

impl Engine {
    /// What the list of servers shows; nothing for one that has nothing to do with sign-in.
    pub(in crate::engine) fn sign_in_news(&self, server: &str) -> Option<SignInNews> {
        if !self.signs_in(server) {
            return None;
        }
        // What is noted of the demo is of one that has ended.
        let note = self
            .sign_ins
            .notes
            .get(server)
            .filter(|_| server != catalog::DEMO_SIGN_IN);
        let sign_in = self.sign_ins.by_server.get(server);
        if note.is_none() && sign_in.is_none() && server != catalog::DEMO_SIGN_IN {
            return None;
        }
        let version = sign_in.map_or(0, |sign_in| sign_in.version);
        let mut news = SignInNews {
            version,
            session_only: sign_in.and_then(|sign_in| sign_in.session_only.clone()),
            ..SignInNews::default()
        };
        let grant = sign_in
            .and_then(|sign_in| sign_in.kept.as_ref())
            .and_then(|kept| kept.grant.as_ref());
        let is_loaded = sign_in.is_some_and(|sign_in| sign_in.is_loaded);
        if let Some(grant) = grant {
            news.issuer = Some(grant.client.issuer.clone());
            news.scopes.clone_from(&grant.granted);
            news.expires_micros = grant.expires_micros;
            news.refreshes = grant.refresh_token.is_some();
        } else if let Some(note) = note.filter(|_| !is_loaded) {
            news.issuer.clone_from(&note.issuer);
            news.scopes.clone_from(&note.scopes);
            news.expires_micros = note.expires_micros;
            news.refreshes = note.refreshes;
        }
        news.state = state(sign_in, &news);
        let texts = news.scopes.iter_mut().chain(&mut news.issuer);
        for text in texts.chain(&mut news.session_only) {
            *text = self.redacted_text(std::mem::take(text));
        }
        Some(news)
    }

    /// A server's sign-in, whole.
    ///
    /// # Errors
    /// The server is gone.
    pub(super) fn sign_in_view(&mut self, server: &str) -> Result<SignInView, ErrorView> {
        let options = self
            .catalog
            .get(server)
            .ok_or_else(catalog::gone)?
            .options
            .sign_in
            .clone();
        let news = self.sign_in_news(server).unwrap_or_default();
        let sign_in = self.sign_ins.of(server);
        let mut steps = sign_in.progress.steps.clone();
        let kept = sign_in.kept.clone();
        let view = SignInView {
            news,
            operation: sign_in.last_operation,
            steps: Vec::new(),
            is_paused: sign_in.progress.is_paused,
            open_url: sign_in.progress.open_url.clone(),
            browser_problem: sign_in.progress.browser_problem.clone(),
            error: sign_in.error.clone(),
            asks_for_client: sign_in.asks_for_client,
            signed_in: None,
            options,
            kept_secrets: kept
                .as_ref()
                .map(|kept| kept.secrets.names())
                .unwrap_or_default(),
        };
        for step in &mut steps {
            self.redact_trace(&mut step.trace);
        }
        Ok(SignInView {
            steps,
            error: view.error.map(|error| self.redacted_error(error)),
            signed_in: kept.as_deref().and_then(|kept| self.signed_in(kept)),
            ..view
        })
    }

    fn signed_in(&self, kept: &Kept) -> Option<SignedIn> {
        let grant = kept.grant.as_ref()?;
        Some(SignedIn {
            issuer: grant.client.issuer.clone(),
            client_id: grant.client.id.clone(),
            client_kind: match grant.client.kind {
                ClientKind::Preregistered => "entered",
                ClientKind::MetadataDocument => "metadata document",
                ClientKind::Dynamic => "registered",
            }
            .to_owned(),
            client_method: grant.client.method.name().to_owned(),
            resource: grant.resource.clone(),
            requested: grant.requested.clone(),
            granted: grant.granted.clone(),
            obtained_micros: grant.obtained_micros,
            expires_micros: grant.expires_micros,
            tokens: self.tokens(grant),
            can_revoke: grant.revocation_endpoint.is_some(),
            bound_to: kept
                .proof_key
                .as_deref()
                .filter(|_| grant.is_bound)
                .and_then(|key| ProofKey::read(key).ok())
                .map(|key| key.thumbprint()),
        })
    }

    fn tokens(&self, grant: &Grant) -> Vec<TokenView> {
        let mut tokens = vec![("access token", Some(&grant.access_token))];
        tokens.push(("refresh token", grant.refresh_token.as_ref()));
        tokens.push(("id token", grant.id_token.as_ref()));
        tokens
            .into_iter()
            .filter_map(|(what, token)| {
                let read = claims::read(token?);
                let is_access = what == "access token";
                let fits = read.as_ref().filter(|_| is_access).map(|claims| {
                    let wanted = grant.resource.as_deref().unwrap_or(&grant.server_url);
                    claims
                        .audience
                        .iter()
                        .any(|one| one.trim_end_matches('/') == wanted.trim_end_matches('/'))
                });
                let lacking = read
                    .as_ref()
                    .filter(|_| is_access)
                    .and_then(|claims| claims.scopes.as_ref())
                    .map(|own| {
                        let mut lacking = scope::missing(&grant.granted, own);
                        // What asks for a refresh token is no permission of the access token's.
                        lacking.retain(|scope| scope != "offline_access");
                        lacking
                    })
                    .unwrap_or_default();
                Some(TokenView {
                    what: what.to_owned(),
                    expires_micros: read
                        .as_ref()
                        .and_then(|claims| claims.expires_micros)
                        .or_else(|| grant.expires_micros.filter(|_| is_access)),
                    audience: read
                        .as_ref()
                        .map(|claims| claims.audience.clone())
                        .unwrap_or_default(),
                    claims: read.map(|claims| self.redacted_text(claims.json)),
                    fits_server: fits,
                    lacking,
                })
            })
            .collect()
    }

    fn redact_trace(&self, trace: &mut Trace) {
        let own = trace
            .sent
            .iter_mut()
            .chain(&mut trace.came)
            .chain(&mut trace.decision);
        for text in own {
            *text = self.redacted_text(std::mem::take(text));
        }
        for check in &mut trace.checks {
            check.what = self.redacted_text(std::mem::take(&mut check.what));
        }
    }
}

fn state(sign_in: Option<&SignIn>, news: &SignInNews) -> SignInState {
    let is_running = sign_in.is_some_and(|sign_in| sign_in.run.is_some());
    let is_refused = sign_in
        .and_then(|sign_in| sign_in.refusal.as_ref())
        .is_some_and(|(status, _)| *status == 401);
    match () {
        () if is_running => SignInState::Running,
        () if is_refused => SignInState::Needed,
        () if news.issuer.is_none() => SignInState::None,
        () if !news.refreshes && news.expires_micros.is_some_and(|end| end <= now()) => {
            SignInState::Expired
        }
        () => SignInState::SignedIn,
    }
}
