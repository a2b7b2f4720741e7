//! The answers that take time: plots and single values.

use hemiola_log::{LogError, LogReader, Selection, Series};
use hemiola_runtime::JournalEntry;
use serde_json::{Value, json};

use super::contents::{Contents, nanoseconds};
use crate::protocol::JournalText;
use crate::protocol::binary::{self, Point, Points};
use crate::robot::fields::numeric_fields;

/// The most fields of a plot.
const MOST_FIELDS: usize = 64;

/// Reads the values of fields from the whole log. Returns the answer to the client, and the points
/// as a binary message.
pub fn plot(
    contents: &Contents,
    subscription: u32,
    fields: &[String],
    mut on_damage: impl FnMut(String),
) -> Result<(Value, Vec<u8>), String> {
    if fields.len() > MOST_FIELDS {
        return Err(format!("a subscription plots at most {MOST_FIELDS} fields"));
    }
    let (mut answers, mut numbers, mut series) = (Vec::new(), Vec::new(), Vec::new());
    for (number, field) in fields.iter().enumerate() {
        match contents.field(field) {
            Ok((channel, path)) => {
                series.push(Series::new(&channel.topic, &path));
                numbers.push(number);
                answers.push(json!({"unit": ""}));
            }
            Err(error) => answers.push(json!({"error": error})),
        }
    }
    // A selection of no topics would select all of them.
    let files = if series.is_empty() { &[] } else { contents.files.files() };
    for file in files {
        let log = LogReader::open(file).map_err(|error| error.to_string())?;
        let damaged = |error: LogError| on_damage(error.to_string());
        series = Series::read(log, Selection::all(), series, |_, _| {}, damaged).map_err(|error| error.to_string())?;
    }
    let mut bytes = binary::begin(binary::POINTS, subscription);
    for (number, series) in numbers.into_iter().zip(&series) {
        if series.count() == 0 {
            answers[number] = json!({"error": format!("the log has no number at `{}`", fields[number])});
            continue;
        }
        let points = series.points().iter().map(|point| Point {
            time: nanoseconds(point.time) as f64 * 1e-9,
            minimum: point.minimum,
            maximum: point.maximum,
        });
        Points { field: number as u32, points: points.collect() }.append_to(&mut bytes);
    }
    Ok((json!({ "fields": answers }), bytes))
}

/// Returns the newest value at a path, at a time of the log.
pub fn read(contents: &Contents, field: &str, at: i64) -> Result<Value, String> {
    let (channel, path) = contents.field(field)?;
    // Damage is reported to a client that plays this time.
    let newest = contents
        .newest(std::slice::from_ref(&channel.topic), at, || true, |_| {})
        .map_err(|error| error.to_string())?;
    let Some(message) = newest.first() else { return Err(format!("`{field}` has no value yet at this time")) };
    let value = message.as_message().decode().map_err(|error| error.to_string())?;
    let part = value.get(&path).ok_or_else(|| format!("`{field}` does not exist in the value at this time"))?;
    Ok(json!({"value": *part, "time": nanoseconds(message.log_time)}))
}

/// Lists the numeric fields within a representation or the messages of a topic.
pub fn fields(contents: &Contents, value: Option<&str>, topic: Option<&str>) -> Result<Value, String> {
    let channel = contents.channel(value, topic)?;
    let definition = channel.definition().map_err(|error| error.to_string())?;
    let data_type = definition.data_type().map_err(|error| error.to_string())?;
    let prefix = value.map(str::to_owned).or_else(|| topic.map(|topic| format!("topic:{topic}"))).unwrap_or_default();
    let fields = numeric_fields(&data_type).into_iter();
    Ok(fields.map(|field| json!({"path": field.below(&prefix), "type": field.data_type})).collect())
}

/// Returns a journal entry in the form for clients, with its number.
pub fn numbered(entry: JournalEntry, number: u64) -> Value {
    json!(JournalText::from(JournalEntry { number, ..entry }))
}
