//! One exchange: a request and everything that comes back for it.

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt as _;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING,
};
use reqwest::{Client, Request, Response, Version};
use tokio_util::sync::CancellationToken;
use wire::frame::{Carrier, Frame};
use wire::http::RequestHead;
use wire::sse::{SseBlock, SseSplitter};

use crate::clock::now_micros;
use crate::error::{LinkError, LinkErrorKind};
use crate::report::{ExchangeId, Report, ReportKind};
use crate::reporter::{Reporter, Silenced};

use super::failure;
use super::gzip::Gunzip;
use super::head::response_head;

/// The size of a body, or of one event of a stream, at most.
const LIMIT: usize = 256 * 1024 * 1024;
/// What gathers while more is at hand, before it is handed over.
const BATCH_LEN: usize = 64 * 1024;
/// Room taken for a body on the word of its `content-length`, at most.
const TRUSTED_LEN: u64 = 1024 * 1024;

/// An exchange's state outside its waiting, so that a cancelled one has lost nothing.
#[derive(Debug)]
pub(super) struct Exchange {
    id: ExchangeId,
    reporter: Reporter,
    /// `host:port`, for errors.
    authority: String,
    /// Reports that were not handed over yet.
    pending: Vec<Report>,
    pending_len: usize,
    /// What of the body is not in a frame yet.
    body: Option<Body>,
    body_byte_len: u64,
    /// What came of the body, before decoding.
    wire_byte_len: u64,
    first_byte_micros: Option<u64>,
}

/// Why an exchange stopped.
enum Stop {
    Failed(LinkError),
    Silenced,
}

impl From<Silenced> for Stop {
    fn from(_: Silenced) -> Self {
        Self::Silenced
    }
}

impl From<LinkError> for Stop {
    fn from(error: LinkError) -> Self {
        Self::Failed(error)
    }
}

impl Exchange {
    /// An exchange that is about to start. Its first report, the request's head, goes out at once
    /// if the inbox has room, and otherwise before the request does.
    pub(super) fn new(
        id: ExchangeId,
        reporter: Reporter,
        authority: String,
        head: RequestHead,
        body_byte_len: u64,
    ) -> Self {
        let mut exchange = Self {
            id,
            reporter,
            authority,
            pending: Vec::new(),
            pending_len: 0,
            body: None,
            body_byte_len: 0,
            wire_byte_len: 0,
            first_byte_micros: None,
        };
        exchange.add(ReportKind::RequestHead {
            exchange: id,
            head,
            body_byte_len,
        });
        exchange.reporter.try_hand_over(&mut exchange.pending);
        exchange
    }

    /// Sends the request, reports what comes, and the end in whatever way.
    pub(super) async fn run(
        mut self,
        client: &Client,
        request: Request,
        cancelled: &CancellationToken,
    ) {
        let outcome = tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                Err(LinkError::new(LinkErrorKind::Cancelled, "The exchange was cancelled.").into())
            }
            outcome = self.perform(client, request) => outcome,
        };
        let error = match outcome {
            Ok(()) => None,
            Err(Stop::Failed(error)) => Some(error),
            Err(Stop::Silenced) => return,
        };
        if let Some(body) = self.body.take() {
            self.add_frames(body.finish());
        }
        self.add(ReportKind::ExchangeEnded {
            exchange: self.id,
            body_byte_len: self.body_byte_len,
            wire_byte_len: self.wire_byte_len,
            first_byte_micros: self.first_byte_micros,
            error,
        });
        if self.hand_over().await == Err(Silenced) {
            tracing::trace!("nobody listened to the end of an exchange");
        }
    }

    async fn perform(&mut self, client: &Client, request: Request) -> Result<(), Stop> {
        self.hand_over().await?;
        let mut response = client
            .execute(request)
            .await
            .map_err(|error| failure::explain(&error, &self.authority))?;
        let head = response_head(&response);
        self.add(ReportKind::ResponseHead {
            exchange: self.id,
            head,
        });
        self.receive(&mut response).await?;
        match redirect(&response) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Reads the body to its end.
    async fn receive(&mut self, response: &mut Response) -> Result<(), Stop> {
        let announced = announced_len(response);
        self.body = Some(Body::of(response, announced));
        let mut decoding = Decoding::of(response);
        while announced != Some(self.wire_byte_len) {
            let Some(chunk) = self.chunk(response).await? else {
                break;
            };
            if !chunk.is_empty() {
                self.first_byte_micros.get_or_insert_with(now_micros);
            }
            self.wire_byte_len += chunk.len() as u64;
            self.take(decoding.push(chunk)?)?;
        }
        self.take(decoding.finish()?)?;
        Ok(())
    }

    /// The next part of the body. Reports are not held back while it is waited for; but what is
    /// there already is taken first, so that a small reply is one batch: the reader of the
    /// connection, which has often read it together with the head, gets one chance to hand it on.
    async fn chunk(&mut self, response: &mut Response) -> Result<Option<Bytes>, Stop> {
        if self.pending_len >= BATCH_LEN {
            self.hand_over().await?;
        }
        let mut chunk = response.chunk().now_or_never();
        if chunk.is_none() && !self.pending.is_empty() {
            tokio::task::yield_now().await;
            chunk = response.chunk().now_or_never();
        }
        let chunk = if let Some(chunk) = chunk {
            chunk
        } else {
            self.hand_over().await?;
            response.chunk().await
        };
        chunk.map_err(|error| failure::explain(&error, &self.authority).into())
    }

    fn take(&mut self, chunk: Bytes) -> Result<(), LinkError> {
        self.body_byte_len += chunk.len() as u64;
        if let Some(body) = &mut self.body {
            let frames = body.push(chunk)?;
            self.add_frames(frames);
        }
        Ok(())
    }

    fn add_frames(&mut self, frames: Vec<Frame>) {
        if !frames.is_empty() {
            self.pending_len += frames.iter().map(|frame| frame.bytes.len()).sum::<usize>();
            self.add(ReportKind::Frames {
                exchange: self.id,
                frames,
            });
        }
    }

    fn add(&mut self, what: ReportKind) {
        self.pending.push(self.reporter.now(what));
    }

    async fn hand_over(&mut self) -> Result<(), Silenced> {
        self.reporter.hand_over(&mut self.pending).await?;
        self.pending_len = 0;
        Ok(())
    }
}

/// The body's length, where its end need not be waited for. (In HTTP/2 the end is a frame of its
/// own.)
fn announced_len(response: &Response) -> Option<u64> {
    let headers = response.headers();
    if response.version() >= Version::HTTP_2 || headers.contains_key(TRANSFER_ENCODING) {
        return None;
    }
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body on its way to frames.
#[derive(Debug)]
enum Body {
    /// One frame an event.
    Events(SseSplitter),
    /// One frame for all of it.
    Whole { chunks: Chunks, room: usize },
}

#[derive(Debug)]
enum Chunks {
    None,
    /// The usual small reply, which is not copied.
    One(Bytes),
    Many(BytesMut),
}

impl Body {
    fn of(response: &Response, announced: Option<u64>) -> Self {
        let media_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split(';').next())
            .unwrap_or_default();
        if media_type.trim().eq_ignore_ascii_case("text/event-stream") {
            return Self::Events(SseSplitter::new(LIMIT));
        }
        let room =
            usize::try_from(announced.unwrap_or_default().min(TRUSTED_LEN)).unwrap_or_default();
        Self::Whole {
            chunks: Chunks::None,
            room,
        }
    }

    /// The frames that the chunk completes.
    fn push(&mut self, chunk: Bytes) -> Result<Vec<Frame>, LinkError> {
        match self {
            Self::Events(splitter) => Ok(events(splitter.push(&chunk))),
            Self::Whole { chunks, room } => {
                if chunk.is_empty() {
                    return Ok(Vec::new());
                }
                *chunks = match std::mem::replace(chunks, Chunks::None) {
                    Chunks::None => Chunks::One(chunk),
                    Chunks::One(first) => {
                        let mut many =
                            BytesMut::with_capacity((*room).max(first.len() + chunk.len()));
                        many.extend_from_slice(&first);
                        many.extend_from_slice(&chunk);
                        Chunks::Many(many)
                    }
                    Chunks::Many(mut many) => {
                        many.extend_from_slice(&chunk);
                        Chunks::Many(many)
                    }
                };
                match chunks {
                    Chunks::Many(many) if many.len() > LIMIT => Err(too_large()),
                    Chunks::One(one) if one.len() > LIMIT => Err(too_large()),
                    _ => Ok(Vec::new()),
                }
            }
        }
    }

    /// The frame that the end of the body completes; also that of a body that broke off.
    fn finish(self) -> Vec<Frame> {
        let bytes = match self {
            Self::Events(mut splitter) => return events(splitter.finish().into_iter().collect()),
            Self::Whole { chunks, .. } => match chunks {
                Chunks::None => return Vec::new(),
                Chunks::One(one) => one,
                Chunks::Many(many) => many.freeze(),
            },
        };
        vec![Frame {
            at_micros: now_micros(),
            carrier: Carrier::Body,
            bytes,
        }]
    }
}

fn events(blocks: Vec<SseBlock>) -> Vec<Frame> {
    let at_micros = now_micros();
    let frame = |block: SseBlock| Frame {
        at_micros,
        carrier: Carrier::SseEvent,
        bytes: block.raw,
    };
    blocks.into_iter().map(frame).collect()
}

fn gzip_error(error: &std::io::Error) -> LinkError {
    if error.kind() == std::io::ErrorKind::FileTooLarge {
        too_large()
    } else {
        failure::not_gzip(error)
    }
}

fn too_large() -> LinkError {
    LinkError::new(
        LinkErrorKind::TooLarge,
        format!(
            "The reply's body is larger than {} MiB.",
            LIMIT / 1024 / 1024
        ),
    )
    .with_hint("Ask the server for less at once, for example by paging.")
}

/// From the body as it came to the body as it was meant.
enum Decoding {
    None,
    Gzip(Box<Gunzip>),
}

impl Decoding {
    fn of(response: &Response) -> Self {
        let encoding = response
            .headers()
            .get(CONTENT_ENCODING)
            .map(reqwest::header::HeaderValue::as_bytes);
        match encoding {
            Some(encoding)
                if encoding.eq_ignore_ascii_case(b"gzip")
                    || encoding.eq_ignore_ascii_case(b"x-gzip") =>
            {
                Self::Gzip(Box::new(Gunzip::new(LIMIT)))
            }
            // An encoding that was not asked for is shown as it came.
            _ => Self::None,
        }
    }

    fn push(&mut self, chunk: Bytes) -> Result<Bytes, LinkError> {
        match self {
            Self::None => Ok(chunk),
            Self::Gzip(gunzip) => gunzip.push(&chunk).map_err(|error| gzip_error(&error)),
        }
    }

    fn finish(&mut self) -> Result<Bytes, LinkError> {
        match self {
            Self::None => Ok(Bytes::new()),
            Self::Gzip(gunzip) => gunzip.finish().map_err(|error| gzip_error(&error)),
        }
    }
}

/// A redirect is not followed here: the request may carry credentials, and its method and body must
/// not be lost on the way. The owner may send it again ([`crate::Link::move_within_origin`]).
fn redirect(response: &Response) -> Option<LinkError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    let location = String::from_utf8_lossy(location.as_bytes());
    let target = response
        .url()
        .join(&location)
        .map_or_else(|_| location.to_string(), String::from);
    Some(
        LinkError::new(
            LinkErrorKind::Redirect,
            format!(
                "The server answered {} and points to {target}.",
                response.status()
            ),
        )
        .with_hint(format!(
            "If you trust it, set the server's URL to {target}."
        )),
    )
}
