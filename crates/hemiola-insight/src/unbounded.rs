use hemiola_analysis::NoBound;
use thiserror::Error;

/// Why nothing bounds how long something of a robot takes: what is not known of it, and where to
/// say it.
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
    /// A source delivers when it likes.
    #[error("nobody says how often {source_name} delivers: write it under `[analysis.period]`")]
    NoPeriod {
        /// The source.
        source_name: String,
    },
    /// All that comes from the source has been in a cycle before that it comes back to.
    #[error(
        "it is state of the robot, and has no age: all that {output} gets of {source_name} has come back to a cycle that it was \
         in before"
    )]
    State {
        /// The source.
        source_name: String,
        /// What puts out.
        output: String,
    },
    /// The analysis says nothing of it.
    #[error("no chain of the analysed system stands for it")]
    NoVerdict,
    /// Nobody knows how long the callback takes.
    #[error("it was never measured")]
    NeverMeasured,
    /// Nobody knows since when the callback had been waiting.
    #[error("only when it was called is known, and not since when there was something to do for it")]
    BeginUnknown,
    /// Its executor is turned by a thread that does other things.
    #[error("its executor has no thread for itself (`Executor::spawn`), or had none yet")]
    NoThread,
    /// Its thread is scheduled as no analysis here covers.
    #[error("its thread is neither of real-time priority nor shares time")]
    OtherScheduling,
    /// Its thread stays on more than one core, and not on all.
    #[error(
        "its thread may use some of the cores: give it one, or all (`cores` in `[executor.*]`, or \
         `ThreadSettings::affinity`)"
    )]
    SomeCores,
    /// One call says nothing of how often there may be some.
    #[error("it was called once, and how often it may be is not known: write it under `[analysis.period]`")]
    CalledOnce,
    /// A burst says nothing of when the next one may come.
    #[error(
        "all that it was called for came at once, and how often it may is not known: write it under `[analysis.period]`"
    )]
    AllAtOnce,
}
