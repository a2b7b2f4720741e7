use hemiola_analysis::NoBound;
use thiserror::Error;

/// The reason why nothing bounds how long something of a robot takes: what is not known of it, and
/// where to configure it.
///
/// ```
/// use hemiola_insight::Unbounded;
///
/// let error = Unbounded::NoPeriod { source_name: "Button".into() };
/// assert_eq!(error.to_string(), "nobody says how often Button delivers: write it under `[analysis.period]`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unbounded {
    /// The analysis finds no bound.
    #[error(transparent)]
    Analysis(#[from] NoBound),
    /// The period of a source is not known.
    #[error("nobody says how often {source_name} delivers: write it under `[analysis.period]`")]
    NoPeriod {
        /// The name of the source.
        source_name: String,
    },
    /// It goes over the link between two processes of the robot, and no values do by which it is
    /// known how long that takes.
    #[error(
        "it goes over the link from process {from} to process {to} as messages, and how long these take is not measured: \
         `analyze --process {to}` bounds what comes after it"
    )]
    OverLink {
        /// The process that sends.
        from: String,
        /// The process that receives.
        to: String,
    },
    /// It begins in another process of the robot.
    #[error("it begins in process {process}: `analyze` without `--process` bounds it")]
    BeginsElsewhere {
        /// The process.
        process: String,
    },
    /// It goes over a link that was not measured under these conditions.
    #[error(
        "it goes over the link {link}, and how long that takes was not measured yet: run the robot once in its processes, \
         in real time and with `output.profile` in robot.toml"
    )]
    LinkNotMeasured {
        /// The name of the link.
        link: String,
    },
    /// Everything that comes from the source has been in a cycle before to which it comes back.
    #[error(
        "it is state of the robot, and has no age: all that {output} gets of {source_name} has come back to a cycle that it was \
         in before"
    )]
    State {
        /// The name of the source.
        source_name: String,
        /// The name of the output.
        output: String,
    },
    /// The analysis has no verdict on it.
    #[error("no chain of the analysed system stands for it")]
    NoVerdict,
    /// The execution time of the callback is not known.
    #[error("it was never measured")]
    NeverMeasured,
    /// The time since when the callback had been waiting is not known.
    #[error("only when it was called is known, and not since when there was something to do for it")]
    BeginUnknown,
    /// Its executor runs on a thread that does other things.
    #[error("its executor has no thread for itself (`Executor::spawn`), or had none yet")]
    NoThread,
    /// Its thread has a scheduling policy that no analysis here covers.
    #[error("its thread is neither of real-time priority nor shares time")]
    OtherScheduling,
    /// Its thread may run on more than one core, and not on all.
    #[error(
        "its thread may use some of the cores: give it one, or all (`cores` in `[executor.*]`, or \
         `ThreadSettings::affinity`)"
    )]
    SomeCores,
    /// One call does not show how often there may be some.
    #[error("it was called once, and how often it may be is not known: write it under `[analysis.period]`")]
    CalledOnce,
    /// A burst does not show when the next one may come.
    #[error(
        "all that it was called for came at once, and how often it may is not known: write it under `[analysis.period]`"
    )]
    AllAtOnce,
}
