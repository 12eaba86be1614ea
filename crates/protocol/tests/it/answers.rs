//! First answers of servers, for tables.

use protocol::era::{ProbeAnswer, ProbeReply};

use crate::script::{raw, rpc_error};

pub const WEB_PAGE: &[u8] =
    b"<!DOCTYPE html><html><head><TITLE>\nWelcome to nginx!</title></head></html>";

/// What a server answered, or what stood in an answer's place.
pub enum Answer {
    Result(&'static str),
    Error(i64, &'static str, Option<&'static str>),
    Body(&'static [u8]),
    Silence,
    Gone,
}

/// Hands the reply to a judge.
pub fn with_reply<T>(
    status: Option<u16>,
    answer: &Answer,
    judge: impl Fn(&ProbeReply<'_>) -> T,
) -> T {
    let (result, error);
    let answer = match answer {
        Answer::Result(text) => {
            result = raw(text);
            ProbeAnswer::Result(&result)
        }
        Answer::Error(code, message, data) => {
            error = rpc_error(*code, message, *data);
            ProbeAnswer::Error(&error)
        }
        Answer::Body(bytes) => ProbeAnswer::Unreadable(bytes),
        Answer::Silence => ProbeAnswer::Silence {
            waited_millis: 5000,
        },
        Answer::Gone => ProbeAnswer::Gone {
            why: "The process exited with code 1.".to_owned(),
        },
    };
    judge(&ProbeReply {
        http_status: status,
        answer,
    })
}
