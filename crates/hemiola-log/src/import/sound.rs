//! Sound in blocks, as a robot's microphones deliver it.

use std::path::Path;

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{Data, DataType, Field, FixedLength, Items, TypeName, Writer};

use super::output::{Channel, Output};
use super::stamp::at_rate;
use super::{Stream, Timing};
use crate::error::LogError;
use crate::sound::SoundReader;

/// The number of frames in a message, as audio devices deliver them.
const BLOCK: usize = 1024;

/// The number of microphones that no array exceeds; each becomes a topic.
const MOST_CHANNELS: u16 = 256;

/// A file of sound, from its beginning: a block is stamped with the end of its last sample, when a
/// microphone would have had it.
pub struct SoundFile {
    topic: String,
    sound: SoundReader,
    channels: Vec<Channel>,
    bytes: u64,
    counted: u64,
    /// The block that is written next. `frames` is the number of frames before its end.
    block: Vec<f32>,
    frames: u64,
    one: Vec<f32>,
}

impl SoundFile {
    pub fn open(path: &Path, topic: &str, timing: &Timing, is_alone: bool) -> Result<Self, LogError> {
        let sound = SoundReader::open(path)?;
        if is_alone && *timing != Timing::default() {
            let reason = format!("it has a rate of its own, {} Hz: remove --time and --rate", sound.sample_rate());
            return Err(LogError::Import { path: path.to_owned(), line: None, reason });
        }
        if sound.channels() > MOST_CHANNELS {
            let reason = format!("sound of {} channels, but at most {MOST_CHANNELS} are allowed", sound.channels());
            return Err(LogError::Import { path: path.to_owned(), line: None, reason });
        }
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        let topic = topic.to_owned();
        Ok(Self {
            topic,
            sound,
            channels: Vec::new(),
            bytes,
            counted: 0,
            block: Vec::new(),
            frames: 0,
            one: Vec::new(),
        })
    }
}

impl Stream for SoundFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn describe(&mut self, output: &mut Output<'_>) -> Result<(), LogError> {
        let schema = schema();
        let count = self.sound.channels();
        for number in 1..=count {
            let topic = if count == 1 { self.topic.clone() } else { format!("{}/channel_{number}", self.topic) };
            self.channels.push(output.channel(&topic, &schema)?);
        }
        Ok(())
    }

    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        self.block.clear();
        let found = self.sound.read(BLOCK, &mut self.block)? as u64;
        self.frames += found;
        // The position is estimated in proportion: it is unknown how many bytes a block of a packed
        // file took.
        let share = self.sound.frames().map_or(1.0, |all| self.frames as f64 / all.max(1) as f64);
        let position = if found == 0 { self.bytes } else { (self.bytes as f64 * share.min(1.0)) as u64 };
        output.advanced(position.saturating_sub(self.counted));
        self.counted = self.counted.max(position);
        if found > 0 {
            return Ok(Some(at_rate(self.frames, f64::from(self.sound.sample_rate()))));
        }
        if let Some(reason) = self.sound.ends_early() {
            let announced = self.sound.frames().map_or_else(String::new, |all| format!(" of {all}"));
            let reason = format!("it ends after {}{announced} samples of each channel: {reason}", self.frames);
            output.imported.note(LogError::Import { path: self.sound.path().to_owned(), line: None, reason });
        }
        Ok(None)
    }

    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
        let count = self.channels.len();
        let sample_rate = self.sound.sample_rate() as f32;
        for (number, channel) in self.channels.iter_mut().enumerate() {
            self.one.clear();
            self.one.extend(self.block.iter().skip(number).step_by(count));
            let samples = &self.one;
            output.put(channel, time, |writer| message(samples, sample_rate, writer))?;
        }
        Ok(())
    }
}

/// Returns the schema of one microphone's sound, as the example robot's `AudioBlock`.
fn schema() -> MessageSchema {
    let fields = vec![
        Field::new("samples", Vec::<f32>::data_type(), "From -1 to 1."),
        Field::new("sample_rate", DataType::Float32, "In hertz."),
    ];
    MessageSchema::of("AudioBlock", &DataType::structure(TypeName::new("recording", "AudioBlock"), fields))
}

fn message(samples: &[f32], sample_rate: f32, writer: &mut CdrWriter) {
    writer.begin_sequence(samples.len(), FixedLength::No);
    writer.items(Items::F32(samples));
    writer.float32(sample_rate);
}
