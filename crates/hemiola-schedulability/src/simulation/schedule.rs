use super::{Observer, Who};
use hemiola_analysis::TimeSpan;

/// The activity of every core over time.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::simulation::{Observer, Schedule, Who};
/// let mut schedule = Schedule::default();
/// schedule.ran(0, Who::Callback(3), TimeSpan::ZERO, TimeSpan::nanoseconds(5));
/// assert_eq!(schedule.slices[0].end, TimeSpan::nanoseconds(5));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The slices, in the order of their ends.
    pub slices: Vec<Slice>,
}

/// A time in which a core ran one job.
///
/// See [`Schedule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The core.
    pub core: usize,
    /// The job that it ran.
    pub who: Who,
    /// The beginning.
    pub start: TimeSpan,
    /// The end.
    pub end: TimeSpan,
}

impl Observer for Schedule {
    fn ran(&mut self, core: usize, who: Who, start: TimeSpan, end: TimeSpan) {
        // An event elsewhere does not divide a slice on this core.
        if let Some(last) = self.slices.iter_mut().rev().take(64).find(|slice| slice.core == core)
            && last.who == who
            && last.end == start
        {
            last.end = end;
            return;
        }
        self.slices.push(Slice { core, who, start, end });
    }
}
