//! The restaurant guide: what the demo server knows. All of it is made up.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a kitchen is known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Cuisine {
    Italian,
    Japanese,
    Portuguese,
    Vegetarian,
}

/// One restaurant.
#[derive(Debug)]
pub(crate) struct Restaurant {
    pub(crate) name: &'static str,
    pub(crate) city: &'static str,
    pub(crate) cuisine: Cuisine,
    /// Fixed, so that answers are the same on every run.
    pub(crate) open_now: bool,
    /// Degrees, north positive.
    pub(crate) lat: f64,
    /// Degrees, east positive.
    pub(crate) lon: f64,
    /// The diets that the kitchen caters for.
    pub(crate) diets: &'static [&'static str],
    /// Dishes and their prices in euros.
    pub(crate) dishes: &'static [(&'static str, u32)],
}

/// Every restaurant, by city and name.
pub(crate) const RESTAURANTS: &[Restaurant] = &[
    Restaurant {
        name: "Osteria del Portico",
        city: "Bologna",
        cuisine: Cuisine::Italian,
        open_now: false,
        lat: 44.4949,
        lon: 11.3426,
        diets: &["vegetarian"],
        dishes: &[
            ("Tortellini in brodo", 14),
            ("Tagliatelle al ragù", 15),
            ("Zuppa inglese", 7),
        ],
    },
    Restaurant {
        name: "Trattoria Lucia",
        city: "Bologna",
        cuisine: Cuisine::Italian,
        open_now: true,
        lat: 44.4983,
        lon: 11.3499,
        diets: &["vegetarian", "gluten-free"],
        dishes: &[
            ("Gramigna alla salsiccia", 13),
            ("Parmigiana di melanzane", 12),
            ("Crème caramel", 6),
        ],
    },
    Restaurant {
        name: "Verde & Co.",
        city: "Bologna",
        cuisine: Cuisine::Vegetarian,
        open_now: true,
        lat: 44.4901,
        lon: 11.3358,
        diets: &["vegan", "vegetarian", "gluten-free"],
        dishes: &[
            ("Farinata with rosemary", 9),
            ("Chestnut gnocchi", 14),
            ("Pear in red wine", 6),
        ],
    },
    Restaurant {
        name: "Kitsune",
        city: "Kyoto",
        cuisine: Cuisine::Japanese,
        open_now: true,
        lat: 35.0037,
        lon: 135.7751,
        diets: &["vegetarian"],
        dishes: &[
            ("Kitsune udon", 8),
            ("Obanzai of the day", 17),
            ("Warabi mochi", 5),
        ],
    },
    Restaurant {
        name: "精進 Shōjin",
        city: "Kyoto",
        cuisine: Cuisine::Vegetarian,
        open_now: false,
        lat: 35.0270,
        lon: 135.7982,
        diets: &["vegan", "vegetarian"],
        dishes: &[
            ("Yudōfu", 16),
            ("Sesame tofu", 9),
            ("Matcha and namagashi", 7),
        ],
    },
    Restaurant {
        name: "Casa do Cais",
        city: "Porto",
        cuisine: Cuisine::Portuguese,
        open_now: true,
        lat: 41.1406,
        lon: -8.6137,
        diets: &["gluten-free"],
        dishes: &[
            ("Bacalhau à Brás", 14),
            ("Caldo verde", 5),
            ("Pastel de nata", 2),
        ],
    },
    Restaurant {
        name: "Taberna Azul",
        city: "Porto",
        cuisine: Cuisine::Portuguese,
        open_now: true,
        lat: 41.1496,
        lon: -8.6110,
        diets: &["vegetarian"],
        dishes: &[
            ("Francesinha", 12),
            ("Polvo à lagareiro", 19),
            ("Arroz doce", 4),
        ],
    },
];

/// What stays as it is in a URI's path segment (RFC 3986 § 2.3); the rest is percent-encoded.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Restaurant {
    /// The restaurant of that name, whatever its case and the spaces around it.
    pub(crate) fn named(name: &str) -> Option<&'static Restaurant> {
        let name = name.trim().to_lowercase();
        RESTAURANTS
            .iter()
            .find(|restaurant| restaurant.name.to_lowercase() == name)
    }

    /// The restaurant of that name, or a sentence that says which names there are.
    pub(crate) fn named_or_say(name: &str) -> Result<&'static Restaurant, String> {
        Restaurant::named(name).ok_or_else(|| {
            let names: Vec<_> = RESTAURANTS
                .iter()
                .map(|restaurant| restaurant.name)
                .collect();
            format!(
                "The guide has no restaurant named {name:?}. It has: {}.",
                names.join(", ")
            )
        })
    }

    /// The restaurant of a menu's URI, `demo://restaurants/{name}/menu`.
    pub(crate) fn of_menu_uri(uri: &str) -> Option<&'static Restaurant> {
        let name = uri
            .strip_prefix("demo://restaurants/")?
            .strip_suffix("/menu")?;
        Restaurant::named(&percent_decode_str(name).decode_utf8().ok()?)
    }

    /// The URI of its menu.
    pub(crate) fn menu_uri(&self) -> String {
        format!(
            "demo://restaurants/{}/menu",
            utf8_percent_encode(self.name, SEGMENT)
        )
    }

    /// Its menu, in Markdown.
    pub(crate) fn menu(&self) -> String {
        let mut menu = format!(
            "# {}\n\n{}, {}\n\n",
            self.name,
            self.city,
            self.diets.join(" · ")
        );
        for (dish, euros) in self.dishes {
            menu.extend(["- ", dish, " — €", &euros.to_string(), "\n"]);
        }
        menu
    }

    /// The distance to a place in kilometres, along a great circle.
    pub(crate) fn distance_km(&self, lat: f64, lon: f64) -> f64 {
        const EARTH_RADIUS_KM: f64 = 6371.0;
        let half_lat = (self.lat - lat).to_radians() / 2.0;
        let half_lon = (self.lon - lon).to_radians() / 2.0;
        let across = half_lat.sin().powi(2)
            + self.lat.to_radians().cos() * lat.to_radians().cos() * half_lon.sin().powi(2);
        2.0 * EARTH_RADIUS_KM * across.sqrt().clamp(0.0, 1.0).asin()
    }
}

/// The cities of the guide, each once.
pub(crate) fn cities() -> Vec<&'static str> {
    let mut cities: Vec<_> = RESTAURANTS
        .iter()
        .map(|restaurant| restaurant.city)
        .collect();
    cities.dedup();
    cities
}

#[cfg(test)]
mod tests {
    use super::{RESTAURANTS, Restaurant};

    #[test]
    fn every_menu_is_found_by_its_uri() {
        for restaurant in RESTAURANTS {
            let found = Restaurant::of_menu_uri(&restaurant.menu_uri()).expect(restaurant.name);
            assert_eq!(found.name, restaurant.name);
        }
        assert!(Restaurant::of_menu_uri("demo://restaurants/%FF/menu").is_none());
        assert!(Restaurant::of_menu_uri("demo://restaurants/menu").is_none());
    }

    #[test]
    fn distances_are_kilometres() {
        let lucia = Restaurant::named("trattoria lucia").expect("a restaurant");
        assert!(lucia.distance_km(lucia.lat, lucia.lon) < 0.001);
        let to_porto = lucia.distance_km(41.1496, -8.6110);
        assert!((1640.0..1690.0).contains(&to_porto), "{to_porto}");
    }
}
