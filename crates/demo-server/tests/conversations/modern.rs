//! 2026-07-28 over stdio: no handshake, every request speaks for itself.

use serde_json::{Value, json};

use crate::support::{Piped, call, modern, modern_with};

#[tokio::test]
async fn discover_says_who_and_what() {
    let mut server = Piped::start();
    let answer = server.ask("server/discover", modern(json!({}))).await;
    let result = &answer["result"];
    let versions: Vec<_> = result["supportedVersions"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert!(versions.contains(&&json!("2026-07-28")) && versions.contains(&&json!("2025-11-25")));
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(
            result["capabilities"][capability].is_object(),
            "{capability}"
        );
    }
    let identity = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(identity["name"], "roundtrip-demo");
    assert_eq!(identity["title"], "Roundtrip demo");
    assert_eq!(identity["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        result["instructions"]
            .as_str()
            .unwrap()
            .contains("book_table")
    );
}

#[tokio::test]
async fn tools_come_in_pages() {
    let mut server = Piped::start();
    let first = server.ask("tools/list", modern(json!({}))).await;
    let names = |answer: &Value| -> Vec<String> {
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(&first),
        [
            "find_restaurants",
            "menu_card",
            "book_table",
            "cancel_booking",
            "suggest_dish",
            "shared_folders"
        ]
    );
    let cursor = &first["result"]["nextCursor"];
    assert!(cursor.is_string());
    let mut pages = vec![
        "guest_card seat_party compose_menu order_catering pay_deposit wait_for_table",
        "ask_for_ever echo slow_count flood fail stderr_chatter",
        "import_menu plan_banquet nightly_sync rebuild_index slow_roast kitchen_log",
        "turn_season",
    ]
    .into_iter();
    let mut cursor = cursor.clone();
    while !cursor.is_null() {
        let page = server
            .ask("tools/list", modern(json!({ "cursor": cursor })))
            .await;
        assert_eq!(Some(names(&page).join(" ").as_str()), pages.next());
        cursor = page["result"]["nextCursor"].clone();
    }
    assert_eq!(pages.next(), None);
    let invented = server
        .ask("tools/list", modern(json!({ "cursor": "6" })))
        .await;
    assert_eq!(invented["error"]["code"], -32602);
}

#[tokio::test]
async fn schemas_are_what_a_form_is_made_of() {
    let mut server = Piped::start();
    let answer = server.ask("tools/list", modern(json!({}))).await;
    let find = &answer["result"]["tools"][0];
    let properties = find["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(
        properties.keys().collect::<Vec<_>>(),
        [
            "city",
            "cuisine",
            "max_results",
            "open_now",
            "near",
            "diets"
        ]
    );
    assert_eq!(find["inputSchema"]["required"], json!(["city"]));
    assert_eq!(properties["max_results"]["type"], "integer");
    assert_eq!(properties["max_results"]["maximum"], 20);
    assert_eq!(properties["near"]["required"], json!(["lat", "lon"]));
    assert_eq!(properties["diets"]["items"]["type"], "string");
    assert_eq!(find["annotations"]["readOnlyHint"], true);
    assert!(
        !find.to_string().contains("null"),
        "an optional argument is left out, never null: {find}"
    );
    let book = &answer["result"]["tools"][2];
    assert_eq!(
        book["inputSchema"]["properties"]["date"]["x-mcp-header"],
        "Date"
    );
    assert_eq!(
        answer["result"]["tools"][3]["annotations"]["destructiveHint"],
        true
    );
}

#[tokio::test]
async fn restaurants_are_found() {
    let mut server = Piped::start();
    let arguments = json!({ "city": "bologna", "near": { "lat": 44.4901, "lon": 11.3358 }, "diets": ["vegetarian"] });
    let answer = server
        .ask("tools/call", modern(call("find_restaurants", arguments)))
        .await;
    let found = &answer["result"]["structuredContent"];
    assert_eq!(found["total"], 3);
    let names: Vec<_> = found["restaurants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["name"])
        .collect();
    assert_eq!(
        names,
        ["Verde & Co.", "Osteria del Portico", "Trattoria Lucia"]
    );
    assert_eq!(found["restaurants"][0]["distance_km"], 0.0);
    assert_eq!(answer["result"]["resultType"], "complete");

    let arguments =
        json!({ "city": "Bologna", "cuisine": "italian", "open_now": true, "max_results": 1 });
    let answer = server
        .ask("tools/call", modern(call("find_restaurants", arguments)))
        .await;
    assert_eq!(
        answer["result"]["structuredContent"]["restaurants"][0]["name"],
        "Trattoria Lucia"
    );
}

#[tokio::test]
async fn wrong_arguments_are_told_to_the_person() {
    let mut server = Piped::start();
    for (tool, arguments, named) in [
        (
            "find_restaurants",
            json!({ "city": "Atlantis" }),
            "Bologna, Kyoto, Porto",
        ),
        ("find_restaurants", json!({}), "city"),
        (
            "find_restaurants",
            json!({ "city": "Kyoto", "max_results": 0 }),
            "max_results",
        ),
        (
            "find_restaurants",
            json!({ "city": "Kyoto", "max_results": -1 }),
            "-1",
        ),
        (
            "find_restaurants",
            json!({ "city": "Kyoto", "near": { "lat": 91, "lon": 0 } }),
            "near.lat",
        ),
        (
            "find_restaurants",
            json!({ "city": "Kyoto", "cuisine": "lunar" }),
            "lunar",
        ),
        (
            "menu_card",
            json!({ "restaurant": "Nowhere" }),
            "Trattoria Lucia",
        ),
        ("slow_count", json!({ "steps": 601 }), "600"),
        (
            "slow_count",
            json!({ "steps": 1, "step_millis": 60_001 }),
            "60000",
        ),
        ("flood", json!({ "count": 1_000_001 }), "1000000"),
        ("flood", json!({ "count": 3 }), "progress token"),
        ("stderr_chatter", json!({ "lines": 0 }), "10000"),
        (
            "book_table",
            json!({ "restaurant": "Kitsune", "date": "2026-02-30" }),
            "YYYY-MM-DD",
        ),
        (
            "cancel_booking",
            json!({ "reference": "RT-NONE" }),
            "demo://bookings",
        ),
        ("echo", json!({ "text": 7 }), "7"),
    ] {
        let answer = server
            .ask("tools/call", modern(call(tool, arguments.clone())))
            .await;
        assert_eq!(
            answer["result"]["isError"], true,
            "{tool} {arguments}: {answer}"
        );
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(named), "{tool} {arguments}: {text}");
    }
    let answer = server
        .ask("tools/call", modern(call("teleport", json!({}))))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn a_menu_card_has_every_kind_of_content() {
    let mut server = Piped::start();
    let answer = server
        .ask(
            "tools/call",
            modern(call("menu_card", json!({ "restaurant": "Verde & Co." }))),
        )
        .await;
    let content = answer["result"]["content"].as_array().unwrap();
    let kinds: Vec<_> = content
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["text", "image", "resource", "resource_link"]);
    assert!(
        content[1]["data"]
            .as_str()
            .unwrap()
            .starts_with("iVBORw0KGgo"),
        "a PNG picture"
    );
    let uri = content[3]["uri"].as_str().unwrap();
    assert_eq!(uri, "demo://restaurants/Verde%20%26%20Co./menu");
    let read = server
        .ask("resources/read", modern(json!({ "uri": uri })))
        .await;
    assert_eq!(
        read["result"]["contents"][0]["text"],
        content[2]["resource"]["text"]
    );
}

#[tokio::test]
async fn failures_of_each_kind() {
    let mut server = Piped::start();
    let answer = server
        .ask(
            "tools/call",
            modern(call("fail", json!({ "kind": "tool_error" }))),
        )
        .await;
    assert_eq!(answer["result"]["isError"], true);
    let answer = server
        .ask(
            "tools/call",
            modern(call("fail", json!({ "kind": "rpc_error" }))),
        )
        .await;
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(answer["error"]["data"]["retryAfterSeconds"], 30);
    let answer = server
        .ask(
            "tools/call",
            modern(call("fail", json!({ "kind": "invalid_params" }))),
        )
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn chatter_goes_to_standard_error() {
    let mut server = Piped::start();
    let answer = server
        .ask(
            "tools/call",
            modern(call("stderr_chatter", json!({ "lines": 3 }))),
        )
        .await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Wrote 3 lines to standard error."
    );
    for line in 1..=3 {
        assert_eq!(
            server.hear_stderr().await,
            format!("roundtrip-demo: order {line} of 3 is on its way")
        );
    }
}

#[tokio::test]
async fn a_request_without_its_meta_is_refused() {
    let mut server = Piped::start();
    server.ask("tools/list", modern(json!({}))).await;
    let answer = server.ask("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);
    let mut params = modern_with(json!({}), json!({}), None);
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-12-31");
    let answer = server.ask("tools/list", params).await;
    assert_eq!(answer["error"]["code"], -32022);
}

#[tokio::test]
async fn noise_on_its_input_does_not_end_the_session() {
    let mut server = Piped::start();
    server.write("hello?").await;
    server.write("{\"jsonrpc\":").await;
    let answer = server
        .ask(
            "tools/call",
            modern(call("echo", json!({ "text": "still here ✓" }))),
        )
        .await;
    assert_eq!(answer["result"]["content"][0]["text"], "still here ✓");
    let (rest, status) = server.close().await;
    assert!(rest.is_empty() && status.success());
}

#[tokio::test]
async fn every_construct_of_a_schema_is_there_and_what_is_ordered_comes_back() {
    let mut server = Piped::start();
    let first = server.ask("tools/list", modern(json!({}))).await;
    let page = json!({ "cursor": first["result"]["nextCursor"] });
    let second = server.ask("tools/list", modern(page)).await;
    let tools = second["result"]["tools"].as_array().unwrap();
    let catering = tools
        .iter()
        .find(|tool| tool["name"] == "order_catering")
        .unwrap();
    let schema = &catering["inputSchema"];
    for keyword in ["if", "then", "else", "dependentSchemas", "$defs"] {
        assert!(!schema[keyword].is_null(), "{keyword}");
    }
    let of = |name: &str| &schema["properties"][name];
    assert!(of("hall")["prefixItems"].is_array());
    assert!(of("diets")["additionalProperties"].is_object());
    assert_eq!(
        schema["$defs"]["Group"]["properties"]["groups"]["items"]["$ref"],
        "#/$defs/Group"
    );
    let order =
        json!({ "occasion": "picnic", "how": "pick-up", "guests": 10, "diets": { "vegan": 3 } });
    let call = json!({ "name": "order_catering", "arguments": order });
    let answer = server.ask("tools/call", modern(call)).await;
    let structured = &answer["result"]["structuredContent"];
    assert_eq!(structured["order"], order);
    assert_eq!(structured["total_eur"], 240);
}
