//! Export of logs to files of common formats: tables, pictures, and attachments.

mod image;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::entry::{Attachment, Entry, Message};
use crate::error::LogError;
use crate::reader::LogReader;
use table::Table;

/// The result of an export.
///
/// ```no_run
/// use hemiola_log::{LogReader, export};
///
/// let mut log = LogReader::open("run.mcap".as_ref())?;
/// for file in export(&mut log, "tables".as_ref(), |_, _| {})?.files {
///     println!("{}: {} messages", file.path.display(), file.messages);
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Exported {
    /// The files: a table or a folder of pictures for each channel, and attachments.
    pub files: Vec<ExportedFile>,
    /// The problems: damage, and channels that cannot be decoded, each reported once.
    pub problems: Vec<LogError>,
}

/// A file, or a folder of pictures, that was written.
///
/// See [`Exported`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// The path of the file or folder.
    pub path: PathBuf,
    /// The number of messages in it; zero for attachments.
    pub messages: u64,
}

/// Writes each channel of a log into a new directory: pictures as files, other messages as tables,
/// with a line for each message and a column for each number; and attachments. Channels in JSON
/// become files of lines.
///
/// `progress` is called with the number of bytes that have been read, and the number of all.
///
/// # Errors
/// Fails if the directory exists already or cannot be written, or if the disk fails. Damage of the
/// log is not an error.
pub fn export<R: Read + Seek>(
    log: &mut LogReader<R>,
    directory: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Exported, LogError> {
    fs::create_dir(directory).map_err(|error| failed(directory, &error))?;
    let mut export = Export { directory, names: BTreeSet::new(), channels: BTreeMap::new(), problems: Vec::new() };
    let mut attachments = Vec::new();
    while let Some(entry) = log.next_entry() {
        match entry {
            Ok(Entry::Message(message)) => export.message(&message)?,
            Ok(Entry::Attachment(attachment)) => attachments.push(attachment),
            Ok(Entry::Chunk(_)) => {
                let (read, length) = log.progress();
                progress(read, length);
            }
            Ok(_) => {}
            Err(error @ LogError::Read { .. }) => return Err(error),
            Err(error) => export.problem(error),
        }
    }
    let mut files = Vec::new();
    for attachment in &attachments {
        files.push(ExportedFile { path: export.attachment(log, attachment)?, messages: 0 });
    }
    for (_, channel) in export.channels {
        files.extend(channel.finish()?);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Exported { files, problems: export.problems })
}

struct Export<'d> {
    directory: &'d Path,
    /// The names of files that are taken.
    names: BTreeSet<String>,
    channels: BTreeMap<u16, ChannelExport>,
    problems: Vec<LogError>,
}

enum ChannelExport {
    Table(Table),
    Lines {
        path: PathBuf,
        file: BufWriter<File>,
        messages: u64,
    },
    Pictures {
        path: PathBuf,
        messages: u64,
    },
    /// The channel cannot be exported; the problem has been recorded.
    Refused,
}

/// The number of problems that are kept.
const MOST_PROBLEMS: usize = 1000;

impl Export<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), LogError> {
        let id = message.channel.id;
        if !self.channels.contains_key(&id) {
            let channel = self.begin(message)?;
            self.channels.insert(id, channel);
        }
        let written = match self.channels.get_mut(&id) {
            Some(ChannelExport::Table(table)) => message.decode().and_then(|value| table.write(message, &value)),
            Some(ChannelExport::Pictures { path, messages }) => message.decode().and_then(|value| {
                let stem = format!("{messages:06}_{}", message.log_time);
                *messages += 1;
                image::write(&value, path, &stem)
            }),
            Some(ChannelExport::Lines { path, file, messages }) => {
                *messages += 1;
                let line = file.write_all(message.data).and_then(|()| file.write_all(b"\n"));
                line.map_err(|error| failed(path, &error))
            }
            Some(ChannelExport::Refused) | None => Ok(()),
        };
        match written {
            Err(error @ LogError::Write { .. }) => Err(error),
            Err(error) => {
                self.problem(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn begin(&mut self, message: &Message<'_>) -> Result<ChannelExport, LogError> {
        let topic = &message.channel.topic;
        if message.channel.encoding == "json" {
            let path = self.path(topic, ".jsonl");
            let file = create(&path)?;
            return Ok(ChannelExport::Lines { path, file, messages: 0 });
        }
        Ok(match message.channel.definition() {
            Ok(definition) if image::is_picture(definition) => {
                let path = self.path(topic, "");
                fs::create_dir(&path).map_err(|error| failed(&path, &error))?;
                ChannelExport::Pictures { path, messages: 0 }
            }
            Ok(definition) => {
                let path = self.path(topic, ".csv");
                ChannelExport::Table(Table::new(path, definition)?)
            }
            Err(error) => {
                self.problem(error);
                ChannelExport::Refused
            }
        })
    }

    fn attachment<R: Read + Seek>(
        &mut self,
        log: &mut LogReader<R>,
        attachment: &Attachment,
    ) -> Result<PathBuf, LogError> {
        let (stem, extension) = attachment.name.rsplit_once('.').unwrap_or((&attachment.name, ""));
        let extension = if extension.is_empty() { String::new() } else { format!(".{}", plain(extension)) };
        let path = self.path(stem, &extension);
        let mut file = create(&path)?;
        log.read_attachment(attachment, &mut file)?;
        file.flush().map_err(|error| failed(&path, &error))?;
        Ok(path)
    }

    /// Returns the path of a new file in the directory, whatever the name in the log is.
    fn path(&mut self, name: &str, extension: &str) -> PathBuf {
        let stem = plain(name);
        let mut name = format!("{stem}{extension}");
        let mut number = 1;
        while !self.names.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{stem}_{number}{extension}");
        }
        self.directory.join(name)
    }

    fn problem(&mut self, error: LogError) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(error);
        }
    }
}

impl ChannelExport {
    fn finish(self) -> Result<Option<ExportedFile>, LogError> {
        Ok(match self {
            Self::Table(table) => Some(table.finish()?),
            Self::Lines { path, mut file, messages } => {
                file.flush().map_err(|error| failed(&path, &error))?;
                Some(ExportedFile { path, messages })
            }
            Self::Pictures { path, messages } => Some(ExportedFile { path, messages }),
            Self::Refused => None,
        })
    }
}

/// Turns `/camera/upper` into `camera_upper`; the result does not lead out of a directory, and is
/// not too long for a name.
fn plain(name: &str) -> String {
    let letters = name.chars().map(|letter| if letter.is_alphanumeric() || letter == '-' { letter } else { '_' });
    let name: String = letters.take(80).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

fn create(path: &Path) -> Result<BufWriter<File>, LogError> {
    File::create_new(path).map(BufWriter::new).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> LogError {
    LogError::Write { path: path.to_owned(), reason: error.to_string() }
}
