//! What a hostile peer does, act by act, over a socket or over pipes.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use tests::listener::Talk;

/// One thing that a peer does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Says these bytes.
    Say(Vec<u8>),
    /// Says these bytes so often, in large pieces.
    Repeat(Vec<u8>, usize),
    /// Says this text so often, `%N%` in it being 1, 2, 3 and so on.
    Numbered(String, usize),
    /// Says a byte each so many milliseconds.
    Drip(Vec<u8>, u64),
    /// Does nothing for so many milliseconds.
    Rest(u64),
    /// Says these bytes again and again until the client has gone. Sockets only.
    Endless(Vec<u8>),
    /// Waits until the client has closed the connection. Sockets only.
    UntilClosed,
    /// Ends its own half of the connection. Sockets only.
    HalfClose,
    /// Breaks the connection off. Sockets only; the last act.
    Reset,
    /// Any of a process's: the method's name and arguments in `servers/hostile.py`. Pipes only.
    Process(&'static str, Value),
}

/// The bytes that are said most often in a piece.
const PIECE_LEN: usize = 1 << 16;

impl Act {
    /// Says a text.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into().into_bytes())
    }

    /// A process's act without arguments.
    pub fn process(name: &'static str) -> Self {
        Self::Process(name, json!([]))
    }

    /// A process's act with one argument.
    pub fn process_with(name: &'static str, argument: impl Into<Value>) -> Self {
        Self::Process(name, json!([argument.into()]))
    }

    /// Writes these bytes to stderr so often.
    pub fn stderr(bytes: &[u8], count: usize) -> Self {
        Self::Process("stderr", json!([base64(bytes), count]))
    }

    /// The act in the words of `servers/hostile.py`.
    fn in_script(&self) -> Value {
        match self {
            Self::Say(bytes) => json!(["say", base64(bytes)]),
            Self::Repeat(bytes, count) => json!(["repeat", base64(bytes), count]),
            Self::Numbered(text, count) => json!(["numbered", base64(text.as_bytes()), count]),
            Self::Drip(bytes, millis) => json!(["drip", base64(bytes), millis]),
            Self::Rest(millis) => json!(["rest", millis]),
            Self::Process(name, arguments) => {
                let mut words = vec![json!(name)];
                words.extend(arguments.as_array().into_iter().flatten().cloned());
                Value::Array(words)
            }
            Self::Endless(_) | Self::UntilClosed | Self::HalfClose | Self::Reset => {
                panic!("{self:?} needs a socket")
            }
        }
    }
}

/// The script for `servers/hostile.py`.
pub fn script(moment: &str, acts: &[Act]) -> String {
    let acts: Vec<_> = acts.iter().map(Act::in_script).collect();
    json!({ "at": moment, "acts": acts }).to_string()
}

/// Plays the acts on a socket, which is closed at the end. A client that has gone ends them.
pub async fn play(acts: Vec<Act>, mut talk: Talk) {
    for act in acts {
        let heard = match act {
            Act::Say(bytes) => talk.say_bytes(&bytes).await,
            Act::Repeat(bytes, count) => repeat(&mut talk, &bytes, count).await,
            Act::Numbered(text, count) => numbered(&mut talk, &text, count).await,
            Act::Drip(bytes, millis) => {
                let mut heard = true;
                for byte in bytes {
                    heard = heard && talk.say_bytes(&[byte]).await;
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                }
                heard
            }
            Act::Rest(millis) => {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                true
            }
            Act::Endless(bytes) => {
                while talk.say_bytes(&bytes).await {}
                false
            }
            Act::UntilClosed => {
                talk.until_closed().await;
                true
            }
            Act::HalfClose => {
                talk.half_close().await;
                true
            }
            Act::Reset => {
                // What was said before is on its way; a reset may overtake it, but not by so much.
                tokio::time::sleep(Duration::from_millis(50)).await;
                talk.reset();
                return;
            }
            Act::Process(..) => panic!("{act:?} needs a process"),
        };
        if !heard {
            return;
        }
    }
}

async fn repeat(talk: &mut Talk, bytes: &[u8], count: usize) -> bool {
    let together = (PIECE_LEN / bytes.len()).max(1);
    let piece = bytes.repeat(together.min(count));
    let mut left = count;
    while left > 0 {
        let now = left.min(together);
        if !talk.say_bytes(&piece[..now * bytes.len()]).await {
            return false;
        }
        left -= now;
    }
    true
}

async fn numbered(talk: &mut Talk, text: &str, count: usize) -> bool {
    let (before, after) = text.split_once("%N%").expect("a place for the number");
    let mut piece = Vec::new();
    for number in 1..=count {
        write!(piece, "{before}{number}{after}").expect("memory");
        if piece.len() >= PIECE_LEN || number == count {
            if !talk.say_bytes(&piece).await {
                return false;
            }
            piece.clear();
        }
    }
    true
}

/// Standard Base64 (RFC 4648 § 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group
            .iter()
            .chain(&[0; 3][group.len()..])
            .fold(0, |word, &byte| word << 8 | usize::from(byte));
        for place in 0..4 {
            if place <= group.len() {
                text.push(char::from(ALPHABET[word >> (18 - 6 * place) & 63]));
            } else {
                text.push('=');
            }
        }
    }
    text
}
