//! A robot that plays, with its door open.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hemiola_live::client::{Address, ClientError, Connection};
use hemiola_trace::{CycleReport, Report};

use crate::error::{BenchError, EntryError, read};
use crate::program::Program;

/// The program of a robot, and how it is started.
pub struct RobotProgram {
    pub label: &'static str,
    pub program: PathBuf,
    /// Arguments besides those that all robots get here.
    pub arguments: Vec<OsString>,
    /// The folder in which the robot runs, and keeps what it learns.
    pub folder: PathBuf,
}

/// A robot that plays.
pub struct LiveRobot {
    label: &'static str,
    program: Program,
    /// The address of its page, with the token.
    page: String,
    process: u32,
    figures: PathBuf,
    duration: Duration,
}

/// The time within which a robot begins or ends, on a machine that does something else as well.
const PATIENCE: Duration = Duration::from_secs(60);

impl LiveRobot {
    /// Starts the robot for that long, and waits until its door is open.
    pub fn start(robot: &RobotProgram, duration: Duration) -> Result<Self, BenchError> {
        let figures = robot.folder.join("run.json");
        let profile = robot.folder.join(format!("{}.profile.json", robot.label.replace(' ', "-")));
        let mut command = Program::command(&robot.program);
        command
            .current_dir(&robot.folder)
            .args(["run", "--headless", "--no-trace", "--no-log", "--statistics"])
            .arg(&figures);
        command.arg("--duration").arg(format!("{} ms", duration.as_millis()));
        command.arg("--set").arg(format!("output.profile={:?}", profile.display().to_string()));
        command.args(&robot.arguments);
        let mut program = Program::start(robot.label, command)?;
        let page = program.hear(PATIENCE, |line| line.strip_prefix("page: ").map(str::to_owned))?;
        let label = robot.label;
        let process = connect(label, &page)?.welcome().process;
        Ok(Self { label, program, page, process, figures, duration })
    }

    /// Returns the address of its page.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Returns the robot's own process; its guard is another one.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Connects a client to the door.
    pub fn connect(&self) -> Result<Connection, BenchError> {
        connect(self.label, &self.page)
    }

    /// Waits for the robot's end, and returns the figures of the whole run.
    pub fn finish(self) -> Result<Report, BenchError> {
        self.program.finish(self.duration + PATIENCE)?;
        let text = read(&self.figures)?;
        serde_json::from_str(&text).map_err(|error| BenchError::Report { path: self.figures, error })
    }
}

/// Finds the cycle of this name.
pub fn cycle<'r>(report: &'r Report, name: &str) -> Result<&'r CycleReport, BenchError> {
    let found = report.cycles.iter().find(|cycle| cycle.name == name);
    let known = || report.cycles.iter().map(|cycle| cycle.name.clone()).collect();
    found.ok_or_else(|| BenchError::Unknown { what: "cycle", name: name.to_owned(), known: known() })
}

/// Turns an error between the bench and a robot's door into one of the bench.
pub fn at_the_door(label: &'static str) -> impl Fn(ClientError) -> BenchError {
    move |error| EntryError::Failed { label, message: error.to_string() }.into()
}

fn connect(label: &'static str, page: &str) -> Result<Connection, BenchError> {
    Address::tcp(page, None).and_then(|address| Connection::open(&address)).map_err(at_the_door(label))
}
