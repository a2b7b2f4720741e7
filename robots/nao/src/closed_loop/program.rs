//! `nao closed-loop`: plays games under several conditions, and prints what differs.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use super::condition::Condition;
use super::experiment::Experiment;
use super::game::Setup;
use super::kept::{Head, Kept};
use super::page;
use super::workload::{self, Workload};
use crate::NaoError;

/// The explanation of the command.
pub const USAGE: &str = "\
Plays the simulated game of one robot under several conditions, and compares them: fewer cores, a
sequential loop, motion without real-time priority beside load, other cameras.

usage: nao closed-loop [OPTION VALUE]..

  --games N          games for each condition, each with a seed of its own (100)
  --seconds SECONDS  the length of a game (60)
  --seed N           the seed of the first game (1)
  --profile FILE     how long the robot's tasks take: the profile of `nao run`; without it, they
                     are measured here before the games begin
  --measure SECONDS  how long that takes (10)
  --keep FILE        keeps what was measured and every game that has ended; with the same file,
                     the same command goes on where it was interrupted
  --slower FACTOR    the tasks take so many times as long: a slower processor (1)
  --report FILE      writes tables and plots: FILE.html
  --set KEY=VALUE    a setting of the robot, as for `nao run`; may come several times

With the same durations, options and seed, a game is the same to the bit. What is measured differs
from time to time: keep it to repeat games. A file goes on with the same program only: one of its
games is played again, and must come out the same.

  nao closed-loop --games 20 --keep games.json --report closed-loop.html
  nao closed-loop --games 20 --keep slow.json --slower 5 --report slow.html
";

/// The arguments of the command.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The number of games for each condition.
    pub games: u32,
    /// The length of a game.
    pub length: Duration,
    /// The seed of the first game.
    pub seed: u64,
    /// The file that says how long tasks take.
    pub profile: Option<PathBuf>,
    /// The time for which they are measured without one, in seconds.
    pub measure: f64,
    /// The file that keeps what was measured, and the games.
    pub keep: Option<PathBuf>,
    /// The factor by which tasks take longer.
    pub slower: f64,
    /// The file for the report.
    pub report: Option<PathBuf>,
    /// The settings of the robot.
    pub settings: Vec<String>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            games: 100,
            length: Duration::from_secs(60),
            seed: 1,
            profile: None,
            measure: 10.0,
            keep: None,
            slower: 1.0,
            report: None,
            settings: Vec::new(),
        }
    }
}

impl Arguments {
    /// Reads the arguments of the command.
    ///
    /// ```
    /// use nao::closed_loop::program::Arguments;
    ///
    /// let words = ["--games", "20", "--slower", "5"].map(str::to_owned);
    /// let arguments = Arguments::read(&words)?;
    /// assert_eq!((arguments.games, arguments.slower), (20, 5.0));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Returns what is wrong, in words.
    pub fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Self::default();
        for pair in words.chunks(2) {
            let [option, value] = pair else { return Err(format!("`{}` has no value", pair[0])) };
            let wrong = |what: &str| format!("{option}: `{value}` is not {what}");
            let seconds = || match value.parse() {
                Ok(seconds @ 0.1..=86_400.0) => Ok(seconds),
                _ => Err(wrong("a number of seconds from 0.1 to 86400")),
            };
            match option.as_str() {
                "--games" => {
                    arguments.games = match value.parse() {
                        Ok(games @ 1..=100_000) => games,
                        _ => return Err(wrong("a number from 1 to 100000")),
                    }
                }
                "--seconds" => arguments.length = Duration::from_secs_f64(seconds()?),
                "--seed" => {
                    arguments.seed = value.parse().map_err(|_| wrong("a whole number that is not negative"))?;
                }
                "--profile" => arguments.profile = Some(value.into()),
                "--measure" => arguments.measure = seconds()?,
                "--keep" => arguments.keep = Some(value.into()),
                "--slower" => {
                    arguments.slower = match value.parse() {
                        Ok(factor @ 0.01..=1000.0) => factor,
                        _ => return Err(wrong("a factor from 0.01 to 1000")),
                    }
                }
                "--report" => arguments.report = Some(value.into()),
                "--set" if value.contains('=') => arguments.settings.push(value.clone()),
                "--set" => return Err(wrong("KEY=VALUE")),
                _ => return Err(format!("`{option}` is no option of it")),
            }
        }
        Ok(arguments)
    }
}

/// Runs the command for the robot of a file.
#[must_use]
pub fn closed_loop(robot: &str, words: &[String]) -> ExitCode {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("nao closed-loop: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match compare(robot, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(robot: &str, arguments: &Arguments) -> Result<(), NaoError> {
    let Arguments { games, length, seed, settings, slower, keep, .. } = arguments;
    let earlier = keep.as_deref().map(Kept::head).transpose()?.flatten();
    let profile = match (&arguments.profile, earlier) {
        (Some(file), _) => workload::read(file)?,
        (None, Some(earlier)) => earlier.profile,
        (None, None) => workload::measure(robot, settings, arguments.measure)?,
    };
    let conditions = Condition::all();
    let head = Head { length: *length, slower: *slower, settings: settings.clone(), profile, conditions };
    let workload = Workload::of(robot, settings, head.profile.clone(), *slower)?;
    let kept = keep.as_deref().map(|file| Kept::open(file, &head)).transpose()?.unwrap_or_default();
    let setup = Setup { robot, settings, workload: &workload, length: *length };
    let seeds = (0..u64::from(*games)).map(|game| seed.wrapping_add(game)).collect();
    let experiment = Experiment::play(&setup, &head.conditions, seeds, kept, |line| eprintln!("{line}"))?;
    print!("{experiment}");
    if let Some(file) = &arguments.report {
        fs::write(file, page::html(&experiment)).map_err(NaoError::io(file))?;
        println!("\nreport   {}", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read_or_explained() {
        assert_eq!(read(""), Ok(Arguments::default()));
        let arguments = read("--seconds 0.5 --set a.b=1 --report r.html --keep k.json").unwrap();
        assert_eq!((arguments.length, arguments.settings.len()), (Duration::from_millis(500), 1));
        assert_eq!((arguments.report, arguments.keep), (Some("r.html".into()), Some("k.json".into())));
        for (line, expected) in [
            ("--games", "`--games` has no value"),
            ("--games 0", "a number from 1"),
            ("--seconds NaN", "a number of seconds"),
            ("--seed -1", "a whole number"),
            ("--slower 0", "a factor"),
            ("--set 3", "KEY=VALUE"),
            ("--cores 2", "`--cores` is no option"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }
}
