//! The times at which rows and pictures were taken.

use std::str::FromStr;
use std::time::Duration;

use hemiola_model::Time;

use crate::error::LogError;

/// The source of times for recordings that do not contain them in a known form.
///
/// ```
/// use hemiola_log::{TimeUnit, Timing};
///
/// // Stamps in milliseconds in a column called `when`; tables without it, and folders of pictures, have 25 rows per second.
/// let timing = Timing { column: Some(("when".to_owned(), TimeUnit::Milliseconds)), rate: Some(25.0) };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    /// The column of times, and its unit.
    pub column: Option<(String, TimeUnit)>,
    /// The rows per second, and pictures per second, of everything but tables that have the column;
    /// it overrides a column whose name only suggests a time.
    pub rate: Option<f64>,
}

/// The unit of a column of times.
///
/// ```
/// use hemiola_log::TimeUnit;
///
/// assert_eq!("ms".parse::<TimeUnit>()?, TimeUnit::Milliseconds);
/// let error = "m".parse::<TimeUnit>().unwrap_err();
/// assert_eq!(error.to_string(), "`m` is not a unit of time; write s, ms, us or ns");
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds: `s`.
    Seconds,
    /// Milliseconds: `ms`.
    Milliseconds,
    /// Microseconds: `us`.
    Microseconds,
    /// Nanoseconds: `ns`.
    Nanoseconds,
}

impl FromStr for TimeUnit {
    type Err = LogError;

    fn from_str(text: &str) -> Result<Self, LogError> {
        Ok(match text {
            "s" | "sec" | "seconds" => Self::Seconds,
            "ms" => Self::Milliseconds,
            "us" | "µs" => Self::Microseconds,
            "ns" | "nsec" => Self::Nanoseconds,
            _ => return Err(LogError::UnknownUnit { text: text.to_owned() }),
        })
    }
}

impl TimeUnit {
    /// Returns the unit of a column whose name shows it: a word for time and a unit.
    ///
    /// ```
    /// use hemiola_log::TimeUnit;
    ///
    /// assert_eq!(TimeUnit::of_header("#timestamp [ns]"), Some(TimeUnit::Nanoseconds));
    /// assert_eq!(TimeUnit::of_header("gyro_deg_s"), None);
    /// ```
    pub fn of_header(header: &str) -> Option<Self> {
        let header = header.to_lowercase();
        let mut words = header.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let unit = words.next_back()?.parse().ok()?;
        words.any(|word| matches!(word, "t" | "time" | "times" | "timestamp" | "stamp")).then_some(unit)
    }

    /// Returns the first column whose name shows that it holds times.
    pub(crate) fn column_of(headers: &[String]) -> Option<(usize, Self)> {
        headers.iter().enumerate().find_map(|(index, header)| Some((index, Self::of_header(header)?)))
    }

    fn digits(self) -> usize {
        match self {
            Self::Seconds => 9,
            Self::Milliseconds => 6,
            Self::Microseconds => 3,
            Self::Nanoseconds => 0,
        }
    }

    /// Parses a time in a cell, to the nanosecond: stamps of 19 digits are more than a
    /// floating-point number holds. `None` if it holds no time of a log, which are from 0 on.
    ///
    /// ```
    /// use hemiola_log::TimeUnit;
    ///
    /// let time = TimeUnit::Nanoseconds.time("1403715273262142976").unwrap();
    /// assert_eq!(time.nanoseconds(), 1_403_715_273_262_142_976);
    /// assert_eq!(TimeUnit::Seconds.time("-1"), None);
    /// ```
    pub fn time(self, cell: &str) -> Option<Time> {
        let digits = self.digits();
        let exact = || {
            let (whole, fraction) = cell.split_once('.').unwrap_or((cell, ""));
            let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            if !is_digits(whole) || !is_digits(fraction) || (whole, fraction) == ("", "") {
                return None;
            }
            let fraction = &fraction[..fraction.len().min(digits)];
            format!("{whole}{fraction:0<digits$}").parse::<i64>().ok()
        };
        let rounded = || {
            let nanoseconds = cell.parse::<f64>().ok()? * 10_f64.powi(i32::try_from(digits).ok()?);
            (nanoseconds.abs() < i64::MAX as f64).then_some(nanoseconds.round() as i64)
        };
        let nanoseconds = exact().or_else(rounded)?;
        // The times of a log begin at zero.
        (nanoseconds >= 0).then(|| Time::from_nanoseconds(nanoseconds))
    }
}

/// Returns when the row or picture of this number was taken, at a rate.
pub fn at_rate(number: u64, rate: f64) -> Time {
    Time::ZERO + Duration::try_from_secs_f64(number as f64 / rate).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_times_are_known_by_their_names() {
        for (header, unit) in [
            ("t_s", Some(TimeUnit::Seconds)),
            ("Time (s)", Some(TimeUnit::Seconds)),
            ("#timestamp [ns]", Some(TimeUnit::Nanoseconds)),
            ("#time(ns)", Some(TimeUnit::Nanoseconds)),
            ("catalog_stamp_ms", Some(TimeUnit::Milliseconds)),
            ("Accelerometer X (g)", None),
            ("stamp_local", None),
            ("gyroscope_deg_s", None),
            ("s", None),
            ("", None),
        ] {
            assert_eq!(TimeUnit::of_header(header), unit, "{header}");
        }
    }

    #[test]
    fn stamps_are_exact_to_the_nanosecond() {
        let nanoseconds = |unit: TimeUnit, cell: &str| unit.time(cell).map(Time::nanoseconds);
        assert_eq!(nanoseconds(TimeUnit::Nanoseconds, "1403715273262142976"), Some(1_403_715_273_262_142_976));
        assert_eq!(nanoseconds(TimeUnit::Seconds, "12.345678901"), Some(12_345_678_901));
        assert_eq!(nanoseconds(TimeUnit::Seconds, "0.1"), Some(100_000_000));
        assert_eq!(nanoseconds(TimeUnit::Milliseconds, "1602421393803"), Some(1_602_421_393_803_000_000));
        assert_eq!(nanoseconds(TimeUnit::Milliseconds, "1.5e3"), Some(1_500_000_000));
        assert_eq!(nanoseconds(TimeUnit::Microseconds, ".5"), Some(500));
        assert_eq!(nanoseconds(TimeUnit::Seconds, "0.00"), Some(0));
    }

    #[test]
    fn what_no_log_can_hold_is_no_time() {
        for cell in ["", "-1", "-0.5", "nan", "inf", "1e30", "99999999999999999999", "12:30", "1.2.3", "."] {
            assert_eq!(TimeUnit::Seconds.time(cell), None, "{cell}");
        }
    }
}
