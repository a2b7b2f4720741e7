//! A file of ROS 2 parameters is read or refused with its line, however it is written, and a value
//! on the command line as well: what is read are values of TOML with places in the text.
#![no_main]

// The crate `hemiola-cli` shows nobody what its command line is made of.
#[path = "../../crates/hemiola-cli/src/ros_args/yaml.rs"]
mod yaml;

use libfuzzer_sys::fuzz_target;
use yaml::{Entry, LONGEST_NAME, Yaml, file, quoted, value};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = str::from_utf8(input) else { return };
    match file(text) {
        Ok(read) => visit(&read, text),
        Err(error) => {
            assert!(error.line > 0 && !error.why.is_empty(), "{error:?}");
            assert!(error.to_string().starts_with("line "), "{error}");
        }
    }
    if let Ok(value) = value(text) {
        is_toml(&value);
    }
    assert_eq!(hemiola_config::parse_value(&quoted(text)).expect("it is in quotes"), text.into());
});

fn visit(yaml: &Yaml, text: &str) {
    let entries = match yaml {
        Yaml::Value(value) => return is_toml(value),
        Yaml::Table(entries) => entries,
    };
    for Entry { name, content, place } in entries {
        assert!((1..=LONGEST_NAME).contains(&name.len()));
        assert!(text.get(place.span.clone()).is_some() && place.error("").line <= text.len() + 1, "{place:?}");
        visit(content, text);
    }
}

fn is_toml(value: &str) {
    assert!(hemiola_config::parse_value(value).is_ok(), "{value}");
}
