//! Icons: which may be looked at, and which bytes are pictures (2026-07-28 basic/index § Icons).

use protocol::icons::{self, Icon, Source};
use serde_json::value::RawValue;

fn icon(src: &str) -> Icon {
    Icon {
        src: src.to_owned(),
        ..Icon::default()
    }
}

#[test]
fn icons_are_read_as_they_are_described_and_what_is_none_is_left_out() {
    let info = r#"{"icons":[
        {"src":"data:image/png;base64,AA==","mimeType":"image/png","sizes":["48x48",7],"theme":"dark"},
        {"mimeType":"image/png"}, "text", null, {"src":"https://example.com/a.svg","sizes":"any"}]}"#;
    let read = icons::read(&RawValue::from_string(info.to_owned()).unwrap());
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].sizes, ["48x48"]);
    assert_eq!(read[0].theme.as_deref(), Some("dark"));
    assert_eq!(read[1], icon("https://example.com/a.svg"));
}

#[test]
fn only_data_and_https_of_the_servers_own_origin_are_looked_at() {
    let server = Some("https://example.com/mcp");
    for (src, of, fetched) in [
        (
            "https://example.com/icon.png",
            server,
            "https://example.com/icon.png",
        ),
        (
            "HTTPS://EXAMPLE.com:443/a?b",
            server,
            "https://example.com/a?b",
        ),
    ] {
        let Ok(Source::Fetch(url)) = icons::source(&icon(src), of) else {
            panic!("{src} is not fetched");
        };
        assert_eq!(url.as_str(), fetched);
    }
    assert_eq!(
        icons::source(&icon("DATA:image/png;base64,AA=="), None),
        Ok(Source::Inline("AA==".to_owned()))
    );
    for (src, of, why) in [
        (
            "http://example.com/icon.png",
            server,
            "neither https nor data",
        ),
        ("javascript:alert(1)", server, "neither https nor data"),
        ("file:///etc/passwd", server, "neither https nor data"),
        ("ws://example.com/a", server, "neither https nor data"),
        ("https://example.org/icon.png", server, "another origin"),
        (
            "https://example.com:8443/icon.png",
            server,
            "another origin",
        ),
        ("https://a:b@example.com/icon.png", server, "user name"),
        ("https://example.com/icon.png", None, "no origin"),
        ("/icon.png", server, "cannot be read"),
        ("data:image/svg+xml,<svg/>", server, "not in Base64"),
        ("data:image/png;base64", server, "no data"),
    ] {
        let refused = icons::source(&icon(src), of).unwrap_err();
        assert!(refused.contains(why), "{src}: {refused}");
    }
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes
}

#[test]
fn pictures_are_known_by_their_bytes_and_may_not_be_large() {
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\x20\0\x10\x01";
    let webp = |rest: &[u8]| [b"RIFF\0\0\0\0WEBP".as_slice(), rest].concat();
    let extended = webp(b"VP8X\x0a\0\0\0\0\0\0\0\x1f\0\0\x1f\0\0");
    for (bytes, mime_type) in [
        (png(48, 48), "image/png"),
        (jpeg.to_vec(), "image/jpeg"),
        (extended, "image/webp"),
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            "image/svg+xml",
        ),
        (
            b"\xef\xbb\xbf<?xml version='1.0'?>\n<svg/>".to_vec(),
            "image/svg+xml",
        ),
    ] {
        assert_eq!(icons::judge(&bytes), Ok(mime_type));
    }
    let moving = [png(1, 1), b"acTL".to_vec()].concat();
    for (bytes, why) in [
        (b"GIF89a\x10\0\x10\0".to_vec(), "no PNG, JPEG, WebP or SVG"),
        (b"<html><svg/></html>".to_vec(), "no PNG, JPEG, WebP or SVG"),
        (Vec::new(), "no PNG, JPEG, WebP or SVG"),
        (png(40_000, 40_000), "at most 2048 a side"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), "size cannot be read"),
        (b"\xff\xd8\xff\xff\xff\xff".to_vec(), "size cannot be read"),
        (moving, "It moves"),
        (vec![0; icons::LARGEST_BYTES + 1], "larger than 512 KiB"),
    ] {
        let refused = icons::judge(&bytes).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn what_was_made_for_the_place_comes_first() {
    let of = |sizes: &[&str], theme: Option<&str>| Icon {
        sizes: sizes.iter().map(|size| (*size).to_owned()).collect(),
        theme: theme.map(str::to_owned),
        ..Icon::default()
    };
    let icons = [
        of(&["16x16"], None),
        of(&["any"], Some("dark")),
        of(&["512x512"], None),
        of(&["64x64", "32x32"], Some("light")),
    ];
    assert_eq!(icons::best_first(&icons, "light", 48), [3, 0, 2, 1]);
    assert_eq!(icons::best_first(&icons, "dark", 48)[0], 1);
}
