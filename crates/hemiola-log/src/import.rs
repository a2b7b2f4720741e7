//! Import of recordings that are not logs yet: tables, pictures, sound, and the logs of other
//! programs.

mod bag;
pub(crate) mod columns;
mod files;
mod output;
mod pictures;
mod sound;
mod stamp;
mod table;
mod ulog;

use std::fs;
use std::path::Path;

use hemiola_model::Time;
use hemiola_model::configuration::LogCompression;

use crate::error::LogError;
use crate::writer::LogWriter;
use files::Files;
use output::{Channel, Output};
pub use pictures::format as picture_format;
pub use stamp::{TimeUnit, Timing};

/// The result of an import.
///
/// ```no_run
/// use hemiola_log::{LogCompression, Timing, import};
///
/// let imported = import("euroc".as_ref(), "euroc.mcap".as_ref(), LogCompression::Lz4, &Timing::default(), |_, _| {})?;
/// for channel in imported.channels {
///     println!("{}: {} messages", channel.topic, channel.messages);
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Imported {
    /// The channels, in the order of the directory.
    pub channels: Vec<ImportedChannel>,
    /// The problems, with what was skipped; of very many rows, the first.
    pub problems: Vec<LogError>,
    /// The number of all problems.
    pub problem_count: u64,
    /// Other facts: files that are not recordings, data that the recorder itself lost.
    pub notes: Vec<String>,
}

/// A channel that was imported: a table, pictures, sound, or a topic of another program's log.
///
/// See [`Imported`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedChannel {
    /// The topic of the channel.
    pub topic: String,
    /// The number of its messages.
    pub messages: u64,
}

/// The number of problems that are kept.
const MOST_PROBLEMS: usize = 1000;

impl Imported {
    fn note(&mut self, problem: LogError) {
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// Writes a recording, or all recordings in and below a directory, into a new log, by time.
///
/// | in the directory | in the log |
/// |---|---|
/// | `sensors/imu.csv`, a table, also packed by gzip | `/sensors/imu`: a message for each row; columns are integers, numbers (`NaN` where the cell is empty) or texts, whichever holds all |
/// | a column of times | the time of the row. It is known by its name: `t_s`, `time [ns]`, `stamp_ms`; or see [`Timing`] |
/// | a column of paths of pictures | in addition `/sensors/imu/COLUMN`: the pictures (JPEG, PNG, WebP) as they are, as `sensor_msgs/CompressedImage` |
/// | a folder of pictures that no table names | `/FOLDER`: its pictures in the order of their names, at a rate |
/// | `voice.wav`, `voice.flac`, sound | `/voice`, or for several microphones `/voice/channel_1` and so on: blocks of 1024 samples from -1 to 1, with their rate, as the example robot records them; each begins at zero and is stamped with its end |
/// | `run.bag`, a bag of ROS 1 | `/run/TOPIC` for each of its topics, with the time at which a message was received. The `seq` of headers, which ROS 2 does not have, is left out |
/// | `flight.ulg`, a log of PX4 | `/flight/TOPIC` for each of its topics, `/flight/TOPIC_1` for those of a second sensor; `/flight/parameters`, `/flight/parameter_defaults`, `/flight/logged_messages` (as `rcl_interfaces/Log`), `/flight/dropouts`; information as metadata |
///
/// A recording that is given by itself and has topics of its own keeps their names. Hidden files
/// are skipped.
///
/// Tables are read twice, the first time to determine the types of their columns; memory does not
/// grow with recordings. `progress` is called with the number of bytes that have been written, and
/// the number of all.
///
/// # Errors
/// Fails if the recording cannot be read, if there is nothing to import, or if the log exists
/// already or cannot be written. An invalid row is not an error: it is skipped and reported.
pub fn import(
    recording: &Path,
    output: &Path,
    compression: LogCompression,
    timing: &Timing,
    mut progress: impl FnMut(u64, u64),
) -> Result<Imported, LogError> {
    let mut imported = Imported::default();
    let streams = Files::find(recording)?.streams(timing, &mut imported)?;
    if streams.is_empty() {
        return Err(nothing(recording, imported));
    }
    let mut log = LogWriter::create(output, compression)?;
    let result = write(streams, &mut log, &mut imported, &mut progress).and_then(|()| log.finish());
    let is_empty = imported.channels.iter().all(|channel| channel.messages == 0);
    if result.is_err() || is_empty {
        // Half a log would be mistaken for a whole one, and an empty one for a recording of
        // nothing. If it cannot be removed, the error remains the one that made the import fail.
        _ = fs::remove_file(output);
    }
    result?;
    if is_empty { Err(nothing(recording, imported)) } else { Ok(imported) }
}

/// A file or folder that becomes messages, one after the other.
trait Stream {
    /// Returns how many bytes are to be read, as [`Output::advanced`] counts them.
    fn bytes(&self) -> u64;

    /// Adds the channels that are known from the beginning.
    fn describe(&mut self, output: &mut Output<'_>) -> Result<(), LogError>;

    /// Moves to the next message, and returns when it was taken; `None` at the end.
    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError>;

    /// Writes the message to which `advance` moved.
    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError>;
}

fn write(
    mut streams: Vec<Box<dyn Stream>>,
    log: &mut LogWriter,
    imported: &mut Imported,
    progress: &mut impl FnMut(u64, u64),
) -> Result<(), LogError> {
    let all = streams.iter().map(|stream| stream.bytes()).sum();
    let mut output = Output::new(log, imported);
    for stream in &mut streams {
        stream.describe(&mut output)?;
    }
    let mut next = Vec::with_capacity(streams.len());
    for stream in &mut streams {
        next.push(stream.advance(&mut output)?);
    }
    // Of two messages at the same time, the one that is first in the directory comes first.
    while let Some((time, index)) = (0..next.len()).filter_map(|index| Some((next[index]?, index))).min() {
        streams[index].write(time, &mut output)?;
        progress(output.bytes(), all);
        next[index] = streams[index].advance(&mut output)?;
    }
    Ok(())
}

fn nothing(recording: &Path, mut imported: Imported) -> LogError {
    let reason = match (imported.problems.first(), imported.problem_count) {
        (Some(_), 1) => return imported.problems.remove(0),
        (Some(problem), count) => format!("no part of it can be imported, for {count} reasons; the first: {problem}"),
        (None, _) if !imported.notes.is_empty() => format!("nothing in it is supported: {}", imported.notes.join("; ")),
        (None, _) => format!("it contains nothing that `log import` supports: {}", files::KNOWN),
    };
    LogError::Import { path: recording.to_owned(), line: None, reason }
}
