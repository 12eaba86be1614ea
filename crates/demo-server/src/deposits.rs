//! The deposits that guests pay in their browser: pages of this server's own, which a link leads to and which the client
//! never sees (client/elicitation § URL Mode). Nothing is charged; everything is kept in memory.
//!
//! Over HTTP the pages are beside the endpoint; over stdio they have a port of their own on the loopback interface, which
//! is opened when the first deposit is asked for. Whoever knows a deposit's address may pay it, so it is not to be guessed.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use indexmap::IndexMap;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, watch};

/// At most so many are kept; the oldest goes first.
const CAPACITY: usize = 200;

/// What became of a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The guest has not chosen yet.
    Open,
    Paid,
    CalledOff,
}

/// One deposit.
struct Deposit {
    restaurant: &'static str,
    euros: u32,
    standing: watch::Sender<Standing>,
}

/// All deposits, shared by every session of the process.
#[derive(Clone, Default)]
pub(crate) struct Deposits {
    kept: Arc<Mutex<IndexMap<String, Deposit>>>,
    /// Where the pages are.
    address: Arc<OnceCell<SocketAddr>>,
}

/// What the page's buttons say.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    Pay,
    CallOff,
}

#[derive(Debug, Deserialize)]
struct Chosen {
    choice: Choice,
}

impl Deposits {
    /// The pages stand at this address.
    pub(crate) fn stand_at(&self, address: SocketAddr) {
        // Only the first is told to clients, and there is one server a process.
        self.address.set(address).ok();
    }

    /// The pages, for a server that has a port already.
    pub(crate) fn pages(&self) -> Router {
        Router::new()
            .route("/deposits/{id}", get(show).post(choose))
            .with_state(self.clone())
    }

    /// Begins a deposit. Gives what it is known by.
    pub(crate) fn begin(&self, restaurant: &'static str, euros: u32) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let deposit = Deposit {
            restaurant,
            euros,
            standing: watch::Sender::new(Standing::Open),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= CAPACITY {
            kept.shift_remove_index(0);
        }
        kept.insert(id.clone(), deposit);
        id
    }

    /// The address of a deposit's page. The first one opens a port where there is none.
    pub(crate) async fn url_of(&self, id: &str) -> Result<String, String> {
        let address = self
            .address
            .get_or_try_init(|| async { self.listen().await })
            .await
            .map_err(|error| format!("no port on 127.0.0.1 can be listened on: {error}"))?;
        Ok(format!("http://{address}/deposits/{id}"))
    }

    /// What becomes of a deposit; nothing when it is not known.
    pub(crate) fn watch(&self, id: &str) -> Option<watch::Receiver<Standing>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.get(id)?.standing.subscribe())
    }

    async fn listen(&self) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let pages = self.pages();
        // It ends with the process.
        tokio::spawn(async move { axum::serve(listener, pages).await });
        Ok(address)
    }

    /// The deposit's page, as it stands now, after a choice where one was made.
    fn page(&self, id: &str, choice: Option<&Choice>) -> Response {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(deposit) = kept.get(id) else {
            let text = "<h1>There is no such deposit</h1><p>The link is wrong, or too old.</p>";
            return html(StatusCode::NOT_FOUND, text);
        };
        if let Some(choice) = choice {
            // The first choice stands, however often the page is sent.
            deposit.standing.send_if_modified(|standing| {
                let is_open = *standing == Standing::Open;
                if is_open {
                    *standing = match choice {
                        Choice::Pay => Standing::Paid,
                        Choice::CallOff => Standing::CalledOff,
                    };
                }
                is_open
            });
        }
        let (restaurant, euros) = (escaped(deposit.restaurant), deposit.euros);
        let standing = *deposit.standing.borrow();
        let text = match standing {
            Standing::Open => format!(
                "<h1>Deposit for {restaurant}</h1>\
                 <p>{restaurant} asks for a deposit of <strong>{euros} euros</strong>. This is a demonstration: nothing is \
                 charged, and nothing leaves this computer.</p>\
                 <form method=\"post\"><button name=\"choice\" value=\"pay\">Pay {euros} euros</button> \
                 <button name=\"choice\" value=\"call_off\">Call it off</button></form>"
            ),
            Standing::Paid => format!(
                "<h1>Paid</h1><p>{restaurant} has your deposit of {euros} euros. You can close this page.</p>"
            ),
            Standing::CalledOff => format!(
                "<h1>Called off</h1><p>Nothing was paid to {restaurant}. You can close this page.</p>"
            ),
        };
        html(StatusCode::OK, &text)
    }
}

async fn show(State(deposits): State<Deposits>, Path(id): Path<String>) -> Response {
    deposits.page(&id, None)
}

async fn choose(
    State(deposits): State<Deposits>,
    Path(id): Path<String>,
    Form(chosen): Form<Chosen>,
) -> Response {
    deposits.page(&id, Some(&chosen.choice))
}

fn html(status: StatusCode, body: &str) -> Response {
    const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;\
                         color-scheme:light dark}button{font:inherit;padding:.4rem 1rem}";
    let headers = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Roundtrip demo</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>{body}</body></html>"
    );
    (status, headers, Html(page)).into_response()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, Choice, Deposits, Standing};

    #[test]
    fn the_first_choice_stands() {
        let deposits = Deposits::default();
        let id = deposits.begin("Verde & Co.", 20);
        let standing = deposits.watch(&id).expect("a deposit");
        assert_eq!(deposits.page(&id, None).status(), 200);
        assert_eq!(*standing.borrow(), Standing::Open);
        deposits.page(&id, Some(&Choice::Pay));
        assert_eq!(*standing.borrow(), Standing::Paid);
        deposits.page(&id, Some(&Choice::CallOff));
        assert_eq!(*standing.borrow(), Standing::Paid);
    }

    #[test]
    fn an_unknown_deposit_has_no_page_and_the_oldest_goes() {
        let deposits = Deposits::default();
        assert_eq!(deposits.page("x", Some(&Choice::Pay)).status(), 404);
        let first = deposits.begin("Kitsune", 1);
        for _ in 0..CAPACITY {
            deposits.begin("Kitsune", 1);
        }
        assert!(deposits.watch(&first).is_none());
    }
}
