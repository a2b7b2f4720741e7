//! Tables in text: a line of names, then a line for each row.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{DataType, Field, TypeName, Writer};

use super::columns::Kind;
use super::pictures;
use super::stamp::{TimeUnit, Timing, at_rate};
use super::{Channel, Imported, Output, Stream};
use crate::error::LogError;
use crate::table::{TableReader, TableRow};

/// Returns whether a file is a table, by its name.
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
    rows: TableReader,
    row: TableRow,
    /// The number of rows so far, including those that were skipped.
    count: u64,
    untimed: Untimed,
    /// The number of bytes of the text, and of the pictures that it names.
    bytes: u64,
    channel: Option<Channel>,
}

/// A column, except for that of the times.
struct Column {
    /// The number of the column in the table.
    index: usize,
    header: String,
    name: String,
    kind: Kind,
    pictures: Option<Pictures>,
}

/// The channel for the pictures that a column names.
struct Pictures {
    channel: Option<Channel>,
}

/// Rows that have no time: thousands of them are one problem, which the first one explains.
#[derive(Default)]
struct Untimed {
    count: u64,
    /// The line and the cell of the first one.
    first: Option<(u64, String)>,
}

enum Times {
    Column(usize, TimeUnit),
    Rate(f64),
}

impl Table {
    /// Determines the types of the columns. Folders of pictures that the table names are added to
    /// `told`.
    pub fn examine(path: &Path, topic: &str, timing: &Timing, told: &mut BTreeSet<PathBuf>) -> Result<Self, LogError> {
        let mut rows = TableReader::open(path)?;
        let headers = rows.headers().to_vec();
        let times = times(path, &rows, timing)?;
        let mut kinds = vec![Kind::Integer; headers.len()];
        let mut folders = vec![Folders::Unknown; headers.len()];
        let (mut bytes, mut count) = (0, 0_u64);
        while let Some(row) = rows.next_row()? {
            count += 1;
            bytes += row.size();
            for (index, kind) in kinds.iter_mut().enumerate() {
                let cell = row.cell(index);
                *kind = kind.with(cell);
                bytes += folders[index].look(path, cell);
            }
        }
        if count == 0 {
            return Err(LogError::Import {
                path: path.to_owned(),
                line: None,
                reason: "the table has no rows".to_owned(),
            });
        }
        let names = rows.field_names();
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
            rows: TableReader::open(path)?,
            row: TableRow::default(),
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
                let cell = self.row.cell(index);
                let time = unit.time(cell);
                if time.is_none() {
                    self.untimed.count += 1;
                    self.untimed.first.get_or_insert_with(|| (self.row.line(), shortened(cell)));
                }
                time
            }
        }
    }

    /// Reports what was skipped, once, at the end.
    fn tell_untimed(&mut self, imported: &mut Imported) {
        let Untimed { count, first } = std::mem::take(&mut self.untimed);
        let Some((line, cell)) = first else { return };
        let left_out = match count {
            1 => "the row is left out".to_owned(),
            count => format!(
                "{count} of {} rows are left out, of which this is the first; select the column of times with --time \
                 COLUMN=UNIT, or say how many rows there are per second with --rate",
                self.count
            ),
        };
        let reason = format!("`{cell}` is not a time, which is a number from 0 on that fits 292 years; {left_out}");
        imported.note(LogError::Import { path: self.path.clone(), line: Some(line), reason });
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

    /// Moves to the next row that has a time.
    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        loop {
            match self.rows.next_row() {
                Ok(Some(row)) => self.row = row,
                Ok(None) => {
                    self.tell_untimed(output.imported);
                    return Ok(None);
                }
                Err(error) => {
                    self.tell_untimed(output.imported);
                    output.imported.note(error);
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
        output.advanced(self.row.size());
        let (columns, row) = (&self.columns, &self.row);
        output.put(channel, time, |writer| message(writer, columns, row))?;
        for column in &mut self.columns {
            let Some(Pictures { channel: Some(channel) }) = &mut column.pictures else { continue };
            if let Some(path) = beside(&self.path, self.row.cell(column.index)) {
                pictures::write(&path, channel, time, output)?;
            }
        }
        Ok(())
    }
}

fn message(writer: &mut CdrWriter, columns: &[Column], row: &TableRow) {
    writer.begin_structure("");
    for column in columns {
        let cell = row.cell(column.index);
        writer.field(&column.name);
        match column.kind {
            // The first reading made sure that all cells are of the types as which they are read
            // here, or empty.
            Kind::Integer => writer.signed(cell.parse().unwrap_or_default(), 64),
            Kind::Number => writer.float64(cell.parse().unwrap_or(f64::NAN)),
            Kind::Text => writer.string(cell),
        }
    }
    writer.end_structure();
}

fn times(path: &Path, rows: &TableReader, timing: &Timing) -> Result<Times, LogError> {
    let headers = rows.headers();
    if let Some((name, unit)) = &timing.column
        && let Some(index) = headers.iter().position(|header| header == name)
    {
        return Ok(Times::Column(index, *unit));
    }
    // An explicit rate overrides what the name of a column suggests.
    if let Some(rate) = timing.rate {
        return Ok(Times::Rate(rate));
    }
    match rows.times() {
        Some((index, unit)) => Ok(Times::Column(index, unit)),
        None => Err(LogError::Import {
            path: path.to_owned(),
            line: Some(1),
            reason: format!(
                "none of the columns {} has the time: select one with --time COLUMN=UNIT, or give the number of rows per second with --rate",
                headers.iter().map(|header| format!("`{}`", shortened(header))).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

/// The folders of the pictures that a column names.
#[derive(Clone)]
enum Folders {
    /// The column had no cell so far.
    Unknown,
    /// All cells so far named pictures, in these folders.
    Of(BTreeSet<PathBuf>),
    /// The column does not name pictures.
    None,
}

impl Folders {
    /// Considers another cell; returns the size of its picture.
    fn look(&mut self, table: &Path, cell: &str) -> u64 {
        if cell.is_empty() || matches!(self, Self::None) {
            return 0;
        }
        let picture = beside(table, cell).filter(|path| pictures::format(path).is_some());
        let size = picture.as_ref().and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
        let folder = picture.as_ref().and_then(|path| path.parent());
        match (&mut *self, folder, size) {
            // The first row decides whether the column names pictures; a later one that is missing
            // is reported when it is to be written.
            (Self::Unknown, Some(folder), Some(_)) => *self = Self::Of(BTreeSet::from([folder.to_owned()])),
            (Self::Of(folders), Some(folder), _) if !folders.contains(folder) => _ = folders.insert(folder.to_owned()),
            (Self::Of(_), Some(_), _) => {}
            _ => *self = Self::None,
        }
        size.unwrap_or(0)
    }
}

/// Returns the path that a cell names, relative to the table; `None` for anything outside of its
/// directory.
fn beside(table: &Path, cell: &str) -> Option<PathBuf> {
    let inside = Path::new(cell).components().all(|part| matches!(part, Component::Normal(_)));
    (inside && !cell.is_empty() && !cell.contains('\0')).then(|| table.parent().unwrap_or(Path::new("")).join(cell))
}

fn one_line(header: &str) -> String {
    header.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn shortened(cell: &str) -> String {
    if cell.chars().count() > 40 { cell.chars().take(40).chain(['…']).collect() } else { cell.to_owned() }
}
