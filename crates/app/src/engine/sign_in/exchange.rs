//! One exchange of a sign-in: a request to whatever address, over the same HTTP as every other, recorded event by
//! event. The redactor knows each secret before the event that carries it.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use client::clock::now_micros;
use client::error::LinkErrorKind;
use client::report::{ExchangeId, LinkId, Report, ReportKind};
use client::{HttpMethod, Link, LinkSpec, Outgoing, Route};
use journal::event::{AttemptOutcome, ConnectionId, EventBody, FrameRole, OperationId};
use protocol::authorization::flow::{Reply, Request};
use protocol::authorization::proof::{self, Proof};
use protocol::rounds;
use secrets::{Keyring, Redactor};
use serde_json::Value;
use tokio::sync::mpsc;
use url::Url;
use wire::frame::{Carrier, Direction, Frame};
use wire::http::ResponseHead;

use super::kept::teach;
use super::{SignInInput, proving};
use crate::engine::input::{EngineHandle, Input};

/// How long an authorization server may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How many redirects a document is followed through.
const REDIRECTS: u32 = 3;
/// Members of a reply that nobody else may see.
const SECRET_MEMBERS: [&str; 6] = [
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "registration_access_token",
    "device_code",
];

/// Why an exchange gave no reply.
pub(super) struct Unreachable {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// What a task of a sign-in works with.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) engine: EngineHandle,
    pub(super) keyring: Keyring,
    pub(super) redactor: Redactor,
    pub(super) route: Route,
    /// Where its events belong.
    pub(super) connection: ConnectionId,
    pub(super) operation: OperationId,
    /// The server's name, for the names of secrets.
    pub(super) owner: String,
    /// The key that tokens are bound to, as it is kept; one is drawn when it is first needed.
    pub(super) proof_key: Option<String>,
}

impl Desk {
    pub(super) async fn tell(&self, input: SignInInput) {
        // An engine that has ended has aborted this task, or is about to.
        let _ended = self.engine.tell(Input::SignIn(input)).await;
    }

    pub(super) async fn record(&self, events: Vec<(u64, EventBody)>) {
        self.tell(SignInInput::Record {
            connection: self.connection,
            operation: self.operation,
            events,
        })
        .await;
    }

    /// Teaches the redactor a secret of this sign-in.
    pub(super) fn teach(&self, what: &str, value: &str) {
        teach(&self.redactor, &self.owner, what, Some(value));
    }

    /// Sends a request as this round and gives what came.
    pub(super) async fn exchange(
        &self,
        round: u32,
        request: &Request,
    ) -> Result<Reply, Unreachable> {
        for (name, value) in &request.secrets {
            self.teach(name, value);
        }
        let mut url = request.url.clone();
        let mut attempt = 1;
        let mut nonce = None;
        loop {
            let proven = self.proven(request, nonce.as_deref())?;
            let came = self.attempt((round, attempt), &proven, &url).await?;
            let wanted = came.wanted_nonce().filter(|_| request.is_proven);
            if let Some(wanted) = wanted.filter(|_| nonce.is_none()) {
                nonce = Some(wanted);
                attempt += 1;
                continue;
            }
            let next = came
                .moved_to(&url)
                .filter(|_| !request.is_post && attempt <= REDIRECTS);
            match next {
                Some(next) => url = next,
                None => {
                    return Ok(Reply {
                        status: came.head.status,
                        challenges: challenges(&came.head),
                        body: came.body,
                        now_micros: now_micros(),
                    });
                }
            }
            attempt += 1;
        }
    }

    /// The request with a proof of the key, where one goes with it.
    fn proven<'a>(
        &self,
        request: &'a Request,
        nonce: Option<&str>,
    ) -> Result<Cow<'a, Request>, Unreachable> {
        let key = self.proof_key.as_deref().filter(|_| request.is_proven);
        let Some(key) = key else {
            return Ok(Cow::Borrowed(request));
        };
        let proof = Proof {
            method: "POST",
            url: &request.url,
            now_seconds: now_micros() / 1_000_000,
            id: "",
            nonce,
            token_hash: None,
            content_hash: None,
        };
        let proof = proving::signed(key, proof).map_err(|message| Unreachable {
            message,
            hint: Some("Sign out, and sign in again.".to_owned()),
        })?;
        let mut request = request.clone();
        request.headers.push((proof::SCHEME.to_owned(), proof));
        Ok(Cow::Owned(request))
    }

    async fn attempt(
        &self,
        (round, attempt): (u32, u32),
        request: &Request,
        url: &str,
    ) -> Result<Came, Unreachable> {
        let message = Bytes::from(request.body.clone());
        let mut begun = vec![(
            now_micros(),
            EventBody::AttemptStarted {
                round,
                attempt,
                request_id: None,
                label: Some(request.label.clone()),
            },
        )];
        if !message.is_empty() {
            begun.push((
                now_micros(),
                EventBody::Frame {
                    direction: Direction::Sent,
                    carrier: Carrier::Body,
                    round,
                    attempt,
                    role: FrameRole::Request {
                        method: request.label.clone(),
                    },
                    bytes: message.clone(),
                },
            ));
        }
        self.record(begun).await;
        let came = tokio::time::timeout(LIMIT, self.send((round, attempt), request, url, message))
            .await
            .unwrap_or_else(|_| {
                Err(Unreachable {
                    message: format!(
                        "{} did not answer within {} s.",
                        place_of(url),
                        LIMIT.as_secs()
                    ),
                    hint: Some("Check that it can be reached from this machine.".to_owned()),
                })
            });
        let outcome = match &came {
            Err(failure) => AttemptOutcome::Transport {
                brief: "no answer".to_owned(),
                message: failure.message.clone(),
            },
            Ok(came) if came.head.status < 400 => AttemptOutcome::Result {
                result_type: format!("HTTP {}", came.head.status),
            },
            // A document that is not there is no fault: the next place is asked.
            Ok(came) if !request.is_post => AttemptOutcome::Settled {
                brief: format!("HTTP {}", came.head.status),
                message: "It is not there.".to_owned(),
            },
            Ok(came) => AttemptOutcome::Transport {
                brief: format!("HTTP {}", came.head.status),
                message: format!("{} answered HTTP {}.", place_of(url), came.head.status),
            },
        };
        let ended = EventBody::AttemptEnded {
            round,
            attempt,
            outcome,
        };
        self.record(vec![(now_micros(), ended)]).await;
        came
    }

    async fn send(
        &self,
        place: (u32, u32),
        request: &Request,
        url: &str,
        message: Bytes,
    ) -> Result<Came, Unreachable> {
        let unreachable = |error: client::error::LinkError| Unreachable {
            message: error.message,
            hint: error.hint,
        };
        let (inbox, mut reports) = mpsc::channel::<Vec<Report>>(16);
        let spec = LinkSpec::Http {
            url: url.to_owned(),
            headers: Vec::new(),
            route: self.route.clone(),
        };
        let link = Link::open(LinkId(0), spec, inbox)
            .await
            .map_err(unreachable)?;
        link.send(Outgoing {
            keeps_breaks: false,
            exchange: ExchangeId(0),
            message,
            headers: request.headers.clone(),
            without: Vec::new(),
            http_method: if request.is_post {
                HttpMethod::Post
            } else {
                HttpMethod::Get
            },
            expects_reply: true,
        })
        .map_err(unreachable)?;
        let mut came = Came::default();
        while let Some(batch) = reports.recv().await {
            for report in batch {
                if let Some(over) = self.take(place, &mut came, report).await {
                    return over.map(|()| came).map_err(unreachable);
                }
            }
        }
        Err(Unreachable {
            message: format!("The exchange with {} was cut off.", place_of(url)),
            hint: None,
        })
    }

    /// Records a report; gives how the exchange ended, once it has.
    async fn take(
        &self,
        (round, attempt): (u32, u32),
        came: &mut Came,
        report: Report,
    ) -> Option<Result<(), client::error::LinkError>> {
        let at_micros = report.at_micros;
        match report.what {
            ReportKind::RequestHead {
                head,
                body_byte_len,
                ..
            } => {
                let event = EventBody::HttpRequest {
                    round,
                    attempt,
                    head,
                    body_byte_len,
                };
                self.record(vec![(at_micros, event)]).await;
                None
            }
            ReportKind::ResponseHead { head, .. } => {
                came.head = head.clone();
                let event = EventBody::HttpResponse {
                    round,
                    attempt,
                    head,
                };
                self.record(vec![(at_micros, event)]).await;
                None
            }
            ReportKind::Frames { frames, .. } => {
                self.take_frames((round, attempt), came, frames).await;
                None
            }
            ReportKind::ExchangeEnded {
                body_byte_len,
                wire_byte_len,
                first_byte_micros,
                error,
                ..
            } => {
                let event = EventBody::HttpEnded {
                    round,
                    attempt,
                    body_byte_len,
                    wire_byte_len,
                    first_byte_micros,
                    error: error.as_ref().map(|error| error.message.clone()),
                };
                self.record(vec![(at_micros, event)]).await;
                // A redirect is an answer here.
                Some(match error {
                    Some(error) if error.kind != LinkErrorKind::Redirect => Err(error),
                    _ => Ok(()),
                })
            }
            _ => None,
        }
    }

    async fn take_frames(&self, (round, attempt): (u32, u32), came: &mut Came, frames: Vec<Frame>) {
        for frame in frames {
            self.learn(&frame.bytes);
            came.body.extend_from_slice(&frame.bytes);
            let event = EventBody::Frame {
                direction: Direction::Received,
                carrier: frame.carrier,
                round,
                attempt,
                role: FrameRole::Reply,
                bytes: frame.bytes,
            };
            self.record(vec![(frame.at_micros, event)]).await;
        }
    }

    /// Values that arrive as secrets are known to the redactor before the event that carries them is written.
    fn learn(&self, body: &[u8]) {
        for (name, value) in secrets_of(body) {
            self.teach(name, &value);
        }
    }
}

/// The secrets of a reply: of JSON, also of what is cut off, and of the form that some servers answer with instead.
fn secrets_of(body: &[u8]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let members = serde_json::from_slice::<Value>(body);
    for name in SECRET_MEMBERS {
        if let Ok(members) = &members {
            let value = members.get(name).and_then(Value::as_str);
            found.extend(value.map(|value| (name, value.to_owned())));
        } else {
            let cut_off = rounds::texts_in(body, name);
            let of_form = url::form_urlencoded::parse(body)
                .filter(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned());
            let values = cut_off.into_iter().chain(of_form);
            found.extend(values.map(|value| (name, value)));
        }
    }
    found
}

/// What came of an attempt.
#[derive(Default)]
struct Came {
    head: ResponseHead,
    body: Vec<u8>,
}

impl Came {
    /// The nonce that a proof has to carry, where that is why it was refused (RFC 9449 § 8).
    fn wanted_nonce(&self) -> Option<String> {
        let is_refused = matches!(self.head.status, 400 | 401);
        let body = serde_json::from_slice::<Value>(&self.body).ok();
        let says_so = body.is_some_and(|body| body["error"] == "use_dpop_nonce");
        let nonce = self.head.header(proof::NONCE_HEADER)?;
        (is_refused && says_so).then(|| nonce.to_owned())
    }

    /// Where a redirect of the same origin leads; another origin is not what was asked.
    fn moved_to(&self, url: &str) -> Option<String> {
        if !matches!(self.head.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let base = Url::parse(url).ok()?;
        let next = base.join(self.head.header("location")?).ok()?;
        (next.origin() == base.origin()).then(|| next.to_string())
    }
}

/// The values of `WWW-Authenticate`.
pub(in crate::engine) fn challenges(head: &ResponseHead) -> Vec<String> {
    head.headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("www-authenticate"))
        .map(|header| header.value.clone())
        .collect()
}

fn place_of(url: &str) -> String {
    Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_else(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_whatever_it_comes_in() {
        for body in [
            r#"{"access_token":"at-1234","refresh_token":"rt-5678","scope":"a"}"#,
            r#"{"access_token": "at-1234", "refresh_token": "rt-5678"#,
            "access_token=at-1234&scope=a&refresh_token=rt%2D5678",
        ] {
            let found = secrets_of(body.as_bytes());
            let wanted = [("access_token", "at-1234"), ("refresh_token", "rt-5678")];
            let found: Vec<_> = found
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            assert_eq!(found, wanted, "{body}");
        }
        assert!(secrets_of(b"<p>access_token</p>").is_empty());
        assert!(secrets_of(b"[\"access_token\", 7]").is_empty());
    }
}
