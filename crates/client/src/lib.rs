//! All I/O with servers: child processes over stdio, and Streamable HTTP exchanges.
//!
//! A [`Link`] moves bytes and reports them; what they mean is `protocol`'s, and what to do about it
//! is `app`'s. What every link keeps to:
//!
//! * **Raw first.** A [`report::Report`] carries the exact bytes, headers and times. Nothing is
//!   parsed here beyond lines, SSE events and HTTP heads.
//! * **Nothing is lost.** Reports go through one bounded channel. A full one slows the reading of
//!   the pipe or socket, and so the server; it never drops.
//! * **No orphans.** A child process leads its own process group, which is known to a watchdog
//!   process from the moment it exists. [`Link::close`], dropping the link, and even the death of
//!   this process by SIGKILL end the whole group.
//! * **After [`Link::close`] nothing more is reported.**

pub mod clock;
pub mod error;
mod http;
pub mod oauth;
mod process;
pub mod report;
mod reporter;
mod stdio;

pub use http::picture::fetch as fetch_picture;

use std::fmt;
use std::path::PathBuf;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::error::LinkError;
use crate::report::{ExchangeId, LinkId, Report};
use crate::reporter::Reporter;

pub use crate::stdio::one_line;

/// How to reach a server. Its `Debug` leaves out the values of variables and headers, which may be
/// secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum LinkSpec {
    /// A child process that speaks over its stdin and stdout.
    Stdio {
        /// The program: a name to be found in PATH, or a path. A leading `~/` is the home folder;
        /// a relative path starts at `folder`.
        command: String,
        /// Its arguments, passed as they are: no shell is between.
        args: Vec<String>,
        /// Variables added to the environment of this process. `PATH` also decides where
        /// `command` is found.
        env: Vec<(String, String)>,
        /// The working folder; the one of this process where it is not set.
        folder: Option<PathBuf>,
    },
    /// A Streamable HTTP endpoint.
    Http {
        /// The endpoint, `http` or `https`.
        url: String,
        /// Header fields for every exchange. They replace the library's own of the same name, and
        /// are replaced by an exchange's ([`Outgoing::headers`]).
        headers: Vec<(String, String)>,
        /// The way there.
        route: Route,
    },
}

/// The way to an HTTP server, where it is not the system's own. Its `Debug` leaves out the proxy, whose URL may hold a
/// password.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Route {
    /// The proxy: an `http`, `https` or `socks5` URL. Without one the system's settings hold, which leave out this machine's
    /// own loopback.
    pub proxy: Option<String>,
    /// A file of certificates (PEM) that are trusted beside the system's.
    pub ca_file: Option<PathBuf>,
}

/// How a message is sent over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HttpMethod {
    /// A message in the body.
    #[default]
    Post,
    /// The end of a session of the legacy era (2025-11-25 basic/transports § Session Management).
    Delete,
    /// The server's own stream of the legacy era (2025-11-25 basic/transports § Listening).
    Get,
}

/// One message on its way out. Its `Debug` leaves out the message and the values of headers.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The number under which its reports come.
    pub exchange: ExchangeId,
    /// The message's bytes. Over stdio it is written as one line (see [`one_line`]), without a
    /// line ending of its own. Over HTTP it is the body; an empty one sends no body.
    pub message: Bytes,
    /// Over stdio: line breaks are written as they are, though each of them ends a message there.
    pub keeps_breaks: bool,
    /// HTTP: header fields of this exchange. They replace those of [`LinkSpec::Http`] with the
    /// same name; a name given twice here is sent twice.
    pub headers: Vec<(String, String)>,
    /// HTTP: header fields that this exchange goes without, whoever set them. `Host` and `Content-Length` are always sent.
    pub without: Vec<String>,
    /// HTTP: the method.
    pub http_method: HttpMethod,
    /// The owner waits for a reply. A link sends both kinds alike and sets no time limit.
    pub expects_reply: bool,
}

fn names(pairs: &[(String, String)]) -> Vec<&str> {
    pairs.iter().map(|(name, _)| name.as_str()).collect()
}

impl fmt::Debug for LinkSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio {
                command,
                args,
                env,
                folder,
            } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args_len", &args.len())
                .field("env", &names(env))
                .field("folder", folder)
                .finish(),
            // A URL may have a password or key in it.
            Self::Http {
                url: _,
                headers,
                route,
            } => f
                .debug_struct("Http")
                .field("headers", &names(headers))
                .field("route", route)
                .finish_non_exhaustive(),
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("has_proxy", &self.proxy.is_some())
            .field("ca_file", &self.ca_file)
            .finish()
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("exchange", &self.exchange)
            .field("keeps_breaks", &self.keeps_breaks)
            .field("message_byte_len", &self.message.len())
            .field("headers", &names(&self.headers))
            .field("without", &self.without)
            .field("http_method", &self.http_method)
            .field("expects_reply", &self.expects_reply)
            .finish()
    }
}

/// A live way to a server. Dropping it ends the child process or the exchanges, unreported.
#[derive(Debug)]
pub struct Link {
    id: LinkId,
    carrier: LinkCarrier,
}

#[derive(Debug)]
enum LinkCarrier {
    Stdio(stdio::StdioLink),
    Http(Box<http::HttpLink>),
}

impl Link {
    /// Starts the child process, or makes ready to speak HTTP (which contacts nobody yet).
    ///
    /// Must be called within a tokio runtime; the link's tasks run there.
    ///
    /// # Errors
    /// The command, folder, URL or headers cannot be used. Nothing was reported then.
    pub async fn open(
        id: LinkId,
        spec: LinkSpec,
        inbox: mpsc::Sender<Vec<Report>>,
    ) -> Result<Self, LinkError> {
        let reporter = Reporter::new(id, inbox);
        let carrier = match spec {
            LinkSpec::Stdio {
                command,
                args,
                env,
                folder,
            } => {
                let spec = process::ProcessSpec {
                    command,
                    args,
                    env,
                    folder,
                };
                LinkCarrier::Stdio(stdio::StdioLink::open(spec, reporter).await?)
            }
            LinkSpec::Http {
                url,
                headers,
                route,
            } => LinkCarrier::Http(Box::new(http::HttpLink::open(
                &url, &headers, &route, reporter,
            )?)),
        };
        Ok(Self { id, carrier })
    }

    /// The number that its reports carry.
    pub fn id(&self) -> LinkId {
        self.id
    }

    /// Sends a message: puts it into the queue of the child's stdin, or starts an HTTP exchange.
    /// Never waits, and may be called from any thread.
    ///
    /// # Errors
    /// What is wrong before anything is sent: a header that cannot be sent, a child that is gone,
    /// a queue that is full. What goes wrong later is reported.
    pub fn send(&self, outgoing: Outgoing) -> Result<(), LinkError> {
        match &self.carrier {
            LinkCarrier::Stdio(link) => link.send(outgoing),
            LinkCarrier::Http(link) => link.send(outgoing),
        }
    }

    /// HTTP: drops the exchange, which closes its connection or stream, and reports its end with
    /// the kind [`error::LinkErrorKind::Cancelled`]. Without effect on stdio, and on an exchange
    /// that is over.
    pub fn cancel(&self, exchange: ExchangeId) {
        if let LinkCarrier::Http(link) = &self.carrier {
            link.cancel(exchange);
        }
    }

    /// HTTP: what is sent from now on goes to `location`, the target of a redirect, absolute or relative to the
    /// endpoint. Gives false, and changes nothing, when that is another origin, which must not get what is meant
    /// for this one; and on stdio.
    pub fn move_within_origin(&self, location: &str) -> bool {
        match &self.carrier {
            LinkCarrier::Stdio(_) => false,
            LinkCarrier::Http(link) => link.move_within_origin(location),
        }
    }

    /// Ends the link.
    ///
    /// stdio: closes the child's stdin, waits 2 s, sends SIGTERM to its process group, waits 2 s,
    /// sends SIGKILL, and returns when no process of the group is left. Messages in the queue are
    /// still written, and what the child says is still reported, with
    /// [`report::ReportKind::ProcessExited`] at the end, as long as the owner goes on reading its
    /// inbox; an owner that does not cannot hold it up for more than a second.
    ///
    /// HTTP: drops all exchanges, unreported.
    ///
    /// Nothing is reported once this has returned.
    pub async fn close(self) {
        match self.carrier {
            LinkCarrier::Stdio(link) => link.close().await,
            LinkCarrier::Http(link) => link.close().await,
        }
    }
}
