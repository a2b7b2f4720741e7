//! Why a run of a cycle, or a chain from a sensor to an output, took as long as it did.
//!
//! | file | what |
//! |---|---|
//! | `evidence` | the trace that tells, and what is usual |
//! | `run` | what a run spent its time with |
//! | `chain` | what a chain spent its time with |

mod chain;
mod evidence;
mod run;

use std::path::PathBuf;
use std::time::Duration;

use hemiola_trace::Ticks;
use hemiola_words::duration;

use crate::error::InsightError;
pub use evidence::Evidence;

/// What somebody asks about, and where the answer is looked for.
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
    /// A cycle, or a chain: its name in the configuration, or `SOURCE -> OUTPUT`; without one, all
    /// that can be asked about.
    pub subject: Option<String>,
    /// The trace that tells; the newest of the robot without.
    pub trace: Option<PathBuf>,
    /// The log that tells: it holds traces of the longest run of each cycle.
    pub log: Option<PathBuf>,
    /// This run of the cycle.
    pub run: Option<u32>,
    /// What went on at this time of the robot's clock.
    pub at: Option<Duration>,
    /// So many of the longest, at least one.
    pub worst: usize,
    /// Of a chain the data age instead of the reaction time.
    pub age: bool,
}

/// An answer for people.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What took how long, the reason, and what would help.
    pub text: String,
    /// When the first that it speaks of began and ended; none for an overview.
    pub span: Option<(Ticks, Ticks)>,
}

impl Evidence {
    /// Explains what the question is about.
    ///
    /// # Errors
    /// There is no such cycle or chain, or the trace holds nothing of it.
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

/// What can be asked about, with the worst of each.
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
    text += "\n`why CYCLE` and `why CHAIN` (its name in robot.toml, or \"SOURCE -> OUTPUT\") take the longest apart.\n";
    text
}

/// The time on the robot's clock, if the trace tells, or since the trace began.
fn moment(evidence: &Evidence, at: Ticks) -> String {
    match evidence.clock_zero {
        Some(zero) => format!("at {:.3} s", (at.0 as f64 - zero as f64) * 1e-9),
        None => format!("{} into the trace", duration(Duration::from_nanos(at.since(evidence.begin)))),
    }
}
