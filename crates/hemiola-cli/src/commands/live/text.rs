//! Values in the notation of robot.toml, and as JSON.

use std::process::ExitCode;

use hemiola_config::{parse_value, value_text};
use hemiola_model::Value;
use serde_json::Value as Json;

use crate::commands::print;
use crate::error::CommandError;

/// Parses a typed value for the robot.
pub fn typed(text: &str) -> Result<Value, CommandError> {
    Ok(parse_value(text)?)
}

/// Writes a value of the robot in TOML: a table as lines, anything else in one line. Lists of more
/// than `longest` items are shortened.
pub fn document(value: &Json, longest: usize) -> String {
    match value {
        Json::Object(entries) if !entries.is_empty() => {
            let line = |(key, value): (&String, &Json)| format!("{} = {}\n", self::key(key), inline(value, longest));
            entries.iter().map(line).collect()
        }
        value => inline(value, longest) + "\n",
    }
}

/// Writes a value of the robot in TOML, in one line.
pub fn inline(value: &Json, longest: usize) -> String {
    match value {
        Json::Array(items) => {
            let shown = if items.len() > longest { longest / 2 } else { items.len() };
            let mut parts: Vec<_> = items[..shown].iter().map(|item| inline(item, longest)).collect();
            if shown < items.len() {
                parts.push(format!("... {} in all", items.len()));
            }
            format!("[{}]", parts.join(", "))
        }
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| format!("{} = {}", self::key(key), inline(value, longest));
            let parts: Vec<_> = entries.iter().map(entry).collect();
            if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
        }
        scalar => value_text(&serde_json::from_value::<Value>(scalar.clone()).unwrap_or_default()),
    }
}

fn key(key: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { value_text(&Value::from(key)) }
}

/// Returns the largest number of items of a list that are printed: a terminal shows the beginning,
/// a pipe gets all.
pub fn longest_list() -> usize {
    if crate::terminal::terminal_size().is_some() { 32 } else { usize::MAX }
}

/// Prints one of many answers as a line of JSON.
pub fn print_json_line(item: &Json) -> Result<ExitCode, CommandError> {
    print(&format!("{item}\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_a_robot_reads_as_in_robot_toml() {
        let ball = json!({ "seen": true, "position": [1.0, 0.5], "near": { "of a": "x\"y" }, "lost": null });
        assert_eq!(
            document(&ball, 32),
            "lost = none\nnear = { \"of a\" = 'x\"y' }\nposition = [1.0, 0.5]\nseen = true\n"
        );
        assert_eq!(document(&json!(0.5), 32), "0.5\n");
        assert_eq!(inline(&json!([1, 2, 3, 4, 5]), 4), "[1, 2, ... 5 in all]");
    }

    #[test]
    fn what_is_shown_can_be_typed() {
        for value in [json!(0.5), json!([1, 2]), json!({ "a": { "b": ["c d", true] } }), json!("Calm")] {
            assert_eq!(json!(typed(&inline(&value, 32)).unwrap()), value);
        }
        assert_eq!(typed("Calm").unwrap(), Value::from("Calm"));
        assert!(typed("{ seen = ").unwrap_err().to_string().contains("this is not TOML"));
    }
}
