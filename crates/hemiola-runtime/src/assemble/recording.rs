use std::time::Duration;

/// What is written down of all runs, to be decided before a robot starts: [`Robot::recorded`](crate::Robot::recorded).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::{Recording, Robot};
/// use std::time::Duration;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// // Enough to repeat every run to the bit, and to begin anywhere.
/// let recording = Recording::of_runs().with_checkpoints(Duration::from_secs(10));
/// let robot = Robot::assemble(configuration)?.recorded(recording);
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    pub(crate) has_transcripts: bool,
    pub(crate) checkpoints: Checkpoints,
}

/// When cycles write down their parts of checkpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Checkpoints {
    #[default]
    Never,
    /// Whenever so much time has passed on the robot's clock.
    Every(Duration),
    /// Before a run of a cycle, and before the next one.
    Around { cycle: String, run: u32 },
}

impl Recording {
    /// What each run of each cycle began with: see [`RunRecord`](crate::RunRecord).
    pub fn of_runs() -> Self {
        Self { has_transcripts: true, checkpoints: Checkpoints::Never }
    }

    /// All that a run of a cycle begins with, what sources have brought among it, and all that the next run
    /// does, by which it is known what that one left behind: two [`CyclePart`](crate::CyclePart)s.
    pub fn of_run(cycle: impl Into<String>, run: u32) -> Self {
        Self { has_transcripts: false, checkpoints: Checkpoints::Around { cycle: cycle.into(), run } }
    }

    /// Besides, a checkpoint of all that later runs depend on whenever so much time has passed on the robot's
    /// clock: see [`CyclePart`](crate::CyclePart).
    #[must_use]
    pub fn with_checkpoints(mut self, period: Duration) -> Self {
        self.checkpoints = Checkpoints::Every(period);
        self
    }
}
