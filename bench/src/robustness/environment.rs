//! Systems that grant less, or otherwise: SCHED_DEADLINE instead of priorities, and control groups
//! with a quota. A trial either works, and its figures show how well, or has the message that a
//! person gets where the system refuses.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use hemiola_bench_contestant::Mode;
use hemiola_realtime::{Affinity, Denial, Policy, Priority, ThreadSettings, apply_to_this_thread, spawn};
use serde::{Deserialize, Serialize};

use super::cycle::{Cycle, responses};
use super::{Setting, Tail};
use crate::contest::discipline::{Discipline, Effort, MOTION_RATE};
use crate::contest::entrant::{Entrant, Side};
use crate::contest::process;
use crate::contestant::ContestantError;
use crate::error::{BenchError, write};
use crate::workload::Workload;

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub what: String,
    /// Motion's response at 83 Hz, from the trigger to the end; `None` where it could not run.
    pub response_ns: Option<Tail>,
    /// The policy that the system granted, or why it did not.
    pub answer: String,
}

/// The period of deadline threads; motion's is a little longer.
const PERIOD: Duration = Duration::from_millis(12);
/// The quota of the control group: a tenth of a core, hardly more than motion's work.
const QUOTA_US: u64 = 10_000;
const QUOTA_PERIOD_US: u64 = 100_000;

pub fn measure(motion: &Workload, setting: &Setting) -> Result<Vec<Trial>, BenchError> {
    let runs = match setting.effort {
        Effort::Full => 400,
        Effort::Quick => 12,
    };
    let mut trials = vec![deadline(motion, runs)?, too_many_deadlines()?];
    trials.extend(groups(motion, setting, runs.min(200))?);
    Ok(trials)
}

/// Runs motion on one worker under SCHED_DEADLINE.
fn deadline(motion: &Workload, runs: usize) -> Result<Trial, BenchError> {
    let policy = Policy::Deadline { runtime: PERIOD / 4, deadline: PERIOD, period: PERIOD };
    let motion = motion.clone();
    let (proceed, may_proceed) = channel();
    let settings = ThreadSettings::new("motion").policy(policy);
    let spawned = spawn(settings, move || -> Result<Vec<f64>, ContestantError> {
        if may_proceed.recv() != Ok(true) {
            return Ok(Vec::new());
        }
        let mut cycle = Cycle::new(&motion, Vec::new())?;
        (0..WARM_UP).for_each(|_| cycle.run());
        Ok(responses(&mut cycle, Duration::from_secs_f64(1.0 / MOTION_RATE), runs))
    })?;
    let denial = spawned.report.policy.denial().cloned();
    // The thread waits for this; if it has gone, its panic is what counts.
    _ = proceed.send(denial.is_none());
    let samples = spawned.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let answer = denial.map_or_else(|| format!("granted: {policy}"), |denial| denial.to_string());
    Ok(Trial { what: "SCHED_DEADLINE".to_owned(), response_ns: Tail::of(samples), answer })
}

const WARM_UP: usize = 8;

/// Starts as many threads as there are cores, each of which wants nearly all of one: the kernel
/// keeps some for all others.
fn too_many_deadlines() -> Result<Trial, BenchError> {
    let policy = Policy::Deadline { runtime: PERIOD - Duration::from_micros(10), deadline: PERIOD, period: PERIOD };
    let mut answers = Vec::new();
    let mut threads = Vec::new();
    for _ in Affinity::of_this_thread().cores() {
        // All threads keep what they were granted until the last one has asked.
        let (end, ended) = channel::<()>();
        let spawned = spawn(ThreadSettings::new("deadline").policy(policy), move || _ = ended.recv())?;
        answers.push(spawned.report.policy.denial().map_or_else(|| format!("granted: {policy}"), Denial::to_string));
        threads.push((end, spawned.thread));
    }
    for (end, thread) in threads {
        drop(end);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    answers.dedup();
    let what = "SCHED_DEADLINE, nearly all of every core".to_owned();
    Ok(Trial { what, response_ns: None, answer: answers.join("\n") })
}

/// Runs our contestant within a control group that limits its processor time: with real-time
/// priority, and with permission for it taken away.
fn groups(motion: &Workload, setting: &Setting, runs: usize) -> Result<Vec<Trial>, BenchError> {
    let graph = setting.folder.join(motion.name).with_extension("graph");
    write(&graph, &motion.text)?;
    let discipline = Discipline {
        workload: motion.name,
        mode: Mode::Periodic,
        workers: 2,
        runs,
        period: Duration::from_secs_f64(1.0 / MOTION_RATE),
    };
    let trial = |what: &str, prefix: &[&str], group: Option<&ControlGroup>| {
        // A shell joins the group and becomes this program, so that none of its threads is ever
        // outside.
        let join = group.map_or(String::new(), |group| format!("echo $$ > '{}' && ", group.members().display()));
        let script = format!("{join}exec {} \"$0\" \"$@\"", prefix.join(" "));
        let program = setting.program.display().to_string();
        let arguments = |then: &[&str]| -> Vec<String> {
            ["-c", &script, &program].iter().chain(then).map(|&word| word.to_owned()).collect()
        };
        let entrant = Entrant {
            id: "hemiola",
            label: "Hemiola",
            side: Side::Hemiola,
            program: "sh".into(),
            arguments: arguments(&["contestant", "hemiola"]),
        };
        match process::run(&entrant, &discipline, &graph) {
            Ok(samples) => Trial {
                what: what.to_owned(),
                response_ns: Tail::of(samples.values("makespan_ns").iter().map(|&value| value as f64).collect()),
                answer: output_of(Command::new("sh").args(arguments(&["ask-for-real-time"]))),
            },
            Err(error) => Trial { what: what.to_owned(), response_ns: None, answer: error.to_string() },
        }
    };
    let unprivileged = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", "--"];
    let mut trials = vec![
        trial("no control group", &[], None),
        trial("no control group, real-time priority not permitted", &unprivileged, None),
    ];
    match ControlGroup::make() {
        Ok(group) => {
            let quota = format!("{} ms of every {} ms", QUOTA_US / 1000, QUOTA_PERIOD_US / 1000);
            trials.push(trial(&format!("control group, {quota}"), &[], Some(&group)));
            let what = format!("control group, {quota}, real-time priority not permitted");
            trials.push(trial(&what, &unprivileged, Some(&group)));
        }
        Err(answer) => trials.push(Trial { what: "control group".to_owned(), response_ns: None, answer }),
    }
    Ok(trials)
}

/// Returns the output of a command, or why it has none.
fn output_of(command: &mut Command) -> String {
    let output = command.output();
    output.map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Asks for the priority that contestants have; returns the message that a person gets who runs a
/// robot here.
pub fn ask_for_real_time() -> Result<String, BenchError> {
    let policy = Policy::Fifo(Priority::new(PRIORITY)?);
    let report = apply_to_this_thread(&ThreadSettings::new("hemiola-bench").policy(policy))?;
    Ok(report.policy.denial().map_or_else(|| format!("granted: {policy}"), Denial::to_string))
}

const PRIORITY: u8 = 80;

/// A control group of our own with a quota, removed when dropped.
struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// Makes a group in version 2 where that controls the processors, else in version 1.
    fn make() -> Result<Self, String> {
        let root = Path::new("/sys/fs/cgroup");
        let controllers = std::fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
        let (parent, quota) = if controllers.split_whitespace().any(|controller| controller == "cpu") {
            // Groups have no quota before their parent enables it; most systems do so at the start.
            _ = std::fs::write(root.join("cgroup.subtree_control"), "+cpu");
            (root.to_owned(), vec![("cpu.max", format!("{QUOTA_US} {QUOTA_PERIOD_US}"))])
        } else {
            let quota = [("cpu.cfs_period_us", QUOTA_PERIOD_US), ("cpu.cfs_quota_us", QUOTA_US)];
            (root.join("cpu"), quota.map(|(file, value)| (file, value.to_string())).to_vec())
        };
        let group = ControlGroup { folder: parent.join(format!("hemiola-bench-{}", std::process::id())) };
        let refused = |error: std::io::Error| {
            format!(
                "not tried: {} cannot be created or set ({error}); this needs an administrator",
                group.folder.display()
            )
        };
        std::fs::create_dir(&group.folder).map_err(refused)?;
        for (file, value) in quota {
            std::fs::write(group.folder.join(file), value).map_err(refused)?;
        }
        Ok(group)
    }

    fn members(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // An empty group that stays does no harm.
        _ = std::fs::remove_dir(&self.folder);
    }
}
