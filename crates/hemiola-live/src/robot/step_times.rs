//! The times at which something ran on a stepped robot's clock. This module is pure: it reads no
//! clock.
//!
//! The clock of a stepped robot stands still during a run and jumps between runs, however long a
//! run takes on the processor. Runs are placed on this clock so that both times can be read: a run
//! begins at the robot's time, and everything in it is as much later as it was on the processor. A
//! run whose begin, by the robot's clock, precedes the placed end of the run before it is moved
//! behind that end, because steps are executed one after the other.

use std::collections::{BTreeMap, VecDeque};

use hemiola_trace::CycleId;

/// The placed times of the most recent runs. Processor times are nanoseconds of the processor's
/// counter, robot times are nanoseconds of the robot's clock.
#[derive(Default)]
pub struct StepTimes {
    /// The runs, sorted by their begin.
    runs: VecDeque<Placed>,
    /// The robot's time in each run that has not been placed yet.
    known: BTreeMap<(CycleId, u32), i64>,
}

/// A run and its placed time.
#[derive(Clone, Copy, Debug)]
struct Placed {
    which: (CycleId, u32),
    begin: u64,
    end: u64,
    time: i64,
}

/// The begin or end of a run, as reported by an event.
#[derive(Clone, Copy, Debug)]
pub enum Border {
    /// The begin of a run, with its time on the processor.
    Begin(CycleId, u32, u64),
    /// The end of a run, with its time on the processor.
    End(CycleId, u32, u64),
}

/// The number of runs that are kept, because events of the same moment may arrive in two batches.
const KEPT: usize = 256;
/// The most runs that wait for their events, which may have been overwritten.
const MOST_KNOWN: usize = 8192;

impl Placed {
    /// Returns the robot's time at which the end of the run is placed.
    fn end_time(self) -> i64 {
        later(self.time, self.end.saturating_sub(self.begin))
    }
}

impl StepTimes {
    /// Notes the robot's time in a run. This must be called before the run's events are placed.
    pub fn know(&mut self, cycle: CycleId, run: u32, now: i64) {
        if self.known.len() == MOST_KNOWN {
            self.known.pop_first();
        }
        self.known.insert((cycle, run), now);
    }

    /// Places the runs of some events, which may be in any order.
    pub fn place(&mut self, borders: impl IntoIterator<Item = Border>) {
        let surplus = self.runs.len().saturating_sub(KEPT);
        self.runs.drain(..surplus);
        let (mut begun, mut ended) = (Vec::new(), BTreeMap::new());
        for border in borders {
            match border {
                Border::Begin(cycle, run, at) => begun.push((at, (cycle, run))),
                Border::End(cycle, run, at) => _ = ended.insert((cycle, run), at),
            }
        }
        for run in &mut self.runs {
            if let Some(end) = ended.remove(&run.which) {
                run.end = end;
            }
        }
        begun.sort_unstable();
        for (begin, which) in begun {
            let before = self.runs.back().map(|run| run.end_time());
            // A run whose time is unknown is placed directly after the run before it.
            let Some(time) = self.known.remove(&which).max(before) else { continue };
            let end = ended.remove(&which).unwrap_or(begin);
            self.runs.push_back(Placed { which, begin, end, time });
        }
    }

    /// Returns the robot's time at which the processor's counter was `at`; `None` if there are no
    /// runs yet. A time between two runs belongs to the nearer one.
    pub fn time(&self, at: u64) -> Option<i64> {
        let next = self.runs.partition_point(|run| run.begin <= at);
        let before = next.checked_sub(1).map(|index| self.runs[index]);
        let next = self.runs.get(next);
        let Some(before) = before else {
            return next.map(|next| earlier(next.time, next.begin - at));
        };
        let (Some(next), true) = (next, at > before.end) else { return Some(later(before.time, at - before.begin)) };
        let (since, until) = (at - before.end, next.begin - at);
        let half = before.end_time().abs_diff(next.time) / 2;
        Some(match since <= until {
            true => later(before.end_time(), since.min(half)),
            false => earlier(next.time, until.min(half)),
        })
    }
}

fn later(time: i64, by: u64) -> i64 {
    time.saturating_add(i64::try_from(by).unwrap_or(i64::MAX))
}

fn earlier(time: i64, by: u64) -> i64 {
    time.saturating_sub(i64::try_from(by).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOTION: CycleId = CycleId(0);
    const VISION: CycleId = CycleId(1);

    fn run(cycle: CycleId, run: u32, begin: u64, end: u64) -> [Border; 2] {
        [Border::Begin(cycle, run, begin), Border::End(cycle, run, end)]
    }

    #[test]
    fn a_pause_on_the_processor_is_none_of_the_robot() {
        let mut times = StepTimes::default();
        assert_eq!(times.time(5), None);
        times.know(MOTION, 0, 1000);
        times.know(MOTION, 1, 1100);
        times.place([run(MOTION, 0, 50, 60), run(MOTION, 1, 900_000, 900_030)].concat());
        let places = [(50, 1000), (55, 1005), (60, 1010), (70, 1020), (700, 1055), (899_990, 1090), (900_000, 1100)];
        for (at, time) in places.into_iter().chain([(900_030, 1130), (900_040, 1140), (40, 990)]) {
            assert_eq!(times.time(at), Some(time), "{at}");
        }
    }

    #[test]
    fn runs_of_one_moment_come_one_after_the_other() {
        let mut times = StepTimes::default();
        times.know(MOTION, 0, 1000);
        times.know(VISION, 0, 1000);
        times.know(MOTION, 1, 1012);
        // The time of the second run of vision is unknown.
        times.place([run(VISION, 0, 50, 80), run(MOTION, 0, 10, 40)].concat());
        times.place([run(MOTION, 1, 90, 95), run(VISION, 1, 100, 101)].concat());
        let places = [(10, 1000), (40, 1030), (50, 1030), (80, 1060), (90, 1060), (95, 1065), (100, 1065)];
        for (at, time) in places {
            assert_eq!(times.time(at), Some(time), "{at}");
        }
    }

    #[test]
    fn an_end_that_comes_later_ends_its_run() {
        let mut times = StepTimes::default();
        times.know(MOTION, 7, 500);
        times.place([Border::Begin(MOTION, 7, 100)]);
        times.place([Border::End(MOTION, 7, 120)]);
        times.know(MOTION, 8, 510);
        times.place(run(MOTION, 8, 1000, 1001));
        assert_eq!([110, 120, 130, 1000].map(|at| times.time(at).unwrap()), [510, 520, 520, 520]);
    }

    proptest! {
        #[test]
        fn what_came_later_on_the_processor_is_never_earlier(
            runs in prop::collection::vec((0_u64..100, 1_u64..50, 0_i64..120, any::<bool>()), 1..40),
            looks in prop::collection::vec(0_u64..8000, 1..60),
        ) {
            let (mut times, mut at, mut now, mut borders) = (StepTimes::default(), 1000, 0, Vec::new());
            for (number, (gap, length, step, is_known)) in runs.into_iter().enumerate() {
                (at, now) = (at + gap, now + step);
                if is_known || number == 0 {
                    times.know(MOTION, number as u32, now);
                }
                borders.extend(run(MOTION, number as u32, at, at + length));
                at += length;
            }
            times.place(borders);
            let mut looks = looks;
            looks.sort_unstable();
            let found: Vec<_> = looks.iter().map(|&at| times.time(at).unwrap()).collect();
            prop_assert!(found.is_sorted(), "{found:?}");
        }
    }
}
