//! A game that can be watched: beside it runs a robot whose only cycle draws what the game
//! publishes, so that the page, logs and all tools for robots work for a game.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hemiola::bus::Publisher;
use hemiola::realtime::{ThreadSettings, spawn};
use hemiola::{Application, Representation, RobotHandle};

use super::course::{Conditions, Course};
use super::report::GameReport;
use crate::NaoError;

/// The number of ticks from one report of the game to the next.
const REPORT_TICKS: u64 = 3;
/// The least time between two reports, which `[analysis.period]` of the robot's file names. A game
/// that catches up, or is played quickly, leaves reports out.
const LEAST_BETWEEN_REPORTS: Duration = Duration::from_millis(9);
/// The time by which the game may be behind; what is more is not made up for.
const MOST_BEHIND: Duration = Duration::from_millis(100);

/// The settings of how a game is shown and recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// True if the game has a page.
    pub has_page: bool,
    /// The port of the page; `None` is the first free one.
    pub port: Option<u16>,
    /// The file into which the game is recorded.
    pub log: Option<PathBuf>,
    /// The multiple of real time at which the game is played.
    pub speed: f64,
}

impl Default for Shown {
    fn default() -> Self {
        Self { has_page: false, port: None, log: None, speed: 1.0 }
    }
}

impl Shown {
    /// Returns whether the game is to be shown or recorded at all.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.has_page || self.log.is_some()
    }

    /// Returns the command line of the robot that shows the game.
    fn command_line(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["nao-game", "run", "--no-trace"].map(OsString::from).to_vec();
        match self.port {
            _ if !self.has_page => words.push("--no-page".into()),
            Some(port) => words.extend(["--page".into(), port.to_string().into()]),
            None => {}
        }
        if let Some(log) = &self.log {
            words.extend(["--log".into(), log.into()]);
        }
        words
    }
}

/// The file of the robot that shows a game, beside the file of the robots that play.
fn configuration(robot: &str) -> PathBuf {
    Path::new(robot).with_file_name("game").join("robot.toml")
}

/// Plays a game for so many seconds, or until both halves are over, while somebody watches. Returns
/// the exit code of the robot that shows it, and the game as it was at its end; `None` if it has
/// not begun.
///
/// # Errors
/// Returns an error if a robot of the game cannot be configured or made.
pub fn play(conditions: &Conditions, seconds: f64, shown: &Shown) -> Result<(ExitCode, Option<Course>), NaoError> {
    let course = RefCell::new(Some(Course::begin(conditions)?));
    let playing: Rc<RefCell<Option<JoinHandle<Course>>>> = Rc::default();
    let (started, speed) = (playing.clone(), shown.speed);
    let start = move |robot: &RobotHandle| {
        // A replay that begins anew has no game beside it.
        let Some(course) = course.borrow_mut().take() else { return };
        match begin(course, robot, seconds, speed) {
            Ok(thread) => *started.borrow_mut() = Some(thread),
            Err(error) => {
                eprintln!("the game cannot be shown: {error}");
                robot.stop();
            }
        }
    };
    let application = Application::new(configuration(&conditions.robot)).started(start);
    let code = application.run_with(shown.command_line());
    let thread = playing.borrow_mut().take();
    Ok(match thread.map(JoinHandle::join) {
        Some(Ok(course)) => (code, Some(course)),
        // The thread has said why it panicked.
        Some(Err(_)) => (ExitCode::FAILURE, None),
        None => (code, None),
    })
}

/// Starts the thread that plays a game and publishes it; at its end the robot stops.
fn begin(course: Course, robot: &RobotHandle, seconds: f64, speed: f64) -> Result<JoinHandle<Course>, NaoError> {
    let reports = robot.bus().topic(GameReport::NAME)?.publisher();
    let robot = robot.clone();
    let play = move || {
        let end = StopAtEnd(robot);
        publish(course, reports, &end.0, seconds, speed)
    };
    Ok(spawn(ThreadSettings::new("game"), play)?.thread)
}

/// Stops the robot that shows a game when this is dropped, also by a panic.
struct StopAtEnd(RobotHandle);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn publish(
    mut course: Course,
    mut reports: Publisher<GameReport>,
    robot: &RobotHandle,
    seconds: f64,
    speed: f64,
) -> Course {
    let mut origin = Instant::now();
    let mut reported: Option<Instant> = None;
    for tick in 0_u64.. {
        if robot.is_stopping() || course.time().seconds() >= seconds || course.official().referee().is_over() {
            break;
        }
        course.tick();
        if tick.is_multiple_of(REPORT_TICKS) && reported.is_none_or(|last| last.elapsed() >= LEAST_BETWEEN_REPORTS) {
            reports.publish(GameReport::of(&course));
            reported = Some(Instant::now());
        }
        let due = origin + Duration::from_secs_f64(course.time().seconds() / speed);
        let now = Instant::now();
        match due.checked_duration_since(now) {
            Some(rest) => thread::sleep(rest),
            None => origin += (now - due).saturating_sub(MOST_BEHIND),
        }
    }
    course
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_robot_that_shows_a_game_has_a_page_or_a_log_or_both() {
        let words = |shown: Shown| {
            let words = shown.command_line();
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        let page = Shown { has_page: true, ..Shown::default() };
        assert_eq!(words(page.clone()), "nao-game run --no-trace");
        let both = Shown { port: Some(8770), log: Some("game.mcap".into()), ..page };
        assert_eq!(words(both), "nao-game run --no-trace --page 8770 --log game.mcap");
        let log = Shown { log: Some("game.mcap".into()), ..Shown::default() };
        assert!(log.is_wanted() && !Shown::default().is_wanted());
        assert_eq!(words(log), "nao-game run --no-trace --no-page --log game.mcap");
    }
}
