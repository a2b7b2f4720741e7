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
    /// The profile in a log is not valid.
    #[error("the profile in {} is not valid: {error}", log.display())]
    InvalidProfile {
        /// The path of the log.
        log: PathBuf,
        /// The reason.
        error: serde_json::Error,
    },
    /// Sources or topics trigger something, but their periods are not known.
    #[error(
        "the period of {} is not known, so there is no bound for what it triggers\n  help: write the shortest time between two \
         under `[analysis.period]` in robot.toml: {}",
        silent.join(" and "),
        silent.iter().map(|name| format!("{name} = \"...\"")).collect::<Vec<_>>().join(", ")
    )]
    WithoutPeriod {
        /// The names of the sources or topics.
        silent: Vec<String>,
    },
    /// A chain of the configuration does not exist.
    #[error("`[chain.{name}]`: no chain leads from `{from}` to `{to}`; {}", match outputs.as_slice() {
        [] => format!("no output of the robot derives from `{from}`"),
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
        "`[chain.{name}]`: several chains lead from `{from}` to `{to}`; write one of these outputs: {}",
        outputs.join(", ")
    )]
    SeveralChains {
        /// The name of the chain.
        name: String,
        /// The configured begin of the chains.
        from: String,
        /// The common part of their outputs.
        to: String,
        /// The outputs of the chains.
        outputs: Vec<String>,
    },
    /// The robot has not left a trace.
    #[error(
        "there is no trace of {robot} yet: `run` writes one to {}; or give one with `--trace` or `--log`",
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
        "{} holds no traces of its longest runs: robots write them at the end of a log (`log info` lists its contents)",
        log.display()
    )]
    WithoutWorstRuns {
        /// The path of the log.
        log: PathBuf,
    },
    /// A trace holds no run of a cycle from its beginning to its end.
    #[error("the trace holds no complete run of {cycle}")]
    NoWholeRun {
        /// The name of the cycle.
        cycle: String,
    },
    /// A trace holds other runs of a cycle.
    #[error("the trace holds runs {first} to {last} of {cycle}, but not that one")]
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
        /// The latency in question: the reaction time, or the data age.
        latency: String,
    },
    /// A trace has no such cycle or chain.
    #[error("{}", hemiola_config::unknown("cycle or chain", name, known))]
    UnknownSubject {
        /// The name in the question.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A deadline may be missed, and `[analysis]` refuses such robots.
    #[error(
        "not all deadlines are guaranteed to be met, as `admission = \"refuse\"` under `[analysis]` demands\n{findings}"
    )]
    NotAdmitted {
        /// The deadlines and bounds.
        findings: String,
    },
}
