//! Export of messages as a table: a line for each, a column for each number or text.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::{ExportedFile, create, failed};
use crate::definition::{Definition, Element, Shape};
use crate::entry::Message;
use crate::error::LogError;
use crate::value::Value;

/// The largest number of items of an array that get columns of their own. Longer arrays, and all
/// sequences, are a column in JSON.
const LONGEST_ARRAY: usize = 36;
/// The number of columns from which nested fields are a column in JSON.
const MOST_COLUMNS: usize = 1000;

pub struct Table {
    path: PathBuf,
    file: BufWriter<File>,
    columns: Vec<String>,
    messages: u64,
}

impl Table {
    pub fn new(path: PathBuf, definition: &Definition) -> Result<Self, LogError> {
        let mut columns = Vec::new();
        collect(definition, "", &mut columns);
        let mut file = create(&path)?;
        let header = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(",");
        writeln!(file, "log_time,{header}").map_err(|error| failed(&path, &error))?;
        Ok(Self { path, file, columns, messages: 0 })
    }

    pub fn write(&mut self, message: &Message<'_>, value: &Value) -> Result<(), LogError> {
        self.messages += 1;
        self.line(message, value).map_err(|error| failed(&self.path, &error))
    }

    fn line(&mut self, message: &Message<'_>, value: &Value) -> io::Result<()> {
        write!(self.file, "{}", message.log_time)?;
        for column in &self.columns {
            self.file.write_all(b",")?;
            let Some(value) = value.get(column) else { continue };
            match value.as_ref() {
                Value::Text(text) => self.file.write_all(quoted(text).as_bytes())?,
                Value::Numbers(_) | Value::List(_) => {
                    let json = serde_json::to_string(value.as_ref()).map_err(io::Error::other)?;
                    self.file.write_all(quoted(&json).as_bytes())?;
                }
                // Times and numbers contain no comma.
                Value::Message(message) if message.seconds().is_none() => {
                    let json = serde_json::to_string(value.as_ref()).map_err(io::Error::other)?;
                    self.file.write_all(quoted(&json).as_bytes())?;
                }
                value => write!(self.file, "{value}")?,
            }
        }
        self.file.write_all(b"\n")
    }

    pub fn finish(mut self) -> Result<ExportedFile, LogError> {
        self.file.flush().map_err(|error| failed(&self.path, &error))?;
        Ok(ExportedFile { path: self.path, messages: self.messages })
    }
}

/// Collects the paths of all columns.
fn collect(definition: &Definition, prefix: &str, columns: &mut Vec<String>) {
    for field in &definition.fields {
        let path = format!("{prefix}{}", field.name);
        let paths = match field.shape {
            Shape::Array { length } if length <= LONGEST_ARRAY => {
                (0..length).map(|index| format!("{path}[{index}]")).collect()
            }
            _ => vec![path],
        };
        let is_run = match field.shape {
            Shape::One => false,
            Shape::Array { length } => length > LONGEST_ARRAY,
            Shape::Sequence { .. } => true,
        };
        for path in paths {
            match &field.element {
                Element::Message(inner) if !is_run && !inner.is_seconds() && columns.len() < MOST_COLUMNS => {
                    collect(inner, &format!("{path}."), columns);
                }
                _ => columns.push(path),
            }
        }
    }
}

/// Quotes a text for a cell, as RFC 4180 defines.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
