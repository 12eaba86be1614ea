//! Answers that are used again (2026-07-28 server/utilities/caching): keeping them, and answering from them with a row
//! that says so.

use client::clock::now_micros;
use journal::event::{ConnectionId, EventBody, EventSeq, OperationEnd, OperationId};
use protocol::caching::{self, Kept};
use protocol::era::Era;
use serde_json::value::RawValue;

use super::operation::{Active, Purpose};
use super::state::Engine;

/// What was asked: the method and its parameters.
pub(super) struct Asked {
    method: String,
    params: Option<String>,
}

/// What the request that was sent last asked, when its answer may be kept. To be taken before the answer is acted on,
/// which may ask for the next page.
pub(super) fn asked(active: &Active) -> Option<Asked> {
    let machine = active.machine.as_ref()?;
    let may_be_kept = active.speaker.era == Era::Modern
        && active.purpose != Purpose::Handshake
        && caching::is_cacheable(&active.method);
    may_be_kept.then(|| Asked {
        method: active.method.clone(),
        params: machine.sent().map(str::to_owned),
    })
}

impl Engine {
    /// A result came: it is kept as far as its hints and its request allow that.
    pub(super) fn keep_answer(
        &mut self,
        id: ConnectionId,
        asked: &Asked,
        result: &RawValue,
        (event, received_micros): (EventSeq, u64),
    ) {
        let cache = self
            .connections
            .get_mut(&id)
            .and_then(|connection| connection.cache.as_mut());
        if let Some(cache) = cache {
            let params = asked.params.as_deref();
            cache.keep(&asked.method, params, result, received_micros, event);
        }
    }

    /// Makes an operation that nothing is sent for.
    pub(super) fn answer_from_cache(
        &mut self,
        id: ConnectionId,
        method: &str,
        name: Option<&str>,
        pages: &[Kept<EventSeq>],
    ) -> OperationId {
        let operation = self.open_operation(id, method, name);
        for (round, page) in (1..).zip(pages) {
            self.record(
                id,
                Some(operation),
                EventBody::AnsweredFromCache {
                    round,
                    event: page.place,
                    fetched_micros: page.received_micros,
                },
            );
        }
        self.record(
            id,
            Some(operation),
            EventBody::OperationEnded(OperationEnd::Complete),
        );
        self.publisher.touch(operation);
        operation
    }

    /// The server says that a resource changed.
    pub(super) fn resource_updated(&mut self, id: ConnectionId, params: Option<&RawValue>) {
        let uri = params
            .and_then(|params| wire::object::get(params, "uri"))
            .and_then(wire::object::string);
        let cache = self
            .connections
            .get_mut(&id)
            .and_then(|connection| connection.cache.as_mut());
        let Some(uri) = uri else {
            return;
        };
        if let Some(cache) = cache {
            cache.forget_resource(&uri);
        }
        self.tell_of_update(id, &uri, now_micros());
    }
}
