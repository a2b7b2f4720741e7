//! The events of the robot's threads with times of the robot's clock, and their way to clients.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::RobotClock;
use hemiola_model::Time;
use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_runtime::{Observation, Observer, RobotHandle, RunRecord, Seen, SeenEvents};
use hemiola_trace::{Catalog, Event, TickScale, Ticks};

use super::step_times::{Border, StepTimes};

/// Receives the events of a robot's threads.
pub struct Traced {
    seen: Observer,
    /// The names that the numbers in events stand for.
    pub catalog: Catalog,
    /// The conversion of the ticks in events.
    pub clock: TickClock,
}

/// Converts ticks of the processor's counter into times of the robot's clock.
pub struct TickClock {
    scale: TickScale,
    clock: Arc<RobotClock>,
    now: (Ticks, MonotonicTime),
    /// The times of runs, which are needed only for a stepped robot.
    steps: Option<StepTimes>,
}

impl Traced {
    /// Subscribes to the events.
    pub fn open(handle: &RobotHandle) -> Result<Self, String> {
        let clock = TickClock::of(handle);
        let observation = Observation::default().with_events();
        let observation = if clock.steps.is_some() { observation.with_runs() } else { observation };
        let seen = handle.observe(observation).map_err(|error| error.to_string())?;
        Ok(Self { seen, catalog: handle.catalog(), clock })
    }

    /// Returns the events that have arrived, in batches of one thread each.
    pub fn take(&mut self) -> Vec<SeenEvents> {
        let Self { seen, catalog, clock } = self;
        clock.refresh();
        let (mut pieces, mut runs) = (Vec::new(), Vec::new());
        while let Some(seen) = seen.next() {
            match seen {
                Seen::Events(piece) => pieces.push(piece),
                Seen::Run(run) => runs.push(run),
                _ => {}
            }
        }
        clock.place(catalog, &runs, &pieces);
        pieces
    }
}

impl TickClock {
    fn of(handle: &RobotHandle) -> Self {
        let (scale, clock) = (handle.tick_scale(), handle.clock().clone());
        let is_stepped = clock.due(Time::ZERO).is_none();
        let now = (Ticks::now(), monotonic_now());
        Self { scale, clock, now, steps: is_stepped.then(StepTimes::default) }
    }

    /// Reads both clocks. This must be called before the ticks of a batch of events are converted.
    fn refresh(&mut self) {
        self.scale.refresh();
        self.now = (Ticks::now(), monotonic_now());
    }

    /// Notes the times of the runs of a stepped robot.
    fn place(&mut self, catalog: &Catalog, runs: &[RunRecord], pieces: &[SeenEvents]) {
        let Self { scale, steps: Some(steps), .. } = self else { return };
        let names = catalog.read();
        let number = |name: &str| names.cycles().find(|(_, cycle)| cycle.name == name).map(|(id, _)| id);
        for record in runs {
            if let Some(cycle) = number(&record.cycle) {
                steps.know(cycle, record.run, record.now.nanoseconds());
            }
        }
        let at = |ticks: Ticks| scale.nanoseconds(ticks);
        steps.place(pieces.iter().flat_map(|piece| &piece.events).filter_map(|event| match *event {
            Event::CycleBegin { cycle, run, begin, .. } => Some(Border::Begin(cycle, run, at(begin))),
            Event::CycleEnd { cycle, run, at: end } => Some(Border::End(cycle, run, at(end))),
            _ => None,
        }));
    }

    /// Returns the time of the robot's clock at these ticks. For a stepped robot, this is the time
    /// as placed by [`StepTimes`].
    pub fn nanoseconds(&self, ticks: Ticks) -> i64 {
        match &self.steps {
            Some(steps) => {
                let placed = steps.time(self.scale.nanoseconds(ticks));
                placed.unwrap_or_else(|| self.clock.now().nanoseconds())
            }
            None => {
                let age = self.scale.nanoseconds_between(ticks, self.now.0);
                self.clock.time_at(self.now.1 - Duration::from_nanos(age)).nanoseconds()
            }
        }
    }

    /// Returns the seconds from `begin` to `end`.
    pub fn seconds(&self, begin: Ticks, end: Ticks) -> f64 {
        self.scale.nanoseconds_between(begin, end) as f64 * 1e-9
    }

    /// Returns the nanoseconds from `begin` to `end`, or `u32::MAX` if they exceed 32 bits.
    pub fn between(&self, begin: Ticks, end: Ticks) -> u32 {
        u32::try_from(self.scale.nanoseconds_between(begin, end)).unwrap_or(u32::MAX)
    }
}
