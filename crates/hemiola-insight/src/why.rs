//! The reasons why a run of a cycle, or a chain from a sensor to an output, took as long as it did.
//!
//! | file | contents |
//! |---|---|
//! | `evidence` | the trace that holds the answer, and the usual durations |
//! | `run` | the reasons for the duration of a run |
//! | `chain` | the reasons for the duration of a chain |

mod chain;
mod evidence;
mod run;

use std::path::PathBuf;
use std::time::Duration;

use hemiola_trace::Ticks;
use hemiola_words::duration;

use crate::error::InsightError;
pub use evidence::Evidence;

/// The subject of a question, and the place to find the answer.
///
/// ```no_run
/// use hemiola_insight::Traces;
/// use hemiola_insight::why::{Evidence, Question};
///
/// # fn show(configuration: hemiola_model::configuration::Configuration) -> Result<(), hemiola_insight::InsightError> {
/// let question = Question { subject: Some("motion".into()), worst: 3, ..Question::default() };
/// let evidence = Evidence::find(&question, configuration, &Traces::new("traces", "nao"))?;
/// println!("{}", evidence.answer(&question)?.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The subject: a cycle, or a chain by its name in the configuration or as `SOURCE -> OUTPUT`.
    /// Without one, all subjects are listed.
    pub subject: Option<String>,
    /// The trace to read; without one, the newest of the robot.
    pub trace: Option<PathBuf>,
    /// The log to read, which holds traces of the longest run of each cycle.
    pub log: Option<PathBuf>,
    /// The number of the run of the cycle.
    pub run: Option<u32>,
    /// The time on the robot's clock to explain.
    pub at: Option<Duration>,
    /// The number of the longest runs to explain, at least one.
    pub worst: usize,
    /// Set to explain the data age of a chain instead of the reaction time.
    pub age: bool,
}

/// An answer for people.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The times, the reason, and the remedy.
    pub text: String,
    /// The begin and the end of the first run or reaction that it explains; `None` for an overview.
    pub span: Option<(Ticks, Ticks)>,
}

impl Evidence {
    /// Answers the question.
    ///
    /// # Errors
    /// Returns an error if there is no such cycle or chain, or if the trace holds nothing about it.
    pub fn answer(&self, question: &Question) -> Result<Answer, InsightError> {
        let Some(subject) = &question.subject else {
            return Ok(Answer { text: overview(self), span: None });
        };
        match self.cycle(subject) {
            Some(cycle) => run::explain(self, cycle, question),
            None => chain::explain(self, subject, question),
        }
    }
}

/// Lists all subjects, with the worst of each.
fn overview(evidence: &Evidence) -> String {
    let mut text = evidence.heading();
    text += "\ncycle            runs    late   longest  in run\n";
    let names = evidence.trace.catalog.read();
    for (id, cycle) in names.cycles() {
        let runs: Vec<_> = evidence.history.runs(id).collect();
        let late = runs.iter().filter(|run| evidence.lateness(id, run).is_some()).count();
        let Some(worst) = runs.iter().max_by_key(|run| run.response_ticks()) else { continue };
        let longest = evidence.duration(worst.response_ticks());
        text += &format!("{:<14}{:>7} {late:>7}  {longest:>8}  {}\n", cycle.name, runs.len(), worst.run);
    }
    let chains = chain::overview(evidence, &names);
    if !chains.is_empty() {
        text += "\nlongest reaction time, data age of chain\n";
        text += &chains;
    }
    text += "\n`why CYCLE` and `why CHAIN` (its name in robot.toml, or \"SOURCE -> OUTPUT\") explain the longest.\n";
    text
}

/// Describes a time on the robot's clock, if the trace shows it, or since the trace began.
fn moment(evidence: &Evidence, at: Ticks) -> String {
    match evidence.clock_zero {
        Some(zero) => format!("at {:.3} s", (at.0 as f64 - zero as f64) * 1e-9),
        None => format!("{} into the trace", duration(Duration::from_nanos(at.since(evidence.begin)))),
    }
}
