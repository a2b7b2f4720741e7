//! The reasons why a run of a cycle, or a chain from a sensor to an output, took as long as it did.
//!
//! | file | contents |
//! |---|---|
//! | `evidence` | the trace that holds the answer, and the usual durations |
//! | `clock` | the robot's clock in that trace |
//! | `run` | the reasons for the duration of a run |
//! | `chain` | the reasons for the duration of a chain |
//! | `facts` | both for programs |

mod chain;
mod clock;
mod evidence;
mod facts;
mod run;

use std::path::PathBuf;
use std::time::Duration;

use hemiola_trace::Ticks;
use hemiola_words::duration;
use serde::Serialize;

use crate::error::InsightError;
pub use evidence::Evidence;
pub use facts::{
    ChainFacts, CycleFacts, Facts, HopFacts, HopReason, Moment, ReactionFacts, ReasonFacts, RunFacts, StretchFacts,
};

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

/// An answer, for people and for programs. In JSON all times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The trace on which the answer rests.
    pub from: String,
    /// The times, the reason, and the remedy, for people.
    pub text: String,
    /// The same for programs.
    #[serde(flatten)]
    pub facts: Facts,
    /// The begin and the end of the first run or reaction that it explains; `None` for an overview.
    #[serde(skip)]
    pub span: Option<(Ticks, Ticks)>,
}

impl Evidence {
    /// Answers the question.
    ///
    /// # Errors
    /// Returns an error if there is no such cycle or chain, or if the trace holds nothing about it.
    pub fn answer(&self, question: &Question) -> Result<Answer, InsightError> {
        let Some(subject) = &question.subject else {
            return Ok(overview(self));
        };
        match self.cycle(subject) {
            Some(cycle) => run::explain(self, cycle, question),
            None => chain::explain(self, subject, question),
        }
    }
}

/// Lists all subjects, with the worst of each.
fn overview(evidence: &Evidence) -> Answer {
    let names = evidence.trace.catalog.read();
    let cycles = names.cycles().filter_map(|(id, cycle)| {
        let runs: Vec<_> = evidence.history.runs(id).collect();
        let worst = runs.iter().max_by_key(|run| run.response_ticks())?;
        let missed = runs.iter().filter(|run| evidence.lateness(id, run).is_some()).count();
        let (longest_run, longest) = (worst.run, worst.response_ticks());
        Some(CycleFacts { cycle: cycle.name.clone(), runs: runs.len(), missed, longest_run, longest })
    });
    let (cycles, chains): (Vec<_>, _) = (cycles.collect(), chain::overview(evidence, &names));
    let mut text = evidence.heading();
    text += "\ncycle            runs    late   longest  in run\n";
    for CycleFacts { cycle, runs, missed, longest_run, longest } in &cycles {
        let missed = if evidence.is_in_real_time() { missed.to_string() } else { "-".to_owned() };
        text += &format!("{cycle:<14}{runs:>7} {missed:>7}  {:>8}  {longest_run}\n", evidence.duration(*longest));
    }
    if !chains.is_empty() {
        text += "\nlongest reaction time, data age of chain\n";
    }
    for ChainFacts { chain, name, reaction_time, data_age } in &chains {
        let longest = |time: &Option<u64>| time.map_or("-".to_owned(), |time| evidence.duration(time));
        let name = name.as_ref().map_or(String::new(), |name| format!("  ({name})"));
        text += &format!("  {:>8}  {:>8}  {chain}{name}\n", longest(reaction_time), longest(data_age));
    }
    text += "\n`why CYCLE` and `why CHAIN` (its name in robot.toml, or \"SOURCE -> OUTPUT\") explain the longest.\n";
    Answer { from: evidence.from().to_owned(), text, facts: Facts::Overview { cycles, chains }, span: None }
}

/// Describes a time on the robot's clock, if the trace shows it, or since the trace began.
fn moment(evidence: &Evidence, at: Ticks) -> String {
    match evidence.clock.time(at) {
        Some(time) => format!("at {:.3} s", time as f64 * 1e-9),
        None => format!("{} into the trace", duration(Duration::from_nanos(at.since(evidence.begin)))),
    }
}
