//! Which parameters a schema mirrors into headers, and which schemas may not be used over HTTP.

use protocol::headers::mirrored_parameters;

use crate::script::raw;

fn read(schema: &str) -> String {
    match mirrored_parameters(&raw(schema)) {
        Ok(mirrored) => {
            let each = mirrored
                .iter()
                .map(|one| format!("{} → {}", one.path.join("."), one.header));
            each.collect::<Vec<_>>().join(", ")
        }
        Err(why) => format!("excluded: {why}"),
    }
}

#[test]
fn parameters_reached_by_properties_alone_are_mirrored() {
    for (schema, expected) in [
        (
            r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}}}"#,
            "region → Mcp-Param-Region",
        ),
        (
            r#"{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},"c":{"type":"boolean","x-mcp-header":"c!"}}}"#,
            "a.b → Mcp-Param-B, c → Mcp-Param-c!",
        ),
        (
            r#"{"properties":{"n":{"type":["string","null"],"x-mcp-header":"N"}}}"#,
            "n → Mcp-Param-N",
        ),
        (
            r#"{"properties":{"e":{"enum":["a",1,true],"x-mcp-header":"E"}}}"#,
            "e → Mcp-Param-E",
        ),
        (
            r#"{"properties":{"e":{"type":"string","x-mcp-\u0068eader":"E"}}}"#,
            "e → Mcp-Param-E",
        ),
        // A property of that name, and data that holds the key, are no annotations.
        (
            r#"{"properties":{"x-mcp-header":{"type":"string","x-mcp-header":"Odd"}}}"#,
            "x-mcp-header → Mcp-Param-Odd",
        ),
        (
            r#"{"properties":{"a":{"default":{"x-mcp-header":"A"},"enum":[{"x-mcp-header":"A"}],"examples":[{"x-mcp-header":""}],"const":{"x-mcp-header":1}}}}"#,
            "",
        ),
        (r#"{"$defs":{"x-mcp-header":{"type":"string"}}}"#, ""),
        (r#"{"type":"object"}"#, ""),
        ("true", ""),
    ] {
        assert_eq!(read(schema), expected, "{schema}");
    }
}

#[test]
fn an_annotation_that_breaks_a_rule_excludes_the_tool() {
    for (property, expected) in [
        (
            r#"{"type":"string","x-mcp-header":""}"#,
            "x-mcp-header of p is empty",
        ),
        (
            r#"{"type":"string","x-mcp-header":"a b"}"#,
            "x-mcp-header of p is \"a b\", which cannot be part of a header's name (letters, digits and !#$%&'*+-.^_`|~ only)",
        ),
        (
            r#"{"type":"string","x-mcp-header":"a\r\nb"}"#,
            "x-mcp-header of p is \"a\\r\\nb\", which cannot be part of a header's name (letters, digits and !#$%&'*+-.^_`|~ only)",
        ),
        (
            r#"{"type":"string","x-mcp-header":"Größe"}"#,
            "x-mcp-header of p is \"Größe\", which cannot be part of a header's name (letters, digits and !#$%&'*+-.^_`|~ only)",
        ),
        (
            r#"{"type":"string","x-mcp-header":7}"#,
            "x-mcp-header of p is 7 and not a string",
        ),
        (
            r#"{"type":"number","x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: its type is \"number\", and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"type":"object","x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: its type is \"object\", and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"type":["string","number"],"x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: its type is [\"string\",\"number\"], and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"type":"null","x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: its type is \"null\", and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: the parameter has no type, and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"enum":[1.5],"x-mcp-header":"P"}"#,
            "x-mcp-header of p is not allowed: the parameter has no type, and only strings, integers and booleans may be mirrored",
        ),
        (
            r#"{"type":"array","items":{"type":"string","x-mcp-header":"P"}}"#,
            "x-mcp-header stands inside p.items; it may only be reached by a chain of properties",
        ),
        (
            r#"{"anyOf":[{"type":"string","x-mcp-header":"P"}]}"#,
            "x-mcp-header stands inside p.anyOf; it may only be reached by a chain of properties",
        ),
        (
            r#"{"not":{"properties":{"q":{"type":"string","x-mcp-header":"P"}}}}"#,
            "x-mcp-header stands inside p.not; it may only be reached by a chain of properties",
        ),
        (
            r#"{"if":{"x-mcp-header":"P"}}"#,
            "x-mcp-header stands inside p.if; it may only be reached by a chain of properties",
        ),
        (
            r#"{"additionalProperties":{"type":"string","x-mcp-header":"P"}}"#,
            "x-mcp-header stands inside p.additionalProperties; it may only be reached by a chain of properties",
        ),
        (
            r#"{"patternProperties":{"x":{"type":"string","x-mcp-header":"P"}}}"#,
            "x-mcp-header stands inside p.patternProperties; it may only be reached by a chain of properties",
        ),
    ] {
        assert_eq!(
            read(&format!(r#"{{"properties":{{"p":{property}}}}}"#)),
            format!("excluded: {expected}")
        );
    }
    for (schema, expected) in [
        (
            r#"{"x-mcp-header":"Root","type":"object"}"#,
            "x-mcp-header stands on the schema's root, which is no parameter",
        ),
        (
            r##"{"$defs":{"r":{"type":"string","x-mcp-header":"R"}},"properties":{"a":{"$ref":"#/$defs/r"}}}"##,
            "x-mcp-header stands inside $defs; it may only be reached by a chain of properties",
        ),
        (
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"REGION"}}}}}"#,
            "x-mcp-header names the header Mcp-Param-REGION for both a and b.c; names must be unique, and case does not count",
        ),
    ] {
        assert_eq!(read(schema), format!("excluded: {expected}"));
    }
}

#[test]
fn a_schema_without_bottom_is_excluded_and_nothing_overflows() {
    let deep = |depth: usize| {
        let open = r#"{"properties":{"a":"#.repeat(depth);
        format!(
            r#"{open}{{"type":"string","x-mcp-header":"A"}}{}"#,
            "}}".repeat(depth)
        )
    };
    assert!(read(&deep(60)).ends_with(".a → Mcp-Param-A"));
    assert_eq!(
        read(&deep(5_000)),
        "excluded: the input schema is nested deeper than 64 levels, so its x-mcp-header annotations cannot be checked"
    );
}
