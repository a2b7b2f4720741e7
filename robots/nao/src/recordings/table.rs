//! Tables of numbers in text, in memory, with the parser of `log import`.

use std::path::{Path, PathBuf};

use hemiola::log::{TableReader, TableRow, TimeUnit, picture_format};

use crate::NaoError;

/// The maximum stamp: beyond the 292 years of a clock it is an error.
const LARGEST_SECONDS: f64 = 9e9;

/// A whole table in memory. Cells are parsed on demand, so that one bad cell affects only its row.
#[derive(Clone, Debug)]
pub struct Table {
    file: PathBuf,
    header: Vec<String>,
    /// The names of the columns in logs.
    names: Vec<String>,
    rows: Vec<TableRow>,
    /// The reason why there are no more rows, if the text does not end as a table.
    problem: Option<String>,
}

/// A column of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(usize);

/// A column of times, and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps(Column, TimeUnit);

/// A row of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Row<'t> {
    table: &'t Table,
    row: &'t TableRow,
}

impl Table {
    /// Splits `bytes` into a header and rows; `file` is for messages only. Bytes that are not text
    /// become `U+FFFD`.
    #[must_use]
    pub fn parse(file: &Path, bytes: &[u8]) -> Self {
        let mut table =
            Self { file: file.to_owned(), header: Vec::new(), names: Vec::new(), rows: Vec::new(), problem: None };
        table.problem = table.read(bytes).err().map(|error| error.to_string());
        table
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), hemiola::log::LogError> {
        let mut reader = TableReader::new(&self.file, bytes)?;
        (self.header, self.names) = (reader.headers().to_vec(), reader.field_names());
        while let Some(row) = reader.next_row()? {
            self.rows.push(row);
        }
        Ok(())
    }

    /// Returns the table, if all of it could be read.
    ///
    /// # Errors
    /// The text does not end as a table.
    pub fn whole(self) -> Result<Self, NaoError> {
        match &self.problem {
            None => Ok(self),
            Some(problem) => Err(NaoError::format(&self.file, "table", problem)),
        }
    }

    /// Returns the file of the table.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the number of rows below the header.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Returns the column with a name, as in the table or in logs, if it exists.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Column> {
        let is_called = |names: &[String]| names.iter().position(|column| column == name);
        is_called(&self.header).or_else(|| is_called(&self.names)).map(Column)
    }

    /// Returns the column of times, identified by its name: `t_s`, `time [ns]`, `stamp_ms`.
    #[must_use]
    pub fn find_stamps(&self) -> Option<Stamps> {
        let unit = |header: &String| TimeUnit::of_header(header);
        self.header.iter().enumerate().find_map(|(index, header)| Some(Stamps(Column(index), unit(header)?)))
    }

    /// Returns the column of times, which must exist.
    ///
    /// # Errors
    /// There is none; the message names the columns that exist.
    pub fn stamps(&self) -> Result<Stamps, NaoError> {
        self.find_stamps().ok_or_else(|| NaoError::MissingColumn {
            file: self.file.clone(),
            column: "t_s".to_owned(),
            present: self.header.clone(),
        })
    }

    /// Returns the first column whose first cell names a picture.
    #[must_use]
    pub fn find_pictures(&self) -> Option<Column> {
        let row = self.rows.first()?;
        (0..self.header.len()).find(|&index| picture_format(Path::new(row.cell(index))).is_some()).map(Column)
    }

    /// Returns the column with a name.
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

    /// Returns several columns by their names.
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

    /// Returns the rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|row| Row { table: self, row })
    }

    /// Returns a row by its number, from 0.
    #[must_use]
    pub fn row(&self, index: usize) -> Option<Row<'_>> {
        Some(Row { table: self, row: self.rows.get(index)? })
    }
}

impl<'t> Row<'t> {
    /// Returns the text of a cell without surrounding spaces; empty if the row is too short.
    #[must_use]
    pub fn text(&self, column: Column) -> &'t str {
        self.row.cell(column.0)
    }

    /// Parses a finite number.
    ///
    /// # Errors
    /// The cell holds none.
    pub fn number(&self, column: Column) -> Result<f64, NaoError> {
        let text = self.text(column);
        text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| self.wrong(column, "a number"))
    }

    /// Parses several finite numbers.
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

    /// Parses a time in seconds, whatever the unit of its column.
    ///
    /// # Errors
    /// The cell holds none, or one that is farther from zero than a clock reaches.
    pub fn stamp(&self, Stamps(column, unit): Stamps) -> Result<f64, NaoError> {
        if unit == TimeUnit::Seconds {
            return self.seconds(column);
        }
        let time = unit.time(self.text(column)).ok_or_else(|| self.wrong(column, "a time from 0 on"))?;
        Ok(time.nanoseconds() as f64 / 1e9)
    }

    /// A time in seconds.
    ///
    /// # Errors
    /// The cell holds none, or one that is farther from zero than a clock reaches.
    pub fn seconds(&self, column: Column) -> Result<f64, NaoError> {
        let seconds = self.number(column)?;
        if seconds.abs() > LARGEST_SECONDS {
            return Err(self.wrong(column, "a time in seconds since the start of the recording"));
        }
        Ok(seconds)
    }

    /// Parses a path below the directory of the table: relative and without `..`.
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
            line: usize::try_from(self.row.line()).unwrap_or(usize::MAX),
            column: self.table.header.get(column.0).cloned().unwrap_or_default(),
            value: self.text(column).chars().take(40).collect(),
            expected,
        }
    }
}
