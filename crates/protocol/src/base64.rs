//! A check of Base64 text that decodes nothing: an image stays text until the view shows it.

use std::borrow::Cow;

/// The text in standard form (no white space, padded) and the bytes that it stands for.
///
/// # Errors
/// What is wrong, as the end of a sentence about the data.
pub(crate) fn check(text: &str) -> Result<(Cow<'_, str>, u64), String> {
    let mut clean = Cow::Borrowed(text);
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        clean = Cow::Owned(text.chars().filter(|c| !c.is_ascii_whitespace()).collect());
    }
    let digits = clean.trim_end_matches('=').len();
    let padding = clean.len() - digits;
    let stray = clean
        .get(..digits)
        .unwrap_or_default()
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/')));
    match stray {
        Some((_, '-' | '_')) => {
            return Err("it uses the URL alphabet of Base64 (- and _)".to_owned());
        }
        Some((place, c)) => {
            return Err(format!(
                "character {} is {c:?}, which is not of Base64",
                place + 1
            ));
        }
        None => {}
    }
    let missing = (4 - digits % 4) % 4;
    if digits % 4 == 1 || (padding != 0 && padding != missing) {
        return Err(format!(
            "its length is not one that Base64 has ({digits} digits and {padding} of padding)"
        ));
    }
    if padding < missing {
        clean
            .to_mut()
            .push_str(if missing == 1 { "=" } else { "==" });
    }
    Ok((clean, (digits * 3 / 4) as u64))
}
