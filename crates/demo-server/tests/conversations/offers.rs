//! What the server offers besides tools: resources, prompts and completion.

use serde_json::json;

use crate::support::{Piped, modern};

#[tokio::test]
async fn resources_are_read() {
    let mut server = Piped::start();
    let answer = server.ask("resources/list", modern(json!({}))).await;
    let resources = answer["result"]["resources"].as_array().unwrap().clone();
    assert!(resources.len() >= 6);
    for resource in &resources {
        let read = server
            .ask("resources/read", modern(json!({ "uri": resource["uri"] })))
            .await;
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], resource["uri"]);
        assert_eq!(contents["mimeType"], resource["mimeType"]);
        let is_picture = resource["mimeType"] == "image/png";
        assert_eq!(contents.get("blob").is_some(), is_picture);
        assert_eq!(contents.get("text").is_some(), !is_picture);
    }
    let templates = server
        .ask("resources/templates/list", modern(json!({})))
        .await;
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"],
        "demo://restaurants/{name}/menu"
    );
    let shojin = "demo://restaurants/%E7%B2%BE%E9%80%B2%20Sh%C5%8Djin/menu";
    let read = server
        .ask("resources/read", modern(json!({ "uri": shojin })))
        .await;
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("# 精進 Shōjin")
    );
    let missing = server
        .ask(
            "resources/read",
            modern(json!({ "uri": "demo://menu/midnight" })),
        )
        .await;
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(missing["error"]["data"]["uri"], "demo://menu/midnight");
}

#[tokio::test]
async fn prompts_are_filled_in_and_completed() {
    let mut server = Piped::start();
    let answer = server.ask("prompts/list", modern(json!({}))).await;
    assert_eq!(answer["result"]["prompts"][0]["name"], "write_review");
    assert_eq!(
        answer["result"]["prompts"][0]["arguments"][0]["required"],
        true
    );

    let params = json!({ "name": "write_review", "arguments": { "restaurant": "kitsune", "tone": "poetic" } });
    let answer = server.ask("prompts/get", modern(params)).await;
    let messages = answer["result"]["messages"].as_array().unwrap();
    assert!(
        messages[0]["content"]["text"]
            .as_str()
            .unwrap()
            .contains("in a poetic tone")
    );
    assert_eq!(
        messages[1]["content"]["resource"]["uri"],
        "demo://restaurants/Kitsune/menu"
    );

    for params in [
        json!({ "name": "write_review" }),
        json!({ "name": "write_review", "arguments": { "restaurant": "Nowhere" } }),
        json!({ "name": "plan_evening", "arguments": { "city": "Porto", "guests": "many" } }),
        json!({ "name": "sing" }),
    ] {
        let answer = server.ask("prompts/get", modern(params.clone())).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }

    for (reference, argument, typed, values) in [
        (
            json!({ "type": "ref/prompt", "name": "write_review" }),
            "restaurant",
            "ta",
            json!(["Taberna Azul"]),
        ),
        (
            json!({ "type": "ref/prompt", "name": "write_review" }),
            "tone",
            "e",
            json!(["enthusiastic", "brief", "honest", "poetic"]),
        ),
        (
            json!({ "type": "ref/prompt", "name": "plan_evening" }),
            "city",
            "",
            json!(["Bologna", "Kyoto", "Porto"]),
        ),
        (
            json!({ "type": "ref/resource", "uri": "demo://restaurants/{name}/menu" }),
            "name",
            "shō",
            json!(["精進 Shōjin"]),
        ),
        (
            json!({ "type": "ref/prompt", "name": "write_review" }),
            "colour",
            "",
            json!([]),
        ),
    ] {
        let params = json!({ "ref": reference, "argument": { "name": argument, "value": typed } });
        let answer = server.ask("completion/complete", modern(params)).await;
        assert_eq!(
            answer["result"]["completion"]["values"], values,
            "{argument} {typed}"
        );
    }
    let params = json!({ "ref": { "type": "ref/prompt", "name": "sing" }, "argument": { "name": "a", "value": "" } });
    let answer = server.ask("completion/complete", modern(params)).await;
    assert_eq!(answer["error"]["code"], -32602);
}
