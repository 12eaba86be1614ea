//! What came in a form or in a query. A parameter must not be there twice (OAuth 2.1 § 3.1), except where a page of
//! the demo's own lets one be.

/// The fields in their order.
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn read(encoded: &str) -> Self {
        Self(
            url::form_urlencoded::parse(encoded.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// The first value of that name that is not empty: an empty parameter counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        found
            .find(|(_, value)| !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// All values of that name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.0.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The name of a field that is there twice.
    pub(super) fn repeated(&self) -> Option<&str> {
        self.0.iter().enumerate().find_map(|(place, (name, _))| {
            self.0[..place]
                .iter()
                .any(|(known, _)| known == name)
                .then_some(name.as_str())
        })
    }
}
