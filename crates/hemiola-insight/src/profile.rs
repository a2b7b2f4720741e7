//! The measurements of all runs, in the file that `output.profile` names, and at the end of logs.

use std::path::Path;

use hemiola_config::Origins;
use hemiola_log::{Entry, LogReader};
use hemiola_realtime::{
    Calibration, LatencyDistribution, Policy, PolicyInForce, Priority, ThreadSettings, describe_machine,
};
use hemiola_recording::names::PROFILE;
use hemiola_recording::this_program;
use hemiola_runtime::Robot;
use hemiola_trace::{Conditions, CostProfile, Known, MeasuredCosts, Pace, Profile, ProfileHistory};

use crate::error::InsightError;

/// Reads the profile of a file that `run` keeps, or the last one in a log.
pub fn read(path: &Path) -> Result<ProfileHistory, InsightError> {
    if path.extension().is_none_or(|extension| extension != "mcap") {
        return Ok(ProfileHistory::load(path)?);
    }
    let mut log = LogReader::open(path)?;
    let mut found = None;
    while let Some(entry) = log.next_entry() {
        // Damaged parts of the log are skipped: a profile after them can still be trusted.
        if let Ok(Entry::Attachment(attachment)) = entry
            && attachment.name == PROFILE
        {
            let mut text = Vec::new();
            log.read_attachment(&attachment, &mut text)?;
            found = Some(text);
        }
    }
    let Some(text) = found else {
        return Err(InsightError::NoProfile { log: path.to_owned() });
    };
    ProfileHistory::from_json(&text).map_err(|error| InsightError::InvalidProfile { log: path.to_owned(), error })
}

/// Returns the robot with its known execution times, and all other knowledge.
///
/// The conditions are those of a run in real time; whether the robot will be given its real-time
/// priorities is not known yet.
pub fn recall(robot: Robot, origins: &Origins, history: &ProfileHistory) -> (Robot, Known) {
    recall_under(robot, conditions(origins), history)
}

/// Returns the robot with the execution times that it would have on the machine and in the program
/// of the history, as with [`recall`]: for a log or a profile from elsewhere.
pub fn recall_from_elsewhere(robot: Robot, origins: &Origins, history: &ProfileHistory) -> (Robot, Known) {
    let mut now = conditions(origins);
    if let Some(last) = history.last_conditions() {
        now.build.clone_from(&last.build);
        now.machine.clone_from(&last.machine);
        now.has_priorities = last.has_priorities;
    }
    recall_under(robot, now, history)
}

fn recall_under(robot: Robot, now: Conditions, history: &ProfileHistory) -> (Robot, Known) {
    let known = history.known(&now);
    (robot.with_profile(known.profile.clone()), known)
}

/// Adds the measurements of the processes of a robot, each in a profile of its own, to the
/// knowledge about the whole, as [`recall`] returns it.
pub fn add_parts<'h>(known: &mut Known, robot: &Robot, parts: impl IntoIterator<Item = (&'h str, &'h ProfileHistory)>) {
    let names = robot.configuration().process_names();
    let is_received = |source: &str| {
        let link = source.strip_prefix("link.").and_then(|rest| rest.split_once('.'));
        link.is_some_and(|(link, _)| names.contains(&link))
    };
    let now = known.profile.conditions.clone();
    for (process, history) in parts {
        known.add_part(process, history.known(&now), is_received);
    }
}

/// Returns the conditions under which a robot would run now, in real time. If the number of workers
/// is not configured, the robot adapts it while it runs: that is a configuration of its own.
fn conditions(origins: &Origins) -> Conditions {
    let mut now = Conditions {
        pace: Pace::RealTime,
        build: this_program(),
        machine: describe_machine(),
        ..Conditions::default()
    };
    for (key, origin) in origins.iter() {
        let decides = match decides(key) {
            Decides::What => &mut now.computed,
            Decides::When => &mut now.scheduled,
            Decides::Neither => continue,
        };
        decides.insert(key.to_owned(), origin.value.to_string());
    }
    now
}

/// The influence of a value of `robot.toml` on durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decides {
    /// The value decides what is computed.
    What,
    /// The value decides when something is computed, and on which core.
    When,
    Neither,
}

fn decides(key: &str) -> Decides {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    // Names may contain dots, in quotes; the deciding part is after the name.
    let last = rest.rsplit('.').next().unwrap_or(rest);
    match (section, last) {
        ("cycle" | "source", "priority" | "policy" | "cores" | "workers") if !rest.contains(".parameters.") => {
            Decides::When
        }
        ("cycle", "deadline" | "watchdog") => Decides::Neither,
        ("cycle" | "source" | "providers" | "module", _) => Decides::What,
        ("executor", _) | ("process", "cycles" | "sources") => Decides::When,
        _ => Decides::Neither,
    }
}

/// The name in profiles of the time to hand a task over to another worker.
pub const HAND_OVER: &str = "hand_over";
/// The name in profiles of the time until a thread that is woken runs.
pub const WAKE_UP: &str = "wake_up";
/// The name in profiles of the time by which timers are late.
pub const TIMER_LATENESS: &str = "timer_lateness";
/// The name in profiles of the cost of being preempted.
pub const PREEMPTION: &str = "preemption";

/// Measures the overheads of this machine once more, and returns whether threads are given
/// real-time priority. Measures three times if nothing is known yet, or if the result contradicts
/// what is known, because a bad moment is no property of a machine. Each measurement takes a third
/// of a second.
pub fn calibrate(history: &mut ProfileHistory) -> bool {
    calibrate_by(history, measure)
}

/// Returns whether threads are given real-time priority, as [`calibrate`] does, but measures
/// nothing: for a process for which others wait.
pub fn has_priorities() -> bool {
    let settings = ThreadSettings::new("hemiola priority").policy(Policy::Fifo(Priority::LOWEST));
    let spawned = hemiola_realtime::spawn(settings, || ());
    spawned.is_ok_and(|spawned| spawned.report.policy.is_granted())
}

fn calibrate_by(history: &mut ProfileHistory, mut measure: impl FnMut() -> MeasuredCosts) -> bool {
    let measured = measure();
    let has_priority = measured.has_priority;
    let known = history.costs(&measured.machine, Some(has_priority));
    let is_doubtful = known.is_empty() || measured.contradicts(&known);
    history.calibrate(measured);
    if is_doubtful {
        (0..2).for_each(|_| history.calibrate(measure()));
    }
    has_priority
}

fn measure() -> MeasuredCosts {
    let Calibration { hand_over, wake_up, timer_lateness, preemption, policy } = Calibration::measure_briefly();
    let measured =
        [(HAND_OVER, hand_over), (WAKE_UP, wake_up), (TIMER_LATENESS, timer_lateness), (PREEMPTION, preemption)];
    let costs = measured.into_iter().filter_map(|(name, distribution)| Some((name.to_owned(), cost(&distribution?))));
    MeasuredCosts {
        machine: describe_machine(),
        has_priority: policy == PolicyInForce::Requested,
        costs: costs.collect(),
    }
}

fn cost(measured: &LatencyDistribution) -> CostProfile {
    let [p99, maximum] = [measured.p99, measured.maximum].map(|cost| cost.as_nanos().try_into().unwrap_or(u64::MAX));
    CostProfile { samples: measured.samples, p99, maximum, calibrations: 1, lowest: p99, highest: p99 }
}

/// Adds a run that has ended under these conditions; `is_of_robot` is set if it was in real time
/// and the robot was not changed meanwhile.
pub fn add_run(history: &mut ProfileHistory, conditions: &Conditions, mut measured: Profile, is_of_robot: bool) {
    let pace = if is_of_robot { Pace::RealTime } else { Pace::Other };
    measured.conditions = Conditions { pace, ..conditions.clone() };
    measured.runs = 1;
    history.add(measured);
}

#[cfg(test)]
mod tests {
    use hemiola_analysis::TimeSpan;

    use super::*;
    use crate::knowledge::{Knowledge, Origin};

    /// Returns the costs of this machine, with this one for a preemption.
    fn preempted(nanoseconds: u64) -> MeasuredCosts {
        let usual = CostProfile { samples: 100, p99: 20_000, maximum: 30_000, ..CostProfile::default() };
        let preemption = CostProfile { p99: nanoseconds, maximum: nanoseconds, ..usual };
        let costs = [(WAKE_UP, usual), (TIMER_LATENESS, usual), (PREEMPTION, preemption)];
        let costs = costs.map(|(name, cost)| (name.to_owned(), cost)).into();
        MeasuredCosts { machine: "robot".into(), has_priority: true, costs }
    }

    /// Starts a robot several times. Returns the cost of a preemption that bounds count each time,
    /// and how often it was measured.
    fn started(preemptions: impl IntoIterator<Item = u64>, times: usize) -> (Vec<TimeSpan>, usize) {
        let (mut history, mut measured) = (ProfileHistory::default(), 0);
        let mut preemptions = preemptions.into_iter();
        let counted = (0..times).map(|_| {
            assert!(calibrate_by(&mut history, || {
                measured += 1;
                preempted(preemptions.next().unwrap_or(28_000))
            }));
            let mut known = Known::default();
            known.profile.costs = history.costs("robot", Some(true));
            Knowledge { known, quantile: None, origin: Origin::Nowhere }.costs().preemption
        });
        (counted.collect(), measured)
    }

    #[test]
    fn one_bad_moment_among_calibrations_leaves_every_bound_where_it_was() {
        let usual = TimeSpan::nanoseconds(28_000);
        for bad in 0..12 {
            let preemptions = (0..30).map(|number| if number == bad { 12_300_000 } else { 28_000 });
            let (counted, measured) = started(preemptions, 8);
            assert_eq!(counted, vec![usual; 8], "the bad one is number {bad}");
            // It is measured three times at first. A contradiction leads to two more measurements.
            assert_eq!(measured, if (3..=9).contains(&bad) { 12 } else { 10 }, "the bad one is number {bad}");
        }
    }

    #[test]
    fn calibrations_that_contradict_later_ones_are_measured_again_and_given_up() {
        // A compiler ran during the whole first start; the machine is quiet ever after.
        let (counted, _) = started([12_300_000; 3], 3);
        assert_eq!(counted[1..], [TimeSpan::nanoseconds(28_000); 2]);
    }

    #[test]
    fn what_a_value_decides_is_known_by_its_key() {
        for (key, expected) in [
            ("cycle.motion.priority", Decides::When),
            ("cycle.motion.rate", Decides::What),
            ("cycle.motion.modules", Decides::What),
            ("cycle.motion.deadline", Decides::Neither),
            ("cycle.\"a.b\".cores", Decides::When),
            ("source.Camera.priority", Decides::When),
            ("source.Camera.parameters.cores", Decides::What),
            ("executor.speech.callbacks.Say", Decides::When),
            ("process.vision.cycles", Decides::When),
            ("process.vision.restart", Decides::Neither),
            ("providers.BallPercept", Decides::What),
            ("module.Walk.gain", Decides::What),
            ("module.Walk.priority", Decides::What),
            ("log.folder", Decides::Neither),
            ("output.profile", Decides::Neither),
            ("guard.command", Decides::Neither),
            ("chain.ball.reaction", Decides::Neither),
        ] {
            assert_eq!(decides(key), expected, "{key}");
        }
    }
}
