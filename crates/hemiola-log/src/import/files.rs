//! The files in a directory, recognised by name and by the first bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::bag::{self, Bag};
use super::columns::identifier;
use super::pictures::{self, PictureFolder};
use super::sound::SoundFile;
use super::table::{self, Table};
use super::ulog::{self, Ulog};
use super::{Imported, Stream, Timing};
use crate::error::LogError;
use crate::foreign;
use crate::format::MAGIC;
use crate::sound;

/// The forms that can be imported, as messages list them.
pub const KNOWN: &str = "tables (.csv, .csv.gz), pictures (.jpg, .png, .webp), sound (.wav, .flac), bags of ROS 1 (.bag) and logs of PX4 (.ulg)";

/// The files to import, in the order of paths.
pub struct Files {
    /// The file or directory to import.
    root: PathBuf,
    files: Vec<PathBuf>,
}

/// The form of a file.
enum Form {
    Table,
    Picture,
    Bag,
    Ulog,
    Sound,
    Log,
    /// The file belongs to another program; the text describes what can be done with it.
    Foreign(String),
    Unknown,
}

impl Files {
    /// Finds a single file, or all files in and below a directory; those whose names begin with a
    /// dot are skipped. Links are not followed, because they may lead in circles.
    pub fn find(root: &Path) -> Result<Self, LogError> {
        if root.is_file() {
            return Ok(Self { root: root.to_owned(), files: vec![root.to_owned()] });
        }
        let (mut files, mut directories) = (Vec::new(), vec![root.to_owned()]);
        while let Some(directory) = directories.pop() {
            let failed = |error| LogError::Open { path: directory.clone(), error };
            for entry in fs::read_dir(&directory).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let kind = entry.file_type().map_err(failed)?;
                if entry.file_name().as_encoded_bytes().starts_with(b".") {
                    continue;
                } else if kind.is_dir() {
                    directories.push(entry.path());
                } else if kind.is_file() {
                    files.push(entry.path());
                }
            }
        }
        files.sort();
        Ok(Self { root: root.to_owned(), files })
    }

    fn is_alone(&self) -> bool {
        matches!(&self.files[..], [file] if *file == self.root)
    }

    /// Opens all files of known forms. The others are reported: as an error if the import is of a
    /// single file.
    pub fn streams(&self, timing: &Timing, imported: &mut Imported) -> Result<Vec<Box<dyn Stream>>, LogError> {
        let forms = self.files.iter().map(|file| Ok((file, form(file)?))).collect::<Result<Vec<_>, LogError>>()?;
        if self.is_alone() {
            self.check_alone(&forms, timing)?;
        }
        let mut streams: Vec<Box<dyn Stream>> = Vec::new();
        // These are the folders whose pictures a table names.
        let mut told = BTreeSet::new();
        for (file, form) in &forms {
            let topic = self.topic(file);
            let stream: Result<Box<dyn Stream>, _> = match form {
                Form::Table => Table::examine(file, &topic, timing, &mut told).map(|table| Box::new(table) as _),
                Form::Bag => Bag::open(file, self.prefix(file)).map(|bag| Box::new(bag) as _),
                Form::Ulog => Ulog::open(file, self.prefix(file)).map(|log| Box::new(log) as _),
                Form::Sound => SoundFile::open(file, &topic, timing, self.is_alone()).map(|sound| Box::new(sound) as _),
                Form::Picture | Form::Log | Form::Foreign(_) | Form::Unknown => continue,
            };
            match stream {
                Ok(stream) => streams.push(stream),
                Err(problem) => imported.note(too_many(problem)),
            }
        }
        self.pictures(&forms, &told, timing, imported, &mut streams);
        imported.notes.append(&mut left_out(&forms));
        Ok(streams)
    }

    fn pictures(
        &self,
        forms: &[(&PathBuf, Form)],
        told: &BTreeSet<PathBuf>,
        timing: &Timing,
        imported: &mut Imported,
        streams: &mut Vec<Box<dyn Stream>>,
    ) {
        let mut folders: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
        for (file, _) in forms.iter().filter(|(_, form)| matches!(form, Form::Picture)) {
            if let Some(folder) = file.parent().filter(|folder| !told.contains(*folder)) {
                folders.entry(folder).or_default().push((*file).clone());
            }
        }
        for (folder, pictures) in folders {
            match PictureFolder::new(folder, &self.topic(folder), pictures, timing) {
                Ok(folder) => streams.push(Box::new(folder)),
                Err(problem) => imported.note(problem),
            }
        }
    }

    /// Checks that a single file can be imported, in the way that was requested.
    fn check_alone(&self, forms: &[(&PathBuf, Form)], timing: &Timing) -> Result<(), LogError> {
        let Some((file, form)) = forms.first() else { return Ok(()) };
        let reason = match form {
            Form::Foreign(known) => known.clone(),
            Form::Log => "this is already a log".to_owned(),
            Form::Unknown => format!("it is not supported by `log import`, which imports: {KNOWN}"),
            Form::Bag | Form::Ulog if *timing != Timing::default() => {
                "its messages have times of their own: remove --time and --rate".to_owned()
            }
            Form::Table | Form::Picture | Form::Bag | Form::Ulog | Form::Sound => return Ok(()),
        };
        Err(LogError::Import { path: (*file).clone(), line: None, reason })
    }

    /// Returns the prefix for topics that are named in a file: empty if the import is of a single
    /// file.
    fn prefix(&self, file: &Path) -> String {
        if self.is_alone() { String::new() } else { self.topic(file) }
    }

    /// Turns the path from the directory into a name that ROS 2 allows: letters, digits and
    /// underscores, not beginning with a digit.
    fn topic(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let mut topic = String::new();
        for part in inside.components() {
            topic.push('/');
            topic += &identifier(stem(&part.as_os_str().to_string_lossy()));
        }
        if topic.is_empty() {
            // This is the directory itself, or the single file; `.` has no name.
            let whole = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
            let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            return format!("/{}", identifier(stem(&name)));
        }
        topic
    }
}

/// Returns a name without the part that indicates the form.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    [".csv", ".bag", ".ulg", ".wav", ".flac"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn form(path: &Path) -> Result<Form, LogError> {
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(foreign::LONGEST_BEGINNING).read_to_end(&mut first));
    read.map_err(|error| LogError::Open { path: path.to_owned(), error })?;
    Ok(if first.starts_with(&MAGIC) {
        Form::Log
    } else if first.starts_with(bag::MAGIC) {
        Form::Bag
    } else if first.starts_with(ulog::MAGIC) {
        Form::Ulog
    } else if sound::is_sound(&first) {
        Form::Sound
    } else if table::is_table(path) {
        Form::Table
    } else if pictures::format(path).is_some() {
        Form::Picture
    } else {
        foreign::known(&first).map_or(Form::Unknown, |known| Form::Foreign(known.to_owned()))
    })
}

/// Returns a line for each kind of files that are skipped.
fn left_out(forms: &[(&PathBuf, Form)]) -> Vec<String> {
    let mut kinds: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for (file, form) in forms {
        let kind = match form {
            Form::Table | Form::Picture | Form::Bag | Form::Ulog | Form::Sound => continue,
            Form::Log => "already a log; `log merge` merges logs".to_owned(),
            Form::Foreign(known) => known.clone(),
            Form::Unknown => match file.extension() {
                Some(extension) => format!("not supported by `log import` (.{})", extension.to_string_lossy()),
                None => "not supported by `log import`".to_owned(),
            },
        };
        kinds.entry(kind).or_default().push(file);
    }
    let line = |(kind, files): (String, Vec<&PathBuf>)| match files[..] {
        [file] => format!("{} is left out: {kind}", file.display()),
        _ => format!("{} and {} more like it are left out: {kind}", files[0].display(), files.len() - 1),
    };
    kinds.into_iter().map(line).collect()
}

/// Explains an error about too many open files: every file stays open while the log is written,
/// because messages of the same time are written next to each other.
fn too_many(problem: LogError) -> LogError {
    const TOO_MANY_OPEN_FILES: i32 = 24;
    match problem {
        LogError::Open { path, error } if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => {
            let reason = format!("{error}: raise the limit (`ulimit -n 65536`), or import parts and `log merge` them");
            LogError::Import { path, line: None, reason }
        }
        other => other,
    }
}
