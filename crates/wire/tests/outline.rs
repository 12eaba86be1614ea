//! JSON as a tree by offsets, compared with a parser.

use proptest::prelude::*;
use serde_json::Value;
use wire::object::ValueKind;
use wire::outline::{self, Step};

fn text(json: &str, extent: outline::Extent) -> &str {
    &json[extent.start..extent.end]
}

#[test]
fn children_keep_every_digit_and_every_duplicate() {
    let json = r#" {"a" : 12345678901234567890.10, "a":[1 , 2,[ ]], "b\u00e9\"":"x\\", "c":{} } "#;
    let root = outline::value_at(json.as_bytes(), 0);
    assert_eq!((root.start, root.len), (1, 4));
    let children: Vec<_> = outline::children(json.as_bytes(), root.start).collect();
    let values: Vec<_> = children
        .iter()
        .map(|child| text(json, child.value))
        .collect();
    assert_eq!(
        values,
        ["12345678901234567890.10", "[1 , 2,[ ]]", r#""x\\""#, "{}"]
    );
    assert_eq!(children[1].value.len, 3);
    assert_eq!(children[3].value.len, 0);
    let (from, to) = children[2].key.unwrap();
    assert_eq!(outline::string(&json.as_bytes()[from..to]), "b\u{e9}\"");
    assert_eq!(
        outline::kind_at(json.as_bytes(), children[1].value.start),
        ValueKind::Array
    );
}

#[test]
fn a_walk_goes_on_from_where_it_stood() {
    let json = format!(
        "[{}]",
        (0..500)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",")
    );
    let mut walk = outline::children(json.as_bytes(), 0);
    walk.nth(199);
    let place = walk.place();
    let rest: Vec<_> = outline::Children::from_place(json.as_bytes(), place, false)
        .map(|child| text(&json, child.value).to_owned())
        .collect();
    assert_eq!(rest.len(), 300);
    assert_eq!(rest[0], "200");
}

#[test]
fn depth_is_no_danger() {
    let json = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(outline::value_at(json.as_bytes(), 0).end, json.len());
    let mut deepest = 0;
    outline::walk(json.as_bytes(), |way, _, _, _| {
        deepest = deepest.max(way.len());
        way.len() < 5000
    });
    assert_eq!(deepest, 5000);
}

/// Follows a way through parsed JSON, and says what is there.
fn follow<'a>(root: &'a Value, way: &[Step]) -> &'a Value {
    way.iter().fold(root, |value, step| match value {
        Value::Array(items) => &items[step.index as usize],
        Value::Object(members) => members.values().nth(step.index as usize).expect("a member"),
        other => other,
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn children_are_those_of_a_parser(value in json(), pretty in any::<bool>()) {
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let root = outline::value_at(json.as_bytes(), 0);
        prop_assert_eq!((root.start, root.end), (0, json.len()));
        let found: Vec<(Option<String>, Value)> = outline::children(json.as_bytes(), 0)
            .map(|child| (
                child.key.map(|(from, to)| outline::string(&json.as_bytes()[from..to]).into_owned()),
                serde_json::from_str(text(&json, child.value)).unwrap(),
            ))
            .collect();
        prop_assert_eq!(root.len as usize, found.len());
        let expected: Vec<(Option<String>, Value)> = match &value {
            Value::Array(items) => items.iter().map(|item| (None, item.clone())).collect(),
            Value::Object(members) => members.iter().map(|(key, item)| (Some(key.clone()), item.clone())).collect(),
            _ => Vec::new(),
        };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_walk_visits_each_value_once_and_knows_the_way(value in json()) {
        let json = serde_json::to_string_pretty(&value).unwrap();
        let mut starts = Vec::new();
        let mut failed = None;
        outline::walk(json.as_bytes(), |way, _, extent, token| {
            starts.push(extent.start);
            let there = follow(&value, way);
            let read: Value = if token.is_empty() {
                serde_json::from_str(text(&json, outline::value_at(json.as_bytes(), extent.start))).unwrap()
            } else {
                serde_json::from_slice(token).unwrap()
            };
            if &read != there {
                failed = Some((read, there.clone()));
            }
            true
        });
        prop_assert_eq!(failed, None);
        prop_assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn any_bytes_are_borne(bytes in prop::collection::vec(prop_oneof![Just(b'['), Just(b'{'), Just(b'"'), Just(b'\\'), Just(b','), Just(b':'), Just(b']'), Just(b'}'), any::<u8>()], 0..60)) {
        let extent = outline::value_at(&bytes, 0);
        prop_assert!(extent.end <= bytes.len());
        let mut count = 0;
        for child in outline::children(&bytes, extent.start) {
            prop_assert!(child.value.end <= bytes.len());
            count += 1;
            prop_assert!(count <= bytes.len());
        }
        let mut visits = 0;
        outline::walk(&bytes, |_, _, _, _| { visits += 1; visits < 1000 });
        prop_assert!(visits <= bytes.len() + 1);
    }
}
