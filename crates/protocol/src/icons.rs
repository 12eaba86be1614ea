//! Icons: what a server says of them, which of them may be looked at, and whether bytes are the picture that they claim to
//! be (2026-07-28 basic/index § Icons). Everything here is a server's word, so nothing is taken on trust.

use serde_json::value::RawValue;
use url::Url;
use wire::object;

/// Icons of one owner that are read.
const MOST_ICONS: usize = 16;
/// The largest picture, in bytes.
pub const LARGEST_BYTES: usize = 512 * 1024;
/// The longest side of a picture, in pixels.
const LONGEST_SIDE: u32 = 2048;

/// One icon as the server describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Icon {
    /// Where it is: an `https:` or a `data:` URI, if it may be looked at.
    pub src: String,
    /// The type that the server gives it.
    pub mime_type: Option<String>,
    /// Its sizes: `48x48`, `any`.
    pub sizes: Vec<String>,
    /// The background that it is for: `light` or `dark`.
    pub theme: Option<String>,
}

/// How an icon is to be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is here: the Base64 text of its bytes.
    Inline(String),
    /// It is to be fetched, without credentials.
    Fetch(Url),
}

/// Reads the `icons` of an implementation, a tool, a prompt or a resource. Whatever is no icon is left out.
pub fn read(owner: &RawValue) -> Vec<Icon> {
    let text = |icon: &RawValue, key| {
        object::get(icon, key)
            .and_then(object::string)
            .map(std::borrow::Cow::into_owned)
    };
    object::get(owner, "icons")
        .and_then(object::read_elements)
        .unwrap_or_default()
        .into_iter()
        .take(MOST_ICONS)
        .filter_map(|icon| {
            Some(Icon {
                src: text(icon, "src")?,
                mime_type: text(icon, "mimeType"),
                sizes: object::get(icon, "sizes")
                    .and_then(object::read_elements)
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|size| object::string(size).map(std::borrow::Cow::into_owned))
                    .take(8)
                    .collect(),
                theme: text(icon, "theme"),
            })
        })
        .collect()
}

/// How this icon may be had: only an `https:` URI of the server's own origin, or a `data:` URI. `server` is the server's
/// URL; a process has none, and so no origin.
///
/// # Errors
/// Why it is not looked at, in a sentence.
pub fn source(icon: &Icon, server: Option<&str>) -> Result<Source, String> {
    let src = icon.src.trim();
    if let Some(data) = strip_prefix_ignoring_case(src, "data:") {
        let Some((head, body)) = data.split_once(',') else {
            return Err("Its data URI has no data.".to_owned());
        };
        if !head.to_ascii_lowercase().ends_with(";base64") {
            return Err("Its data URI is not in Base64.".to_owned());
        }
        return Ok(Source::Inline(body.to_owned()));
    }
    let url = Url::parse(src).map_err(|error| format!("Its URI cannot be read: {error}."))?;
    if url.scheme() != "https" {
        return Err(format!(
            "Its URI is neither https nor data, but {}.",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Its URI carries a user name.".to_owned());
    }
    let own = server.and_then(|server| Url::parse(server).ok());
    match own {
        None => {
            Err("It is on the web, and a server without a URL has no origin to be of.".to_owned())
        }
        Some(own) if own.origin() != url.origin() => {
            Err("It is of another origin than the server.".to_owned())
        }
        Some(_) => Ok(Source::Fetch(url)),
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

/// What picture the bytes are, by the bytes themselves: the type to draw them as.
///
/// # Errors
/// Why they are not drawn, in a sentence.
pub fn judge(bytes: &[u8]) -> Result<&'static str, String> {
    if bytes.len() > LARGEST_BYTES {
        return Err(format!("It is larger than {} KiB.", LARGEST_BYTES / 1024));
    }
    let (mime_type, sides) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        if bytes.windows(4).take(4096).any(|chunk| chunk == b"acTL") {
            return Err("It moves.".to_owned());
        }
        ("image/png", big_endian_pair(bytes, 16))
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        ("image/jpeg", jpeg_sides(bytes))
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        if bytes.windows(4).take(4096).any(|chunk| chunk == b"ANIM") {
            return Err("It moves.".to_owned());
        }
        ("image/webp", webp_sides(bytes))
    } else if is_svg(bytes) {
        // It is drawn as an image, which runs and fetches nothing, at the size of its place.
        return Ok("image/svg+xml");
    } else {
        return Err("Its bytes are no PNG, JPEG, WebP or SVG picture.".to_owned());
    };
    match sides {
        None => Err("Its size cannot be read.".to_owned()),
        Some((width, height)) if width.max(height) > LONGEST_SIDE => Err(format!(
            "It is {width} × {height} pixels; at most {LONGEST_SIDE} a side are drawn."
        )),
        Some(_) => Ok(mime_type),
    }
}

fn big_endian_pair(bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((number(at)?, number(at + 4)?))
}

/// The sides that a JPEG's frame header says.
fn jpeg_sides(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if *bytes.get(at)? != 0xff {
            return None;
        }
        if matches!(marker, 0xff) {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes(
            bytes.get(at + 2..at + 4)?.try_into().ok()?,
        ));
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let side = |at: usize| {
                Some(u32::from(u16::from_be_bytes(
                    bytes.get(at..at + 2)?.try_into().ok()?,
                )))
            };
            return Some((side(at + 7)?, side(at + 5)?));
        }
        at += 2 + length.max(2);
    }
}

/// The sides that a WebP's first chunk says.
fn webp_sides(bytes: &[u8]) -> Option<(u32, u32)> {
    let byte = |at: usize| bytes.get(at).copied().map(u32::from);
    let small = |at: usize| Some(byte(at)? | (byte(at + 1)? << 8));
    match bytes.get(12..16)? {
        b"VP8X" => Some((
            1 + (small(24)? | (byte(26)? << 16)),
            1 + (small(27)? | (byte(29)? << 16)),
        )),
        b"VP8L" => {
            let bits = small(21)? | (small(23)? << 16);
            Some((1 + (bits & 0x3fff), 1 + ((bits >> 14) & 0x3fff)))
        }
        b"VP8 " => Some((small(26)? & 0x3fff, small(28)? & 0x3fff)),
        _ => None,
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    let Ok(text) = std::str::from_utf8(head)
        .or_else(|error| std::str::from_utf8(&head[..error.valid_up_to()]).map_err(|_| error))
    else {
        return false;
    };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<svg")
        || ((text.starts_with("<?xml") || text.starts_with("<!--")) && text.contains("<svg"))
}

/// The order in which icons suit a place of `side` pixels on a background that is `theme`: what was made for it first.
pub fn best_first(icons: &[Icon], theme: &str, side: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..icons.len()).collect();
    order.sort_by_key(|index| {
        let icon = &icons[*index];
        let for_other = icon.theme.as_deref().is_some_and(|own| own != theme);
        let distance = icon
            .sizes
            .iter()
            .map(|size| match size.split_once(['x', 'X']) {
                _ if size.eq_ignore_ascii_case("any") => 0,
                // One that is too small is worse than one that is too large.
                Some((width, _)) => width.parse::<u32>().map_or(u32::MAX, |width| {
                    if width >= side {
                        width - side
                    } else {
                        (side - width).saturating_mul(4)
                    }
                }),
                None => u32::MAX,
            })
            .min()
            .unwrap_or(side);
        (for_other, distance)
    });
    order
}
