//! Message definitions as people write them, and values by them.

use std::sync::Arc;

use hemiola_log::{Definition, Element, NumberType, Shape, Value};

const RULE: &str = "================================================================================";

fn decode(text: &str, bytes: &[u8]) -> Result<Value, String> {
    let definition = Arc::new(Definition::parse("made/msg/Root", text).expect("it is a definition"));
    Value::decode(&definition, bytes).map_err(|error| error.to_string())
}

#[test]
fn everything_that_definitions_may_contain_is_understood() {
    let text = format!(
        "# A comment, and an empty line.\r\n\r\n\
         uint8 LOW=1 # the least\r\n\
         string GREETING=\"hello # world\"\r\n\
         string BARE=hello world # greeting\r\n\
         float64 PI = 3.14\r\n\
         Header header\r\n\
         \tPart[2] parts   # of the same package\r\n\
         other_msgs/Part[] others\r\n\
         string<=5[<=3] names [\"a\", \"b\"]\r\n\
         float32[4] q [0.0, 0.0, 0.0, 1.0]\r\n\
         int32 count -7\r\n\
         builtin_interfaces/Duration age\r\n\
         char letter\r\n\
         {RULE}\r\nMSG: std_msgs/Header\r\nbuiltin_interfaces/Time stamp\r\nstring frame_id\r\n\
         {RULE}\r\nMSG: made/Part\r\nbool on true\r\n\
         {RULE}\r\nMSG: other_msgs/msg/Part\r\nuint16 id\r\n"
    );
    let definition = Definition::parse("made/msg/Root", &text).expect("it is a definition");
    let constants: Vec<_> = definition.constants.iter().map(|c| (c.name.as_str(), c.value.as_str())).collect();
    let expected = [("LOW", "1"), ("GREETING", "\"hello # world\""), ("BARE", "hello world"), ("PI", "3.14")];
    assert_eq!(constants, expected);
    let fields: Vec<_> = definition.fields.iter().map(|f| (f.name.as_ref(), f.shape, f.default.as_deref())).collect();
    assert_eq!(
        fields,
        [
            ("header", Shape::One, None),
            ("parts", Shape::Array { length: 2 }, None),
            ("others", Shape::Sequence { limit: None }, None),
            ("names", Shape::Sequence { limit: Some(3) }, Some("[\"a\", \"b\"]")),
            ("q", Shape::Array { length: 4 }, Some("[0.0, 0.0, 0.0, 1.0]")),
            ("count", Shape::One, Some("-7")),
            ("age", Shape::One, None),
            ("letter", Shape::One, None),
        ]
    );
    let name = |index: usize| match &definition.fields[index].element {
        Element::Message(definition) => definition.name.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!([name(0), name(1), name(2)], ["std_msgs/Header", "made/Part", "other_msgs/Part"]);
    assert_eq!(definition.fields[3].element, Element::Text { limit: Some(5) });
    assert_eq!(definition.fields[7].element, Element::Number(NumberType::U8));
}

#[test]
fn a_definition_that_is_none_is_refused_with_its_line_and_reason() {
    let part = |name: &str, body: &str| format!("{RULE}\nMSG: {name}\n{body}\n");
    for (text, expected) in [
        ("uint8\n".to_owned(), "line 1: `uint8` is neither a field"),
        ("\nuint8 =3\n".to_owned(), "line 2: `uint8` needs a name"),
        ("uint8 A=\n".to_owned(), "line 1: the constant `A` has no value"),
        ("uint8[0] a\n".to_owned(), "line 1: `0` in `uint8[0]` is not a length"),
        ("uint8[99999999999] a\n".to_owned(), "is not a length, which is a number from 1 to 4294967295"),
        ("uint8[3 a\n".to_owned(), "line 1: `uint8[3` has no `]`"),
        ("uint8<=3 a\n".to_owned(), "line 1: `uint8` cannot be bounded"),
        ("uint8 a\nuint8 a\n".to_owned(), "line 2: there is already a field `a`"),
        ("Thing a\n".to_owned(), "line 1: there is no type `Thing`"),
        ("a/b;c x\n".to_owned(), "line 1: `a/b;c` is not a type"),
        (format!("uint8 a\n{RULE}\nuint8 b\n"), "line 3: expected `MSG: package/Name`"),
        (format!("Root a\n{}", part("made/Other", "uint8 x")), "line 1: `made/Root` contains itself"),
        (format!("B b\n{}{}", part("made/B", "C[] c"), part("made/C", "B[] b")), "`made/B` contains itself"),
    ] {
        let error = Definition::parse("made/msg/Root", &text).expect_err(&text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    // These messages are nested more deeply than anybody needs.
    let mut text = "M0 m\n".to_owned();
    for index in 0..80 {
        text += &part(&format!("made/M{index}"), &format!("M{} m", index + 1));
    }
    text += &part("made/M80", "uint8 x");
    let error = Definition::parse("made/msg/Root", &text).unwrap_err().to_string();
    assert!(error.contains("messages are nested more than 64 levels deep"), "{error}");
}

#[test]
fn both_byte_orders_are_decoded() {
    let text = "uint8 a\nfloat64 b\nint16[] c\nstring d\nbool[2] e\n";
    let little = [
        &[0, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0][..],
        &1.5_f64.to_le_bytes(),
        &[2, 0, 0, 0, 1, 0, 0xff, 0xff, 3, 0, 0, 0, b'h', b'i', 0, 1, 0],
    ]
    .concat();
    let big = [
        &[0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0][..],
        &1.5_f64.to_be_bytes(),
        &[0, 0, 0, 2, 0, 1, 0xff, 0xff, 0, 0, 0, 3, b'h', b'i', 0, 1, 0],
    ]
    .concat();
    let expected = "{a: 7, b: 1.5, c: [1, -1], d: \"hi\", e: [true, false]}";
    assert_eq!(decode(text, &little).map(|value| value.to_string()).as_deref(), Ok(expected));
    assert_eq!(decode(text, &big).map(|value| value.to_string()).as_deref(), Ok(expected));
    let json = serde_json::to_string(&decode(text, &big).expect("as before")).expect("it is JSON");
    assert_eq!(json, r#"{"a":7,"b":1.5,"c":[1,-1],"d":"hi","e":[true,false]}"#);
}

#[test]
fn claims_of_lengths_take_no_memory() {
    for (text, claim) in [
        ("float64[] a\n", "a: byte 8: a sequence of 4294967295 items, but only 0 bytes are left"),
        ("string a\n", "a: byte 8: a sequence of 4294967295 items"),
        ("string[] a\n", "a: byte 8: a sequence of 4294967295 items"),
        ("float64[4294967295] a\n", "a: byte 8: the message ends here"),
        ("string[4294967295] a\n", "a: byte 8: a sequence of 4294967295 items"),
        ("uint8[<=4] a\n", "a: byte 8: a sequence of 4294967295 items"),
    ] {
        let error = decode(text, &[0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff]).expect_err(text);
        assert!(error.contains(claim), "{text:?}: {error}");
    }
    let error = decode("uint8[<=1] a\n", &[0, 1, 0, 0, 2, 0, 0, 0, 1, 2]).unwrap_err();
    assert!(error.contains("2 items, but at most 1 are allowed"), "{error}");
    let error = decode("wstring a\n", &[0, 1, 0, 0, 0, 0, 0, 0]).unwrap_err();
    assert!(error.contains("differs between implementations"), "{error}");
}

#[test]
fn long_runs_are_shortened_for_people_only() {
    let bytes = [&[0, 1, 0, 0, 100, 0, 0, 0][..], &[9; 100]].concat();
    let value = decode("uint8[] data\n", &bytes).expect("it fits");
    assert!(value.to_string().ends_with("9, 9, ... 100 in all]}"), "{value}");
    let json = serde_json::to_value(&value).expect("it is JSON");
    assert_eq!(json["data"].as_array().map(Vec::len), Some(100));
}
