//! Tools that read the guide and answer at once.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::{ErrorData, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{failed, without_number_formats};
use crate::guide::{Cuisine, RESTAURANTS, Restaurant, cities};
use crate::resources;
use crate::server::DemoServer;

/// How many restaurants one answer may hold.
const MOST_RESULTS: u32 = 20;

fn five() -> u32 {
    5
}

/// A place on earth.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
struct Place {
    /// Degrees, north positive.
    #[schemars(title = "Latitude", range(min = -90.0, max = 90.0))]
    lat: f64,
    /// Degrees, east positive.
    #[schemars(title = "Longitude", range(min = -180.0, max = 180.0))]
    lon: f64,
}

// `Option` with `schemars(with)`: an optional argument is left out, never null.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct FindInput {
    /// Bologna, Kyoto or Porto.
    #[schemars(title = "City", length(min = 1))]
    city: String,
    /// Only this kitchen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Cuisine", with = "Cuisine")]
    cuisine: Option<Cuisine>,
    /// At most so many.
    #[serde(default = "five")]
    #[schemars(title = "Most results", range(min = 1, max = MOST_RESULTS))]
    max_results: u32,
    /// Only those that are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Open now", with = "bool")]
    open_now: Option<bool>,
    /// The nearest to this place come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Near", with = "Place")]
    near: Option<Place>,
    /// Diets that the kitchen must cater for, e.g. vegan, vegetarian, gluten-free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(title = "Diets", inner(length(min = 1)))]
    diets: Vec<String>,
}

/// A restaurant that fits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Found {
    name: &'static str,
    city: &'static str,
    cuisine: Cuisine,
    open_now: bool,
    diets: &'static [&'static str],
    /// From the place that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    distance_km: Option<f64>,
    /// The resource that holds its menu.
    menu_uri: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct FindOutput {
    /// Those that fit, at most `max_results`.
    restaurants: Vec<Found>,
    /// How many fit in all.
    total: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct MenuInput {
    /// A restaurant of the guide, e.g. Trattoria Lucia.
    #[schemars(title = "Restaurant", length(min = 1))]
    restaurant: String,
}

#[tool_router(router = guide_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Find restaurants",
        description = "Searches the guide by city, cuisine, diets and distance.",
        output_schema = rmcp::handler::server::tool::schema_for_output::<FindOutput>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn find_restaurants(
        Parameters(input): Parameters<FindInput>,
    ) -> Result<CallToolResult, ErrorData> {
        let problem = problem_with(&input);
        if let Some(problem) = problem {
            return Ok(failed(problem));
        }
        let output = find(&input);
        let mut lines: Vec<_> = output
            .restaurants
            .iter()
            .map(|found| match found.distance_km {
                Some(distance) => format!("- {} ({distance} km)", found.name),
                None => format!("- {}", found.name),
            })
            .collect();
        lines.insert(
            0,
            format!(
                "{} of {} that fit in {}:",
                lines.len(),
                output.total,
                input.city.trim()
            ),
        );
        let mut result = CallToolResult::success(vec![ContentBlock::text(lines.join("\n"))]);
        result.structured_content = Some(serde_json::to_value(output).map_err(|error| {
            ErrorData::internal_error(
                format!("the answer cannot be written as JSON: {error}"),
                None,
            )
        })?);
        Ok(result)
    }

    #[tool(
        title = "Menu card",
        description = "A restaurant's menu: a picture, a text, the menu as an embedded resource and a link to it.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn menu_card(Parameters(input): Parameters<MenuInput>) -> CallToolResult {
        match Restaurant::named_or_say(&input.restaurant) {
            Ok(restaurant) => CallToolResult::success(vec![
                ContentBlock::text(format!(
                    "The menu of {} in {}.",
                    restaurant.name, restaurant.city
                )),
                ContentBlock::image(resources::picture(), "image/png"),
                ContentBlock::resource(resources::menu_contents(restaurant)),
                ContentBlock::resource_link(resources::menu_link(restaurant)),
            ]),
            Err(problem) => failed(problem),
        }
    }
}

fn problem_with(input: &FindInput) -> Option<String> {
    let city = input.city.trim();
    if !cities()
        .iter()
        .any(|known| known.eq_ignore_ascii_case(city))
    {
        return Some(format!(
            "The guide knows nothing in {city:?}. It knows {}.",
            cities().join(", ")
        ));
    }
    if !(1..=MOST_RESULTS).contains(&input.max_results) {
        return Some(format!(
            "max_results must be from 1 to {MOST_RESULTS}, not {}.",
            input.max_results
        ));
    }
    let near = input.near.as_ref()?;
    if !(-90.0..=90.0).contains(&near.lat) {
        return Some(format!(
            "near.lat must be from -90 to 90, not {}.",
            near.lat
        ));
    }
    if !(-180.0..=180.0).contains(&near.lon) {
        return Some(format!(
            "near.lon must be from -180 to 180, not {}.",
            near.lon
        ));
    }
    None
}

fn find(input: &FindInput) -> FindOutput {
    let mut fitting: Vec<_> = RESTAURANTS
        .iter()
        .filter(|restaurant| restaurant.city.eq_ignore_ascii_case(input.city.trim()))
        .filter(|restaurant| {
            input
                .cuisine
                .is_none_or(|cuisine| restaurant.cuisine == cuisine)
        })
        .filter(|restaurant| input.open_now != Some(true) || restaurant.open_now)
        .filter(|restaurant| {
            input.diets.iter().all(|diet| {
                restaurant
                    .diets
                    .iter()
                    .any(|has| has.eq_ignore_ascii_case(diet.trim()))
            })
        })
        .map(|restaurant| {
            let distance = input
                .near
                .as_ref()
                .map(|place| restaurant.distance_km(place.lat, place.lon));
            (restaurant, distance.map(|km| (km * 10.0).round() / 10.0))
        })
        .collect();
    fitting.sort_by(|(_, left), (_, right)| {
        left.partial_cmp(right).unwrap_or(std::cmp::Ordering::Equal)
    });
    let total = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
    let restaurants = fitting
        .into_iter()
        .take(input.max_results as usize)
        .map(|(restaurant, distance_km)| Found {
            name: restaurant.name,
            city: restaurant.city,
            cuisine: restaurant.cuisine,
            open_now: restaurant.open_now,
            diets: restaurant.diets,
            distance_km,
            menu_uri: restaurant.menu_uri(),
        })
        .collect();
    FindOutput { restaurants, total }
}
