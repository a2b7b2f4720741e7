//! Logs of CARMEN, the Carnegie Mellon Robot Navigation Toolkit: the format of most published lidar
//! data sets of the 2000s.
//!
//! A line is a message. This reads the messages of the front laser, which include the odometry at
//! the time of the scan:
//! `FLASER n r1 .. rn x y theta odom_x odom_y odom_theta ipc_time host log_time`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use bzip2::bufread::MultiBzDecoder;

use crate::geometry::Pose2;
use crate::{LineFault, RoverError};

/// The maximum number of beams of a scan.
const MOST_BEAMS: u64 = 4096;
/// The maximum length of a line, which fits that many beams.
const LONGEST_LINE: usize = 1 << 16;

/// A scan of the front laser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarmenScan {
    /// The ranges in metres, from right to left over half a turn.
    pub ranges: Vec<f32>,
    /// The robot's pose by odometry.
    pub odometry: Pose2,
    /// The time of the scan, in seconds of the computer's clock.
    pub seconds: f64,
}

impl CarmenScan {
    /// Parses a line without its line ending; `None` if it is another message.
    ///
    /// # Errors
    /// If the line begins like a scan but is not a valid one.
    ///
    /// ```
    /// use rover::recordings::CarmenScan;
    ///
    /// let scan = CarmenScan::parse("FLASER 2 1.5 2.5 0 0 0 0.1 0.2 0.3 976052857.3 pippo 0.1").unwrap().unwrap();
    /// assert_eq!((scan.ranges, scan.odometry.heading, scan.seconds), (vec![1.5, 2.5], 0.3, 976052857.3));
    ///
    /// let cut = CarmenScan::parse("FLASER 2 1.5").unwrap_err();
    /// assert_eq!(cut.to_string(), "the line ends where a range should be");
    /// ```
    pub fn parse(line: &str) -> Result<Option<Self>, LineFault> {
        let mut fields = Fields(line.split_ascii_whitespace());
        if fields.0.next() != Some("FLASER") {
            return Ok(None);
        }
        let beams = fields.number::<u64>("the number of beams")?;
        if !(1..=MOST_BEAMS).contains(&beams) {
            return Err(LineFault::Beams(beams));
        }
        let ranges = (0..beams).map(|_| fields.number("a range")).collect::<Result<_, _>>()?;
        for field in ["x of the laser", "y of the laser", "theta of the laser"] {
            fields.number::<f64>(field)?;
        }
        let (x, y) = (fields.number("x of odometry")?, fields.number("y of odometry")?);
        let odometry = Pose2::new(x, y, fields.number("theta of odometry")?);
        Ok(Some(Self { ranges, odometry, seconds: fields.number("the time")? }))
    }
}

struct Fields<'l>(std::str::SplitAsciiWhitespace<'l>);

impl Fields<'_> {
    fn number<T: std::str::FromStr>(&mut self, field: &'static str) -> Result<T, LineFault> {
        let text = self.0.next().ok_or(LineFault::Ends(field))?;
        text.parse().map_err(|_| LineFault::Number { field, value: text.chars().take(40).collect() })
    }
}

/// The scans of a log, in order.
pub struct CarmenLog {
    file: PathBuf,
    reader: Box<dyn BufRead + Send>,
    line: usize,
    text: Vec<u8>,
}

impl CarmenLog {
    /// Opens a log; a file whose name ends with `.bz2` is decompressed while reading.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    pub fn open(file: &Path) -> Result<Self, RoverError> {
        let opened = BufReader::new(File::open(file).map_err(RoverError::io(file))?);
        let reader: Box<dyn BufRead + Send> = match file.extension().is_some_and(|ending| ending == "bz2") {
            true => Box::new(BufReader::new(MultiBzDecoder::new(opened))),
            false => Box::new(opened),
        };
        Ok(Self { file: file.to_owned(), reader, line: 0, text: Vec::new() })
    }

    /// Reads the next scan; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read, or a scan is damaged: then the next call continues after it.
    pub fn next_scan(&mut self) -> Result<Option<CarmenScan>, RoverError> {
        loop {
            self.text.clear();
            self.line += 1;
            let mut line = (&mut self.reader).take(LONGEST_LINE as u64 + 1);
            let length = line.read_until(b'\n', &mut self.text).map_err(RoverError::io(&self.file))?;
            if length == 0 {
                return Ok(None);
            }
            if length > LONGEST_LINE {
                return Err(RoverError::LongLine { file: self.file.clone(), line: self.line, limit: LONGEST_LINE });
            }
            match CarmenScan::parse(&String::from_utf8_lossy(&self.text)) {
                Ok(None) => {}
                Ok(scan) => return Ok(scan),
                Err(fault) => return Err(RoverError::Line { file: self.file.clone(), line: self.line, fault }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
