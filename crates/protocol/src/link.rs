//! A link that a server asks the person to open, judged before anybody opens it (2026-07-28 and 2025-11-25
//! client/elicitation § Safe URL Handling). It is read, never fetched.
//!
//! The text is cut into parts, so that a view can show the whole of it and make the host stand out; together the
//! parts are exactly what a browser would be given.

mod letters;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::{Host, Position, SyntaxViolation, Url};

/// What a browser can be given on every platform.
const LONGEST: usize = 16 << 10;
/// How long a link may be before it is worth a word.
const LONG: usize = 2_000;

/// A link and what is to be known of it before it is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Link {
    /// As the server wrote it.
    pub url: String,
    /// The scheme with what follows it: `https://`. Empty, as all parts are, where the text is no URL.
    pub scheme: String,
    /// What stands before the host, with its `@`: a name that may pretend to be the host.
    pub user_info: String,
    /// What of the host stands before the site, with its dot: `login.`.
    pub subdomain: String,
    /// The part of the host that somebody has registered (`example.co.uk`); the whole host where there is no such part.
    pub site: String,
    /// The port with its colon, where it is not the scheme's own.
    pub port: String,
    /// Path, query and fragment.
    pub rest: String,
    /// The host: what a consent is remembered for.
    pub host: String,
    /// The host as a browser may show it, where its letters are written in Punycode.
    pub decoded_host: Option<String>,
    /// The host is this computer.
    pub is_loopback: bool,
    /// What to think of before it is opened, the gravest first.
    pub warnings: Vec<String>,
    /// Why it is not opened, where it is not.
    pub refusal: Option<String>,
}

impl Link {
    /// Judges a link.
    pub fn judge(text: &str) -> Link {
        let mut link = Link {
            url: text.to_owned(),
            ..Link::default()
        };
        let violation = Cell::new(None);
        let see = |found| violation.set(violation.get().or_else(|| grave(found)));
        let parsed = Url::options()
            .syntax_violation_callback(Some(&see))
            .parse(text);
        match parsed {
            Ok(url) => link.read(&url, violation.get()),
            Err(error) => link.refusal = Some(format!("It is not a URL: {error}.")),
        }
        link
    }

    /// What a browser is given; nothing where it is not opened.
    pub fn opens(&self) -> Option<String> {
        self.refusal.is_none().then(|| self.whole())
    }

    fn whole(&self) -> String {
        [
            &self.scheme,
            &self.user_info,
            &self.subdomain,
            &self.site,
            &self.port,
            &self.rest,
        ]
        .into_iter()
        .map(String::as_str)
        .collect()
    }

    fn read(&mut self, url: &Url, violation: Option<&'static str>) {
        url[..Position::BeforeUsername].clone_into(&mut self.scheme);
        url[Position::BeforeUsername..Position::BeforeHost].clone_into(&mut self.user_info);
        url[Position::BeforeHost..Position::AfterHost].clone_into(&mut self.host);
        url[Position::AfterHost..Position::BeforePath].clone_into(&mut self.port);
        url[Position::BeforePath..].clone_into(&mut self.rest);
        self.site.clone_from(&self.host);
        if let Some(Host::Domain(domain)) = url.host() {
            self.cut_domain(domain);
        }
        self.is_loopback = is_loopback(url);
        self.refusal = self.refusal_of(url, violation);
        self.warn(url);
    }

    fn cut_domain(&mut self, domain: &str) {
        if let Some(site) = psl::domain_str(domain)
            && let Some(subdomain) = domain.strip_suffix(site)
        {
            subdomain.clone_into(&mut self.subdomain);
            site.clone_into(&mut self.site);
        }
        let (decoded, _) = idna::domain_to_unicode(domain);
        self.decoded_host = (decoded != domain).then_some(decoded);
    }

    fn refusal_of(&self, url: &Url, violation: Option<&'static str>) -> Option<String> {
        if let Some(violation) = violation {
            return Some(format!(
                "It is not a valid URL: {violation}, so it may not lead where it seems to."
            ));
        }
        if self.url.len() > LONGEST {
            return Some(format!(
                "It is {} characters long, more than browsers take.",
                self.url.chars().count()
            ));
        }
        match url.scheme() {
            "https" | "http" if self.host.is_empty() => Some("It names no host.".to_owned()),
            "https" => None,
            "http" if self.is_loopback => None,
            "http" => Some(
                "It is not encrypted (http) and leads to another computer. Roundtrip opens https links, and http on this \
                 computer alone."
                    .to_owned(),
            ),
            other => Some(format!(
                "Its scheme is {other}. Roundtrip opens https links, and http on this computer."
            )),
        }
    }

    fn warn(&mut self, url: &Url) {
        if !self.user_info.is_empty() {
            self.warnings.push(format!(
                "“{}” is not where it leads: what stands before the @ is a user name. The host is {}.",
                self.user_info.trim_end_matches('@'),
                self.host
            ));
        }
        if let Some(decoded) = self.decoded_host.clone() {
            self.warn_of_letters(&decoded);
        }
        if self.is_loopback {
            self.warnings
                .push("It leads to a program on this computer.".to_owned());
        } else {
            self.warn_of_address(url);
        }
        if url.scheme() == "http" {
            self.warnings.push("It is not encrypted (http).".to_owned());
        }
        if let Some(port) = url.port().filter(|_| !self.is_loopback) {
            self.warnings
                .push(format!("Its port is {port}, which is unusual."));
        }
        let whole = self.whole();
        // A path that is left out is the same page.
        if self.refusal.is_none() && self.url != whole && format!("{}/", self.url) != whole {
            self.warnings.push(
                "The server wrote it in another way than browsers do; it is shown as it is opened."
                    .to_owned(),
            );
        }
        if self.url.len() > LONG && self.refusal.is_none() {
            self.warnings.push(format!(
                "It is {} characters long; look at the host rather than at the rest.",
                self.url.chars().count()
            ));
        }
    }

    fn warn_of_letters(&mut self, decoded: &str) {
        for label in decoded.split('.') {
            if let Some(scripts) = letters::mixed_scripts(label) {
                self.warnings.push(format!(
                    "“{label}” mixes letters of {scripts}, as names do that imitate another."
                ));
            } else if let Some(likeness) = letters::latin_likeness(label) {
                self.warnings.push(format!(
                    "“{label}” looks like “{likeness}” and is another name, in other letters."
                ));
            }
        }
        self.warnings.push(format!(
            "A browser may show its host as {decoded}; its real name is {}.",
            self.host
        ));
    }

    fn warn_of_address(&mut self, url: &Url) {
        let is_near = match url.host() {
            Some(Host::Domain(domain)) => {
                if psl::domain_str(domain).is_none() {
                    self.warnings.push(
                        "Its host has no domain that somebody could have registered: it is a name of your own network, or none."
                            .to_owned(),
                    );
                }
                return;
            }
            Some(Host::Ipv4(address)) => {
                address.is_private() || address.is_link_local() || address.is_unspecified()
            }
            Some(Host::Ipv6(address)) => {
                address.is_unique_local()
                    || address.is_unicast_link_local()
                    || address.is_unspecified()
                    || address.to_ipv4_mapped().is_some()
            }
            None => return,
        };
        self.warnings.push(
            if is_near {
                "Its host is an IP address within your own network, such as a router's."
            } else {
                "Its host is an IP address, which does not say whose it is."
            }
            .to_owned(),
        );
    }
}

/// Writings that browsers put right in silence, and that hide where a link leads.
fn grave(violation: SyntaxViolation) -> Option<&'static str> {
    match violation {
        SyntaxViolation::Backslash => Some("it has a backslash"),
        SyntaxViolation::C0SpaceIgnored => Some("a space or control character is around it"),
        SyntaxViolation::TabOrNewlineIgnored => Some("it has a tab or a line break"),
        SyntaxViolation::ExpectedDoubleSlash => Some("its scheme is not followed by //"),
        SyntaxViolation::UnencodedAtSign => Some("it has several @"),
        SyntaxViolation::NullInFragment => Some("it has a NUL"),
        _ => None,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(domain)) => {
            let domain = domain.trim_end_matches('.');
            domain == "localhost" || domain.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
