//! URI templates: the RFC's own examples, what a field left empty means, and templates that are none.

use protocol::uri_template::{Template, Value};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The variables of RFC 6570 § 3.2.
fn variables() -> Vec<(String, Value)> {
    let list = |texts: &[&str]| Value::List(texts.iter().map(|&text| text.to_owned()).collect());
    [
        ("count", list(&["one", "two", "three"])),
        ("dom", list(&["example", "com"])),
        ("dub", text("me/too")),
        ("hello", text("Hello World!")),
        ("half", text("50%")),
        ("var", text("value")),
        ("who", text("fred")),
        ("base", text("http://example.com/home/")),
        ("path", text("/foo/bar")),
        ("list", list(&["red", "green", "blue"])),
        (
            "keys",
            Value::Pairs(
                [("semi", ";"), ("dot", "."), ("comma", ",")]
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .to_vec(),
            ),
        ),
        ("v", text("6")),
        ("x", text("1024")),
        ("y", text("768")),
        ("empty", text("")),
        ("empty_keys", list(&[])),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

#[test]
fn the_examples_of_the_rfc_are_expanded_as_it_says() {
    let variables = variables();
    for (template, expected) in [
        // § 3.2.1 and 3.2.2
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("{&count*}", "&count=one&count=two&count=three"),
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        // § 3.2.3
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        // § 3.2.4
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        // § 3.2.5
        ("{.who}", ".fred"),
        ("{.who,who}", ".fred.fred"),
        ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var:3}", "X.val"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        // § 3.2.6
        ("{/who}", "/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var:1,var}", "/v/value"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        // § 3.2.7
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        // § 3.2.8 and 3.2.9
        ("{?who}", "?who=fred"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?var:3}", "?var=val"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&var:3}", "&var=val"),
    ] {
        let read = Template::parse(template).expect(template);
        assert_eq!(
            read.expand(&variables).as_deref(),
            Ok(expected),
            "{template}"
        );
    }
}

#[test]
fn a_slash_in_a_value_is_encoded_and_a_query_without_a_value_is_left_out() {
    let template = Template::parse("notes://{topic}{?page,per}").expect("a template");
    assert_eq!(
        template
            .expand(&[("topic".to_owned(), text("foo/bar"))])
            .as_deref(),
        Ok("notes://foo%2Fbar")
    );
    let page = [
        ("topic".to_owned(), text("größe")),
        ("page".to_owned(), text("2")),
    ];
    assert_eq!(
        template.expand(&page).as_deref(),
        Ok("notes://gr%C3%B6%C3%9Fe?page=2")
    );
    let shown: Vec<_> = template
        .variables()
        .iter()
        .map(|variable| {
            (
                variable.name.as_str(),
                variable.detachable,
                variable.exploded,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("topic", false, false),
            ("page", true, false),
            ("per", true, false)
        ]
    );
}

#[test]
fn a_variable_that_stands_twice_is_one() {
    let template = Template::parse("a/{x}/{?x,y*}").expect("a template");
    let names: Vec<_> = template
        .variables()
        .iter()
        .map(|variable| {
            (
                variable.name.as_str(),
                variable.detachable,
                variable.exploded,
            )
        })
        .collect();
    assert_eq!(names, [("x", false, false), ("y", true, true)]);
    let none = Template::parse("plain://uri").expect("a template without variables");
    assert!(none.variables().is_empty());
    assert_eq!(none.expand(&[]).as_deref(), Ok("plain://uri"));
}

#[test]
fn a_malformed_template_says_where_and_why() {
    for (template, expected) in [
        ("a://{topic", "character 5: the { is not closed"),
        ("a://{to{pic}}", "character 5: the { is not closed"),
        ("a://topic}", "character 10: there is a } without its {"),
        ("ä://{}", "character 5: a variable has no name"),
        ("a://{?}", "character 5: a variable has no name"),
        ("a://{x,}", "character 5: a variable has no name"),
        (
            "a://{user-id}",
            "character 5: a variable's name cannot have '-'",
        ),
        (
            "a://{a b}",
            "character 5: a variable's name cannot have ' '",
        ),
        ("a://{=x}", "character 5: the operator = is reserved"),
        ("a://{!x}", "character 5: the operator ! is reserved"),
        ("a://{$x}", "character 5: a variable's name cannot have '$'"),
        ("a://{.}", "character 5: a variable has no name"),
        (
            "a://{x.}",
            "character 5: a dot in the name x. has nothing beside it",
        ),
        (
            "a://{x..y}",
            "character 5: a dot in the name x..y has nothing beside it",
        ),
        (
            "a://{x:0}",
            "character 5: the length \"0\" of x is not a number from 1 to 9999",
        ),
        (
            "a://{x:}",
            "character 5: the length \"\" of x is not a number from 1 to 9999",
        ),
        (
            "a://{x:10000}",
            "character 5: the length \"10000\" of x is not a number from 1 to 9999",
        ),
        ("a://{x*y}", "character 5: \"*y\" after x means nothing"),
        (
            "a://{x%}",
            "character 5: a % in the name x% has no two hex digits after it",
        ),
    ] {
        assert_eq!(
            Template::parse(template),
            Err(format!("The URI template is malformed at {expected}.")),
            "{template}"
        );
    }
}

#[test]
fn a_template_that_is_read_is_expanded_whatever_its_values() {
    // The library that expands it must take whatever the check before it lets pass.
    for template in [
        "{x%2Fy}",
        "{a_b.c}",
        "{%41}",
        "{1}",
        "{_}",
        "{x:9999}",
        "~{x}'\"<>",
    ] {
        let read = Template::parse(template).expect(template);
        let values: Vec<_> = read
            .variables()
            .iter()
            .map(|variable| (variable.name.clone(), text("%zz\u{0}\u{10ffff}")))
            .collect();
        assert!(read.expand(&values).is_ok(), "{template}");
    }
}
