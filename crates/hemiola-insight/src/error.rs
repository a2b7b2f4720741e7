use std::path::PathBuf;

use hemiola_log::LogError;
use thiserror::Error;

/// The reason why a robot's latencies cannot be bounded, or why it may not start.
///
/// ```
/// let error = hemiola_insight::profile::read("/nowhere.mcap".as_ref()).unwrap_err();
/// assert!(error.to_string().starts_with("cannot open /nowhere.mcap: "));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InsightError {
    /// A trace or profile cannot be read.
    #[error(transparent)]
    Trace(#[from] hemiola_trace::Error),
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A log holds no profile.
    #[error(
        "the log {} holds no profile: it was recorded by another program, by an older version, or its end is missing",
        log.display()
    )]
    NoProfile {
        /// The path of the log.
        log: PathBuf,
    },
    /// The profile in a log is none.
    #[error("the profile in {} is not valid: {error}", log.display())]
    InvalidProfile {
        /// The path of the log.
        log: PathBuf,
        /// The reason.
        error: serde_json::Error,
    },
    /// Sources or topics trigger something, and their periods are not known.
    #[error(
        "nobody says how often {} may come, so nothing can be said of what it begins\n  help: write the least time between two \
         under `[analysis.period]` in robot.toml: {}",
        silent.join(" and "),
        silent.iter().map(|name| format!("{name} = \"...\"")).collect::<Vec<_>>().join(", ")
    )]
    WithoutPeriod {
        /// Their names.
        silent: Vec<String>,
    },
    /// A chain of the configuration does not exist.
    #[error("`[chain.{name}]`: no chain leads from `{from}` to `{to}`; {}", match outputs.as_slice() {
        [] => format!("nothing leaves the robot that derives from `{from}`"),
        outputs => format!("from `{from}` chains lead to: {}", outputs.join(", ")),
    })]
    NoChain {
        /// The name of the chain.
        name: String,
        /// The configured begin of the chain.
        from: String,
        /// The configured end of the chain.
        to: String,
        /// The outputs to which chains from there lead.
        outputs: Vec<String>,
    },
    /// A chain of the configuration may be one of several.
    #[error(
        "`[chain.{name}]`: several chains lead from `{from}` to `{to}`; write which output: {}",
        outputs.join(", ")
    )]
    SeveralChains {
        /// The name of the chain.
        name: String,
        /// The begin of the chains.
        from: String,
        /// The common part of their outputs.
        to: String,
        /// Their outputs.
        outputs: Vec<String>,
    },
    /// The robot has not left a trace.
    #[error(
        "there is no trace of {robot} yet: `run` writes one to {}; or name one with --trace or --log",
        folder.display()
    )]
    NoTrace {
        /// The name of the robot.
        robot: String,
        /// The folder in which its trace would be.
        folder: PathBuf,
    },
    /// A log holds no traces of its longest runs.
    #[error(
        "{} holds no traces of its longest runs: robots write them at the end of a log (`log info` lists what is in it)",
        log.display()
    )]
    WithoutWorstRuns {
        /// The path of the log.
        log: PathBuf,
    },
    /// A trace holds no run of a cycle from its beginning to its end.
    #[error("the trace holds no whole run of {cycle}")]
    NoWholeRun {
        /// The name of the cycle.
        cycle: String,
    },
    /// A trace holds other runs of a cycle.
    #[error("the trace holds runs {first} to {last} of {cycle}, and not that one")]
    NoSuchRun {
        /// The name of the cycle.
        cycle: String,
        /// The first run that it holds.
        first: u32,
        /// The last run that it holds.
        last: u32,
    },
    /// A trace holds nothing of a chain at the time in question.
    #[error("the trace holds no {latency} of that chain at that time")]
    NoReaction {
        /// The latency that was asked about: the reaction time, or the data age.
        latency: String,
    },
    /// A trace has no such cycle or chain.
    #[error("{}", hemiola_config::unknown("cycle or chain", name, known))]
    UnknownSubject {
        /// The name that was asked about.
        name: String,
        /// The names that can be asked about.
        known: Vec<String>,
    },
    /// Not every deadline is sure to be met, and `[analysis]` refuses that.
    #[error(
        "not everything is sure to be in time, and `admission = \"refuse\"` under `[analysis]` forbids that\n{findings}"
    )]
    NotAdmitted {
        /// The deadlines and bounds.
        findings: String,
    },
}
