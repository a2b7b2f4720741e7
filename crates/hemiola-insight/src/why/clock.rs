//! The robot's clock, as the events of a trace show it: outputs know the age of their samples.

use std::time::Duration;

use hemiola_trace::{Capture, Event, Ticks};

/// The robot's clock in a trace.
#[derive(Debug)]
pub enum RobotClock {
    /// A clock as fast as that of the machine; no output shows it if `zero` is `None`.
    Real {
        /// The ticks at which it showed zero.
        zero: Option<i64>,
    },
    /// A clock at another pace: the robot was stepped, for instance.
    Simulated {
        /// The times that outputs show, in nanoseconds, in the order of the ticks.
        readings: Vec<(Ticks, i64)>,
        /// The ticks at which runs were due, in their order.
        triggers: Vec<Ticks>,
    },
}

/// The largest drift in real time: between an output and reading the clock the thread may have been
/// preempted.
const MOST_DRIFT: i64 = 100_000_000;

impl RobotClock {
    /// Reads the clock of a capture, of which it may be known already that it is not real.
    pub fn of(capture: &Capture, is_simulated: bool) -> Self {
        let events = || capture.workers().flat_map(|(_, events)| events);
        let mut readings: Vec<(Ticks, i64)> = events().filter_map(reading).collect();
        readings.sort_unstable();
        let zeros = || readings.iter().map(|(at, time)| at.0.cast_signed().saturating_sub(*time));
        let (first, last) = (zeros().min(), zeros().max());
        let drift = first.zip(last).map_or(0, |(first, last)| last.saturating_sub(first));
        if !is_simulated && drift < MOST_DRIFT {
            return Self::Real { zero: first };
        }
        let mut triggers: Vec<Ticks> = events()
            .filter_map(|event| match *event {
                Event::CycleBegin { trigger, .. } => Some(trigger),
                _ => None,
            })
            .collect();
        triggers.sort_unstable();
        Self::Simulated { readings, triggers }
    }

    /// Returns the time in nanoseconds that it showed at these ticks, if that is known. A clock
    /// that is not real stands still during a run, which shows it by its next output.
    pub fn time(&self, at: Ticks) -> Option<i64> {
        match self {
            Self::Real { zero } => Some(at.0.cast_signed().wrapping_sub((*zero)?)),
            Self::Simulated { readings, triggers } => {
                let next = triggers.get(triggers.partition_point(|trigger| *trigger <= at));
                let (shown_at, time) = readings.get(readings.partition_point(|(shown_at, _)| *shown_at < at))?;
                next.is_none_or(|next| shown_at < next).then_some(*time)
            }
        }
    }

    /// Returns the ticks at which it showed this time, or a later one for the first time; without
    /// any that it showed, it is taken to show zero at `begin`.
    pub fn at(&self, time: Duration, begin: Ticks) -> Ticks {
        let time = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let zero = match self {
            Self::Simulated { readings, .. } if !readings.is_empty() => {
                let found = readings.iter().find(|(_, shown)| *shown >= time);
                return found.map_or(Ticks(u64::MAX), |(at, _)| *at);
            }
            Self::Simulated { .. } => None,
            Self::Real { zero } => *zero,
        };
        let zero = zero.unwrap_or(begin.0.cast_signed());
        Ticks(u64::try_from(zero.saturating_add(time)).unwrap_or(0))
    }

    /// Returns whether it ran as fast as that of the machine.
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Real { .. })
    }
}

/// Returns the ticks of an output, and the time on the robot's clock.
fn reading(event: &Event) -> Option<(Ticks, i64)> {
    match *event {
        Event::Arrival { at, newest, newest_age, .. } => {
            Some((at, i64::try_from(newest.0.saturating_add(newest_age.nanoseconds())).ok()?))
        }
        _ => None,
    }
}
