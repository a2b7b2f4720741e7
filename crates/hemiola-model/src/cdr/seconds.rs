//! Times as `builtin_interfaces` has them.

use std::time::Duration;

use crate::data::{Plain, PlainReader, PlainWriter};

/// Seconds of 32 bits, which reach 68 years in each direction, and nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seconds {
    pub seconds: i32,
    pub nanoseconds: u32,
    /// Set unless the seconds were clamped.
    pub is_exact: bool,
}

const NANOSECONDS_PER_SECOND: u32 = 1_000_000_000;

impl Seconds {
    pub const PLAIN: Option<Plain> = Plain::structure(&[Plain::number(4), Plain::restricted(4)]);

    #[inline]
    pub fn of_time(nanoseconds: i64) -> Self {
        let second = i64::from(NANOSECONDS_PER_SECOND);
        Self::clamped(nanoseconds.div_euclid(second), nanoseconds.rem_euclid(second) as u32)
    }

    #[inline]
    pub fn of_duration(value: Duration) -> Self {
        Self::clamped(i64::try_from(value.as_secs()).unwrap_or(i64::MAX), value.subsec_nanos())
    }

    #[inline]
    fn clamped(seconds: i64, nanoseconds: u32) -> Self {
        let written = i32::try_from(seconds);
        let seconds_in_range = written.unwrap_or(if seconds < 0 { i32::MIN } else { i32::MAX });
        Self { seconds: seconds_in_range, nanoseconds, is_exact: written.is_ok() }
    }

    /// Returns `None` if the nanoseconds are a second or more.
    #[inline]
    pub fn checked(seconds: i32, nanoseconds: u32) -> Option<Self> {
        (nanoseconds < NANOSECONDS_PER_SECOND).then_some(Self { seconds, nanoseconds, is_exact: true })
    }

    /// Returns the time since the origin of the clock.
    #[inline]
    pub fn nanoseconds(self) -> i64 {
        i64::from(self.seconds) * i64::from(NANOSECONDS_PER_SECOND) + i64::from(self.nanoseconds)
    }

    /// Returns the span of time, unless it is negative.
    #[inline]
    pub fn duration(self) -> Option<Duration> {
        u64::try_from(self.seconds).ok().map(|seconds| Duration::new(seconds, self.nanoseconds))
    }

    #[inline]
    pub fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        let seconds = i32::from_le_bytes(bytes.number()?);
        Self::checked(seconds, u32::from_le_bytes(bytes.number()?))
    }

    #[inline]
    pub fn write_plain(self, bytes: &mut PlainWriter<'_>) {
        bytes.number(self.seconds.to_le_bytes());
        bytes.number(self.nanoseconds.to_le_bytes());
        bytes.note(self.is_exact);
    }
}
