//! Resources: a few texts, the bookings, a picture, and a template for each restaurant's menu.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::bookings::Bookings;
use crate::guide::Restaurant;

/// The URI of the bookings.
pub(crate) const BOOKINGS_URI: &str = "demo://bookings";

/// The URI of the season's menu.
pub(crate) const SEASON_URI: &str = "demo://menu/truffles";

/// The URI of the picture.
pub(crate) const PICTURE_URI: &str = "demo://pictures/menu-card.png";

/// The template of a restaurant's menu (RFC 6570).
pub(crate) const MENU_TEMPLATE: &str = "demo://restaurants/{name}/menu";

/// The picture of a menu card; drawn in `assets/menu-card.svg`.
pub(crate) const PICTURE: &[u8] = include_bytes!("../assets/menu-card.png");

/// A text that is always there.
struct Text {
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    mime_type: &'static str,
    body: &'static str,
}

const TEXTS: &[Text] = &[
    Text {
        uri: "demo://menu/breakfast",
        name: "breakfast",
        title: "Breakfast menu",
        description: "What the demo kitchen serves until 11 o'clock.",
        mime_type: "text/markdown",
        body: "# Breakfast\n\n- Espresso — €1.20\n- Cornetto with apricot jam — €1.50\n- Eggs on rye — €6\n",
    },
    Text {
        uri: "demo://menu/lunch",
        name: "lunch",
        title: "Lunch menu",
        description: "What the demo kitchen serves at noon.",
        mime_type: "text/markdown",
        body: "# Lunch\n\n- Minestrone — €6\n- Panino with mortadella — €7\n- Insalata mista — €5\n",
    },
    Text {
        uri: "demo://menu/dinner",
        name: "dinner",
        title: "Dinner menu",
        description: "What the demo kitchen serves in the evening.",
        mime_type: "text/markdown",
        body: "# Dinner\n\n- Tagliatelle al ragù — €14\n- Pizza Margherita — €9\n- Tiramisù — €6\n",
    },
    Text {
        uri: "demo://house-rules",
        name: "house-rules",
        title: "House rules",
        description: "How bookings are kept and cancelled.",
        mime_type: "text/plain",
        body: "A table is kept for fifteen minutes.\nCancel when you cannot come.\nDogs are welcome on the terrace.\n",
    },
];

/// Every resource that has a fixed URI; one of them is there only in the season.
pub(crate) fn all(is_in_season: bool) -> Vec<Resource> {
    let mut all: Vec<_> = TEXTS
        .iter()
        .map(|text| {
            Resource::new(text.uri, text.name)
                .with_title(text.title)
                .with_description(text.description)
                .with_mime_type(text.mime_type)
                .with_size(text.body.len() as u64)
        })
        .collect();
    all.push(
        Resource::new(BOOKINGS_URI, "bookings")
            .with_title("Bookings")
            .with_description("The tables booked since this server started.")
            .with_mime_type("application/json"),
    );
    all.push(
        Resource::new(PICTURE_URI, "menu-card.png")
            .with_title("Picture of a menu card")
            .with_description("A small PNG picture, to show binary content.")
            .with_mime_type("image/png")
            .with_size(PICTURE.len() as u64),
    );
    if is_in_season {
        all.push(
            Resource::new(SEASON_URI, "truffles")
                .with_title("Truffle menu")
                .with_description("There only while it is the season.")
                .with_mime_type("text/markdown"),
        );
    }
    all
}

/// Every template.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(MENU_TEMPLATE, "restaurant-menu")
            .with_title("A restaurant's menu")
            .with_description(
                "The menu of one restaurant of the guide; the server completes the name.",
            )
            .with_mime_type("text/markdown"),
    ]
}

/// What is at `uri`. An unknown one is the error that the specification asks for (server/resources § Error Handling).
pub(crate) fn read(uri: &str, bookings: &Bookings) -> Result<ReadResourceResult, ErrorData> {
    let contents = if let Some(text) = TEXTS.iter().find(|text| text.uri == uri) {
        ResourceContents::text(text.body, uri).with_mime_type(text.mime_type)
    } else if uri == BOOKINGS_URI {
        let json = serde_json::to_string_pretty(&bookings.all()).map_err(|error| {
            ErrorData::internal_error(format!("the bookings cannot be written: {error}"), None)
        })?;
        ResourceContents::text(json, uri).with_mime_type("application/json")
    } else if uri == SEASON_URI {
        let menu = "# Truffles\n\n- Tagliatelle al tartufo — €24\n";
        ResourceContents::text(menu, uri).with_mime_type("text/markdown")
    } else if uri == PICTURE_URI {
        ResourceContents::blob(picture(), uri).with_mime_type("image/png")
    } else if let Some(restaurant) = Restaurant::of_menu_uri(uri) {
        menu_contents(restaurant)
    } else {
        return Err(ErrorData::resource_not_found(
            format!(
                "there is no resource {uri:?}: resources/list and resources/templates/list say what there is"
            ),
            Some(serde_json::json!({ "uri": uri })),
        ));
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// A restaurant's menu as a resource's contents.
pub(crate) fn menu_contents(restaurant: &Restaurant) -> ResourceContents {
    ResourceContents::text(restaurant.menu(), restaurant.menu_uri()).with_mime_type("text/markdown")
}

/// A link to a restaurant's menu.
pub(crate) fn menu_link(restaurant: &Restaurant) -> Resource {
    Resource::new(restaurant.menu_uri(), restaurant.name)
        .with_title(format!("Menu of {}", restaurant.name))
        .with_mime_type("text/markdown")
}

/// The picture, in Base64.
pub(crate) fn picture() -> String {
    BASE64_STANDARD.encode(PICTURE)
}
