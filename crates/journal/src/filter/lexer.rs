//! The words of a line, with their places.

use std::ops::Range;

use super::problem::Problem;
use super::words::field_named;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) what: What,
    /// Its bytes in the line.
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Open,
    Close,
    And,
    Or,
    Not,
    /// `field:value`. A value may be several, parted by commas.
    Field {
        name: String,
        exact: bool,
        values: Vec<(String, Range<usize>)>,
        /// After `field:` a regular expression, as in `text:/…/`.
        regex: Option<(String, String)>,
    },
    Text(String),
    /// The expression and its flags.
    Regex(String, String),
}

/// All pieces of a line.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, Problem> {
    let mut lexer = Lexer { line, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    line: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn next_token(&mut self) -> Result<Option<Token>, Problem> {
        while self.peek().is_some_and(char::is_whitespace) {
            self.take();
        }
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        let after = self.rest()[first.len_utf8()..].chars().next();
        let what = match first {
            '(' => {
                self.take();
                What::Open
            }
            ')' => {
                self.take();
                What::Close
            }
            // A code such as -32602 is a text; -word leaves a word out.
            '-' | '!'
                if after.is_some_and(|next| !next.is_whitespace() && !next.is_ascii_digit()) =>
            {
                self.take();
                What::Not
            }
            '"' | '\'' => What::Text(self.quoted()?),
            '/' => {
                let (pattern, flags) = self.regex()?;
                What::Regex(pattern, flags)
            }
            _ => self.word()?,
        };
        Ok(Some(Token {
            what,
            at: start..self.at,
        }))
    }

    /// `"…"` or `'…'`; a backslash takes the meaning from a quote or a backslash after it.
    fn quoted(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let quote = self.take().unwrap_or('"');
        let mut text = String::new();
        loop {
            match self.take() {
                None => {
                    return Err(Problem::new(
                        start..self.line.len(),
                        "This quotation has no end.",
                        format!("Add a {quote} where the text ends."),
                    ));
                }
                Some(next) if next == quote => return Ok(text),
                Some('\\') => match self.peek() {
                    Some(next) if next == quote || next == '\\' => {
                        text.push(next);
                        self.take();
                    }
                    _ => text.push('\\'),
                },
                Some(next) => text.push(next),
            }
        }
    }

    /// `/…/flags`; `\/` stands for a slash.
    fn regex(&mut self) -> Result<(String, String), Problem> {
        let start = self.at;
        self.take();
        let mut pattern = String::new();
        loop {
            match self.take() {
                None => {
                    return Err(Problem::new(
                        start..self.line.len(),
                        "This regular expression has no end.",
                        "Add a / where it ends. To find a text that begins with /, put it in quotes.",
                    ));
                }
                Some('/') => break,
                Some('\\') => match self.take() {
                    Some('/') => pattern.push('/'),
                    Some(next) => pattern.extend(['\\', next]),
                    None => pattern.push('\\'),
                },
                Some(next) => pattern.push(next),
            }
        }
        let flags_start = self.at;
        while self.peek().is_some_and(char::is_alphanumeric) {
            self.take();
        }
        let flags = self.line[flags_start..self.at].to_owned();
        if let Some(unknown) = flags.chars().find(|flag| !"ismx".contains(*flag)) {
            return Err(Problem::new(
                flags_start..self.at,
                format!("“{unknown}” is no flag of a regular expression here."),
                "Use i (ignore case), s (. matches line ends), m (^ and $ at lines) or x (spaces do not count). To find \
                 a text that begins with /, put it in quotes.",
            ));
        }
        Ok((pattern, flags))
    }

    /// A bare word, or a field and its value.
    fn word(&mut self) -> Result<What, Problem> {
        let start = self.at;
        while let Some(next) = self.peek() {
            if next.is_whitespace() || matches!(next, '(' | ')' | '"' | ':') {
                break;
            }
            self.take();
        }
        let word = self.line[start..self.at].to_owned();
        match self.peek() {
            Some(':') if word.is_empty() => {
                return Err(Problem::new(
                    start..self.at + 1,
                    "A colon has no field before it.",
                    "Put all of the text in single quotes: '\"city\":\"Lucca\"'.",
                ));
            }
            Some(':') => {}
            Some('"') => {
                return Err(Problem::new(
                    start..self.at + 1,
                    "A quote stands in the middle of a word.",
                    "Put a space before it, or put all of it in single quotes: '…'.",
                ));
            }
            _ => {
                return Ok(match word.to_ascii_lowercase().as_str() {
                    "and" => What::And,
                    "or" => What::Or,
                    "not" => What::Not,
                    _ => What::Text(word),
                });
            }
        }
        // An address is a text; so is a time of day.
        let is_text = self.rest().starts_with("://") || word.chars().all(|c| c.is_ascii_digit());
        if is_text {
            self.bare_value();
            return Ok(What::Text(self.line[start..self.at].to_owned()));
        }
        if field_named(&word).is_none() {
            return Err(super::parser::unknown_field(&word, start..self.at));
        }
        self.take();
        let mut exact = false;
        if self.peek() == Some('=') {
            self.take();
            exact = true;
        }
        let mut values = Vec::new();
        if self.peek() == Some('/') {
            let regex = self.regex()?;
            return Ok(What::Field {
                name: word,
                exact,
                values,
                regex: Some(regex),
            });
        }
        loop {
            let value_start = self.at;
            let value = if matches!(self.peek(), Some('"' | '\'')) {
                self.quoted()?
            } else {
                while let Some(next) = self.peek() {
                    if next.is_whitespace() || matches!(next, '(' | ')' | ',') {
                        break;
                    }
                    self.take();
                }
                self.line[value_start..self.at].to_owned()
            };
            values.push((value, value_start..self.at));
            if self.peek() != Some(',') {
                break;
            }
            self.take();
        }
        Ok(What::Field {
            name: word,
            exact,
            values,
            regex: None,
        })
    }

    fn bare_value(&mut self) {
        while self
            .peek()
            .is_some_and(|next| !next.is_whitespace() && !matches!(next, '(' | ')'))
        {
            self.take();
        }
    }
}
