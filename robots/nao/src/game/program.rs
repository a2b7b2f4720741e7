//! `nao game`: plays a game of two teams in one process, and prints its result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::course::{Conditions, Course, MOST_PLAYERS};
use super::picture;
use super::shown::{self, Shown};
use crate::NaoError;

/// The time of a game that nobody watches, in seconds.
const USUAL_SECONDS: f64 = 120.0;

/// The explanation of the command.
pub const USAGE: &str = "\
Plays a game of two teams on one simulated field, as fast as it goes, or to be watched.

usage: nao game [OPTION VALUE]..

  --players N        robots in each team, 1 to 7 (2)
  --seconds SECONDS  the game ends after so long, if not before (120)
  --seed N           the same seed gives the same game, to the bit (1)
  --half, --ready, --set SECONDS
                     the rules: a half, the walk to the places, the wait for the whistle (600, 20, 3)
  --loss SHARE       the share of messages between mates that the network loses, 0 to 1 (0.05)
  --delay SECONDS    the longest time that a message takes (0.1)
  --picture FILE     draws the end of the game from above: FILE.svg
  --page [PORT]      shows the game on the live page while it is played in real time, to the end of
                     both halves if --seconds says nothing else
  --log FILE         records what the page shows: `hemiola view FILE` shows it again
  --speed FACTOR     the multiple of real time at which a game with page or log is played (1)
  --set KEY=VALUE    a setting of every robot, as for `nao run`; may come several times

Each robot is that of robot.toml with the overlays `controlled` and `team`. The command prints the
score, the goals, and for each robot its falls, its messages, and how far off its beliefs were.

  nao game --seconds 300 --seed 7 --picture game.svg
  nao game --players 7 --set source.SimulatedCameras.rate=15.0
  nao game --players 3 --page
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
    /// The settings of how the game is shown.
    pub shown: Shown,
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
        let conditions = Conditions::of(robot);
        let mut arguments = Self { conditions, seconds: USUAL_SECONDS, picture: None, shown: Shown::default() };
        let (words, has_page) = with_port(words);
        if has_page {
            (arguments.shown.has_page, arguments.seconds) = (true, f64::INFINITY);
        }
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
                "--page" => arguments.shown.port = Some(value.parse().map_err(|_| wrong("a port from 0 to 65535"))?),
                "--log" => arguments.shown.log = Some(value.into()),
                "--speed" => {
                    arguments.shown.speed = match value.parse() {
                        Ok(speed @ 0.01..=1000.0) => speed,
                        _ => return Err(wrong("a factor from 0.01 to 1000")),
                    }
                }
                _ => return Err(format!("`{option}` is no option of it")),
            }
        }
        Ok(arguments)
    }
}

/// Returns the words without a `--page` that has no port behind it, and whether there is a page.
fn with_port(words: &[String]) -> (Vec<String>, bool) {
    let is_page = |index: usize| words[index] == "--page";
    let is_bare = |index: usize| is_page(index) && words.get(index + 1).is_none_or(|next| next.starts_with("--"));
    let rest = (0..words.len()).filter(|index| !is_bare(*index)).map(|index| words[index].clone()).collect();
    (rest, (0..words.len()).any(is_page))
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
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn play(arguments: &Arguments) -> Result<ExitCode, NaoError> {
    let Arguments { conditions, seconds, picture, shown } = arguments;
    if shown.is_wanted() {
        let (code, course) = shown::play(conditions, *seconds, shown)?;
        if let Some(course) = course {
            print!("{}", course.summary());
            draw(&course, picture.as_deref())?;
        }
        return Ok(code);
    }
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
    draw(&course, picture.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

fn draw(course: &Course, picture: Option<&Path>) -> Result<(), NaoError> {
    let Some(file) = picture else { return Ok(()) };
    fs::write(file, picture::draw(course)).map_err(|error| NaoError::Picture { file: file.to_owned(), error })?;
    println!("picture  {}", file.display());
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
        assert!(!arguments.shown.is_wanted());
        let page = Shown { has_page: true, ..Shown::default() };
        for (line, shown, seconds) in [
            ("--players 3 --page", page.clone(), f64::INFINITY),
            ("--page --seconds 9 --speed 2", Shown { speed: 2.0, ..page.clone() }, 9.0),
            ("--page 8770 --log a.mcap", Shown { port: Some(8770), log: Some("a.mcap".into()), ..page }, f64::INFINITY),
            ("--log a.mcap", Shown { log: Some("a.mcap".into()), ..Shown::default() }, USUAL_SECONDS),
        ] {
            let arguments = read(line).unwrap();
            assert_eq!((arguments.shown, arguments.seconds), (shown, seconds), "{line}");
        }
        for (line, expected) in [
            ("--half", "`--half` has no value"),
            ("--half NaN", "`NaN` is not a number of seconds"),
            ("--players 8", "a number from 1 to 7"),
            ("--seed -1", "a whole number"),
            ("--loss 1.5", "a share"),
            ("--page 70000", "is not a port"),
            ("--speed 0", "a factor"),
            ("--frames 2", "`--frames` is no option"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }
}
