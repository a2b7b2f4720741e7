//! Reading and writing of logs in MCAP, from any program, intact or damaged. This crate never runs
//! anything and knows no thread of a robot.
//!
//! ```no_run
//! use hemiola_log::{Entry, LogReader, Selection};
//!
//! let mut log = LogReader::open("run.mcap".as_ref())?.select(Selection::all().topic("/imu/data"));
//! while let Some(entry) = log.next_entry() {
//!     if let Entry::Message(message) = entry? {
//!         let value = message.decode()?; // by the schema in the log; no generated types
//!         println!("{} {:?}", message.log_time, value.get("angular_velocity.z"));
//!     }
//! }
//! # Ok::<(), hemiola_log::LogError>(())
//! ```
//!
//! Values are read as CDR with schemas in `ros2msg`, which is what Hemiola and ROS 2 write;
//! messages in other encodings are available as bytes.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod adapt;
mod channel;
mod compare;
#[cfg(test)]
mod conformance;
mod definition;
mod difference;
mod entry;
mod error;
mod export;
mod import;
mod merge;
mod plot;
mod reader;
mod recover;
mod selection;
mod series;
mod sound;
mod summary;
mod survey;
mod table;
mod value;
mod writer;

mod attachment;
mod chunk;
mod copy;
mod foreign;
mod format;
mod framing;
mod mcap_writer;
mod records;
mod source;
mod storage;

pub use adapt::{Adapter, FieldChange, FieldSource};
pub use channel::{Channel, LogTime, Schema};
pub use compare::{Comparison, Difference, FieldComparison, Tolerance, TopicComparison};
pub use definition::{Constant, Definition, Element, Field, NumberType, Shape};
pub use difference::FieldDifference;
pub use entry::{Attachment, ChunkHeader, Entry, Message, Metadata, PrivateRecord};
pub use error::{Cause, Damage, LogError, NoDefinition, SchemaError};
pub use export::{Exported, ExportedFile, export};
pub use format::{AttachmentIndex, ChunkIndex, MetadataIndex, Statistics};
pub use framing::Doubt;
pub use import::{Imported, ImportedChannel, TimeUnit, Timing, import, picture_format};
pub use merge::{Joining, Merged, merge, merge_joined};
pub use plot::plot_svg;
pub use reader::LogReader;
pub use recover::{Recovery, recover, recover_in_place};
pub use selection::Selection;
pub use series::{Point, Series};
pub use sound::SoundReader;
pub use summary::Summary;
pub use survey::{ChannelSurvey, ChunkTotals, Survey};
pub use table::{TableReader, TableRow};
pub use value::{MessageValue, Numbers, Value};
pub use writer::{ChannelId, LogSynchroniser, LogWriter, Origin, Written};

pub use hemiola_model::configuration::LogCompression;
