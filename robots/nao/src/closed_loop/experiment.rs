//! All games of all conditions, and what they say.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::condition::Condition;
use super::game::{Outcome, Setup, play};
use super::kept::Kept;
use super::statistics::Estimate;
use crate::NaoError;

/// A number that is measured in each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The number of goals.
    Goals,
    /// The time until the first goal, in seconds; the length of the game if there was none. All
    /// games are watched for the same time, so that the plain mean of this estimates the restricted
    /// mean, and no game has to be left out or guessed at.
    FirstGoal,
    /// The number of falls.
    Falls,
    /// The mean error of the position, in metres.
    PositionError,
    /// The mean error of the ball while the robot believed to know where it was, in metres.
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
            Self::FirstGoal => "first goal, s",
            Self::Falls => "falls",
            Self::PositionError => "pose off, m",
            Self::BallError => "ball off, m",
        }
    }

    /// Returns its number of digits behind the point in tables.
    #[must_use]
    pub const fn digits(self) -> usize {
        match self {
            Self::Goals | Self::Falls => 2,
            Self::FirstGoal => 1,
            Self::PositionError | Self::BallError => 3,
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

/// A condition, and what came of it.
#[derive(Clone, Debug)]
pub struct Series {
    /// The condition.
    pub condition: Condition,
    /// The numbers of workers with which motion, audio and cognition run.
    pub workers: [usize; 3],
    /// The games, in the order of the seeds.
    pub games: Vec<Outcome>,
}

/// The games of all conditions.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The seeds of the games, which are the same under every condition.
    pub seeds: Vec<u64>,
    /// The length of a game.
    pub length: Duration,
    /// The conditions with their games, the one first with which the others are compared.
    pub series: Vec<Series>,
    /// The origin of the durations of tasks, in a sentence.
    pub origin: String,
}

impl Experiment {
    /// Plays the games for all conditions and seeds that have not been kept, several at a time on
    /// the cores that there are: all conditions of a seed before the next seed. `on_game` is called
    /// after each, with a line of text.
    ///
    /// # Errors
    /// Returns the first error of a game, or of the file that keeps them; or that a kept game comes
    /// out differently now.
    pub fn play(
        setup: &Setup<'_>,
        conditions: &[Condition],
        seeds: Vec<u64>,
        mut kept: Kept,
        on_game: impl Fn(&str) + Sync,
    ) -> Result<Self, NaoError> {
        let pairs = seeds.iter().flat_map(|&seed| conditions.iter().map(move |condition| (condition, seed)));
        let (known, jobs): (Vec<_>, Vec<_>) = pairs.partition(|(condition, seed)| kept.get(condition, *seed).is_some());
        if let Some((condition, seed)) = known.first()
            && Some(&play(setup, condition, *seed)?) != kept.get(condition, *seed)
        {
            return Err(NaoError::GameDiffers { condition: condition.name.clone(), seed: *seed });
        }
        let (next, shared) = (AtomicUsize::new(0), Mutex::new(&mut kept));
        let worker = || -> Result<(), NaoError> {
            while let Some((condition, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = play(setup, condition, *seed)?;
                on_game(&format!("seed {seed}, {}: {} goals, {} falls", condition.name, outcome.goals, outcome.falls));
                shared.lock().unwrap_or_else(PoisonError::into_inner).add(condition, *seed, outcome)?;
            }
            Ok(())
        };
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        let series = conditions.iter().map(|condition| Series {
            workers: setup.workers(condition),
            games: seeds.iter().filter_map(|&seed| kept.get(condition, seed).cloned()).collect(),
            condition: condition.clone(),
        });
        Ok(Self { series: series.collect(), seeds, length: setup.length, origin: setup.workload.origin() })
    }

    /// Returns the values of a metric under a condition, by its number.
    #[must_use]
    pub fn values(&self, condition: usize, metric: Metric) -> Vec<f64> {
        self.series[condition].games.iter().filter_map(|outcome| metric.of(outcome, self.length)).collect()
    }

    /// Returns the differences of a metric from the first condition, game by game with the same
    /// seed.
    #[must_use]
    pub fn differences(&self, condition: usize, metric: Metric) -> Vec<f64> {
        let pairs = self.series[condition].games.iter().zip(&self.series[0].games);
        let value = |outcome| metric.of(outcome, self.length);
        pairs.filter_map(|(outcome, base)| Some(value(outcome)? - value(base)?)).collect()
    }

    /// Returns the number of differences that are looked at together.
    #[must_use]
    pub fn comparisons(&self) -> usize {
        self.series.len().saturating_sub(1) * Metric::ALL.len()
    }

    /// Returns what its numbers are, a sentence or two in each line.
    #[must_use]
    pub fn legend(&self) -> Vec<String> {
        let (games, seconds) = (self.seeds.len(), self.length.as_secs_f64());
        vec![
            format!("{games} games of {seconds} s for each condition, with the same seeds."),
            self.origin.clone(),
            "Means with 95 % confidence intervals (Student 1908), for each number by itself; no interval where all games agree.".to_owned(),
            format!(
                "Differences are paired by seed. A star marks those whose interval leaves zero out even if it is widened so \
                 that all {} hold together with 95 % (Bonferroni).",
                self.comparisons()
            ),
            format!("A game without a goal counts with its length, {seconds} s, as the time of the first one: a restricted mean."),
            "The error of the ball counts while the robot believes to know it (`ball known`).".to_owned(),
        ]
    }

    /// Returns what happened under a condition, in the order of [`CIRCUMSTANCES`].
    #[must_use]
    pub fn circumstances(&self, condition: usize) -> [String; 7] {
        let Series { workers: [motion, audio, cognition], games, .. } = &self.series[condition];
        let sum = |of: fn(&Outcome) -> u64| games.iter().map(of).sum::<u64>();
        let share = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
        let age = games.iter().map(|game| game.images.age.as_secs_f64()).sum::<f64>() / games.len().max(1) as f64;
        let taken = sum(|game| game.images.taken);
        [
            format!("{motion}, {audio}, {cognition}"),
            format!("{:.1} ms", 1e3 * age),
            share(sum(|game| game.images.lost), taken),
            share(sum(|game| game.images.dropped), taken),
            share(sum(|game| game.motion.dropped), sum(|game| game.motion.samples)),
            share(sum(|game| game.notes.of_ball), sum(|game| game.notes.all)),
            format!("{} of {}", games.iter().filter(|game| game.first_goal.is_some()).count(), games.len()),
        ]
    }
}

/// The heads of what [`Experiment::circumstances`] returns.
pub const CIRCUMSTANCES: [&str; 7] =
    ["workers", "image age", "images lost", "dropped", "motion dropped", "ball known", "with a goal"];

/// Returns an estimate as text: the mean, and half the width of its interval.
#[must_use]
pub fn text(estimate: Option<Estimate>, metric: Metric) -> String {
    let digits = metric.digits();
    match estimate {
        None => "-".to_owned(),
        Some(estimate) => match estimate.half_width() {
            Some(half_width) => format!("{:.digits$} ± {half_width:.digits$}", estimate.mean),
            None => format!("{:.digits$}", estimate.mean),
        },
    }
}

/// Returns a difference as text, with its sign, and a star if it differs from zero among so many.
#[must_use]
pub fn difference(estimate: Option<Estimate>, metric: Metric, comparisons: usize) -> String {
    let Some(of) = estimate else { return "-".to_owned() };
    let text = text(Some(of), metric);
    let sign = if of.mean >= 0.0 { "+" } else { "" };
    let star = if of.differs_from_zero(comparisons) { "*" } else { "" };
    format!("{sign}{text}{star}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(goals: u32, first_goal: Option<f32>, ball_error: Option<f64>) -> Outcome {
        Outcome { goals, first_goal, ball_error, ..Outcome::default() }
    }

    fn experiment(games: [Vec<Outcome>; 2]) -> Experiment {
        let series = |games| Series { condition: Condition::base(), workers: [1; 3], games };
        Experiment {
            seeds: vec![1, 2, 3],
            length: Duration::from_secs(60),
            series: games.map(series).into(),
            origin: "Measured.".to_owned(),
        }
    }

    #[test]
    fn a_game_without_a_goal_counts_with_its_length_and_one_without_a_ball_has_no_pair() {
        let base = vec![game(1, Some(20.0), Some(0.1)), game(0, None, Some(0.2)), game(0, None, None)];
        let other = vec![game(2, Some(10.0), Some(0.4)), game(1, Some(50.0), None), game(0, None, Some(0.3))];
        let experiment = experiment([base, other]);
        assert_eq!(experiment.values(0, Metric::FirstGoal), [20.0, 60.0, 60.0]);
        assert_eq!(experiment.differences(1, Metric::FirstGoal), [-10.0, -10.0, 0.0]);
        assert_eq!(experiment.differences(1, Metric::Goals), [1.0, 1.0, 0.0]);
        let [ball] = experiment.differences(1, Metric::BallError)[..] else { panic!("there is one pair") };
        assert!((ball - 0.3).abs() < 1e-12);
        assert_eq!(experiment.circumstances(0)[6], "1 of 3");
    }

    #[test]
    fn a_star_is_for_differences_that_are_clear_among_all() {
        let clear = Estimate::of(&[1.0, 1.1, 0.9, 1.0]);
        assert_eq!(difference(clear, Metric::Goals, 40), "+1.00 ± 0.13*");
        let one_of_many = Estimate::of(&[-1.0, -2.0, -3.0, -2.5]);
        assert_eq!(difference(one_of_many, Metric::Goals, 1), "-2.12 ± 1.36*");
        assert_eq!(difference(one_of_many, Metric::Goals, 40), "-2.12 ± 1.36");
        assert_eq!(difference(Estimate::of(&[0.0; 9]), Metric::PositionError, 1), "+0.000");
        assert_eq!(difference(None, Metric::Falls, 1), "-");
    }
}
