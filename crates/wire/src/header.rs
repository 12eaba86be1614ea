//! The values of `Mcp-Name` and `Mcp-Param-*` headers (2026-07-28 basic/transports/streamable-http
//! § Value Encoding).

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Standard alphabet; padding may be there or not.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text as a header value: itself when it is plain ASCII, `=?base64?…?=` when it has other
/// characters, control characters, white space at an end, or looks like an encoded value.
///
/// A tab within the text is encoded too: it is allowed in a field value, but intermediaries may
/// replace it by a space.
pub fn encode_value(text: &str) -> String {
    let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let padded = text.starts_with(' ') || text.ends_with(' ');
    if printable && !padded && !is_marked(text) {
        return text.to_owned();
    }
    let mut value = String::from(PREFIX);
    STANDARD.encode_string(text, &mut value);
    value.push_str(SUFFIX);
    value
}

/// The text that a header value carries. The markers are case-sensitive.
///
/// # Errors
/// A sentence that says what is wrong with the encoded part.
pub fn decode_value(value: &str) -> Result<String, String> {
    if !is_marked(value) {
        return Ok(value.to_owned());
    }
    let encoded = value
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .ok_or_else(|| format!("{value} has the markers of a Base64 value but no room for one"))?;
    let bytes = LENIENT
        .decode(encoded)
        .map_err(|error| format!("{value} is not valid Base64: {error}"))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("{value} does not decode to UTF-8: byte {at} is wrong")
    })
}

fn is_marked(value: &str) -> bool {
    value.starts_with(PREFIX) && value.ends_with(SUFFIX)
}
