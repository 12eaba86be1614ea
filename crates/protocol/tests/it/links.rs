//! Links are judged by what they say, before anybody opens them.

use insta::assert_snapshot;
use protocol::link::Link;
use std::fmt::Write as _;

/// What a person is shown of a link: its parts, the host between bars, and what is said of it.
fn shown(url: &str) -> String {
    let link = Link::judge(url);
    let mut text = String::new();
    if !link.scheme.is_empty() {
        writeln!(
            text,
            "{}{}{}|{}|{}{}",
            link.scheme, link.user_info, link.subdomain, link.site, link.port, link.rest
        )
        .expect("a string takes all");
    }
    if let Some(decoded) = &link.decoded_host {
        writeln!(text, "reads {decoded}").expect("a string takes all");
    }
    for warning in &link.warnings {
        writeln!(text, "! {warning}").expect("a string takes all");
    }
    match (&link.refusal, link.opens()) {
        (Some(refusal), None) => writeln!(text, "refused: {refusal}"),
        (None, Some(opens)) => writeln!(text, "opens {opens}"),
        other => panic!("{other:?}"),
    }
    .expect("a string takes all");
    text
}

#[test]
fn an_ordinary_link_is_cut_at_what_somebody_has_registered() {
    assert_snapshot!(shown("https://login.mail.example.co.uk/a/b?c=d#e"), @r"
    https://login.mail.|example.co.uk|/a/b?c=d#e
    opens https://login.mail.example.co.uk/a/b?c=d#e
    ");
    assert_snapshot!(shown("https://google.com.evil.example"), @r"
    https://google.com.|evil.example|/
    opens https://google.com.evil.example/
    ");
    // People register below these themselves, so the name before is what counts.
    assert_snapshot!(shown("https://someone.github.io/x"), @r"
    https://|someone.github.io|/x
    opens https://someone.github.io/x
    ");
}

#[test]
fn a_user_name_does_not_pass_for_the_host() {
    assert_snapshot!(shown("https://accounts.google.com@evil.example/"), @r"
    https://accounts.google.com@|evil.example|/
    ! “accounts.google.com” is not where it leads: what stands before the @ is a user name. The host is evil.example.
    opens https://accounts.google.com@evil.example/
    ");
}

#[test]
fn punycode_is_read_and_imitations_are_named() {
    assert_snapshot!(shown("https://xn--bcher-kva.example/"), @r"
    https://|xn--bcher-kva.example|/
    reads bücher.example
    ! A browser may show its host as bücher.example; its real name is xn--bcher-kva.example.
    opens https://xn--bcher-kva.example/
    ");
    // Cyrillic а, р, р, ӏ, е: letters of one script, each like a Latin one.
    assert_snapshot!(shown("https://xn--80ak6aa92e.com/"), @r"
    https://|xn--80ak6aa92e.com|/
    reads аррӏе.com
    ! “аррӏе” looks like “apple” and is another name, in other letters.
    ! A browser may show its host as аррӏе.com; its real name is xn--80ak6aa92e.com.
    opens https://xn--80ak6aa92e.com/
    ");
    // Latin with one Cyrillic а, written as it is.
    assert_snapshot!(shown("https://pаypal.com/"), @r"
    https://|xn--pypal-4ve.com|/
    reads pаypal.com
    ! “pаypal” mixes letters of Latin and Cyrillic, as names do that imitate another.
    ! A browser may show its host as pаypal.com; its real name is xn--pypal-4ve.com.
    ! The server wrote it in another way than browsers do; it is shown as it is opened.
    opens https://xn--pypal-4ve.com/
    ");
    // Japanese writes these together.
    assert!(!shown("https://日本の.example/").contains("mixes"));
}

#[test]
fn addresses_and_ports_are_worth_a_word() {
    assert_snapshot!(shown("https://192.168.1.1:8443/admin"), @r"
    https://|192.168.1.1|:8443/admin
    ! Its host is an IP address within your own network, such as a router's.
    ! Its port is 8443, which is unusual.
    opens https://192.168.1.1:8443/admin
    ");
    assert_snapshot!(shown("https://203.0.113.7/"), @r"
    https://|203.0.113.7|/
    ! Its host is an IP address, which does not say whose it is.
    opens https://203.0.113.7/
    ");
    // A number that browsers read as an address.
    assert_snapshot!(shown("https://3405803783/"), @r"
    https://|203.0.113.7|/
    ! Its host is an IP address, which does not say whose it is.
    ! The server wrote it in another way than browsers do; it is shown as it is opened.
    opens https://203.0.113.7/
    ");
    assert_snapshot!(shown("https://intranet/x"), @r"
    https://|intranet|/x
    ! Its host has no domain that somebody could have registered: it is a name of your own network, or none.
    opens https://intranet/x
    ");
}

#[test]
fn http_is_opened_on_this_computer_alone() {
    for loopback in [
        "http://127.0.0.1:8080/consent",
        "http://localhost:8080/consent",
        "http://[::1]:8080/consent",
        "http://app.localhost/consent",
    ] {
        let link = Link::judge(loopback);
        assert!(link.is_loopback, "{link:#?}");
        assert_eq!(link.opens().as_deref(), Some(loopback), "{link:#?}");
    }
    assert_snapshot!(shown("http://127.0.0.1:8080/x"), @r"
    http://|127.0.0.1|:8080/x
    ! It leads to a program on this computer.
    ! It is not encrypted (http).
    opens http://127.0.0.1:8080/x
    ");
    assert_snapshot!(shown("http://example.com/"), @r"
    http://|example.com|/
    ! It is not encrypted (http).
    refused: It is not encrypted (http) and leads to another computer. Roundtrip opens https links, and http on this computer alone.
    ");
    // These only seem to be this computer.
    for other in [
        "http://localhost.example.com/",
        "http://127.0.0.1.example.com/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
    ] {
        assert!(Link::judge(other).opens().is_none(), "{other}");
    }
}

#[test]
fn whatever_is_no_web_address_is_refused_and_says_why() {
    for (url, why) in [
        ("javascript:alert(1)", "Its scheme is javascript."),
        ("file:///etc/passwd", "Its scheme is file."),
        ("mailto:a@example.com", "Its scheme is mailto."),
        ("vscode://open?url=x", "Its scheme is vscode."),
        ("ftp://example.com/", "Its scheme is ftp."),
        ("data:text/html,hello", "Its scheme is data."),
        ("", "It is not a URL: relative URL without a base."),
        (
            "/only/a/path",
            "It is not a URL: relative URL without a base.",
        ),
        ("https://", "It is not a URL: empty host."),
        (
            "https://exa mple.com/",
            "It is not a URL: invalid international domain name.",
        ),
        (
            " https://example.com/",
            "It is not a valid URL: a space or control character is around it",
        ),
        (
            "https://exam\nple.com/",
            "It is not a valid URL: it has a tab or a line break",
        ),
        (
            "https://example.com\\@evil.example/",
            "It is not a valid URL: it has a backslash",
        ),
        (
            "https:example.com",
            "It is not a valid URL: its scheme is not followed by //",
        ),
        (
            "https://a@b@example.com/",
            "It is not a valid URL: it has several @",
        ),
    ] {
        let link = Link::judge(url);
        let refusal = link.refusal.clone().unwrap_or_default();
        assert!(refusal.starts_with(why), "{url}: {refusal}");
        assert_eq!(link.opens(), None);
        assert_eq!(link.url, url, "it can still be copied");
    }
    let long = format!("https://example.com/?{}", "a".repeat(20_000));
    assert!(
        Link::judge(&long)
            .refusal
            .is_some_and(|why| why.contains("20021 characters"))
    );
}
