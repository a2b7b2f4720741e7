//! `nao game`: plays a game of two teams in one process, and prints its result.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::course::{Conditions, Course, MOST_PLAYERS};
use super::picture;
use crate::NaoError;

/// The explanation of the command.
pub const USAGE: &str = "\
Plays a game of two teams on one simulated field, as fast as it goes.

usage: nao game [OPTION VALUE]..

  --players N        robots in each team, 1 to 7 (2)
  --seconds SECONDS  the game ends after so long, if not before (120)
  --seed N           the same seed gives the same game, to the bit (1)
  --half, --ready, --set SECONDS
                     the rules: a half, the walk to the places, the wait for the whistle (600, 20, 3)
  --loss SHARE       the share of messages between mates that the network loses, 0 to 1 (0.05)
  --delay SECONDS    the longest time that a message takes (0.1)
  --picture FILE     draws the end of the game from above: FILE.svg
  --set KEY=VALUE    a setting of every robot, as for `nao run`; may come several times

Each robot is that of robot.toml with the overlays `controlled` and `team`. The command prints the
score, the goals, and for each robot its falls, its messages, and how far off its beliefs were.

  nao game --seconds 300 --seed 7 --picture game.svg
  nao game --players 7 --set source.SimulatedCameras.rate=15.0
";

/// The arguments of the command.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The conditions of the game.
    pub conditions: Conditions,
    /// The longest time of the game, in seconds.
    pub seconds: f64,
    /// The file for the picture.
    pub picture: Option<PathBuf>,
}

impl Arguments {
    /// Reads the arguments of the command, for the robot of a file.
    ///
    /// ```
    /// use nao::game::program::Arguments;
    ///
    /// let words = ["--players", "5", "--seed", "7"].map(str::to_owned);
    /// let arguments = Arguments::read("robot.toml", &words)?;
    /// assert_eq!((arguments.conditions.players, arguments.conditions.seed), (5, 7));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Returns what is wrong, in words.
    pub fn read(robot: &str, words: &[String]) -> Result<Self, String> {
        let mut arguments = Self { conditions: Conditions::of(robot), seconds: 120.0, picture: None };
        let conditions = &mut arguments.conditions;
        for pair in words.chunks(2) {
            let [option, value] = pair else { return Err(format!("`{}` has no value", pair[0])) };
            let wrong = |what: &str| format!("{option}: `{value}` is not {what}");
            let time = || match value.parse() {
                Ok(seconds @ 0.0..=86_400.0) => Ok(Duration::from_secs_f64(seconds)),
                _ => Err(wrong("a number of seconds up to a day")),
            };
            match option.as_str() {
                "--players" => {
                    conditions.players = match value.parse() {
                        Ok(players @ 1..=MOST_PLAYERS) => players,
                        _ => return Err(wrong("a number from 1 to 7")),
                    }
                }
                "--seconds" => arguments.seconds = time()?.as_secs_f64(),
                "--seed" => {
                    conditions.seed = value.parse().map_err(|_| wrong("a whole number that is not negative"))?
                }
                "--half" => conditions.rules.half = time()?,
                "--ready" => conditions.rules.ready = time()?,
                "--set" if value.contains('=') => conditions.settings.push(value.clone()),
                "--set" => conditions.rules.set = time()?,
                "--loss" => {
                    conditions.link.loss = match value.parse() {
                        Ok(loss @ 0.0..=1.0) => loss,
                        _ => return Err(wrong("a share from 0 to 1")),
                    }
                }
                "--delay" => conditions.link.longest = time()?,
                "--picture" => arguments.picture = Some(value.into()),
                _ => return Err(format!("`{option}` is no option of it")),
            }
        }
        Ok(arguments)
    }
}

/// Runs the command for the robot of a file.
#[must_use]
pub fn game(robot: &str, words: &[String]) -> ExitCode {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::read(robot, words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("nao game: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match play(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn play(arguments: &Arguments) -> Result<(), NaoError> {
    let Arguments { conditions, seconds, picture } = arguments;
    let begin = Instant::now();
    let mut course = Course::begin(conditions)?;
    course.play(*seconds);
    let summary = course.summary();
    print!("{summary}");
    let wall = begin.elapsed().as_secs_f32();
    println!(
        "\n{:.1} s of {} robots in {wall:.1} s: {:.1} simulated seconds in one",
        summary.seconds,
        summary.robots.len(),
        summary.seconds / wall
    );
    if let Some(file) = picture {
        fs::write(file, picture::draw(&course)).map_err(|error| NaoError::Picture { file: file.clone(), error })?;
        println!("picture  {}", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::read("robot.toml", &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read_or_explained() {
        assert_eq!(read("").unwrap().conditions, Conditions::of("robot.toml"));
        let arguments = read("--set 4 --set cycle.motion.rate=1.0 --loss 1 --seconds 0.5 --picture a.svg").unwrap();
        assert_eq!(arguments.conditions.rules.set, Duration::from_secs(4));
        assert_eq!(arguments.conditions.settings, ["cycle.motion.rate=1.0"]);
        assert_eq!((arguments.conditions.link.loss, arguments.seconds), (1.0, 0.5));
        for (line, expected) in [
            ("--half", "`--half` has no value"),
            ("--half NaN", "`NaN` is not a number of seconds"),
            ("--players 8", "a number from 1 to 7"),
            ("--seed -1", "a whole number"),
            ("--loss 1.5", "a share"),
            ("--speed 2", "`--speed` is no option"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }
}
