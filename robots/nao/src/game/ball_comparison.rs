//! `nao ball-models`: all ball models on what the robots of a game see.

use std::collections::VecDeque;
use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use glam::Vec2;
use hemiola::Time;
use hemiola::prelude::Clock;
use hemiola::runtime::{Step, Stepper};

use super::course::Course;
use super::program::Arguments;
use super::summary::Tail;
use crate::NaoError;
use crate::cognition::modeling::ball_trial::{BallSenses, BallTrial};
use crate::cognition::modeling::moving_point::roll;
use crate::representations::modeling::{BallModel, FieldOfView, OdometryStep};
use crate::representations::motion::FallState;
use crate::representations::perception::BallPercept;
use crate::representations::sensing::GroundTruth;
use crate::simulator::ball::ROLLING_DECELERATION;

/// The explanation of the command.
pub const USAGE: &str = "\
Plays games in which every module that provides the ball sees what the robots see, beside the one
with which they play, and prints how far off each was.

usage: nao ball-models [--games N] [OPTION VALUE]..

  --games N          the number of games, each with the next seed (1)

All other options are those of `nao game`: --players, --seconds, --seed, --set and more.

  nao ball-models --games 5 --seed 901 --seconds 60
  nao ball-models --seed 901 --set 'providers.BallModel=\"BallModes\"'

The errors are those at times when all modules know of a ball, relative to the robot: of the
position; of the velocity, while the ball rolls with more than 0.1 m/s; of the velocity, while it
rests; and of the position that is predicted for a second later. p50 is the median, p95 is exceeded
in a twentieth of the time.
";

/// The number of modules that are compared.
const MODELS: usize = BallTrial::NAMES.len();
/// The time for which the ball is predicted.
const AHEAD: Duration = Duration::from_secs(1);
/// The speed from which on a ball rolls, and that below which it rests, in m/s.
const ROLLS: f32 = 0.1;
const RESTS: f32 = 0.01;

/// The ball models of one robot.
pub(super) struct BallWatch {
    trial: BallTrial,
    /// The index of the cycle in which the ball is modelled.
    cognition: Option<usize>,
    before: Option<Time>,
    latest: Option<Instantaneous>,
    /// The places on the field at which the ball is to be later, oldest first.
    predicted: VecDeque<(Time, [Vec2; MODELS])>,
    noted: BallComparison,
}

/// The beliefs and the truth of one run of cognition.
#[derive(Clone, Debug)]
struct Instantaneous {
    at: Time,
    models: [BallModel; MODELS],
    truth: GroundTruth,
}

/// The errors of all ball models, in games. Its text is a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BallComparison {
    /// The number of times at which the robots were asked.
    pub asked: usize,
    /// The errors of the modules.
    pub models: [BallErrors; MODELS],
}

/// The errors of one ball model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BallErrors {
    /// The number of times at which it knew of a ball.
    pub known: usize,
    /// The distances from the true position, in metres.
    pub position: Vec<f32>,
    /// The differences from the true velocity of a ball that rolls, in m/s.
    pub rolling: Vec<f32>,
    /// The speeds at which a ball that rests seems to move, in m/s.
    pub resting: Vec<f32>,
    /// The distances of the predicted position from the true one, in metres.
    pub ahead: Vec<f32>,
}

impl BallWatch {
    /// Creates that of a robot, which has not run yet.
    pub(super) fn of(stepper: &Stepper) -> Self {
        Self {
            trial: BallTrial::new(),
            cognition: stepper.cycle_names().iter().position(|name| name == "cognition"),
            before: None,
            latest: None,
            predicted: VecDeque::new(),
            noted: BallComparison::default(),
        }
    }

    /// Runs the ball models after each run of cognition.
    pub(super) fn follow(&mut self, stepper: &Stepper, step: &Step) {
        if !self.cognition.is_some_and(|cognition| step.cycles.contains(&cognition)) {
            return;
        }
        let at = stepper.now();
        let clock = &Clock::new(at, self.before.map_or(Duration::ZERO, |before| at.since(before)), 0);
        let read = (
            stepper.with_value(BallPercept::clone),
            stepper.with_value(OdometryStep::clone),
            stepper.with_value(FieldOfView::clone),
            stepper.with_value(FallState::clone),
            stepper.with_value(GroundTruth::clone),
        );
        let (Some(percept), Some(odometry), Some(view), Some(fall), Some(truth)) = read else { return };
        let senses = BallSenses { percept: &percept, odometry: &odometry, view: &view, fall: &fall, clock };
        let models = self.trial.run(&senses).clone();
        while self.predicted.front().is_some_and(|(due, _)| *due <= at) {
            let Some((_, places)) = self.predicted.pop_front() else { break };
            for (errors, place) in self.noted.models.iter_mut().zip(places) {
                errors.ahead.push(place.distance(truth.ball));
            }
        }
        self.before = Some(at);
        self.latest = Some(Instantaneous { at, models, truth });
    }

    /// Notes how far off the ball models are now.
    pub(super) fn note(&mut self) {
        let Some(Instantaneous { at, models, truth }) = self.latest.take() else { return };
        let noted = &mut self.noted;
        noted.asked += 1;
        for (errors, model) in noted.models.iter_mut().zip(&models) {
            errors.known += usize::from(model.position.is_some());
        }
        if models.iter().any(|model| model.position.is_none()) {
            return;
        }
        let turn = Vec2::from_angle(truth.robot.rotation);
        let mut places = [Vec2::ZERO; MODELS];
        for ((errors, model), place) in noted.models.iter_mut().zip(&models).zip(&mut places) {
            let position = truth.robot.transform(model.position.unwrap_or_default());
            let velocity = turn.rotate(model.velocity);
            errors.position.push(position.distance(truth.ball));
            let speed = truth.ball_velocity.length();
            if speed > ROLLS {
                errors.rolling.push(velocity.distance(truth.ball_velocity));
            } else if speed < RESTS {
                errors.resting.push(velocity.length());
            }
            *place = roll(position, velocity, AHEAD.as_secs_f32(), ROLLING_DECELERATION).0;
        }
        self.predicted.push_back((at + AHEAD, places));
    }

    /// Returns the errors so far.
    pub(super) fn noted(&self) -> &BallComparison {
        &self.noted
    }
}

impl BallComparison {
    /// Adds the errors of another robot or game.
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        for (errors, more) in self.models.iter_mut().zip(&other.models) {
            errors.known += more.known;
            errors.position.extend(&more.position);
            errors.rolling.extend(&more.rolling);
            errors.resting.extend(&more.resting);
            errors.ahead.extend(&more.ahead);
        }
    }
}

impl fmt::Display for BallComparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:11}{:>8}{:>18}{:>20}{:>20}{:>18}",
            "p50, p95", "known", "position", "velocity, rolls", "velocity, rests", "in 1 s"
        )?;
        for (name, errors) in BallTrial::NAMES.iter().zip(&self.models) {
            let known = 100.0 * errors.known as f32 / self.asked.max(1) as f32;
            let text = |errors: &[f32], unit: &str| {
                let Tail { p50, p95 } = Tail::of(errors);
                format!("{p50:.3}, {p95:.3} {unit}")
            };
            writeln!(
                formatter,
                "{name:11}{:>8}{:>18}{:>20}{:>20}{:>18}",
                format!("{known:.0} %"),
                text(&errors.position, "m"),
                text(&errors.rolling, "m/s"),
                text(&errors.resting, "m/s"),
                text(&errors.ahead, "m")
            )?;
        }
        Ok(())
    }
}

/// Runs the command for the robot of a file.
#[must_use]
pub fn ball_models(robot: &str, words: &[String]) -> ExitCode {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let (games, arguments) = match read(robot, words) {
        Ok(read) => read,
        Err(problem) => {
            eprintln!("nao ball-models: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match compare(games, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the number of games, and the arguments of the first.
fn read(robot: &str, words: &[String]) -> Result<(u64, Arguments), String> {
    let (mut games, mut rest) = (1, words.to_vec());
    if let Some(place) = words.iter().position(|word| word == "--games") {
        let value = words.get(place + 1).ok_or("`--games` has no value")?;
        games = match value.parse() {
            Ok(games @ 1..=1000) => games,
            _ => return Err(format!("--games: `{value}` is not a number from 1 to 1000")),
        };
        rest.drain(place..place + 2);
    }
    let arguments = Arguments::read(robot, &rest)?;
    if arguments.shown.is_wanted() || arguments.picture.is_some() {
        return Err("--page, --log and --picture are options of `nao game` only".to_owned());
    }
    Ok((games, arguments))
}

/// Plays the games, and prints the errors of each and of all.
fn compare(games: u64, arguments: Arguments) -> Result<(), NaoError> {
    let Arguments { mut conditions, seconds, .. } = arguments;
    let begin = Instant::now();
    let mut all = BallComparison::default();
    for _ in 0..games {
        let mut course = Course::begin(&conditions)?;
        course.compare_balls();
        course.play(seconds);
        let comparison = course.ball_comparison();
        println!("seed {}, {:.0} s\n{comparison}", conditions.seed, course.summary().seconds);
        all.add(&comparison);
        conditions.seed = conditions.seed.wrapping_add(1);
    }
    println!("all {games} games, {} times, in {:.0} s\n{all}", all.asked, begin.elapsed().as_secs_f32());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<(u64, Arguments), String> {
        read("robot.toml", &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read_or_explained() {
        let (games, arguments) = read_line("--seed 9 --games 3 --players 1").unwrap();
        assert_eq!((games, arguments.conditions.seed, arguments.conditions.players), (3, 9, 1));
        for (line, expected) in [
            ("--games", "`--games` has no value"),
            ("--games 0", "`0` is not a number from 1"),
            ("--page", "options of `nao game` only"),
            ("--picture a.svg", "options of `nao game` only"),
            ("--frames 2", "`--frames` is no option"),
        ] {
            let problem = read_line(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }
}
