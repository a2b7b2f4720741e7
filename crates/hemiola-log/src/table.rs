use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord, Trim};
use flate2::bufread::MultiGzDecoder;

use crate::error::LogError;
use crate::import::{TimeUnit, columns};

/// Reads a table in text, also packed by gzip: a line of names, then a line for each row. Cells are
/// separated by commas, semicolons or tabs, and may be in quotes. Empty lines, spaces around cells,
/// a byte order mark and carriage returns are ignored; bytes that are not text become `U+FFFD`.
///
/// ```
/// use hemiola_log::{TableReader, TimeUnit};
///
/// let mut table = TableReader::new("imu.csv".as_ref(), &b"time [ms], gyro\n12.5, 0.25\n"[..])?;
/// assert_eq!(table.headers(), ["time [ms]", "gyro"]);
/// assert_eq!(table.times(), Some((0, TimeUnit::Milliseconds)));
/// let row = table.next_row()?.unwrap();
/// assert_eq!((row.line(), row.cell(0), row.cell(1)), (2, "12.5", "0.25"));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct TableReader<R = Box<dyn BufRead>> {
    path: PathBuf,
    headers: Vec<String>,
    rows: Reader<Lines<R>>,
}

/// A row of a table.
///
/// ```
/// let mut table = hemiola_log::TableReader::new("t.csv".as_ref(), &b"x;y\n\n1;\n"[..])?;
/// let row = table.next_row()?.unwrap();
/// assert_eq!((row.line(), row.cell(0), row.cell(1), row.cell(2)), (3, "1", "", ""));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TableRow {
    line: u64,
    cells: StringRecord,
}

impl TableRow {
    /// Returns the line of the file in which the row begins, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns a cell by its number from 0, without the spaces around it; empty if the row is too
    /// short.
    pub fn cell(&self, index: usize) -> &str {
        self.cells.get(index).unwrap_or_default()
    }

    /// Returns how many bytes the cells have.
    pub fn size(&self) -> u64 {
        self.cells.as_slice().len() as u64
    }
}

impl TableReader {
    /// Opens a file, which is packed by gzip if its name ends in `.gz`.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or if its first line is not that of a table.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = File::open(path).map_err(|error| LogError::Open { path: path.to_owned(), error })?;
        let file = BufReader::new(file);
        let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let text: Box<dyn BufRead> =
            if is_packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
        Self::new(path, text)
    }
}

impl<R: BufRead> TableReader<R> {
    /// Creates a reader of any source of text; `path` is for messages.
    ///
    /// # Errors
    /// Fails if the first line cannot be read, or is not that of a table.
    pub fn new(path: &Path, mut text: R) -> Result<Self, LogError> {
        let first = text.fill_buf().map_err(|error| LogError::Open { path: path.to_owned(), error })?;
        let delimiter = delimiter(first);
        let lines = Lines::new(text);
        let mut rows = ReaderBuilder::new().flexible(true).trim(Trim::All).delimiter(delimiter).from_reader(lines);
        let headers = rows.byte_headers().map_err(|error| unreadable(path, &error))?;
        let headers = headers.iter().map(|header| String::from_utf8_lossy(header).into_owned()).collect();
        Ok(Self { path: path.to_owned(), headers, rows })
    }

    /// Returns the names of the columns.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// Returns the names of the columns in messages, each once: `Gyroscope X (deg/s)` is
    /// `gyroscope_x_deg_s`.
    pub fn field_names(&self) -> Vec<String> {
        columns::names(self.headers.iter().map(String::as_str))
    }

    /// Returns the column of times, if the name of one shows it: a word for time and a unit, as in
    /// `t_s` and `Time (ms)`.
    pub fn times(&self) -> Option<(usize, TimeUnit)> {
        TimeUnit::column_of(&self.headers)
    }

    /// Returns the next row; `None` at the end.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if a line does not end: no row follows then.
    pub fn next_row(&mut self) -> Result<Option<TableRow>, LogError> {
        let mut cells = ByteRecord::new();
        match self.rows.read_byte_record(&mut cells) {
            Ok(true) => {
                let line = cells.position().map_or(0, csv::Position::line);
                let line = self.rows.get_mut().original(line);
                Ok(Some(TableRow { line, cells: StringRecord::from_byte_record_lossy(cells) }))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(unreadable(&self.path, &error)),
        }
    }
}

/// The length that no line of a table exceeds, so that memory does not grow with a line.
const LONGEST_LINE: usize = 1 << 20;

/// A reader of text without empty lines and carriage returns, which fails if a line does not end.
struct Lines<R> {
    text: R,
    /// The line that was read last, of which `handed` bytes have been handed on.
    line: Vec<u8>,
    handed: usize,
    /// The number of lines that were handed on. `left_out` counts the lines that were skipped
    /// before them.
    kept: u64,
    left_out: u64,
    /// The kept lines from which on another number of lines had been skipped before, with that
    /// number.
    skips: VecDeque<(u64, u64)>,
    /// The number of bytes since a cell in quotes began, in which an empty line is a part of the
    /// cell.
    quoted: Option<usize>,
}

impl<R: BufRead> Lines<R> {
    fn new(text: R) -> Self {
        let skips = VecDeque::from([(0, 0)]);
        Self { text, line: Vec::new(), handed: 0, kept: 0, left_out: 0, skips, quoted: None }
    }

    /// Returns the number of a kept line in the text. Those before it are not requested again.
    fn original(&mut self, kept: u64) -> u64 {
        while self.skips.get(1).is_some_and(|&(from, _)| from <= kept) {
            self.skips.pop_front();
        }
        kept + self.skips.front().map_or(0, |&(_, left_out)| left_out)
    }

    /// Reads the next line that is kept; at the end, an empty one.
    fn advance(&mut self) -> io::Result<()> {
        loop {
            self.line.clear();
            self.handed = 0;
            self.text.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut self.line)?;
            let quoted = self.quoted.unwrap_or(0);
            if self.line.len() + quoted > LONGEST_LINE {
                let what = if quoted > 0 { "a cell in quotes" } else { "a line" };
                return Err(io::Error::other(format!("{what} of more than a megabyte: this is not a table")));
            }
            if self.line.is_empty() {
                return Ok(());
            }
            if self.line.ends_with(b"\r\n") {
                self.line.truncate(self.line.len() - 2);
                self.line.push(b'\n');
            }
            let is_odd = self.line.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
            if self.quoted.is_none() && self.line.iter().all(u8::is_ascii_whitespace) {
                self.left_out += 1;
                self.skips.push_back((self.kept + 1, self.left_out));
                continue;
            }
            let is_quoted = self.quoted.is_some() != is_odd;
            self.quoted = is_quoted.then_some(quoted + self.line.len());
            self.kept += 1;
            return Ok(());
        }
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.handed == self.line.len() {
            self.advance()?;
        }
        let count = buffer.len().min(self.line.len() - self.handed);
        buffer[..count].copy_from_slice(&self.line[self.handed..self.handed + count]);
        self.handed += count;
        Ok(count)
    }
}

/// Returns the delimiter that is most frequent in the first line.
fn delimiter(text: &[u8]) -> u8 {
    let line = text.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}

fn unreadable(path: &Path, error: &csv::Error) -> LogError {
    let line = error.position().map(csv::Position::line);
    LogError::Import { path: path.to_owned(), line, reason: format!("{error}; what follows is left out") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &[u8]) -> Vec<(u64, Vec<String>)> {
        let mut table = TableReader::new("t.csv".as_ref(), text).unwrap();
        let mut rows = Vec::new();
        while let Some(row) = table.next_row().unwrap() {
            rows.push((row.line(), (0..row.cells.len()).map(|index| row.cell(index).to_owned()).collect()));
        }
        rows
    }

    #[test]
    fn rows_know_their_lines_whatever_stands_between_them() {
        let row = |line, cells: &[&str]| (line, cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
        let text = b"\xef\xbb\xbf\r\na, b\r\n \r\n\r\n1 ,2\r\n\r\n\"x\r\n\r\ny\",3\r\n4\r\n";
        let expected = [row(5, &["1", "2"]), row(7, &["x\n\ny", "3"]), row(10, &["4"])];
        assert_eq!(rows(&text[3..]), expected);
        assert_eq!(rows(b"a;b\n1;2,5\n"), [row(2, &["1", "2,5"])]);
        assert_eq!(rows(b"a\tb\n1\t2"), [row(2, &["1", "2"])]);
        assert_eq!(rows(b"a,b\n\xff,2\n"), [row(2, &["\u{fffd}", "2"])]);
    }

    #[test]
    fn a_cell_in_quotes_that_does_not_end_is_no_table() {
        let text = [&b"a,b\n1,\"2\n"[..], &b"3,4\n".repeat(LONGEST_LINE / 4 + 1)].concat();
        let mut table = TableReader::new("t.csv".as_ref(), &text[..]).unwrap();
        let error = table.next_row().unwrap_err().to_string();
        assert!(error.contains("t.csv") && error.contains("a cell in quotes of more than a megabyte"), "{error}");
    }

    proptest! {
        #[test]
        fn lines_of_rows_are_those_of_the_text(cells in prop::collection::vec(prop_oneof![Just(""), Just(" "), Just("7"), Just("8\r")], 1..40)) {
            let text = format!("head\n{}", cells.join("\n"));
            let expected = cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()).map(|(index, _)| index as u64 + 2);
            prop_assert_eq!(rows(text.as_bytes()).into_iter().map(|(line, _)| line).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}
