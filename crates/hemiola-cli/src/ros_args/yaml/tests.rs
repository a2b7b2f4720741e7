use proptest::prelude::*;

use super::*;

/// A file that Python's `yaml.dump` has written for a launch file, and what people write.
const FILE: &str = "# for all\n/**:\n  ros__parameters:\n    use_sim_time: true\n    Walk:\n      gain: 0.5 # m/s\n      names:\n      \
                    - a\n      - 'b c'\n      bytes: [1, 2, 255]\n---\nrover:\n    ros__parameters:\n        \"Walk.name\": \"it's # fine\"\n";

/// The entries of a table, without their places.
fn plain_entries(yaml: &Yaml) -> Vec<(&str, String)> {
    match yaml {
        Yaml::Value(value) => vec![("", value.clone())],
        Yaml::Table(entries) => entries
            .iter()
            .flat_map(|Entry { name, content, .. }| {
                let inner = plain_entries(content).into_iter();
                inner.map(move |(below, value)| {
                    (name.as_str(), if below.is_empty() { value } else { format!("{below}: {value}") })
                })
            })
            .collect(),
    }
}

#[test]
fn files_of_launch_and_of_people_are_read() {
    let read = file(FILE).unwrap();
    let all = |text: &str| ("/**", format!("ros__parameters: {text}"));
    assert_eq!(
        plain_entries(&read),
        [
            all("use_sim_time: true"),
            all("Walk: gain: 0.5"),
            all("Walk: names: [\"a\", \"b c\"]"),
            all("Walk: bytes: [1, 2, 255]"),
            ("rover", "ros__parameters: Walk.name: \"it's # fine\"".to_owned()),
        ]
    );
    for nothing in ["", "# nothing\n", "---\n...\n", "{}\n"] {
        assert_eq!(file(nothing), Ok(Yaml::Table(Vec::new())), "{nothing:?}");
    }
}

#[test]
fn every_notation_of_yaml_is_read() {
    let text = "? a\n: {b: 1, \"c d\": [x, 'y']}\ne: |\n  two\n  lines\nf: >-\n  one\n  line\ng: \"\\x41\\u00e4\"\nh: &name 5\n";
    let read = file(text).unwrap();
    let entries: Vec<_> = plain_entries(&read).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(
        entries,
        ["a: b: 1", "a: c d: [\"x\", \"y\"]", r#"e: "two\u000alines\u000a""#, r#"f: "one line""#, "g: \"Aä\"", "h: 5"]
    );
}

#[test]
fn each_value_has_its_place() {
    let Yaml::Table(entries) = file("a: 1\nb:\n  c: 'two words'\n").unwrap() else { panic!("it is a table") };
    assert_eq!(entries[0].place, Place { line: 1, span: 3..4 });
    let Yaml::Table(inner) = &entries[1].content else { panic!("it is a table") };
    assert_eq!(inner[0].place, Place { line: 3, span: 13..24 });
}

#[test]
fn values_are_those_of_ros_2_in_toml() {
    for (yaml, toml) in [
        ("3", "3"),
        ("-7", "-7"),
        ("+1", "1"),
        // As `strtol` reads them.
        ("0x1F", "31"),
        ("-0X10", "-16"),
        ("010", "8"),
        ("08", "8.0"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9.223372036854776e18"),
        ("1e-3", "0.001"),
        (".5", "0.5"),
        ("2.", "2.0"),
        ("-inf", "-inf"),
        (".inf", "inf"),
        ("-.Inf", "-inf"),
        (".NaN", "nan"),
        ("1e999", "\"1e999\""),
        ("1_000", "\"1_000\""),
        ("+-1", "\"+-1\""),
        ("0x", "\"0x\""),
        ("yes", "true"),
        ("Off", "false"),
        ("'yes'", "\"yes\""),
        ("'1'", "\"1\""),
        ("map", "\"map\""),
        ("1.2.3", "\"1.2.3\""),
        (r#"a "b" \c"#, r#""a \"b\" \\c""#),
        ("'it''s'", "\"it's\""),
        (r#""a\n""#, r#""a\u000a""#),
        ("''", "\"\""),
        ("[]", "[]"),
        ("[1, [2.5, true], 'x, y']", r#"[1, [2.5, true], "x, y"]"#),
        ("- 1\n- 2", "[1, 2]"),
    ] {
        assert_eq!(value(yaml).as_deref(), Ok(toml), "{yaml}");
    }
}

#[test]
fn what_is_not_understood_is_an_error_that_names_the_line_and_a_remedy() {
    for (yaml, why) in [
        ("a:\n\tb: 1\n", "line 2: this is not YAML: "),
        ("a:\n    b: 1\n  c: 2\n", "line 3: this is not YAML: "),
        ("a: [1, 2\n", "line 1: this is not YAML: "),
        ("a: 'b\n", "line 1: this is not YAML: "),
        ("a: [1] 2\n", "line 1: this is not YAML: "),
        ("a: \"\\q\"\n", "line 1: this is not YAML: "),
        ("a:\nb: 1\n", "line 1: `a`: it has no value: write one"),
        ("b: 1\na: ~\n", "line 2: `a`: it has no value: write one"),
        ("a: [1, ~]\n", "line 1: `a`: it has no value: write one"),
        (
            "a: &b 1\nc: *b\n",
            "line 2: `*b` stands for a value elsewhere, which ROS 2 does not support: write the value",
        ),
        ("c: *b\n", "line 1: `*b` stands for a value elsewhere"),
        ("a: !!str 1\n", "line 1: `a`: the tag `!!str` is not supported: remove it; a text stands in quotes"),
        ("a:\n- b: 1\n", "line 2: `a`: a table is no value of a parameter: write a value, or a list of values"),
        ("[a, b]: 1\n", "line 1: an entry has no name: write NAME: VALUE"),
        ("'': 1\n", "line 1: an entry has no name: write NAME: VALUE"),
        ("5\n", "line 1: 5 stands where the name of a node must: write `/**:` above it"),
    ] {
        let said = file(yaml).expect_err(yaml).to_string();
        let (line, why) = why.split_once(": ").unwrap();
        assert!(said.starts_with(&format!("{line}: ")) && said.contains(why), "{yaml:?}: {said}");
    }
    for (text, why) in [
        ("", "it has no value"),
        ("a: 1", "a table is no value"),
        ("1\n---\n2", "another value follows"),
        ("[1", "this is not YAML"),
    ] {
        assert!(value(text).is_err_and(|error| error.why.starts_with(why)), "{text}: {:?}", value(text));
    }
}

#[test]
fn a_small_file_takes_little_whatever_it_says() {
    let laughs: String = (1..60).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)).collect();
    let said = file(&format!("a0: &a0 [ha, ha]\n{laughs}")).unwrap_err();
    assert!(said.line == 2 && said.why.starts_with("`*a0` stands for"), "{said}");
    let deep = |begin: &str, end: &str| format!("a: {}1{}", begin.repeat(100_000), end.repeat(100_000));
    let stairs: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    for deep in [deep("[", "]"), deep("{b: ", "}"), format!("a:\n{}1", "- ".repeat(100_000)), stairs] {
        let said = file(&deep).unwrap_err();
        assert!(said.why.contains("recursion limit exceeded"), "{said}");
    }
    let long = format!("? {}\n: 1\n", "a".repeat(LONGEST_NAME + 1));
    assert!(file(&long).is_err_and(|said| said.why.starts_with("a name has 257 bytes, of at most 256")));
    assert!(file(&"#".repeat(LONGEST_TEXT + 1)).is_err_and(|said| said.why.contains("of at most 1048576: split it")));
}

#[test]
fn a_file_with_any_part_missing_or_twice_does_no_harm() {
    for from in 0..FILE.len() {
        for to in from..FILE.len() {
            let (begin, part, end) = (&FILE[..from], &FILE[from..to], &FILE[to..]);
            for text in [[begin, end].concat(), [part, part].concat(), part.to_owned()] {
                is_harmless(&text);
            }
        }
    }
}

/// Reads a text in both ways. What is read has places in the text, and values in TOML.
fn is_harmless(text: &str) {
    fn visit(yaml: &Yaml, text: &str) {
        match yaml {
            Yaml::Value(value) => assert!(toml_edit_value(value), "{value}"),
            Yaml::Table(entries) => {
                for Entry { content, place, .. } in entries {
                    assert!(text.get(place.span.clone()).is_some(), "{place:?}");
                    assert!((1..=text.split('\n').count() + 1).contains(&place.line), "{place:?}");
                    visit(content, text);
                }
            }
        }
    }
    match file(text) {
        Ok(read) => visit(&read, text),
        Err(error) => assert!(error.line > 0 && !error.why.is_empty(), "{error:?}"),
    }
    if let Ok(value) = value(text) {
        assert!(toml_edit_value(&value), "{value}");
    }
}

fn toml_edit_value(value: &str) -> bool {
    hemiola_config::parse_value(value).is_ok()
}

/// The letters of which YAML's notation consists, and a few others.
fn letters() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "a",
        "b: ",
        ":",
        "- ",
        "-",
        "\n",
        "\n  ",
        "\n    ",
        " ",
        "\t",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "\\",
        "|\n",
        ">\n",
        "&a ",
        "*a",
        "!!int ",
        "!",
        "#",
        " #",
        "?",
        "? ",
        "%",
        "@",
        "`",
        "---\n",
        "...\n",
        "~",
        "0x1",
        "1.5",
        "true",
        "<<: ",
        "ros__parameters:\n",
        "\u{feff}",
        "\u{0}",
        "\r\n",
        "\u{2028}",
        "é",
    ]);
    prop::collection::vec(letter, 0..60).prop_map(|letters| letters.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        is_harmless(&text);
    }

    #[test]
    fn anything_like_yaml_is_read_or_refused(text in letters()) {
        is_harmless(&text);
    }

    #[test]
    fn any_text_in_quotes_is_that_text(text: String) {
        // What YAML allows only as an escape is escaped.
        let escaped: String = text.chars().map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            ' '..='~' => letter.to_string(),
            letter => format!("\\U{:08x}", u32::from(letter)),
        }).collect();
        let read = value(&format!("\"{escaped}\"")).unwrap();
        prop_assert_eq!(hemiola_config::parse_value(&read).unwrap(), hemiola_model::Value::Text(text));
    }

    #[test]
    fn any_number_is_that_number(whole: i64, float: f64) {
        prop_assert_eq!(value(&whole.to_string()), Ok(whole.to_string()));
        let read = value(&format!("{float:?}")).unwrap();
        let read: f64 = read.parse().unwrap();
        prop_assert!(read == float || (read.is_nan() && float.is_nan()), "{read} {float}");
    }
}
