//! Which scripts the letters of a name are of, and whether they imitate Latin ones (Unicode Technical Standard 39).

use unicode_script::{Script, UnicodeScript as _};

/// Letters that look like a Latin one in most typefaces, with it. Cyrillic, Greek and Armenian names made of nothing
/// else are what imitations are made of.
const LIKENESSES: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('ё', 'e'),
    ('ғ', 'f'),
    ('ɡ', 'g'),
    ('һ', 'h'),
    ('н', 'h'),
    ('і', 'i'),
    ('ї', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('п', 'n'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('ц', 'u'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('ѡ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('ү', 'y'),
    ('α', 'a'),
    ('ε', 'e'),
    ('η', 'n'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('σ', 'o'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('ω', 'w'),
    ('ϲ', 'c'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('օ', 'o'),
    ('հ', 'h'),
    ('ց', 'g'),
    ('զ', 'q'),
    ('ı', 'i'),
];

/// Scripts that one language writes together: Japanese, Korean and Taiwanese, each with the Latin letters that they take
/// in.
const TOGETHER: [&[Script]; 3] = [
    &[
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Latin,
    ],
    &[Script::Han, Script::Hangul, Script::Latin],
    &[Script::Han, Script::Bopomofo, Script::Latin],
];

/// The scripts of a label that has letters of several, in words; those that one language writes together count as one.
pub(super) fn mixed_scripts(label: &str) -> Option<String> {
    let mut scripts: Vec<Script> = Vec::new();
    for script in label.chars().map(|letter| letter.script()) {
        if !matches!(script, Script::Common | Script::Inherited) && !scripts.contains(&script) {
            scripts.push(script);
        }
    }
    let is_usual = TOGETHER
        .iter()
        .any(|together| scripts.iter().all(|script| together.contains(script)));
    if scripts.len() < 2 || is_usual {
        return None;
    }
    let names: Vec<&str> = scripts.iter().map(|script| script.full_name()).collect();
    Some(names.join(" and "))
}

/// The Latin word that a label in other letters can be taken for.
pub(super) fn latin_likeness(label: &str) -> Option<String> {
    let like = |letter: char| {
        LIKENESSES
            .iter()
            .find(|(other, _)| *other == letter)
            .map(|(_, latin)| *latin)
    };
    if label.is_ascii() {
        return None;
    }
    label
        .chars()
        .map(|letter| {
            if letter.is_ascii() {
                Some(letter)
            } else {
                like(letter)
            }
        })
        .collect()
}
