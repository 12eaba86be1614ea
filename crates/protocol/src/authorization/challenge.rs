//! `WWW-Authenticate`: what a server that refused a request says about how to be let in (RFC 9110 § 11.6.1, RFC 6750
//! § 3, RFC 9728 § 5.1).

/// One challenge of a server.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Challenge {
    /// The scheme as it came, e.g. `Bearer`.
    pub scheme: String,
    /// Its parameters in order; names in lower case.
    pub parameters: Vec<(String, String)>,
}

impl Challenge {
    /// A parameter's value.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether it is answered by a token: `Bearer`, or `DPoP`, which names the same parameters.
    pub fn is_for_tokens(&self) -> bool {
        self.scheme.eq_ignore_ascii_case("bearer") || self.scheme.eq_ignore_ascii_case("dpop")
    }

    /// Where the protected resource's metadata is (RFC 9728 § 5.1).
    pub fn resource_metadata(&self) -> Option<&str> {
        self.parameter("resource_metadata")
            .filter(|url| !url.is_empty())
    }

    /// The scopes that the request needs.
    pub fn scopes(&self) -> Vec<String> {
        super::scope::split(self.parameter("scope").unwrap_or_default())
    }

    /// `invalid_token`, `insufficient_scope` and so on.
    pub fn error(&self) -> Option<&str> {
        self.parameter("error")
    }

    /// Whether more permission is wanted (2026-07-28 basic/authorization § Runtime Insufficient Scope Errors).
    pub fn wants_more_scope(&self) -> bool {
        self.error() == Some("insufficient_scope")
    }
}

/// Whether one of these challenges is answered by a token with a proof of its key (RFC 9449 § 7.1).
pub fn wants_proof(values: &[String]) -> bool {
    let mut all = values.iter().flat_map(|value| read(value));
    all.any(|challenge| challenge.scheme.eq_ignore_ascii_case("dpop"))
}

/// Whether one of these challenges asks for a proof with the nonce that came beside it (RFC 9449 § 9).
pub fn wants_nonce(values: &[String]) -> bool {
    let mut all = values.iter().flat_map(|value| read(value));
    all.any(|challenge| {
        challenge.scheme.eq_ignore_ascii_case("dpop") && challenge.error() == Some("use_dpop_nonce")
    })
}

/// The challenge that is answered by a token; of several, one that says where its metadata is.
pub fn for_tokens(values: &[String]) -> Option<Challenge> {
    let all: Vec<Challenge> = values
        .iter()
        .flat_map(|value| read(value))
        .filter(Challenge::is_for_tokens)
        .collect();
    all.iter()
        .find(|challenge| challenge.resource_metadata().is_some())
        .or_else(|| all.first())
        .cloned()
}

/// Reads a field's value, which may hold several challenges. What cannot be read is passed over.
pub fn read(value: &str) -> Vec<Challenge> {
    let mut found: Vec<Challenge> = Vec::new();
    let mut reader = Reader { rest: value };
    loop {
        reader.skip(|c| c.is_ascii_whitespace() || c == ',');
        if reader.rest.is_empty() {
            return found;
        }
        let word = reader.take_token();
        if word.is_empty() {
            // Not a token: a stray character must not stop what follows.
            reader.step();
            continue;
        }
        let after_word = reader.rest;
        reader.skip(|c| c == ' ' || c == '\t');
        let is_parameter =
            reader.rest.starts_with('=') && !found.is_empty() && !is_token68(reader.rest);
        if is_parameter {
            reader.step();
            reader.skip(|c| c == ' ' || c == '\t');
            let content = reader.take_value();
            if let Some(challenge) = found.last_mut() {
                challenge
                    .parameters
                    .push((word.to_ascii_lowercase(), content));
            }
            continue;
        }
        // A scheme. A token68 may follow it in place of parameters, and says nothing that is of use here.
        found.push(Challenge {
            scheme: word.to_owned(),
            parameters: Vec::new(),
        });
        if after_word.starts_with([' ', '\t']) {
            reader.pass_token68();
        }
    }
}

/// Whether `=` is the end of a token68 (`abc==`) and not the sign before a value.
fn is_token68(rest: &str) -> bool {
    let after = rest.trim_start_matches('=');
    let ended = after.trim_start_matches([' ', '\t']);
    rest.len() - after.len() > 1 && (ended.is_empty() || ended.starts_with(','))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(wanted);
    }

    fn step(&mut self) {
        let mut characters = self.rest.chars();
        characters.next();
        self.rest = characters.as_str();
    }

    /// RFC 9110 § 5.6.2.
    fn take_token(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)))
            .unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        token
    }

    /// A token or a quoted string.
    fn take_value(&mut self) -> String {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            let end = self.rest.find([',', ' ', '\t']).unwrap_or(self.rest.len());
            let (value, rest) = self.rest.split_at(end);
            self.rest = rest;
            return value.to_owned();
        };
        let mut value = String::new();
        let mut characters = quoted.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => break,
                '\\' => value.extend(characters.next()),
                other => value.push(other),
            }
        }
        self.rest = characters.as_str();
        value
    }

    /// Passes over a token68: everything up to a comma, when it is no `name=value`.
    fn pass_token68(&mut self) {
        let end = self.rest.find(',').unwrap_or(self.rest.len());
        let word = self.rest[..end].trim();
        let bare = word.trim_end_matches('=');
        let is_one_word = !word.is_empty() && !bare.contains(['=', ' ', '"']);
        // `Basic realm` without a value is a parameter that lost it, which is of no use either.
        if is_one_word {
            self.rest = &self.rest[end..];
        }
    }
}
