use hemiola_analysis::NoBound;
use thiserror::Error;

/// The reason why the duration of something in a robot has no bound: what is not known about it,
/// and where to configure it.
///
/// ```
/// use hemiola_insight::Unbounded;
///
/// let error = Unbounded::NoPeriod { source_name: "Button".into() };
/// assert_eq!(error.to_string(), "the period of Button is not known: write it under `[analysis.period]`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unbounded {
    /// The analysis finds no bound.
    #[error(transparent)]
    Analysis(#[from] NoBound),
    /// The period of a source is not known.
    #[error("the period of {source_name} is not known: write it under `[analysis.period]`")]
    NoPeriod {
        /// The name of the source.
        source_name: String,
    },
    /// The chain crosses the link between two processes of the robot by messages only, whose
    /// latency is not measured.
    #[error(
        "it crosses the link from process {from} to process {to} as messages, whose latency is not measured: \
         `analyze --process {to}` bounds what follows"
    )]
    OverLink {
        /// The process that sends.
        from: String,
        /// The process that receives.
        to: String,
    },
    /// The chain begins in another process of the robot.
    #[error("it begins in process {process}: `analyze` without `--process` bounds it")]
    BeginsElsewhere {
        /// The process.
        process: String,
    },
    /// The chain crosses a link that was not measured under these conditions.
    #[error(
        "it crosses the link {link}, whose latency was not measured yet: run the robot once in its processes, \
         in real time and with `output.profile` in robot.toml"
    )]
    LinkNotMeasured {
        /// The name of the link.
        link: String,
    },
    /// Everything that derives from the source returns to a cycle in which it has been before.
    #[error(
        "it is state of the robot, and has no age: everything that {output} derives from {source_name} has returned to a cycle that it was \
         in before"
    )]
    State {
        /// The name of the source.
        source_name: String,
        /// The name of the output.
        output: String,
    },
    /// The analysis has no verdict on it.
    #[error("no chain of the analysed system represents it")]
    NoVerdict,
    /// The execution time of the callback is not known.
    #[error("it was never measured")]
    NeverMeasured,
    /// The time since when the callback had been waiting is not known.
    #[error("the time at which it was called is known, but not the time at which it became ready")]
    BeginUnknown,
    /// The executor runs on a thread that does other things.
    #[error("its executor has no thread of its own (`Executor::spawn`), or had none yet")]
    NoThread,
    /// The thread has a scheduling policy that the analysis does not cover.
    #[error("its thread has neither a real-time priority nor the time-sharing policy")]
    OtherScheduling,
    /// The thread may run on several cores, but not on all.
    #[error(
        "its thread may use only some of the cores: give it one, or all (`cores` in `[executor.*]`, or \
         `ThreadSettings::affinity`)"
    )]
    SomeCores,
    /// The callback was called once, which does not show its period.
    #[error(
        "it was called only once in the runs that count for bounds, and its period is not known: write it under \
         `[analysis.period]`"
    )]
    CalledOnce,
    /// The callback was called in a single burst, which does not show when the next one may come.
    #[error(
        "everything for which it was called arrived at once, and its period is not known: write it under `[analysis.period]`"
    )]
    AllAtOnce,
}
