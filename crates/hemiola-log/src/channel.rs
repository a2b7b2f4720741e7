use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::definition::Definition;
use crate::error::{LogError, NoDefinition};

/// A topic and the form of its messages.
///
/// ```no_run
/// # fn main() -> Result<(), hemiola_log::LogError> {
/// let mut log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// while log.next_entry().is_some() {}
/// for channel in log.channels() {
///     println!("{}: {}", channel.topic, channel.type_name());
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Channel {
    /// The channel's number in the file.
    pub id: u16,
    /// The channel's topic; several channels may have the same one.
    pub topic: String,
    /// The encoding of messages: `cdr`, `ros1`, `protobuf`, `json`, ...
    pub encoding: String,
    /// Further texts of the writer.
    pub metadata: BTreeMap<String, String>,
    /// The schema of messages, if the writer gave one.
    pub schema: Option<Arc<Schema>>,
    /// The definition in the schema, parsed when the first message is decoded.
    pub(crate) definition: OnceLock<Result<Arc<Definition>, NoDefinition>>,
}

/// A description of messages, in a language that [`Schema::encoding`] names.
///
/// ```
/// use hemiola_log::Schema;
///
/// let schema = Schema { id: 1, name: "std_msgs/msg/String".into(), encoding: "ros2msg".into(), data: b"string data\n".to_vec() };
/// assert_eq!(schema.definition()?.fields[0].name.as_ref(), "data");
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The schema's number in the file.
    pub id: u16,
    /// The name of the type: `sensor_msgs/msg/Imu`.
    pub name: String,
    /// The language: `ros2msg`, `ros1msg`, `protobuf`, `jsonschema`, ...
    pub encoding: String,
    /// The schema itself.
    pub data: Vec<u8>,
}

impl Channel {
    pub(crate) fn new(channel: crate::format::ChannelRecord, schema: Option<Arc<Schema>>) -> Self {
        let (id, topic, encoding, metadata) = (channel.id, channel.topic, channel.message_encoding, channel.metadata);
        Self { id, topic, encoding, metadata, schema, definition: OnceLock::new() }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.id, &self.topic, &self.encoding, &self.metadata, &self.schema)
            == (other.id, &other.topic, &other.encoding, &other.metadata, &other.schema)
    }

    /// Returns the schema's name, or what is known in its place.
    pub fn type_name(&self) -> &str {
        self.schema.as_ref().map_or("no schema", |schema| &schema.name)
    }

    /// Returns the definition of messages.
    ///
    /// # Errors
    /// Fails if there is no schema, if it is not in `ros2msg`, or if it is wrong.
    pub fn definition(&self) -> Result<&Arc<Definition>, LogError> {
        let definition = self.definition.get_or_init(|| match &self.schema {
            _ if self.encoding != "cdr" => Err(NoDefinition::OtherEncoding { encoding: self.encoding.clone() }),
            None => Err(NoDefinition::NoSchema),
            Some(schema) => Ok(Arc::new(schema.definition()?)),
        });
        definition.as_ref().map_err(|reason| LogError::Schema {
            topic: self.topic.clone(),
            schema: self.type_name().to_owned(),
            reason: reason.clone(),
        })
    }
}

/// A point in time, in nanoseconds since 1970 or since the recorder's clock began.
///
/// ```
/// use hemiola_log::LogTime;
///
/// let time = LogTime::from_nanoseconds(1_432_235_782_051_234_567);
/// assert_eq!(time.to_string(), "1432235782.051234567");
/// assert_eq!(time.seconds_since(LogTime::from_nanoseconds(1_432_235_780_000_000_000)), 2.051234567);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogTime(u64);

impl LogTime {
    /// Creates a time from a number in a file.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// Returns the time as a number in a file.
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }

    /// Returns the seconds since another time, which are negative if `earlier` is later.
    pub fn seconds_since(self, earlier: Self) -> f64 {
        (i128::from(self.0) - i128::from(earlier.0)) as f64 / 1e9
    }
}

impl fmt::Display for LogTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
