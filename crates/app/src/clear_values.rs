//! Secrets that stand in the clear in a command's arguments or in a URL: where they are, and names in their places.
//!
//! It is a guess by names (`--api-key=…`, `?token=…`, `user:password@`) and by the forms of well-known keys. What it finds is
//! offered to be kept, and never taken without a word.

use std::collections::HashSet;

use percent_encoding::{percent_decode_str, utf8_percent_encode};

use crate::api::servers::{Endpoint, NamedValue};
use crate::catalog::plain_texts;
use crate::paste::looks_secret;
use crate::references;

/// How keys of well-known services begin.
const BEGINNINGS: [&str; 25] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AIza",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "lin_api_",
    "ntn_",
    "shpat_",
    "SG.",
    "dop_v1_",
    "figd_",
    "tvly-",
];
/// No key is shorter than this.
const SHORTEST_KEY: usize = 16;
/// What follows such a word names or places a secret, and is none.
const NAMING: [&str; 12] = [
    "file", "path", "dir", "name", "url", "uri", "id", "env", "type", "store", "helper", "prefix",
];

/// Puts `${secret:NAME}` in the place of each value in the arguments or the URL that looks like a secret. Gives the names,
/// which differ, with the values.
pub fn take_out(endpoint: &mut Endpoint) -> Vec<NamedValue> {
    let mut taken = Taken::default();
    match endpoint {
        Endpoint::Stdio { args, .. } => of_arguments(args, &mut taken),
        Endpoint::Http { url, .. } => {
            *url = of_url(url, &mut taken, |value| {
                percent_decode_str(value).decode_utf8_lossy().into_owned()
            });
        }
    }
    taken.values
}

/// Puts a value back to where it was taken from.
pub fn put_back(endpoint: &mut Endpoint, value: &NamedValue) {
    let is_url = matches!(endpoint, Endpoint::Http { .. });
    for text in plain_texts(endpoint) {
        *text = references::replaced(text, |name| {
            if name != value.name {
                references::to(name)
            } else if is_url {
                utf8_percent_encode(&value.value, references::IN_URL).to_string()
            } else {
                value.value.clone()
            }
        });
    }
}

/// What was taken out.
#[derive(Default)]
struct Taken {
    values: Vec<NamedValue>,
    names: HashSet<String>,
}

impl Taken {
    /// The reference to stand in this value's place.
    fn take(&mut self, name: &str, value: String) -> String {
        let plain = name.trim_start_matches('-');
        let mut name = plain.replace(['{', '}', '"', '\\'], "_");
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{plain} {number}");
        }
        let reference = references::to(&name);
        self.values.push(NamedValue {
            name,
            value,
            secret: true,
        });
        reference
    }
}

fn of_arguments(args: &mut [String], taken: &mut Taken) {
    let mut flag: Option<String> = None;
    for (at, arg) in args.iter_mut().enumerate() {
        let before = flag.take();
        if arg.contains("${") || arg.is_empty() {
            continue;
        }
        if let Some(name) = before.filter(|_| !arg.starts_with('-')) {
            *arg = taken.take(&name, std::mem::take(arg));
            continue;
        }
        if let Some((name, value)) = arg.split_once('=')
            && is_word(name)
        {
            if names_secret(name) && !value.is_empty() || has_form_of_key(value) {
                *arg = format!("{name}={}", taken.take(name, value.to_owned()));
            } else if value.contains("://") {
                *arg = format!("{name}={}", of_url(value, taken, str::to_owned));
            }
        } else if let Some((name, value)) = header(arg) {
            let (scheme, value) = match value.split_once(' ') {
                Some((scheme, value)) if scheme.chars().all(char::is_alphabetic) => {
                    (format!("{scheme} "), value.trim_start())
                }
                _ => (String::new(), value),
            };
            *arg = format!("{name}: {scheme}{}", taken.take(name, value.to_owned()));
        } else if arg.starts_with('-') && names_secret(arg) {
            flag = Some(arg.clone());
        } else if has_form_of_key(arg) {
            *arg = taken.take(&format!("argument {}", at + 1), std::mem::take(arg));
        } else if arg.contains("://") {
            *arg = of_url(arg, taken, str::to_owned);
        }
    }
}

/// `Authorization: Bearer …`, as an argument of its own.
fn header(arg: &str) -> Option<(&str, &str)> {
    let (name, value) = arg.split_once(':')?;
    let value = value.trim_start();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (is_name && names_secret(name) && !value.is_empty() && !value.starts_with("//"))
        .then_some((name, value))
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn names_secret(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    looks_secret(&name) && !NAMING.contains(&last) && !name.starts_with("no-")
}

fn has_form_of_key(value: &str) -> bool {
    value.len() >= SHORTEST_KEY
        && BEGINNINGS
            .iter()
            .any(|beginning| value.starts_with(beginning))
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '='))
}

/// The password and the parameters of a URL. `meaning` is what a value means that stands there as `value`.
fn of_url(url: &str, taken: &mut Taken, meaning: impl Fn(&str) -> String) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let whole = rest.replace("${secret:", "");
    if whole.contains("${") {
        return url.to_owned();
    }
    let authority_len = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(authority_len);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) if !user.contains("${") => match user.split_once(':') {
            Some((user, password)) if !password.is_empty() => {
                let password = taken.take("password", meaning(password));
                format!("{user}:{password}@{host}")
            }
            None if has_form_of_key(user) => {
                format!("{}@{host}", taken.take("user", meaning(user)))
            }
            _ => authority.to_owned(),
        },
        _ => authority.to_owned(),
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (rest, None),
    };
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let path: Vec<String> = path
        .split('/')
        .map(|part| {
            if has_form_of_key(part) {
                taken.take("path", meaning(part))
            } else {
                part.to_owned()
            }
        })
        .collect();
    let mut whole = format!("{scheme}://{authority}{}", path.join("/"));
    if let Some(query) = query {
        let pairs: Vec<String> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((name, value))
                    if !value.is_empty()
                        && !value.contains("${")
                        && (names_secret(name) || has_form_of_key(value)) =>
                {
                    format!("{name}={}", taken.take(name, meaning(value)))
                }
                _ => pair.to_owned(),
            })
            .collect();
        whole.push('?');
        whole.push_str(&pairs.join("&"));
    }
    if let Some(fragment) = fragment {
        whole.push('#');
        whole.push_str(fragment);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_args(args: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
        let mut endpoint = Endpoint::Stdio {
            command: "server".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: Vec::new(),
            folder: None,
        };
        let taken = pairs(take_out(&mut endpoint));
        let Endpoint::Stdio { args, .. } = endpoint else {
            panic!("it stays a process");
        };
        (args, taken)
    }

    fn of_address(url: &str) -> (String, Vec<(String, String)>) {
        let mut endpoint = Endpoint::Http {
            url: url.to_owned(),
            headers: Vec::new(),
        };
        let taken = pairs(take_out(&mut endpoint));
        let Endpoint::Http { url, .. } = endpoint else {
            panic!("it stays a URL");
        };
        (url, taken)
    }

    fn pairs(values: Vec<NamedValue>) -> Vec<(String, String)> {
        let pairs = values.into_iter().map(|value| (value.name, value.value));
        pairs.collect()
    }

    fn taken(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn secrets_are_found_in_arguments() {
        for (given, left, name, value) in [
            (
                &["--api-key=abc"][..],
                &["--api-key=${secret:api-key}"][..],
                "api-key",
                "abc",
            ),
            (
                &["--token", "abc"],
                &["--token", "${secret:token}"],
                "token",
                "abc",
            ),
            (
                &["run", "-e", "API_KEY=a=b"],
                &["run", "-e", "API_KEY=${secret:API_KEY}"],
                "API_KEY",
                "a=b",
            ),
            (
                &["--header", "Authorization: Bearer abc"],
                &["--header", "Authorization: Bearer ${secret:Authorization}"],
                "Authorization",
                "abc",
            ),
            (
                &["--header", "X-Api-Key:abc"],
                &["--header", "X-Api-Key: ${secret:X-Api-Key}"],
                "X-Api-Key",
                "abc",
            ),
            (
                &["x", "ghp_0123456789abcdef"],
                &["x", "${secret:argument 2}"],
                "argument 2",
                "ghp_0123456789abcdef",
            ),
            (
                &["postgresql://me:p%40ss@db/x"],
                &["postgresql://me:${secret:password}@db/x"],
                "password",
                "p%40ss",
            ),
        ] {
            let (args, found) = of_args(given);
            assert_eq!(args, left);
            assert_eq!(found, taken(name, value), "{given:?}");
        }
    }

    #[test]
    fn what_only_names_a_secret_or_refers_to_one_is_left() {
        for args in [
            &["--token-file", "/run/token"][..],
            &["--api-key"],
            &["--token", "--verbose"],
            &["--api-key=${secret:api-key}"],
            &["--api-key=${API_KEY}"],
            &["-y", "@scope/secret-server", "C:\\keys", "sk-short"],
            &["--no-password", "x"],
            &["https://example.com/?page=2"],
            &["-k", "--key-id=7", "=", ":"],
        ] {
            let (left, found) = of_args(args);
            assert_eq!(
                (left.as_slice(), found),
                (
                    args.iter()
                        .map(|arg| (*arg).to_owned())
                        .collect::<Vec<_>>()
                        .as_slice(),
                    Vec::new()
                )
            );
        }
    }

    #[test]
    fn secrets_are_found_in_a_url() {
        for (given, left, name, value) in [
            (
                "https://h.example/mcp?api_key=a%2Fb&x=1#f",
                "https://h.example/mcp?api_key=${secret:api_key}&x=1#f",
                "api_key",
                "a/b",
            ),
            (
                "https://me:p%40ss@h.example/mcp",
                "https://me:${secret:password}@h.example/mcp",
                "password",
                "p@ss",
            ),
            (
                "https://h.example/s/sk-0123456789abcdef/mcp",
                "https://h.example/s/${secret:path}/mcp",
                "path",
                "sk-0123456789abcdef",
            ),
        ] {
            let (url, found) = of_address(given);
            assert_eq!(url, left);
            assert_eq!(found, taken(name, value));
        }
        let (url, found) = of_address("http://h/?key=a&key=b");
        assert_eq!(url, "http://h/?key=${secret:key}&key=${secret:key 2}");
        assert_eq!(found.len(), 2);
        for plain in ["https://h.example/mcp?q=1", "not a URL", "http://h/?key="] {
            assert_eq!(of_address(plain), (plain.to_owned(), Vec::new()));
        }
    }
}
