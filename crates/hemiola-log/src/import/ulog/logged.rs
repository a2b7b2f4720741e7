//! The contents of a ULog beside its topics: parameters, texts, dropouts, and its information.

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{DataType, Field, TypeName, Writer};

use super::format::shortened;
use super::value;

/// A record that becomes a message of a topic of its own, and its time, if it has one.
pub struct Side {
    pub microseconds: Option<u64>,
    pub logged: Logged,
}

pub enum Logged {
    Parameter { name: String, value: f64 },
    Default { name: String, value: f64, types: u8 },
    Text { level: u8, tag: Option<u16>, text: String },
    Dropout { milliseconds: u16 },
}

impl Logged {
    /// Returns the last part of its topic.
    pub fn topic(&self) -> &'static str {
        match self {
            Self::Parameter { .. } => "parameters",
            Self::Default { .. } => "parameter_defaults",
            Self::Text { .. } => "logged_messages",
            Self::Dropout { .. } => "dropouts",
        }
    }

    pub fn schema(&self) -> MessageSchema {
        let parameter = || vec![Field::new("name", DataType::Text, ""), Field::new("value", DataType::Float64, "")];
        let (name, fields) = match self {
            Self::Parameter { .. } => (TypeName::new("px4", "Parameter"), parameter()),
            Self::Default { .. } => {
                let mut fields = parameter();
                fields.push(Field::new("of_system", DataType::Boolean, "Whether it is the firmware's default."));
                fields.push(Field::new("of_setup", DataType::Boolean, "Whether it is the airframe's default."));
                (TypeName::new("px4", "ParameterDefault"), fields)
            }
            // This is the type of ROS 2, so that viewers show it as a log.
            Self::Text { .. } => {
                let fields = vec![
                    Field::new("stamp", DataType::Time, ""),
                    Field::new("level", DataType::Unsigned(8), "10 debug, 20 info, 30 warning, 40 error, 50 fatal"),
                    Field::new("name", DataType::Text, "The tag, where there is one."),
                    Field::new("msg", DataType::Text, ""),
                    Field::new("file", DataType::Text, ""),
                    Field::new("function", DataType::Text, ""),
                    Field::new("line", DataType::Unsigned(32), ""),
                ];
                (TypeName::new("rcl_interfaces", "Log"), fields)
            }
            Self::Dropout { .. } => {
                let fields = vec![Field::new("duration_ms", DataType::Unsigned(16), "For so long, data was lost.")];
                (TypeName::new("px4", "Dropout"), fields)
            }
        };
        MessageSchema::of(self.topic(), &DataType::structure(name, fields))
    }

    pub fn write(&self, time: Time, writer: &mut CdrWriter) {
        match self {
            Self::Parameter { name, value } => {
                writer.string(name);
                writer.float64(*value);
            }
            Self::Default { name, value, types } => {
                writer.string(name);
                writer.float64(*value);
                writer.boolean(types & 1 != 0);
                writer.boolean(types & 2 != 0);
            }
            Self::Text { level, tag, text } => {
                writer.time(time.nanoseconds());
                writer.unsigned(severity(*level), 8);
                writer.string(&tag.map_or_else(String::new, |tag| tag.to_string()));
                writer.string(text);
                writer.string("");
                writer.string("");
                writer.unsigned(0, 32);
            }
            Self::Dropout { milliseconds } => writer.unsigned(u64::from(*milliseconds), 16),
        }
    }
}

/// Converts the levels of the Linux kernel, as digits, to those of ROS 2.
fn severity(level: u8) -> u64 {
    match level {
        b'0'..=b'2' => 50,
        b'3' => 40,
        b'4' => 30,
        b'7' => 10,
        _ => 20,
    }
}

pub fn parameter(body: &[u8]) -> Result<Side, String> {
    let (name, value) = number(body)?;
    Ok(Side { microseconds: None, logged: Logged::Parameter { name, value } })
}

pub fn default(body: &[u8]) -> Result<Side, String> {
    let (&types, rest) = body.split_first().ok_or("a parameter without bytes")?;
    let (name, value) = number(rest)?;
    Ok(Side { microseconds: None, logged: Logged::Default { name, value, types } })
}

/// Returns the name and the value of a parameter: an integer or a number of 32 bits; both are exact
/// as numbers of 64.
fn number(body: &[u8]) -> Result<(String, f64), String> {
    let (type_name, name, value) = key(body)?;
    let bytes: [u8; 4] =
        value.try_into().map_err(|_| format!("the parameter `{name}` has {} bytes, but 4 are needed", value.len()))?;
    let value = match type_name {
        "int32_t" => f64::from(i32::from_le_bytes(bytes)),
        "float" => f64::from(f32::from_le_bytes(bytes)),
        other => {
            return Err(format!(
                "the parameter `{name}` is of the type `{}`, but only int32_t and float are supported",
                shortened(other)
            ));
        }
    };
    Ok((name.to_owned(), value))
}

pub fn text(body: &[u8]) -> Result<Side, String> {
    let [level, rest @ ..] = body else { return Err("a text without a level".to_owned()) };
    let (microseconds, text) = rest.split_first_chunk::<8>().ok_or("a text without a time")?;
    let logged = Logged::Text { level: *level, tag: None, text: value::text(text) };
    Ok(Side { microseconds: Some(u64::from_le_bytes(*microseconds)), logged })
}

pub fn tagged_text(body: &[u8]) -> Result<Side, String> {
    let [level, low, high, rest @ ..] = body else { return Err("a text without a tag".to_owned()) };
    let (microseconds, text) = rest.split_first_chunk::<8>().ok_or("a text without a time")?;
    let tag = Some(u16::from_le_bytes([*low, *high]));
    let logged = Logged::Text { level: *level, tag, text: value::text(text) };
    Ok(Side { microseconds: Some(u64::from_le_bytes(*microseconds)), logged })
}

pub fn dropout(body: &[u8]) -> Result<Side, String> {
    let milliseconds = body.try_into().map_err(|_| format!("a dropout of {} bytes, but 2 are needed", body.len()))?;
    Ok(Side { microseconds: None, logged: Logged::Dropout { milliseconds: u16::from_le_bytes(milliseconds) } })
}

/// Returns a name and its value, as text.
pub fn information(body: &[u8]) -> Result<(String, String), String> {
    let (type_name, name, value) = key(body)?;
    Ok((name.to_owned(), readable(type_name, value)))
}

/// Returns a part of a text that has several, and whether it continues the one before.
pub fn part(body: &[u8]) -> Result<(bool, String, String), String> {
    let (&goes_on, rest) = body.split_first().ok_or("information without bytes")?;
    let (type_name, name, value) = key(rest)?;
    Ok((goes_on != 0, name.to_owned(), readable(type_name, value)))
}

/// Splits a record into the key, which is a type and a name and has its length before it, and the
/// value.
fn key(body: &[u8]) -> Result<(&str, &str, &[u8]), String> {
    let (&length, rest) = body.split_first().ok_or("a record without a name")?;
    let length = usize::from(length);
    let key =
        rest.get(..length).ok_or_else(|| format!("a name of {length} bytes, of which {} are there", rest.len()))?;
    let key = std::str::from_utf8(key).map_err(|_| "a name that is not text")?;
    let (type_name, name) =
        key.split_once(' ').ok_or_else(|| format!("`{}` is not a type and a name", shortened(key)))?;
    Ok((type_name, name, &rest[length..]))
}

fn readable(type_name: &str, value: &[u8]) -> String {
    match (type_name, value) {
        ("bool", [value]) => (*value != 0).to_string(),
        ("uint8_t", [value]) => value.to_string(),
        ("int8_t", [value]) => value.cast_signed().to_string(),
        ("uint16_t", &[a, b]) => u16::from_le_bytes([a, b]).to_string(),
        ("int16_t", &[a, b]) => i16::from_le_bytes([a, b]).to_string(),
        ("uint32_t", &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).to_string(),
        ("int32_t", &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).to_string(),
        ("float", &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).to_string(),
        ("uint64_t", value) if value.len() == 8 => {
            value.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)).to_string()
        }
        ("int64_t", value) if value.len() == 8 => {
            value.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes)).to_string()
        }
        ("double", value) if value.len() == 8 => {
            value.first_chunk().map_or(0.0, |bytes| f64::from_le_bytes(*bytes)).to_string()
        }
        (text, value) if text.starts_with("char") => value::text(value),
        (_, value) => value.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
