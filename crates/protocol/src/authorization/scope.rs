//! Scopes: which are asked for (2026-07-28 basic/authorization § Scope Selection Strategy, § Step-Up Authorization
//! Flow, § Refresh Tokens).

/// The scope that asks for a refresh token.
pub const OFFLINE_ACCESS: &str = "offline_access";

/// The scopes of a `scope` parameter, each once.
pub fn split(text: &str) -> Vec<String> {
    union(&[], text.split_ascii_whitespace())
}

/// `before`, and what of `more` is not in it.
pub fn union<'a>(before: &[String], more: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all = before.to_vec();
    for scope in more {
        if !all.iter().any(|known| known == scope) {
            all.push(scope.to_owned());
        }
    }
    all
}

/// What of `wanted` is not in `granted`.
pub fn missing(wanted: &[String], granted: &[String]) -> Vec<String> {
    wanted
        .iter()
        .filter(|scope| !granted.contains(scope))
        .cloned()
        .collect()
}

/// What the scopes are chosen from.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    /// What the person wants in place of everything else.
    pub chosen: Option<&'a [String]>,
    /// What the challenge names.
    pub challenged: &'a [String],
    /// What was asked for before, where this is a further consent.
    pub before: &'a [String],
    /// `scopes_supported` of the protected resource; nothing where it is not defined.
    pub of_resource: Option<&'a [String]>,
    /// `scopes_supported` of the authorization server.
    pub of_server: &'a [String],
}

/// The scopes to ask for, and why these.
pub fn select(sources: &Sources<'_>) -> (Vec<String>, String) {
    let (mut scopes, why) = if let Some(chosen) = sources.chosen {
        (chosen.to_vec(), "as set for this sign-in".to_owned())
    } else if !sources.challenged.is_empty() {
        let all = union(
            sources.before,
            sources.challenged.iter().map(String::as_str),
        );
        let why = if sources.before.is_empty() {
            "those that the challenge names"
        } else {
            "those of before, and those that the challenge names"
        };
        (all, why.to_owned())
    } else if !sources.before.is_empty() {
        (sources.before.to_vec(), "those of before".to_owned())
    } else if let Some(supported) = sources.of_resource {
        (
            supported.to_vec(),
            "the resource's scopes_supported, for the challenge names none".to_owned(),
        )
    } else {
        return (
            Vec::new(),
            "none: neither the challenge nor the resource's metadata names any".to_owned(),
        );
    };
    // Alone it would ask for nothing but lasting access to nothing.
    let offers_offline = sources
        .of_server
        .iter()
        .any(|scope| scope == OFFLINE_ACCESS);
    if sources.chosen.is_none()
        && offers_offline
        && !scopes.is_empty()
        && !scopes.iter().any(|scope| scope == OFFLINE_ACCESS)
    {
        scopes.push(OFFLINE_ACCESS.to_owned());
        return (
            scopes,
            format!("{why}; offline_access, for the authorization server offers it"),
        );
    }
    (scopes, why)
}
