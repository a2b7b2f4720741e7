#![expect(unsafe_code, reason = "making a witness is a promise: nothing runs while the stepper is borrowed")]

use std::fmt;
use std::time::{Duration, Instant};

use hemiola_bus::RobotClock;
use hemiola_model::Time;
use hemiola_model::configuration::Trigger;
use hemiola_model::module::BetweenRuns;
use hemiola_realtime::Containment;

use crate::assemble::{Launched, Robot, launch};
use crate::cycle::Cycle;
use crate::error::RuntimeError;
use crate::follow::{Follower, StandIns};
use crate::handle::RobotHandle;
use crate::source::SourceRunner;
use crate::stage::{Stage, Step, SteppedSource};

/// A stepper, which runs a robot as fast as possible, or step by step: one thread decides what
/// comes next, by the framework's clock alone.
///
/// The same inputs give the same bits, with any number of workers: what triggers when, and what
/// each exchange delivers, does not depend on how long anything takes.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::Robot;
///
/// let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// stepper.run_until(Time::from_seconds(3600.0)); // an hour, in a moment
/// assert_eq!(stepper.now(), Time::from_seconds(3600.0));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
pub struct Stepper {
    stage: Stage,
    /// The due times of the cycles that a timer triggers.
    timers: Vec<(usize, Timer)>,
    steps: u64,
    /// The follower of a recording, if there is one.
    follower: Option<Follower>,
    /// The time after which timers trigger nothing.
    end: Option<Time>,
}

struct Timer {
    rate: f64,
    count: u64,
}

/// The number of steps after which events are gathered: the rings hold much more.
const STEPS_PER_POLL: u64 = 64;

impl Robot {
    /// Creates a stepper, with everything that the robot needs.
    ///
    /// # Errors
    /// A module or source cannot be made, or the operating system refuses threads.
    pub fn into_stepper(self) -> Result<Stepper, RuntimeError> {
        Stepper::new(launch(self, RobotClock::stepped())?)
    }
}

impl fmt::Debug for Stepper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stepper").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl Stepper {
    fn new(launched: Launched) -> Result<Self, RuntimeError> {
        let Launched { mut cycles, sources, controls, mut monitor, viewpoints, state, script, messages, end, .. } =
            launched;
        monitor.tell_denials();
        // One thread delivers all values and runs all cycles, in turn.
        cycles.iter_mut().for_each(|cycle| cycle.core.read_one_by_one());
        let configured = &controls.robot.configuration().cycles;
        let mut timers = Vec::new();
        for (index, cycle) in configured.iter().enumerate() {
            if let Trigger::Rate(rate) = cycle.trigger {
                timers.push((index, Timer { rate, count: 0 }));
            }
        }
        let triggered_by = |name: &str| -> Vec<usize> {
            let triggered = |(_, cycle): &(usize, &_)| is_triggered_by(cycle, name);
            configured.iter().enumerate().filter(triggered).map(|(index, _)| index).collect()
        };
        let stepped = |mut source: SourceRunner| {
            source.read_one_by_one();
            let triggers = triggered_by(source.name);
            SteppedSource::new(source, triggers)
        };
        let sources = sources.into_iter().map(stepped).collect();
        let handle = RobotHandle::new(controls, monitor, viewpoints);
        let mut stage = Stage { cycles, sources, state, handle };
        let mut follower = script.map(|script| {
            let stand_ins = StandIns::new(messages, &script);
            Follower::new(script, stand_ins, &stage)
        });
        if let Some(follower) = &mut follower {
            follower.resume(&mut stage).map_err(|reason| RuntimeError::OtherRobot { reason })?;
        }
        let _containment = Containment::new();
        for stepped in &mut stage.sources {
            stepped.prepare();
        }
        Ok(Self { stage, timers, steps: 0, follower, end })
    }

    /// Executes the next step; returns `None` if all sources have ended, or the robot was stopped.
    ///
    /// Of several events at the same time, sources come first, in the order of their paths; then
    /// timers, in the order of the configuration. Cycles that topics trigger run after what has
    /// published, in that order as well. A robot that follows a recording ([`Robot::following`])
    /// repeats the next run of it.
    pub fn step(&mut self) -> Option<Step> {
        let _containment = Containment::new();
        if self.stage.state.is_stopping() {
            return None;
        }
        self.stage.state.gate().wait();
        if self.steps == 0 {
            self.stage.state.begin();
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_POLL) {
            self.stage.handle.gather_and_keep_up();
        }
        if let Some(follower) = &mut self.follower {
            return follower.step(&mut self.stage);
        }
        self.stage.receive();
        let source =
            (0..self.stage.sources.len()).filter_map(|index| Some((self.stage.sources[index].next?, index))).min();
        if self.stage.has_ended() {
            return None;
        }
        let timer = (0..self.timers.len()).map(|index| (self.timers[index].1.due(), index)).min();
        let timer = timer.filter(|&(due, _)| self.is_before_end(due));
        match (source, timer) {
            (Some((time, index)), timer) if timer.is_none_or(|(due, _)| time <= due) => {
                self.stage.state.clock().set(time);
                let stepped = &mut self.stage.sources[index];
                let delivered = stepped.deliver(time);
                let cycles = if delivered { stepped.triggers.clone() } else { Vec::new() };
                for &cycle in &cycles {
                    self.stage.cycles[cycle].run(None);
                }
                self.stage.sources[index].go_on(time);
                Some(Step { time, cycles: self.run_by_topics(cycles) })
            }
            (_, Some((time, index))) => {
                self.stage.state.clock().set(time);
                let (cycle, timer) = &mut self.timers[index];
                timer.count += 1;
                let cycles = vec![*cycle];
                self.stage.cycles[cycles[0]].run(Some(time));
                Some(Step { time, cycles: self.run_by_topics(cycles) })
            }
            (_, None) => None,
        }
    }

    fn is_before_end(&self, due: Time) -> bool {
        self.end.is_none_or(|end| due <= end)
    }

    /// Returns the time that the framework's clock will show in the next step; `None` if there is
    /// none.
    pub fn upcoming(&self) -> Option<Time> {
        if self.stage.state.is_stopping() {
            return None;
        }
        if let Some(follower) = &self.follower {
            return follower.upcoming(&self.stage);
        }
        let source = self.stage.sources.iter().filter_map(|source| source.next).min();
        if self.stage.has_ended() {
            return None;
        }
        let timers = self.timers.iter().map(|(_, timer)| timer.due()).filter(|&due| self.is_before_end(due));
        timers.chain(source).min()
    }

    /// Runs each cycle once whose topic has new messages after the step; returns all cycles that
    /// ran.
    fn run_by_topics(&mut self, mut ran: Vec<usize>) -> Vec<usize> {
        for index in 0..self.stage.cycles.len() {
            if self.stage.cycles[index].core.topic.is_some() && self.stage.cycles[index].is_triggered() {
                self.stage.cycles[index].run(None);
                ran.push(index);
            }
        }
        ran
    }

    /// Steps until the clock shows `end` or nothing is left to do.
    pub fn run_until(&mut self, end: Time) {
        while self.now() < end && self.step().is_some() {}
        self.stage.handle.gather_and_keep_up();
    }

    /// Steps for that long on the framework's clock.
    pub fn run_for(&mut self, duration: Duration) {
        self.run_until(self.now() + duration);
    }

    /// Returns the time on the framework's clock.
    pub fn now(&self) -> Time {
        self.stage.now()
    }

    /// Returns the reason why it cannot follow its recording ([`Robot::following`]) to the end;
    /// `None` as long as it can.
    pub fn failure(&self) -> Option<&str> {
        self.follower.as_ref()?.failure()
    }

    /// Returns the first difference from the recording that did not prevent it from continuing:
    /// messages that are not in the recording, changes that cannot be made again.
    pub fn deviation(&self) -> Option<&str> {
        self.follower.as_ref()?.deviation()
    }

    /// Returns the number of ends of the same topic in the cycle that precede the one of an
    /// update's argument, both counted from zero in their module and update: the number of its
    /// messages in a [`Piece`](crate::Piece).
    pub fn end_number(&self, cycle: &str, module: &str, update: usize, argument: usize) -> Option<u32> {
        self.stage
            .cycles
            .iter()
            .find(|known| *known.core.name == *cycle)?
            .core
            .program
            .port_number(module, update, argument)
    }

    /// Executes what the robot's handles request while it stands still: values are read, changes
    /// come into force with the next run. Returns when that must be done again, whatever is
    /// requested until then.
    pub fn attend(&mut self) -> Option<Instant> {
        let _containment = Containment::new();
        let is_done = self.stage.cycles.iter_mut().map(Cycle::attend).fold(true, |all, is_done| all & is_done);
        let due = self.stage.handle.gather_and_keep_up();
        if is_done { due } else { Some(Instant::now()) }
    }

    /// Shows observers the present values of the cycles while the robot stands still: they may not
    /// have seen them because they were too slow, or do not want everything. An observer that wants
    /// everything has seen them. Returns whether all observers have been shown everything: some may
    /// have to receive earlier values first.
    pub fn show_present(&mut self) -> bool {
        self.stage.cycles.iter_mut().map(Cycle::show_present).fold(true, |all, is_shown| all & is_shown)
    }

    /// Returns the names of the cycles, by their number.
    pub fn cycle_names(&self) -> Vec<String> {
        self.stage.cycles.iter().map(|cycle| cycle.core.name.clone()).collect()
    }

    /// Returns the handle, with which the robot is observed and changed. Changes are applied in a
    /// cycle's next run, so wait for them from another thread only.
    pub fn handle(&self) -> &RobotHandle {
        &self.stage.handle
    }

    /// Returns a fingerprint of every value of a cycle.
    ///
    /// # Panics
    /// Panics if there is no cycle of that number.
    pub fn fingerprints(&self, cycle: usize) -> Vec<(&'static str, u64)> {
        self.stage.cycles[cycle].core.fingerprints()
    }

    /// Calls `look` with a value of a cycle or a source; returns `None` if nothing provides it.
    pub fn with_value<T: hemiola_model::Representation, R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
        let blackboards = self
            .stage
            .cycles
            .iter()
            .map(|cycle| &cycle.core.blackboard)
            .chain(self.stage.sources.iter().map(|s| &s.source.blackboard));
        for blackboard in blackboards {
            if let Some(index) = blackboard.store_of(T::NAME) {
                // SAFETY: `self` is borrowed, so nothing runs.
                let between = unsafe { BetweenRuns::assume() };
                return blackboard.store(index).current(&between).downcast_ref().map(look);
            }
        }
        None
    }
}

impl Drop for Stepper {
    fn drop(&mut self) {
        (0..self.stage.cycles.len()).for_each(|cycle| self.stage.handle.ending().end_cycle(cycle));
        // From now on nothing changes: a handle can still read the last values.
        self.stage.handle.note_end();
    }
}

fn is_triggered_by(cycle: &hemiola_model::configuration::CycleConfiguration, source: &str) -> bool {
    matches!(&cycle.trigger, Trigger::Source(name) if name == source)
}

impl Timer {
    fn due(&self) -> Time {
        Time::from_nanoseconds((self.count as f64 * 1e9 / self.rate).round() as i64)
    }
}
