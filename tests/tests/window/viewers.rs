//! A PDF and a page that a server sends, in the real web view: they are drawn, and reach nobody.

use std::net::TcpListener;

use serde_json::{Value, json};
use tests::listener::{self, Listener};
use tests::window::drive;

/// Base64 of a page that says `Menu`, with a link and an action to a URL.
fn pdf(url: &str) -> String {
    use base64::Engine as _;
    let text = "BT /F1 24 Tf 20 100 Td (Menu of the day) Tj ET";
    let document = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI({url}/opened)>>>>endobj\n\
         2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>\
         /Annots[<</Type/Annot/Subtype/Link/Rect[0 0 300 144]/A<</S/URI/URI({url}/link)>>>>]>>endobj\n\
         4 0 obj<</Length {}>>stream\n{text}\nendstream endobj\n\
         5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n\
         trailer<</Root 1 0 R>>\n%%EOF",
        text.len()
    );
    base64::engine::general_purpose::STANDARD.encode(document)
}

fn page(url: &str) -> String {
    format!(
        "<html><head><link rel=\"stylesheet\" href=\"{url}/style.css\"><base href=\"{url}/\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}/refreshed\"></head><body><h1>Menu</h1>\
         <img src=\"{url}/spy.png\"><iframe src=\"{url}/frame\"></iframe><video src=\"{url}/film\" autoplay></video>\
         <object data=\"{url}/object\"></object><div style=\"background:url({url}/back.png)\">soup</div>\
         <script>fetch('{url}/fetched'); new Image().src = '{url}/image';</script>\
         <body onload=\"location='{url}/loaded'\"></body></html>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pdf_and_a_page_are_drawn_and_reach_nobody() {
    let spy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    spy.set_nonblocking(true).expect("it is set");
    let elsewhere = format!("http://{}", spy.local_addr().expect("it is bound"));
    let content = json!([
        { "type": "resource", "resource": { "uri": "file:///menu.pdf", "mimeType": "application/pdf", "blob": pdf(&elsewhere) } },
        { "type": "resource", "resource": { "uri": "file:///menu.html", "mimeType": "text/html", "text": page(&elsewhere) } },
        { "type": "resource", "resource": { "uri": "file:///dishes.csv", "mimeType": "text/csv", "text": "dish,price\nsoup,4.50\n" } },
    ]);
    let server = Listener::start(move |asked, mut talk| {
        let content = content.clone();
        async move {
            if asked.asks() == "tools/call" {
                let result = json!({ "resultType": "complete", "content": content });
                talk.result(&asked, &result).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        }
    })
    .await;
    drive("viewers", async |window| {
        window.add_url("Papers", &server.url()).await;
        window.at("tab", "Tools…").click().await;
        window
            .at("listbox", "Tools")
            .at("option", "echo")
            .click()
            .await;
        let form = window.at("region", "Tool echo");
        form.at("button", "Call").click().await;
        let result = form.at("region", "Result of the call");
        result.shows("Scripts, links, forms").await;
        result
            .at("table", "content of file:///dishes.csv")
            .shows("4.50")
            .await;
        let seen = window
            .until("the pages", async || {
                let seen = window.measure(DRAWN, vec![]).await.ok()?;
                (seen["pdf"].as_u64() == Some(1)).then_some(seen)
            })
            .await;
        assert_eq!(seen["sandbox"], Value::from(""), "{seen}");
        assert!(
            seen["ink"].as_u64().is_some_and(|ink| ink > 100),
            "the page of the PDF is blank: {seen}"
        );
        // Long enough for what would go out at once to have gone.
        window.reload().await;
        window.at("navigation", "Servers").shows("Papers").await;
    })
    .await;
    let reached = spy.accept();
    assert!(reached.is_err(), "somebody came: {reached:?}");
}

/// How many pages of a PDF are drawn, how much of the first is not white, and what the frame may do.
const DRAWN: &str = "\
const done = arguments[0];
const pages = [...document.querySelectorAll('canvas[data-drawn=true]')];
let ink = 0;
if (pages.length > 0) {
  const { data } = pages[0].getContext('2d').getImageData(0, 0, pages[0].width, pages[0].height);
  for (let at = 0; at < data.length; at += 4) if (data[at] < 128 && data[at + 3] > 128) ink += 1;
}
const frame = document.querySelector('iframe');
done({ pdf: pages.length, ink, sandbox: frame === null ? null : frame.getAttribute('sandbox') });";
