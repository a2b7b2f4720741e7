//! The stage of a stepper: the cycles and sources, which run when they are told to.

use std::sync::Arc;

use hemiola_model::Time;

use crate::cycle::Cycle;
use crate::handle::RobotHandle;
use crate::robot_state::RobotState;
use crate::source::{Sampled, SourceRunner};

/// The parts of a robot that is stepped.
pub struct Stage {
    pub cycles: Vec<Cycle>,
    pub sources: Vec<SteppedSource>,
    pub state: Arc<RobotState>,
    pub handle: RobotHandle,
}

/// The outcome of a step.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// use hemiola_model::Time;
/// # let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// configuration.cycles.push(CycleConfiguration::new("cognition", Trigger::Rate(40.0)));
/// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// let steps: Vec<_> = (0..4).filter_map(|_| stepper.step()).map(|step| (step.time, step.cycles)).collect();
/// assert_eq!(steps[..2], [(Time::ZERO, vec![0]), (Time::ZERO, vec![1])]);
/// assert_eq!(steps[3], (Time::from_seconds(0.02), vec![0]));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time on the framework's clock.
    pub time: Time,
    /// The cycles that ran, by their number.
    pub cycles: Vec<usize>,
}

/// A source, and its next sample.
pub struct SteppedSource {
    pub source: SourceRunner,
    count: u64,
    /// The time at which its next sample is to be delivered; `None` if it has ended.
    pub next: Option<Time>,
    /// Set if the sample has been taken already, because it has its own time stamp.
    is_taken: bool,
    failures_in_a_row: u32,
    /// The number of the sample that was delivered last.
    pub delivered: Option<u32>,
    pub triggers: Vec<usize>,
}

/// The number of failures in a row after which a source counts as ended.
const MOST_FAILURES: u32 = 1000;
impl Stage {
    /// Returns the time on the framework's clock.
    pub fn now(&self) -> Time {
        self.state.clock().now()
    }

    /// Reads what was delivered from outside by now.
    pub fn receive(&mut self) {
        let now = self.now();
        self.sources.iter_mut().filter(|stepped| stepped.source.is_open()).for_each(|stepped| stepped.receive(now));
    }

    /// Returns whether there are sources that can end, and all of them have ended.
    pub fn has_ended(&self) -> bool {
        let mut ending = self.sources.iter().filter(|stepped| !stepped.source.is_open()).peekable();
        ending.peek().is_some() && ending.all(|stepped| stepped.next.is_none())
    }
}

impl SteppedSource {
    /// Creates a source that has delivered nothing yet, and triggers these cycles.
    pub fn new(source: SourceRunner, triggers: Vec<usize>) -> Self {
        Self {
            source,
            count: 0,
            next: Some(Time::ZERO),
            is_taken: false,
            failures_in_a_row: 0,
            delivered: None,
            triggers,
        }
    }

    /// Determines when the next sample is due, and takes it if only the sample itself has the time.
    pub fn prepare(&mut self) {
        if self.next.is_none() {
            return;
        }
        match self.source.due(self.count) {
            Some(due) => self.next = Some(due),
            None => {
                self.next = loop {
                    match self.source.sample(None) {
                        Sampled::At(_) if self.source.stands_still() => {
                            self.source.say_standing();
                            break None;
                        }
                        Sampled::At(stamp) => {
                            self.failures_in_a_row = 0;
                            self.is_taken = true;
                            break Some(stamp);
                        }
                        Sampled::Nothing => break None,
                        Sampled::Failed if self.failures_in_a_row < MOST_FAILURES => self.failures_in_a_row += 1,
                        Sampled::Failed | Sampled::Ended => {
                            self.source.say_ended();
                            break None;
                        }
                    }
                };
            }
        }
        self.count += 1;
    }

    /// Reads what was delivered from outside by now: it is due at once.
    fn receive(&mut self, now: Time) {
        if self.next.is_none() {
            self.next = Some(now);
            self.prepare();
            self.next = self.next.map(|stamp| stamp.max(now));
        }
    }

    /// Prepares the next sample after one of that time. What else was delivered from outside is due
    /// at once.
    pub fn go_on(&mut self, now: Time) {
        if self.source.is_open() {
            self.next = None;
            self.receive(now);
        } else {
            self.prepare();
        }
    }

    /// Delivers the sample; returns `false` if there is none this time.
    pub fn deliver(&mut self, time: Time) -> bool {
        if !std::mem::take(&mut self.is_taken) {
            match self.source.sample(Some(time)) {
                Sampled::At(_) => {}
                Sampled::Failed | Sampled::Nothing => return false,
                Sampled::Ended => {
                    self.source.say_ended();
                    self.next = None;
                    return false;
                }
            }
        }
        self.delivered = Some(self.source.samples);
        self.source.deliver();
        true
    }
}
