use std::path::PathBuf;

use hemiola_log::LogError;
use thiserror::Error;

/// Why nothing can be said of what a robot promises, or why it may not start.
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
        /// The log.
        log: PathBuf,
    },
    /// The profile in a log is none.
    #[error("the profile in {} is not valid: {error}", log.display())]
    InvalidProfile {
        /// The log.
        log: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// Sources or topics begin something, and may come at any time.
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
        /// The chain.
        name: String,
        /// Where it should begin.
        from: String,
        /// Where it should end.
        to: String,
        /// The outputs that chains from there lead to.
        outputs: Vec<String>,
    },
    /// A chain of the configuration may be one of several.
    #[error(
        "`[chain.{name}]`: several chains lead from `{from}` to `{to}`; write which output: {}",
        outputs.join(", ")
    )]
    SeveralChains {
        /// The chain.
        name: String,
        /// Where they begin.
        from: String,
        /// What their outputs have in common.
        to: String,
        /// Their outputs.
        outputs: Vec<String>,
    },
    /// Not every deadline is sure to be met, and `[analysis]` refuses that.
    #[error(
        "not everything is sure to be in time, and `admission = \"refuse\"` under `[analysis]` forbids that\n{findings}"
    )]
    NotAdmitted {
        /// What is demanded, and what can be promised.
        findings: String,
    },
}
