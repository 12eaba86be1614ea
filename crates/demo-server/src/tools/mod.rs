//! The tools, split by what they show.

mod asking;
mod asks;
mod booking;
mod cards;
mod catering;
mod chores;
mod deposit;
mod form;
mod guide;
mod news;
mod pace;
mod plain;
mod queue;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use schemars::Schema;
use schemars::transform::transform_subschemas;

use crate::server::DemoServer;

/// The order in which the tools are listed: the guide first, then what shows the protocol's machinery.
const ORDER: [&str; 26] = [
    "find_restaurants",
    "menu_card",
    "book_table",
    "cancel_booking",
    "suggest_dish",
    "shared_folders",
    "guest_card",
    "seat_party",
    "compose_menu",
    "order_catering",
    "pay_deposit",
    "wait_for_table",
    "ask_for_ever",
    "echo",
    "slow_count",
    "flood",
    "fail",
    "stderr_chatter",
    "import_menu",
    "plan_banquet",
    "nightly_sync",
    "rebuild_index",
    "slow_roast",
    "kitchen_log",
    "turn_season",
    SEASONAL,
];

/// The tool that is there only while it is the season.
const SEASONAL: &str = "order_truffles";

/// Every tool.
pub(crate) fn router() -> ToolRouter<DemoServer> {
    DemoServer::guide_tools()
        + DemoServer::booking_tools()
        + DemoServer::catering_tools()
        + DemoServer::chore_tools()
        + DemoServer::news_tools()
        + DemoServer::asking_tools()
        + DemoServer::card_tools()
        + DemoServer::deposit_tools()
        + DemoServer::queue_tools()
        + DemoServer::pace_tools()
        + DemoServer::plain_tools()
}

/// The tools as they are listed.
pub(crate) fn in_order(router: &ToolRouter<DemoServer>, is_in_season: bool) -> Vec<Tool> {
    let mut tools = router.list_all();
    tools.retain(|tool| is_in_season || tool.name != SEASONAL);
    tools.sort_by_key(|tool| ORDER.iter().position(|name| *name == tool.name));
    tools
}

/// The answer of a tool that ran and failed: the person reads it (server/tools § Error Handling).
fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Takes `format` off numbers: `uint32` and `double` are Rust's names, and JSON Schema has none for them.
fn without_number_formats(schema: &mut Schema) {
    let is_number = schema
        .get("type")
        .is_some_and(|kind| kind == "integer" || kind == "number");
    if is_number {
        schema.remove("format");
    }
    transform_subschemas(&mut without_number_formats, schema);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ORDER, in_order, router};

    #[test]
    fn every_tool_has_its_place_and_says_what_it_does() {
        let tools = in_order(&router(), true);
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ORDER);
        for tool in &tools {
            assert!(
                tool.title.is_some() && tool.description.is_some(),
                "{}",
                tool.name
            );
            let annotations = tool.annotations.as_ref().expect("annotations");
            assert!(
                annotations.read_only_hint.is_some() && annotations.open_world_hint.is_some(),
                "{}",
                tool.name
            );
            let schema = serde_json::to_string(&tool.input_schema).unwrap();
            // What is derived from types is written out; the one that is written by hand has references to be followed.
            let may_refer = tool.name == "order_catering";
            assert!(
                (may_refer || !schema.contains("$ref")) && !schema.contains("uint"),
                "{}: {schema}",
                tool.name
            );
        }
        let titles: BTreeSet<_> = tools.iter().map(|tool| tool.title.clone()).collect();
        assert_eq!(titles.len(), ORDER.len());
    }
}
