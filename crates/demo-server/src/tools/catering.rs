//! `order_catering`: a tool whose arguments use every construct of JSON Schema that a form can draw: conditions, members
//! that wait for others, names of one's own, lists with places, variants, and a schema inside itself.

use std::sync::{Arc, LazyLock};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use rmcp::{tool, tool_router};
use serde_json::{Value, json};

use crate::server::DemoServer;

static SCHEMA: LazyLock<Arc<JsonObject>> = LazyLock::new(|| match schema() {
    Value::Object(schema) => Arc::new(schema),
    _ => Arc::default(),
});

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "occasion": { "enum": ["wedding", "office lunch", "picnic"], "description": "What it is for." },
            "guests": { "type": "integer", "minimum": 1, "maximum": 500, "default": 12 },
            "how": { "enum": ["delivery", "pick-up"], "description": "Either asks for something of its own." },
            "invoice_to": { "type": "string", "description": "Fill it in, and a tax number is asked for." },
            "hall": {
                "type": "array",
                "description": "How large the room is: length and width, then remarks.",
                "prefixItems": [
                    { "type": "number", "title": "Length in metres", "exclusiveMinimum": 0 },
                    { "type": "number", "title": "Width in metres", "exclusiveMinimum": 0 }
                ],
                "items": { "type": "string" }
            },
            "diets": {
                "type": "object",
                "description": "How many guests keep which diet; the names are yours.",
                "additionalProperties": { "type": "integer", "minimum": 1 }
            },
            "drinks": {
                "description": "Nothing, one of the packages, or bottles that you name.",
                "oneOf": [
                    { "title": "Package", "type": "string", "enum": ["water", "soft", "wine"] },
                    {
                        "title": "Bottles",
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "label": { "type": "string" },
                                "count": { "type": "integer", "minimum": 1 }
                            },
                            "required": ["label", "count"]
                        }
                    },
                    { "type": "null" }
                ]
            },
            "seating": { "$ref": "#/$defs/Group" }
        },
        "required": ["occasion", "how"],
        "if": { "properties": { "how": { "const": "delivery" } }, "required": ["how"] },
        "then": {
            "properties": {
                "address": { "type": "string", "minLength": 5 },
                "at": { "type": "string", "format": "date-time" }
            },
            "required": ["address"]
        },
        "else": { "properties": { "branch": { "enum": ["market square", "station"] } } },
        "dependentSchemas": {
            "invoice_to": {
                "properties": { "tax_number": { "type": "string", "pattern": "^[A-Z]{2}[0-9]{8,10}$" } },
                "required": ["tax_number"]
            }
        },
        "$defs": {
            "Group": {
                "type": "object",
                "description": "A group of guests, and the groups within it.",
                "properties": {
                    "name": { "type": "string" },
                    "seats": { "type": "integer", "minimum": 0 },
                    "groups": { "type": "array", "items": { "$ref": "#/$defs/Group" } }
                },
                "required": ["name"]
            }
        }
    })
}

#[tool_router(router = catering_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Order catering",
        description = "Repeats an order. Its arguments use every construct of JSON Schema that a form can draw.",
        input_schema = Arc::clone(&SCHEMA),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn order_catering(Parameters(order): Parameters<JsonObject>) -> CallToolResult {
        let guests = order.get("guests").and_then(Value::as_u64).unwrap_or(12);
        let mut result = CallToolResult::structured(
            json!({ "order": order, "per_guest_eur": 24, "total_eur": guests * 24 }),
        );
        result.content = vec![ContentBlock::text(format!(
            "Catering for {guests}: €{}. Nothing is delivered; this is a demo.",
            guests * 24
        ))];
        result
    }
}
