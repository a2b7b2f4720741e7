//! Tables and pictures of a directory as a log: what recordings look like that are not logs yet.

mod columns;
mod pictures;
mod stamp;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_model::configuration::LogCompression;

use crate::error::LogError;
use crate::foreign;
use crate::format::MAGIC;
use crate::writer::{ChannelId, LogWriter, Origin};
use pictures::PictureFolder;
pub use stamp::{TimeUnit, Timing};
use table::Table;

/// What was written.
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
    /// In the order of the directory.
    pub channels: Vec<ImportedChannel>,
    /// What was left out; of very many rows, the first.
    pub problems: Vec<LogError>,
    /// How many there were in all.
    pub problem_count: u64,
}

/// A table, or pictures.
///
/// ```
/// let channel = hemiola_log::ImportedChannel { topic: "/cam0/filename".into(), messages: 30 };
/// assert!(channel.topic.starts_with("/cam0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedChannel {
    /// Its topic.
    pub topic: String,
    /// How many are in it.
    pub messages: u64,
}

/// As many problems are kept.
const MOST_PROBLEMS: usize = 1000;

impl Imported {
    fn note(&mut self, problem: LogError) {
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// Writes the tables (CSV, also packed by gzip) and pictures (JPEG, PNG, WebP) in and below a directory into a new log, by time.
///
/// | in the directory | in the log |
/// |---|---|
/// | `sensors/imu.csv` | `/sensors/imu`: a message for each row; columns are integers, numbers (`NaN` where the cell is empty) or texts, whichever holds all |
/// | a column of times | the time of the row. It is known by its name: `t_s`, `time [ns]`, `stamp_ms`; or see [`Timing`] |
/// | a column of paths of pictures | in addition `/sensors/imu/COLUMN`: the pictures as they are, as `sensor_msgs/CompressedImage` |
/// | a folder of pictures that no table names | `/FOLDER`: its pictures in the order of their names, at a rate |
///
/// Tables are read twice, the first time to learn what their columns hold; memory does not grow with them. `progress` is told how many bytes of how
/// many have been written.
///
/// # Errors
/// The directory cannot be read, or has nothing to import; the log exists already or cannot be written. A row that makes no sense is no error: it is
/// left out and told of.
pub fn import(
    directory: &Path,
    output: &Path,
    compression: LogCompression,
    timing: &Timing,
    mut progress: impl FnMut(u64, u64),
) -> Result<Imported, LogError> {
    if directory.is_file() {
        return Err(LogError::Import { path: directory.to_owned(), line: None, reason: no_directory(directory) });
    }
    let mut imported = Imported::default();
    let streams = streams(directory, timing, &mut imported)?;
    if streams.is_empty() {
        return Err(nothing(directory, imported));
    }
    let mut log = LogWriter::create(output, compression)?;
    let result = write(streams, &mut log, &mut imported, &mut progress).and_then(|()| log.finish());
    let is_empty = imported.channels.iter().all(|channel| channel.messages == 0);
    if result.is_err() || is_empty {
        // Half a log would be taken for a whole one, and an empty one for a recording of nothing. That it cannot be removed
        // changes nothing about what failed.
        _ = fs::remove_file(output);
    }
    result?;
    if is_empty { Err(nothing(directory, imported)) } else { Ok(imported) }
}

/// Rows or pictures, one after the other.
enum Stream {
    Table(Box<Table>),
    Pictures(PictureFolder),
}

impl Stream {
    fn bytes(&self) -> u64 {
        match self {
            Self::Table(table) => table.bytes(),
            Self::Pictures(folder) => folder.bytes(),
        }
    }

    fn describe(&mut self, log: &mut LogWriter, imported: &mut Imported) -> Result<(), LogError> {
        let mut channel = |topic: &str, schema: &_| {
            let id = log.channel(topic, schema)?;
            imported.channels.push(ImportedChannel { topic: topic.to_owned(), messages: 0 });
            Ok(Channel { id, number: imported.channels.len() - 1, sequence: 0 })
        };
        match self {
            Self::Table(table) => table.describe(&mut channel),
            Self::Pictures(folder) => folder.describe(&mut channel),
        }
    }

    /// When what comes next was taken; `None` at the end.
    fn advance(&mut self, imported: &mut Imported) -> Option<Time> {
        match self {
            Self::Table(table) => table.advance(imported),
            Self::Pictures(folder) => folder.advance(),
        }
    }

    fn write(&mut self, time: Time, out: &mut Output<'_>) -> Result<(), LogError> {
        match self {
            Self::Table(table) => table.write(time, out),
            Self::Pictures(folder) => folder.write(time, out),
        }
    }
}

/// A channel of the log, and of what is told about it.
struct Channel {
    id: ChannelId,
    number: usize,
    sequence: u32,
}

/// What streams write to.
struct Output<'a> {
    log: &'a mut LogWriter,
    imported: &'a mut Imported,
    message: CdrWriter,
    bytes: u64,
}

impl Output<'_> {
    /// Writes a message; `fill` walks it.
    fn write(&mut self, channel: &mut Channel, time: Time, fill: impl FnOnce(&mut CdrWriter)) -> Result<(), LogError> {
        self.message.clear();
        fill(&mut self.message);
        let origin = Origin { sequence: channel.sequence, logged: time, published: time };
        self.log.write(channel.id, origin, self.message.bytes())?;
        channel.sequence = channel.sequence.wrapping_add(1);
        self.imported.channels[channel.number].messages += 1;
        Ok(())
    }
}

fn write(
    mut streams: Vec<Stream>,
    log: &mut LogWriter,
    imported: &mut Imported,
    progress: &mut impl FnMut(u64, u64),
) -> Result<(), LogError> {
    let all = streams.iter().map(Stream::bytes).sum();
    for stream in &mut streams {
        stream.describe(log, imported)?;
    }
    let mut next: Vec<_> = streams.iter_mut().map(|stream| stream.advance(imported)).collect();
    let mut output = Output { log, imported, message: CdrWriter::default(), bytes: 0 };
    // Of two at the same time, the first of the directory.
    while let Some((time, index)) = (0..next.len()).filter_map(|index| Some((next[index]?, index))).min() {
        streams[index].write(time, &mut output)?;
        progress(output.bytes, all);
        next[index] = streams[index].advance(output.imported);
    }
    Ok(())
}

/// What there is to read, in the order of paths.
fn streams(directory: &Path, timing: &Timing, imported: &mut Imported) -> Result<Vec<Stream>, LogError> {
    let mut files = Vec::new();
    collect(directory, &mut files)?;
    files.sort();
    let mut streams = Vec::new();
    // Folders whose pictures a table has already.
    let mut told: BTreeSet<PathBuf> = BTreeSet::new();
    for file in files.iter().filter(|file| table::is_table(file)) {
        match Table::examine(file, &topic(directory, file), timing, &mut told) {
            Ok(table) => streams.push(Stream::Table(Box::new(table))),
            Err(problem) => imported.note(problem),
        }
    }
    let folders: BTreeSet<_> =
        files.iter().filter(|file| pictures::format(file).is_some()).filter_map(|file| file.parent()).collect();
    for folder in folders.into_iter().filter(|folder| !told.contains(*folder)) {
        let pictures = files.iter().filter(|file| file.parent() == Some(folder) && pictures::format(file).is_some());
        match PictureFolder::new(folder, &topic(directory, folder), pictures.cloned().collect(), timing) {
            Ok(folder) => streams.push(Stream::Pictures(folder)),
            Err(problem) => imported.note(problem),
        }
    }
    Ok(streams)
}

/// What a file is that was given in the place of a directory, and what to do.
fn no_directory(path: &Path) -> String {
    let mut first = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut first));
    match read.ok().and_then(|_| foreign::known(&first)) {
        Some(known) => known.to_owned(),
        None if first == MAGIC => "this is a log already".to_owned(),
        None if table::is_table(path) => "this is a file: give the directory that it is in".to_owned(),
        None => "this is a file, and a directory with tables (CSV) or pictures can be imported".to_owned(),
    }
}

/// No directory of recordings is deeper; links may go in circles, so they are not followed.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), LogError> {
    let failed = |error| LogError::Open { path: directory.to_owned(), error };
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn nothing(directory: &Path, mut imported: Imported) -> LogError {
    let reason = match (imported.problems.first(), imported.problem_count) {
        (Some(_), 1) => return imported.problems.remove(0),
        (Some(problem), count) => format!("nothing in it can be, for {count} reasons; the first: {problem}"),
        (None, _) => "there is no table (.csv, .csv.gz) and no picture (.jpg, .png, .webp) in it".to_owned(),
    };
    LogError::Import { path: directory.to_owned(), line: None, reason }
}

/// The way from the directory as a name that ROS 2 allows: letters, digits and underscores, not beginning with a digit.
fn topic(directory: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(directory).unwrap_or(path);
    let mut topic = String::new();
    for part in inside.components() {
        let part = part.as_os_str().to_string_lossy();
        let part = part.strip_suffix(".gz").unwrap_or(&part);
        topic.push('/');
        topic += &columns::identifier(part.strip_suffix(".csv").unwrap_or(part));
    }
    if topic.is_empty() {
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return format!("/{}", columns::identifier(&name));
    }
    topic
}
