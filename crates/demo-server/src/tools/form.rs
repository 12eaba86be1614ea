//! The form that `book_table` asks the person to fill in.

use rmcp::ErrorData;
use rmcp::model::ElicitRequestParams;
use serde_json::{Value, json};

use super::asking;
use crate::bookings::Seating;

/// The largest party, in people.
const LARGEST_PARTY: u32 = 12;

/// What the person filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) party_size: u32,
    pub(super) seating: Seating,
    pub(super) email: String,
    pub(super) remind: bool,
}

/// Which of the specification's ways to write an enum the client knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnumStyle {
    /// `oneOf` with a title for each value (2025-11-25 and later).
    Titled,
    /// `enum` alone, which every revision knows.
    Plain,
}

/// The request for the form, with `message` above it (client/elicitation § Form Mode).
pub(super) fn request(message: String, style: EnumStyle) -> Result<ElicitRequestParams, ErrorData> {
    let seating = match style {
        EnumStyle::Titled => json!({
            "type": "string",
            "title": "Seating",
            "oneOf": [
                { "const": "indoors", "title": "Indoors" },
                { "const": "terrace", "title": "Terrace" },
                { "const": "bar", "title": "Bar" }
            ],
            "default": "indoors"
        }),
        EnumStyle::Plain => {
            json!({ "type": "string", "title": "Seating", "enum": ["indoors", "terrace", "bar"], "default": "indoors" })
        }
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "party_size": {
                "type": "integer",
                "title": "Party size",
                "description": "How many people will sit at the table.",
                "minimum": 1,
                "maximum": LARGEST_PARTY
            },
            "seating": seating,
            "email": {
                "type": "string",
                "title": "E-mail",
                "description": "Where the confirmation goes. The demo sends nothing.",
                "format": "email"
            },
            "remind": {
                "type": "boolean",
                "title": "Remind me",
                "description": "A reminder on the day before.",
                "default": false
            }
        },
        "required": ["party_size", "seating", "email"]
    });
    asking::form(message, schema)
}

/// Reads what came back, or says everything that is wrong with it.
pub(super) fn read(content: Option<&Value>) -> Result<Details, Vec<String>> {
    let field = |name: &str| {
        content
            .and_then(|content| content.get(name))
            .filter(|value| !value.is_null())
    };
    let mut problems = Vec::new();

    let party_size = field("party_size")
        .and_then(whole_number)
        .filter(|size| (1..=LARGEST_PARTY).contains(size));
    if party_size.is_none() {
        problems.push(format!(
            "Party size must be a whole number from 1 to {LARGEST_PARTY}."
        ));
    }
    let seating =
        field("seating").and_then(|value| serde_json::from_value::<Seating>(value.clone()).ok());
    if seating.is_none() {
        problems.push("Seating must be indoors, terrace or bar.".to_owned());
    }
    let email = field("email")
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| looks_like_email(text));
    if email.is_none() {
        problems.push("E-mail must be an address such as ada@example.com.".to_owned());
    }
    let remind = match field("remind") {
        None => Some(false),
        Some(value) => value.as_bool(),
    };
    if remind.is_none() {
        problems.push("Remind me must be true or false.".to_owned());
    }
    match (party_size, seating, email, remind) {
        (Some(party_size), Some(seating), Some(email), Some(remind)) => Ok(Details {
            party_size,
            seating,
            email: email.to_owned(),
            remind,
        }),
        _ => Err(problems),
    }
}

/// JSON Schema's integer: `4` and `4.0` are the same number.
fn whole_number(value: &Value) -> Option<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    if !(0.0..=f64::from(u32::MAX)).contains(&number) {
        return None;
    }
    // In range and whole, so the conversion is exact.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(number as u32)
}

fn looks_like_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && !host.contains('@')
            && host.split('.').count() > 1
            && host.split('.').all(|label| !label.is_empty())
            && !text.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Details, EnumStyle, read, request};
    use crate::bookings::Seating;

    #[test]
    fn the_fields_stay_in_the_order_in_which_they_are_asked() {
        for style in [EnumStyle::Titled, EnumStyle::Plain] {
            let form = serde_json::to_value(request("Hello".to_owned(), style).unwrap()).unwrap();
            let properties = form["requestedSchema"]["properties"].as_object().unwrap();
            assert_eq!(
                properties.keys().collect::<Vec<_>>(),
                ["party_size", "seating", "email", "remind"]
            );
            assert_eq!(form["mode"], "form");
        }
    }

    #[test]
    fn a_good_reply() {
        let reply =
            json!({ "party_size": 4.0, "seating": "terrace", "email": " ada@example.com " });
        let details = Details {
            party_size: 4,
            seating: Seating::Terrace,
            email: "ada@example.com".to_owned(),
            remind: false,
        };
        assert_eq!(read(Some(&reply)), Ok(details));
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let reply =
            json!({ "party_size": 13, "seating": "roof", "email": "ada@", "remind": "yes" });
        assert_eq!(read(Some(&reply)).unwrap_err().len(), 4);
        assert_eq!(read(None).unwrap_err().len(), 3);
        assert_eq!(read(Some(&json!([1]))).unwrap_err().len(), 3);
        for size in [
            json!(-1),
            json!(0),
            json!(2.5),
            json!("2"),
            json!(1e300),
            json!(null),
        ] {
            let reply = json!({ "party_size": size, "seating": "bar", "email": "a@b.c" });
            assert_eq!(read(Some(&reply)).unwrap_err().len(), 1, "{size}");
        }
        for email in ["", "a", "@b.c", "a@b", "a@.c", "a@b@c.d", "a b@c.d"] {
            let reply = json!({ "party_size": 2, "seating": "bar", "email": email });
            assert_eq!(read(Some(&reply)).unwrap_err().len(), 1, "{email:?}");
        }
    }
}
