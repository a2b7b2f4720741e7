//! The parts of values in JSON, by their paths.

use serde_json::Value;

/// Returns the part of a value at a path, such as `position[0]`; an empty path is the whole value.
///
/// ```
/// use hemiola_live::protocol::part;
/// use serde_json::json;
///
/// let ball = json!({ "position": [1.0, 0.5] });
/// assert_eq!(part(&ball, "position[1]"), Ok(&json!(0.5)));
/// assert!(part(&ball, "positoin").unwrap_err().contains("did you mean `position`?"));
/// ```
///
/// # Errors
/// Returns an error that names the step that does not exist, and what there is instead.
pub fn part<'v>(whole: &'v Value, path: &str) -> Result<&'v Value, String> {
    let mut at = whole;
    for step in path.split(['.', '[']).map(|step| step.trim_end_matches(']')).filter(|step| !step.is_empty()) {
        let next = match at {
            Value::Array(items) => step.parse::<usize>().ok().and_then(|item| items.get(item)),
            at => at.get(step),
        };
        at = next.ok_or_else(|| match at {
            Value::Object(fields) => hemiola_config::unknown("field", step, fields.keys()),
            Value::Array(items) => format!("there is no item `{step}`: the length is {}", items.len()),
            _ => format!("`{path}` does not exist: the value before `{step}` is a number or text and has no fields"),
        })?;
    }
    Ok(at)
}
