//! All games of all conditions, and what they say.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::condition::Condition;
use super::game::{Outcome, Setup, play};
use super::statistics::Estimate;
use crate::NaoError;

/// What is measured in each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The number of goals.
    Goals,
    /// The time of the first goal, in seconds; that of a game without goals is its length, so that
    /// the mean is the restricted mean (Royston and Parmar 2013).
    FirstGoal,
    /// The number of falls.
    Falls,
    /// The mean error of the position, in metres.
    PositionError,
    /// The mean error of the ball, in metres.
    BallError,
}

impl Metric {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [Self::Goals, Self::FirstGoal, Self::Falls, Self::PositionError, Self::BallError];

    /// Returns its name in tables, with its unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goals => "goals",
            Self::FirstGoal => "first goal s",
            Self::Falls => "falls",
            Self::PositionError => "pose off m",
            Self::BallError => "ball off m",
        }
    }

    /// Returns its value in a game; `None` if there is none.
    #[must_use]
    pub fn of(self, outcome: &Outcome, length: Duration) -> Option<f64> {
        match self {
            Self::Goals => Some(f64::from(outcome.goals)),
            Self::FirstGoal => Some(outcome.first_goal.map_or(length.as_secs_f64(), f64::from)),
            Self::Falls => Some(f64::from(outcome.falls)),
            Self::PositionError => Some(outcome.position_error),
            Self::BallError => outcome.ball_error,
        }
    }
}

/// The games of all conditions.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The seeds of the games, which are the same under every condition.
    pub seeds: Vec<u64>,
    /// The length of a game.
    pub length: Duration,
    /// The conditions, [`Condition::BASE`] first, each with its games in the order of the seeds.
    pub results: Vec<(Condition, Vec<Outcome>)>,
    /// The mean work in a run of motion, audio and cognition.
    pub work: Vec<Duration>,
    /// The time that all games together took.
    pub took: Duration,
}

impl Experiment {
    /// Plays a game for every condition and seed, several at a time on the cores that there are.
    ///
    /// # Errors
    /// Returns the first error of a game.
    pub fn play(setup: &Setup<'_>, conditions: Vec<Condition>, seeds: Vec<u64>) -> Result<Self, NaoError> {
        let begin = Instant::now();
        let jobs: Vec<(usize, u64)> =
            (0..conditions.len()).flat_map(|condition| seeds.iter().map(move |&seed| (condition, seed))).collect();
        let (next, played) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZeroUsize::get) {
                scope.spawn(|| {
                    while let Some((job, &(condition, seed))) = take(&next, &jobs) {
                        let outcome = play(setup, &conditions[condition], seed);
                        played.lock().unwrap_or_else(PoisonError::into_inner).push((job, outcome));
                    }
                });
            }
        });
        let mut played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
        played.sort_by_key(|(job, _)| *job);
        let mut outcomes = played.into_iter().map(|(_, outcome)| outcome);
        let mut results = Vec::new();
        for condition in conditions {
            results.push((condition, outcomes.by_ref().take(seeds.len()).collect::<Result<_, _>>()?));
        }
        Ok(Self { seeds, length: setup.length, results, work: setup.workload.work(), took: begin.elapsed() })
    }

    /// Returns the values of a metric under a condition, by its number.
    #[must_use]
    pub fn values(&self, condition: usize, metric: Metric) -> Vec<f64> {
        self.results[condition].1.iter().filter_map(|outcome| metric.of(outcome, self.length)).collect()
    }

    /// Returns the differences of a metric from the first condition, game by game with the same
    /// seed.
    #[must_use]
    pub fn differences(&self, condition: usize, metric: Metric) -> Vec<f64> {
        let pairs = self.results[condition].1.iter().zip(&self.results[0].1);
        let value = |outcome| metric.of(outcome, self.length);
        pairs.filter_map(|(outcome, base)| Some(value(outcome)? - value(base)?)).collect()
    }

    /// Returns the simulated seconds in one second.
    #[must_use]
    pub fn speed(&self) -> f64 {
        let games = self.results.iter().map(|(_, games)| games.len()).sum::<usize>();
        games as f64 * self.length.as_secs_f64() / self.took.as_secs_f64()
    }

    /// Returns what its numbers are, in a few lines.
    #[must_use]
    pub fn legend(&self) -> Vec<String> {
        let work: Vec<String> = ["motion", "audio", "cognition"]
            .iter()
            .zip(&self.work)
            .map(|(cycle, work)| format!("{cycle} {:.2} ms", work.as_secs_f64() * 1e3))
            .collect();
        vec![
            format!(
                "{} games of {} s for each condition, with the same seeds; mean work of a run: {}.",
                self.seeds.len(),
                self.length.as_secs_f64(),
                work.join(", ")
            ),
            "Means with 95 % confidence intervals by Student's distribution (1908); differences are paired by seed.".to_owned(),
            "A star marks a difference whose interval leaves zero out; of twenty that are none, one gets a star by chance.".to_owned(),
            "Without a goal, a game's length counts as the time of the first one.".to_owned(),
        ]
    }

    /// Returns what happened to the images and to motion under a condition.
    #[must_use]
    pub fn schedule(&self, condition: usize) -> [String; 4] {
        let games = &self.results[condition].1;
        let sum = |of: fn(&Outcome) -> u64| games.iter().map(of).sum::<u64>() as f64;
        let taken = sum(|game| game.images.taken).max(1.0);
        let share = |number: f64, of: f64| format!("{:.1} %", 100.0 * number / of.max(1.0));
        let age = games.iter().map(|game| game.images.age.as_secs_f64()).sum::<f64>() / games.len().max(1) as f64;
        let runs = games.len() as f64 * self.length.as_secs_f64() / 0.012;
        [
            format!("{:.1} ms", 1e3 * age),
            share(sum(|game| game.images.lost), taken),
            share(sum(|game| game.images.dropped), taken),
            share(sum(|game| game.late_motion), runs),
        ]
    }
}

/// The heads of what [`Experiment::schedule`] returns.
pub const SCHEDULE: [&str; 4] = ["image age", "images lost", "dropped", "motion dropped"];

fn take<'j, T>(next: &AtomicUsize, jobs: &'j [T]) -> Option<(usize, &'j T)> {
    let job = next.fetch_add(1, Ordering::Relaxed);
    Some((job, jobs.get(job)?))
}

/// Returns an estimate as text: mean and half width.
#[must_use]
pub fn text(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(Estimate { mean, half_width, .. }) if half_width.is_finite() => format!("{mean:.2} ± {half_width:.2}"),
        Some(Estimate { mean, .. }) => format!("{mean:.2}"),
    }
}

/// Returns a difference as text, with its sign, and a star if its interval leaves zero out.
#[must_use]
pub fn difference(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(Estimate { mean, half_width, .. }) if half_width.is_infinite() => format!("{mean:+.2}"),
        Some(estimate) => {
            let star = if estimate.differs_from_zero() { "*" } else { " " };
            format!("{:+.2} ± {:.2}{star}", estimate.mean, estimate.half_width)
        }
    }
}

impl fmt::Display for Experiment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.legend() {
            writeln!(formatter, "{line}")?;
        }
        let heads: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        writeln!(formatter)?;
        row(formatter, "condition", &heads)?;
        for (index, (condition, _)) in self.results.iter().enumerate() {
            row(formatter, condition.name, &Metric::ALL.map(|metric| text(Estimate::of(&self.values(index, metric)))))?;
        }
        writeln!(formatter)?;
        row(formatter, &format!("less {}", self.results[0].0.name), &heads)?;
        for (index, (condition, _)) in self.results.iter().enumerate().skip(1) {
            let cells = Metric::ALL.map(|metric| difference(Estimate::of(&self.differences(index, metric))));
            row(formatter, condition.name, &cells)?;
        }
        writeln!(formatter)?;
        row(formatter, "schedule", &SCHEDULE)?;
        for (index, (condition, _)) in self.results.iter().enumerate() {
            row(formatter, condition.name, &self.schedule(index))?;
        }
        Ok(())
    }
}

fn row(formatter: &mut fmt::Formatter<'_>, name: &str, cells: &[impl fmt::Display]) -> fmt::Result {
    write!(formatter, "{name:21}")?;
    for cell in cells {
        write!(formatter, "{:>17}", cell.to_string())?;
    }
    writeln!(formatter)
}
