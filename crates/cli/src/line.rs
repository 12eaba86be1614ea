//! One JSON line, with the JSON of others in it as it came.

/// A line in the making.
#[derive(Clone, Debug)]
pub struct Line {
    text: String,
}

impl Line {
    /// The line of an event.
    pub fn event(name: &str) -> Self {
        Self {
            text: format!("{{\"event\":{}", quoted(name)),
        }
    }

    /// With a string.
    pub fn text(self, key: &str, value: &str) -> Self {
        let value = quoted(value);
        self.json(key, &value)
    }

    /// With a string, where there is one.
    pub fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// With a number, or anything else whose text is JSON.
    pub fn number(self, key: &str, value: impl std::fmt::Display) -> Self {
        self.json(key, &value.to_string())
    }

    /// With JSON text as it came, line ends between its tokens apart.
    pub fn json(mut self, key: &str, json: &str) -> Self {
        let json = if serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok() {
            // Within a JSON string there is no line end.
            json.replace(['\n', '\r'], " ")
        } else {
            quoted(json)
        };
        self.text.push(',');
        self.text.push_str(&quoted(key));
        self.text.push(':');
        self.text.push_str(&json);
        self
    }

    /// The whole line, without its end.
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

/// A string as JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn what_came_stays_as_it_was_on_one_line() {
        let line = Line::event("result")
            .json(
                "result",
                "{\n  \"n\": 1.10,\n \"big\": 12345678901234567890123 }",
            )
            .text("why", "a \"b\"\n")
            .json("torn", "{oops");
        assert_eq!(
            line.finish(),
            "{\"event\":\"result\",\"result\":{   \"n\": 1.10,  \"big\": 12345678901234567890123 },\
             \"why\":\"a \\\"b\\\"\\n\",\"torn\":\"{oops\"}"
        );
    }
}
