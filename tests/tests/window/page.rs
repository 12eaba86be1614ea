//! The page itself: what it keeps when it is loaded again, and where it cannot reach.

use tests::window::{Row, drive};

use crate::prompts::{answer_booking, book_table};

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_of_the_page_loses_nothing() {
    drive("reload", async |window| {
        window.add_command("Kept", "npx", "", "Save").await;
        window
            .at("navigation", "Servers")
            .at("button", "Demo server,…")
            .click()
            .await;
        window.connect("Demo server").await;
        book_table(window).await;
        let timeline = window.timeline();
        timeline.row("tools/call book_table").await;
        let names = |rows: Vec<Row>| -> Vec<String> {
            // The clocks of running rows are not in their names.
            rows.into_iter().map(|row| row.name).collect()
        };
        let before = names(timeline.rows().await);

        window.reload().await;

        let servers = window.at("navigation", "Servers");
        servers.at("button", "Kept, not connected…").facts().await;
        servers
            .at("button", "Demo server, connected…")
            .facts()
            .await;
        window.timeline().row("tools/call book_table").await;
        let after = window
            .until("the rows", async || {
                let after = names(window.timeline().rows().await);
                (after.len() == before.len()).then_some(after)
            })
            .await;
        assert_eq!(after, before);

        answer_booking(window, "Demo server").await;
        window.timeline().completes("tools/call book_table").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_loads_nothing_from_elsewhere() {
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    elsewhere.set_nonblocking(true).expect("it is set");
    let url = format!("http://{}", elsewhere.local_addr().expect("it is bound"));
    drive("elsewhere", async |window| {
        let came = window
            .measure(REACHES_OUT, vec![url.clone().into()])
            .await
            .expect("the script runs");
        let came = came.as_array().expect("a list").clone();
        assert_eq!(came.len(), 14);
        for (nth, one) in came.iter().enumerate() {
            assert_eq!(one, "refused", "way {nth} of {came:?}");
        }
        // Nor has the page left its address.
        window
            .at("navigation", "Servers")
            .shows("Demo server")
            .await;
    })
    .await;
    let reached = elsewhere.accept();
    assert!(reached.is_err(), "somebody came: {reached:?}");
}

const REACHES_OUT: &str = include_str!("elsewhere.js");
