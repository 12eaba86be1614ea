//! What people read: the page and the summary.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use journal::export::ExportForm;

use crate::session::{all, with_stdio};

#[test]
fn the_page_lets_nothing_in_or_out() {
    let (bytes, _) = all(&with_stdio(), ExportForm::Page);
    let page = String::from_utf8(bytes).unwrap();
    let style = page
        .split("<style>")
        .nth(1)
        .unwrap()
        .split("</style>")
        .next()
        .unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, style.as_bytes());
    let hash = format!("'sha256-{}'", BASE64_STANDARD.encode(digest));
    assert!(
        page.contains(&hash),
        "the policy lets the style through: {hash}"
    );
    assert!(page.contains("content=\"default-src 'none'; style-src "));
    assert!(
        !page.contains("<script") && !page.contains("style=\"") && !page.contains("unsafe-inline")
    );
    for tag in page.split('<').skip(1) {
        let name: String = tag
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '!')
            .collect();
        let known = "!doctype html head meta title style body h1 h2 h3 p i div span b small svg rect details summary pre ul li code";
        assert!(
            tag.starts_with('/') || known.split(' ').any(|one| one == name),
            "<{tag}"
        );
        let attributes = tag.split('>').next().unwrap();
        assert!(
            !attributes.contains(" on")
                && !attributes.contains("src=")
                && !attributes.contains("href="),
            "<{tag}"
        );
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(
        page.contains("⟨U+202E⟩evil"),
        "nothing turns the direction of writing around"
    );
    assert!(page.contains("bookings &lt;1&gt;"));
}

#[test]
fn the_summary_is_no_markup_of_a_server() {
    let (bytes, _) = all(&with_stdio(), ExportForm::Summary);
    let summary = String::from_utf8(bytes).unwrap();
    let (told, last) = summary.trim_end().rsplit_once('\n').unwrap();
    insta::assert_snapshot!(told);
    assert!(
        last.starts_with("Secrets are named where their values stood: `demo/token` ("),
        "{last}"
    );
}
