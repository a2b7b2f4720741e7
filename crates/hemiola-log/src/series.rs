use std::io::{Read, Seek};

use crate::channel::LogTime;
use crate::entry::Entry;
use crate::error::LogError;
use crate::reader::LogReader;
use crate::selection::Selection;

/// A number of a channel over time, in as many points as can be seen: however long the log is, the
/// series takes the same memory.
///
/// ```
/// use hemiola_log::{LogTime, Series};
///
/// let mut series = Series::new("/imu/data", "angular_velocity.z");
/// for index in 0..1_000_000_u64 {
///     series.push(LogTime::from_nanoseconds(index), if index == 777 { 5.0 } else { 0.0 });
/// }
/// assert!(series.points().len() <= 4096);
/// assert_eq!(series.points().iter().map(|point| point.maximum).fold(0.0, f64::max), 5.0); // peaks are kept
/// ```
#[derive(Clone, Debug)]
pub struct Series {
    /// The topic of the channel.
    pub topic: String,
    /// The path of the field: `angular_velocity.z`.
    pub path: String,
    points: Vec<Point>,
    /// The number of values that a point stands for; the last one may not have as many yet.
    per_point: u64,
    count: u64,
    sum: f64,
}

/// A point of a series: values that follow each other.
///
/// See [`Series`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time of the first value.
    pub time: LogTime,
    /// The smallest value.
    pub minimum: f64,
    /// The largest value.
    pub maximum: f64,
    /// The sum of all values.
    pub sum: f64,
    /// The number of values.
    pub count: u64,
}

/// The number of points, which is more than a picture shows.
const MOST_POINTS: usize = 4096;

impl Series {
    /// Creates a series without values.
    pub fn new(topic: &str, path: &str) -> Self {
        Self { topic: topic.to_owned(), path: path.to_owned(), points: Vec::new(), per_point: 1, count: 0, sum: 0.0 }
    }

    /// Reads fields, each of a topic and with a path, from the log. Values that are not numbers are
    /// skipped. `progress` is called with the number of bytes that have been read, and the number
    /// of all.
    ///
    /// # Errors
    /// Fails if the log cannot be read, or if the messages of such a channel cannot be decoded. For
    /// damage, `on_damage` is called, and reading continues.
    pub fn read<R: Read + Seek>(
        log: LogReader<R>,
        selection: Selection,
        mut series: Vec<Series>,
        mut progress: impl FnMut(u64, u64),
        mut on_damage: impl FnMut(LogError),
    ) -> Result<Vec<Series>, LogError> {
        let selection = series.iter().fold(selection, |selection, series| selection.topic(&series.topic));
        let mut log = log.select(selection);
        while let Some(entry) = log.next_entry() {
            match entry {
                Ok(Entry::Message(message)) => {
                    let value = message.decode()?;
                    for series in series.iter_mut().filter(|series| series.topic == message.channel.topic) {
                        if let Some(number) = value.get(&series.path).and_then(|value| value.number()) {
                            series.push(message.log_time, number);
                        }
                    }
                }
                Ok(_) => {
                    let (read, length) = log.progress();
                    progress(read, length);
                }
                Err(error @ LogError::Read { .. }) => return Err(error),
                Err(error) => on_damage(error),
            }
        }
        Ok(series)
    }

    /// Adds the next value; values that are not finite are skipped.
    pub fn push(&mut self, time: LogTime, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.count += 1;
        self.sum += value;
        let point = Point { time, minimum: value, maximum: value, sum: value, count: 1 };
        if let Some(last) = self.points.last_mut().filter(|last| last.count < self.per_point) {
            last.take(point);
            return;
        }
        if self.points.len() == MOST_POINTS {
            self.points = self.points.chunks(2).filter_map(joined).collect();
            self.per_point *= 2;
        }
        self.points.push(point);
    }

    /// Returns the points in order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns how many values were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean of all values.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

impl Point {
    fn take(&mut self, next: Self) {
        self.minimum = self.minimum.min(next.minimum);
        self.maximum = self.maximum.max(next.maximum);
        self.sum += next.sum;
        self.count += next.count;
    }
}

fn joined(points: &[Point]) -> Option<Point> {
    points.iter().copied().reduce(|mut first, next| {
        first.take(next);
        first
    })
}
