//! Tables of numbers in text: a header line, then rows of cells between commas.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::NaoError;

/// Stamps beyond thirty years are mistakes, and would overflow a clock.
const LARGEST_SECONDS: f64 = 1e9;

/// A whole table in memory. Cells are read when they are asked for, so one bad cell spoils only its row.
///
/// Without quotes: none of the recorded forms has any. Spaces around cells, a byte order mark, carriage returns and empty
/// lines do no harm.
#[derive(Clone, Debug)]
pub struct Table {
    file: PathBuf,
    text: String,
    header: Vec<String>,
    /// Line number, from 1, and place in the text.
    rows: Vec<(usize, Range<usize>)>,
}

/// A column of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(usize);

/// A row of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Row<'t> {
    table: &'t Table,
    line: usize,
    text: &'t str,
}

impl Table {
    /// Splits `bytes` into a header and rows; `file` is for messages only. Bytes that are no text become `U+FFFD`.
    #[must_use]
    pub fn parse(file: &Path, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut header = None;
        let mut rows = Vec::new();
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let content = line.trim_end().trim_start_matches('\u{feff}');
            if !content.trim_start().is_empty() {
                let begin = start + (line.trim_end().len() - content.len());
                match header {
                    None => header = Some(content.split(',').map(|name| name.trim().to_owned()).collect()),
                    Some(_) => rows.push((index + 1, begin..begin + content.len())),
                }
            }
            start += line.len();
        }
        Self { file: file.to_owned(), header: header.unwrap_or_default(), rows, text }
    }

    /// The file that the table came from.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Number of rows below the header.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// A column by its name, if it exists.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Column> {
        self.header.iter().position(|column| column == name).map(Column)
    }

    /// A column by its name.
    ///
    /// # Errors
    /// There is none; the message names those that exist.
    pub fn column(&self, name: &str) -> Result<Column, NaoError> {
        self.find(name).ok_or_else(|| NaoError::MissingColumn {
            file: self.file.clone(),
            column: name.to_owned(),
            present: self.header.clone(),
        })
    }

    /// Several columns by their names.
    ///
    /// # Errors
    /// The first one that does not exist.
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> Result<[Column; N], NaoError> {
        let mut columns = [Column(0); N];
        for (column, name) in columns.iter_mut().zip(names) {
            *column = self.column(name)?;
        }
        Ok(columns)
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|(line, range)| Row { table: self, line: *line, text: &self.text[range.clone()] })
    }

    /// A row by its number from 0.
    #[must_use]
    pub fn row(&self, index: usize) -> Option<Row<'_>> {
        let (line, range) = self.rows.get(index)?;
        Some(Row { table: self, line: *line, text: &self.text[range.clone()] })
    }
}

impl<'t> Row<'t> {
    /// The text of a cell without spaces around it; empty when the row is too short. O(column).
    #[must_use]
    pub fn text(&self, column: Column) -> &'t str {
        self.text.split(',').nth(column.0).unwrap_or_default().trim()
    }

    /// A finite number.
    ///
    /// # Errors
    /// The cell holds none.
    pub fn number(&self, column: Column) -> Result<f64, NaoError> {
        let text = self.text(column);
        text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| self.wrong(column, "a number"))
    }

    /// Several finite numbers.
    ///
    /// # Errors
    /// The first cell that holds none.
    pub fn numbers<const N: usize>(&self, columns: [Column; N]) -> Result<[f32; N], NaoError> {
        let mut numbers = [0.0; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = self.number(column)? as f32;
        }
        Ok(numbers)
    }

    /// A time in seconds.
    ///
    /// # Errors
    /// The cell holds none, or one that is farther from zero than thirty years.
    pub fn seconds(&self, column: Column) -> Result<f64, NaoError> {
        let seconds = self.number(column)?;
        if seconds.abs() > LARGEST_SECONDS {
            return Err(self.wrong(column, "a time in seconds since the start of the recording"));
        }
        Ok(seconds)
    }

    /// A path below the directory of the table: relative and without `..`.
    ///
    /// # Errors
    /// The cell holds none.
    pub fn path(&self, column: Column) -> Result<&'t Path, NaoError> {
        let path = Path::new(self.text(column));
        let inside = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if path.as_os_str().is_empty() || !inside {
            return Err(self.wrong(column, "a path below the table's own directory"));
        }
        Ok(path)
    }

    fn wrong(&self, column: Column, expected: &'static str) -> NaoError {
        NaoError::Cell {
            file: self.table.file.clone(),
            line: self.line,
            column: self.table.header.get(column.0).cloned().unwrap_or_default(),
            value: self.text(column).chars().take(40).collect(),
            expected,
        }
    }
}
