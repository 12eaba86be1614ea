//! Names of methods, tools, prompts and resources: each is kept once and known by its number.

use std::collections::HashMap;
use std::sync::Arc;

/// All names, and how often each was a method and a subject.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<Arc<str>, u32>,
    all: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    text: Arc<str>,
    as_method: u32,
    as_subject: u32,
}

impl Names {
    /// The number of a method's name; counts it.
    pub(super) fn method(&mut self, name: &str) -> u32 {
        let number = self.number(name);
        self.all[number as usize].as_method += 1;
        number
    }

    /// The number of a tool's, prompt's or resource's name; counts it.
    pub(super) fn subject(&mut self, name: &str) -> u32 {
        let number = self.number(name);
        self.all[number as usize].as_subject += 1;
        number
    }

    pub(super) fn text(&self, number: u32) -> &str {
        self.all
            .get(number as usize)
            .map(|name| &*name.text)
            .unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Names of methods, and how many rows have each.
    pub(super) fn methods(&self) -> impl Iterator<Item = (&str, u32)> {
        self.all
            .iter()
            .filter(|name| name.as_method > 0)
            .map(|name| (&*name.text, name.as_method))
    }

    /// Names of what operations were about, and how many rows have each.
    pub(super) fn subjects(&self) -> impl Iterator<Item = (&str, u32)> {
        self.all
            .iter()
            .filter(|name| name.as_subject > 0)
            .map(|name| (&*name.text, name.as_subject))
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = super::as_index(self.all.len());
        let text: Arc<str> = text.into();
        self.numbers.insert(Arc::clone(&text), number);
        self.all.push(Name {
            text,
            as_method: 0,
            as_subject: 0,
        });
        number
    }
}
