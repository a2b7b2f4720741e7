//! A table in text: a line of names, then a line for each row.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use flate2::bufread::MultiGzDecoder;
use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{DataType, Field, TypeName, Writer};

use super::columns::{self, Kind};
use super::pictures;
use super::stamp::{TimeUnit, Timing, at_rate};
use super::{Channel, Imported, Output, Stream};
use crate::error::LogError;

/// Whether it is one, by its name.
pub fn is_table(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    name.ends_with(".csv") || name.ends_with(".csv.gz")
}

/// A table that has been read once, and is read again row by row.
pub struct Table {
    path: PathBuf,
    topic: String,
    columns: Vec<Column>,
    times: Times,
    rows: Reader<Lines>,
    row: ByteRecord,
    /// Rows so far, also those that were left out.
    count: u64,
    untimed: Untimed,
    /// Of the text, and of the pictures that it names.
    bytes: u64,
    channel: Option<Channel>,
}

/// A column; that of the times is none.
struct Column {
    /// Its number in the table.
    index: usize,
    header: String,
    name: String,
    kind: Kind,
    pictures: Option<Pictures>,
}

/// Of the column that names them.
struct Pictures {
    channel: Option<Channel>,
}

/// Rows that tell no time: thousands of them are one problem, which the first one explains.
#[derive(Default)]
struct Untimed {
    count: u64,
    /// Its line and its cell.
    first: Option<(Option<u64>, String)>,
}

enum Times {
    Column(usize, TimeUnit),
    Rate(f64),
}

impl Table {
    /// Learns what the columns hold. Folders of pictures that it names are added to `told`.
    pub fn examine(path: &Path, topic: &str, timing: &Timing, told: &mut BTreeSet<PathBuf>) -> Result<Self, LogError> {
        let mut rows = open(path)?;
        let headers = rows.byte_headers().map_err(|error| unreadable(path, &error))?.clone();
        let headers: Vec<_> = headers.iter().map(|header| String::from_utf8_lossy(header).into_owned()).collect();
        let times = times(path, &headers, timing)?;
        let mut kinds = vec![Kind::Integer; headers.len()];
        let mut folders = vec![Folders::Unknown; headers.len()];
        let (mut row, mut bytes, mut count) = (ByteRecord::new(), 0, 0_u64);
        while read(&mut rows, &mut row).map_err(|error| unreadable(path, &error))? {
            count += 1;
            bytes += row.as_slice().len() as u64;
            for (index, kind) in kinds.iter_mut().enumerate() {
                let cell = String::from_utf8_lossy(row.get(index).unwrap_or_default());
                *kind = kind.with(&cell);
                bytes += folders[index].look(path, &cell);
            }
        }
        if count == 0 {
            return Err(LogError::Import {
                path: path.to_owned(),
                line: None,
                reason: "the table has no rows".to_owned(),
            });
        }
        let names = columns::names(headers.iter().map(String::as_str));
        let mut columns = Vec::new();
        for (index, (header, name)) in headers.into_iter().zip(names).enumerate() {
            if matches!(times, Times::Column(time, _) if time == index) {
                continue;
            }
            let pictures = match std::mem::replace(&mut folders[index], Folders::None) {
                Folders::Of(folders) => {
                    told.extend(folders);
                    Some(Pictures { channel: None })
                }
                Folders::Unknown | Folders::None => None,
            };
            columns.push(Column { index, header, name, kind: kinds[index], pictures });
        }
        Ok(Self {
            path: path.to_owned(),
            topic: topic.to_owned(),
            columns,
            times,
            rows: open(path)?,
            row,
            count: 0,
            untimed: Untimed::default(),
            bytes,
            channel: None,
        })
    }

    fn time(&mut self) -> Option<Time> {
        match self.times {
            Times::Rate(rate) => Some(at_rate(self.count - 1, rate)),
            Times::Column(index, unit) => {
                let cell = String::from_utf8_lossy(self.row.get(index).unwrap_or_default());
                let time = unit.time(&cell);
                if time.is_none() {
                    let line = self.row.position().map(csv::Position::line);
                    self.untimed.count += 1;
                    self.untimed.first.get_or_insert_with(|| (line, shortened(&cell)));
                }
                time
            }
        }
    }

    /// Says what was left out, once, at the end.
    fn tell_untimed(&mut self, imported: &mut Imported) {
        let Untimed { count, first } = std::mem::take(&mut self.untimed);
        let Some((line, cell)) = first else { return };
        let left_out = match count {
            1 => "the row is left out".to_owned(),
            count => format!(
                "{count} of {} rows are left out, of which this is the first; name the column of times with --time \
                 COLUMN=UNIT, or say how many rows there are per second with --rate",
                self.count
            ),
        };
        let reason =
            format!("`{cell}` is no time of a log, which are numbers from 0 on that fit 292 years; {left_out}");
        imported.note(LogError::Import { path: self.path.clone(), line, reason });
    }
}

impl Stream for Table {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn describe(&mut self, output: &mut Output<'_>) -> Result<(), LogError> {
        let field = |column: &Column| Field::new(&column.name, column.kind.data_type(), &one_line(&column.header));
        let name = self.topic.rsplit('/').next().unwrap_or_default();
        let row = DataType::structure(TypeName::new("recording", name), self.columns.iter().map(field).collect());
        self.channel = Some(output.channel(&self.topic, &MessageSchema::of(name, &row))?);
        for column in &mut self.columns {
            if let Some(pictures) = &mut column.pictures {
                pictures.channel =
                    Some(output.channel(&format!("{}/{}", self.topic, column.name), &pictures::schema())?);
            }
        }
        Ok(())
    }

    /// Goes to the next row that has a time.
    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        loop {
            match read(&mut self.rows, &mut self.row) {
                Ok(true) => {}
                Ok(false) => {
                    self.tell_untimed(output.imported);
                    return Ok(None);
                }
                Err(error) => {
                    self.tell_untimed(output.imported);
                    output.imported.note(unreadable(&self.path, &error));
                    return Ok(None);
                }
            }
            self.count += 1;
            if let Some(time) = self.time() {
                return Ok(Some(time));
            }
        }
    }

    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
        let Some(channel) = &mut self.channel else { return Ok(()) };
        output.advanced(self.row.as_slice().len() as u64);
        let (columns, row) = (&self.columns, &self.row);
        output.put(channel, time, |writer| message(writer, columns, row))?;
        for column in &mut self.columns {
            let Some(Pictures { channel: Some(channel) }) = &mut column.pictures else { continue };
            let cell = String::from_utf8_lossy(self.row.get(column.index).unwrap_or_default());
            if let Some(path) = beside(&self.path, &cell) {
                pictures::write(&path, channel, time, output)?;
            }
        }
        Ok(())
    }
}

fn message(writer: &mut CdrWriter, columns: &[Column], row: &ByteRecord) {
    writer.begin_structure("");
    for column in columns {
        let cell = String::from_utf8_lossy(row.get(column.index).unwrap_or_default());
        writer.field(&column.name);
        match column.kind {
            // The first reading found all cells to be what they are read as here, or empty.
            Kind::Integer => writer.signed(cell.parse().unwrap_or_default(), 64),
            Kind::Number => writer.float64(cell.parse().unwrap_or(f64::NAN)),
            Kind::Text => writer.string(&cell),
        }
    }
    writer.end_structure();
}

fn times(path: &Path, headers: &[String], timing: &Timing) -> Result<Times, LogError> {
    if let Some((name, unit)) = &timing.column
        && let Some(index) = headers.iter().position(|header| header == name)
    {
        return Ok(Times::Column(index, *unit));
    }
    // What was said counts more than what the name of a column suggests.
    if let Some(rate) = timing.rate {
        return Ok(Times::Rate(rate));
    }
    let known = headers.iter().enumerate().find_map(|(index, header)| Some((index, TimeUnit::of_header(header)?)));
    match known {
        Some((index, unit)) => Ok(Times::Column(index, unit)),
        None => Err(LogError::Import {
            path: path.to_owned(),
            line: Some(1),
            reason: format!(
                "none of the columns {} tells the time: name one with --time COLUMN=UNIT, or say how many rows there are per second with --rate",
                headers.iter().map(|header| format!("`{}`", shortened(header))).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

/// The folders of the pictures that a column names.
#[derive(Clone)]
enum Folders {
    /// No cell so far.
    Unknown,
    /// All cells so far were pictures that are there.
    Of(BTreeSet<PathBuf>),
    /// It does not name pictures.
    None,
}

impl Folders {
    /// Looks at one more cell; tells how large its picture is.
    fn look(&mut self, table: &Path, cell: &str) -> u64 {
        if cell.is_empty() || matches!(self, Self::None) {
            return 0;
        }
        let picture = beside(table, cell).filter(|path| pictures::format(path).is_some());
        let size = picture.as_ref().and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
        let folder = picture.as_ref().and_then(|path| path.parent());
        match (&mut *self, folder, size) {
            // What the first row names decides; that a later one is missing is told when it is to be written.
            (Self::Unknown, Some(folder), Some(_)) => *self = Self::Of(BTreeSet::from([folder.to_owned()])),
            (Self::Of(folders), Some(folder), _) if !folders.contains(folder) => _ = folders.insert(folder.to_owned()),
            (Self::Of(_), Some(_), _) => {}
            _ => *self = Self::None,
        }
        size.unwrap_or(0)
    }
}

/// What a cell names, seen from the table; nothing outside its directory.
fn beside(table: &Path, cell: &str) -> Option<PathBuf> {
    let inside = Path::new(cell).components().all(|part| matches!(part, Component::Normal(_)));
    (inside && !cell.is_empty() && !cell.contains('\0')).then(|| table.parent().unwrap_or(Path::new("")).join(cell))
}

/// Longer ones are no rows; memory is not to grow with them.
const LONGEST_LINE: usize = 1 << 20;

/// Text that fails when a line does not end.
struct Lines {
    text: Box<dyn Read>,
    since_end: usize,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        self.since_end = match buffer[..count].iter().rposition(|&byte| byte == b'\n') {
            Some(end) => count - end,
            None => self.since_end + count,
        };
        if self.since_end > LONGEST_LINE {
            return Err(io::Error::other("a line of more than a megabyte: this is no table"));
        }
        Ok(count)
    }
}

fn open(path: &Path) -> Result<Reader<Lines>, LogError> {
    let failed = |error| LogError::Open { path: path.to_owned(), error };
    let file = BufReader::new(File::open(path).map_err(failed)?);
    let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let packed: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut text = BufReader::new(packed);
    let delimiter = delimiter(text.fill_buf().map_err(failed)?);
    let lines = Lines { text: Box::new(text), since_end: 0 };
    Ok(ReaderBuilder::new().flexible(true).trim(Trim::All).delimiter(delimiter).from_reader(lines))
}

/// What there is most of in the first line.
fn delimiter(text: &[u8]) -> u8 {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}

fn read(rows: &mut Reader<Lines>, row: &mut ByteRecord) -> Result<bool, csv::Error> {
    rows.read_byte_record(row)
}

fn unreadable(path: &Path, error: &csv::Error) -> LogError {
    let line = error.position().map(csv::Position::line);
    LogError::Import { path: path.to_owned(), line, reason: format!("{error}; what follows is left out") }
}

fn one_line(header: &str) -> String {
    header.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn shortened(cell: &str) -> String {
    if cell.chars().count() > 40 { cell.chars().take(40).chain(['…']).collect() } else { cell.to_owned() }
}
