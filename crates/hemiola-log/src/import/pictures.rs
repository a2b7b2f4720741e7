//! Pictures in the format of their files, as messages that viewers draw.

use std::fs;
use std::path::{Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{Data, DataType, Field, FixedLength, Items, Writer};

use super::stamp::at_rate;
use super::{Channel, Output, Stream, Timing};
use crate::error::LogError;

/// Returns the form of a picture by its name, as `sensor_msgs/CompressedImage` calls it; `None` if
/// viewers do not draw it.
///
/// ```
/// assert_eq!(hemiola_log::picture_format("img/0001.JPG".as_ref()), Some("jpeg"));
/// assert_eq!(hemiola_log::picture_format("notes.txt".as_ref()), None);
/// ```
pub fn format(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "jpg" | "jpeg" => "jpeg",
        "png" => "png",
        "webp" => "webp",
        _ => return None,
    })
}

/// Returns the schema `sensor_msgs/CompressedImage`.
pub fn schema() -> MessageSchema {
    let header = DataType::structure(
        "std_msgs/Header",
        vec![Field::new("stamp", DataType::Time, ""), Field::new("frame_id", DataType::Text, "")],
    );
    let image = DataType::structure(
        "sensor_msgs/CompressedImage",
        vec![
            Field::new("header", header, ""),
            Field::new("format", DataType::Text, ""),
            Field::new("data", Vec::<u8>::data_type(), ""),
        ],
    );
    MessageSchema::of("CompressedImage", &image)
}

/// Writes the message of a picture.
pub fn message(writer: &mut CdrWriter, time: Time, format: &str, data: &[u8]) {
    writer.begin_structure("CompressedImage");
    writer.field("header");
    writer.begin_structure("Header");
    writer.field("stamp");
    writer.time(time.nanoseconds());
    writer.field("frame_id");
    writer.string("");
    writer.end_structure();
    writer.field("format");
    writer.string(format);
    writer.field("data");
    writer.begin_sequence(data.len(), FixedLength::No);
    writer.items(Items::U8(data));
    writer.end_sequence();
    writer.end_structure();
}

/// A folder of pictures that no table names: they follow each other at a rate.
pub struct PictureFolder {
    topic: String,
    /// The paths of the pictures in the order of their names.
    pictures: Vec<PathBuf>,
    next: usize,
    rate: f64,
    bytes: u64,
    channel: Option<Channel>,
}

impl PictureFolder {
    pub fn new(folder: &Path, topic: &str, pictures: Vec<PathBuf>, timing: &Timing) -> Result<Self, LogError> {
        let Some(rate) = timing.rate else {
            let what = match pictures.len() {
                1 => "its picture was".to_owned(),
                count => format!("its {count} pictures were"),
            };
            let reason = format!("it is not known when {what} taken: give the number per second with --rate");
            return Err(LogError::Import { path: folder.to_owned(), line: None, reason });
        };
        let bytes = pictures.iter().filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum();
        Ok(Self { topic: topic.to_owned(), pictures, next: 0, rate, bytes, channel: None })
    }
}

impl Stream for PictureFolder {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn describe(&mut self, output: &mut Output<'_>) -> Result<(), LogError> {
        self.channel = Some(output.channel(&self.topic, &schema())?);
        Ok(())
    }

    fn advance(&mut self, _: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        self.next += 1;
        Ok((self.next <= self.pictures.len()).then(|| at_rate(self.next as u64 - 1, self.rate)))
    }

    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
        let (Some(path), Some(channel)) = (self.pictures.get(self.next - 1), &mut self.channel) else { return Ok(()) };
        write(path, channel, time, output)
    }
}

/// The size that no camera's picture exceeds; each is in memory as a whole.
const LARGEST: u64 = 256 << 20;

/// Writes a picture; reports one that cannot be read.
pub fn write(path: &Path, channel: &mut Channel, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
    let size = fs::metadata(path).map_or(0, |file| file.len());
    if size > LARGEST {
        let reason = format!("{size} bytes, but at most {LARGEST} are allowed: this is not a picture; it is left out");
        output.imported.note(LogError::Import { path: path.to_owned(), line: None, reason });
        return Ok(());
    }
    match (fs::read(path), format(path)) {
        (Ok(data), Some(format)) => {
            output.advanced(data.len() as u64);
            output.put(channel, time, |writer| message(writer, time, format, &data))
        }
        (Err(error), _) => {
            output.imported.note(LogError::Open { path: path.to_owned(), error });
            Ok(())
        }
        (Ok(_), None) => Ok(()),
    }
}
