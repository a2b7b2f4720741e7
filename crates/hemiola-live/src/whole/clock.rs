//! The conversion of times between the clocks of two processes on the same host.

/// The conversion from a process's clock to that of the first process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The difference that is added, in nanoseconds.
    later: i64,
}

impl Clock {
    /// Compares two clocks by the times of the host's clock at which they show zero. Clocks that do
    /// not run by themselves cannot be compared, and their times are not converted.
    pub fn between(own: Option<u64>, first: Option<u64>) -> Self {
        let later = own.zip(first).map(|(own, first)| own.wrapping_sub(first).cast_signed());
        Self { later: later.unwrap_or_default() }
    }

    /// Converts nanoseconds.
    pub fn convert(self, time: i64) -> i64 {
        time.saturating_add(self.later)
    }

    /// Converts seconds.
    pub fn convert_seconds(self, time: f64) -> f64 {
        time + self.later as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_began_later_shows_less() {
        let vision = Clock::between(Some(1_500), Some(1_000));
        assert_eq!((vision.convert(0), vision.convert(10)), (500, 510));
        assert_eq!(Clock::between(Some(1_000), Some(1_500)).convert(700), 200);
        assert_eq!(vision.convert_seconds(1.0), 1.000_000_5);
        assert_eq!(Clock::between(None, Some(1_000)).convert(7), 7);
    }
}
