//! Tests of the NAO's page in a browser: it shows what the robot reports, and its changes are
//! applied by the robot and recorded in its log, which the page then replays.
#![forbid(unsafe_code)]

#[path = "../../../tests/addresses.rs"]
mod addresses;
#[path = "../../../tests/foreign/programs.rs"]
mod foreign;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use hemiola::Application;
use hemiola::configuration::Scheduling;
use hemiola::log::{Entry, LogReader};
use hemiola::replay::ReplayLog;
use hemiola::runtime::{Change, JournalEvent, RobotHandle};
// Its modules and sources register themselves.
use nao as _;

/// The token of the page in this test.
const TOKEN: &str = "0123456789abcdef";
/// The maximum time for a robot to start and to end, even beside compilers.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn the_page_shows_the_nao_and_changes_it_and_its_log_plays_again() {
    let (Some(game), Some(replay)) = (foreign::browser("check_nao.cjs"), foreign::browser("check_nao.cjs")) else {
        return;
    };
    let folder = Folder::new();
    let log = folder.0.join("game.mcap").display().to_string();
    // It restarts after a goal, and its cameras leave enough time for an unoptimised build.
    let settings = ["source.SimulatedBody.parameters.repeat=true", "source.SimulatedCameras.rate=5.0"];
    let nao = Nao::start(&["--log", &log, "--set", settings[0], "--set", settings[1]]);
    let page_log = folder.0.join("page.mcap");
    nao.is_shown_by(game, &["game", &page_log.display().to_string()]);
    drop(nao);

    let recorded = ReplayLog::read(log.as_ref()).expect("the game is recorded");
    let changes: Vec<_> = recorded.events().iter().filter_map(|entry| change(&entry.event)).collect();
    let expected =
        ["BallModel by BallFit", "BallPredictor.deceleration = 0.75", "GameState overridden", "GameState released"];
    assert_eq!(changes, expected);
    let counts = counts(&page_log);
    for value in ["LowerImage", "UpperImage", "RobotPose", "BehaviorState", "JointRequest"] {
        assert!(counts.get(value).is_some_and(|count| *count > 1), "{value} is not recorded: {counts:?}");
    }

    // It is so slow that it does not end before the script observes it.
    let nao = Nao::start(&["--replay", &log, "--speed", "0.01"]);
    nao.is_shown_by(replay, &["replay"]);
}

/// Counts the values of each representation in a log, which must be complete.
fn counts(log: &Path) -> BTreeMap<String, u32> {
    let mut log = LogReader::open(log).expect("it is recorded");
    assert!(log.summary().is_some(), "it has no end");
    let mut counts = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.expect("it is whole") {
            let (_, name) = message.channel.topic.rsplit_once('/').expect("/cycle/Representation");
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Returns the change of an event, if it is one.
fn change(event: &JournalEvent) -> Option<String> {
    let JournalEvent::Change { change, .. } = event else { return None };
    Some(match change {
        Change::Provider { representation, module } => format!("{representation} by {module}"),
        Change::Parameter { module, parameter, value } => format!("{module}.{parameter} = {value}"),
        Change::Override { representation, .. } => format!("{representation} overridden"),
        Change::Release { representation } => format!("{representation} released"),
        other => format!("{other:?}"),
    })
}

/// A NAO that plays or replays a log, with a door of its own. Dropping this ends it.
struct Nao {
    handle: RobotHandle,
    port: u16,
    ended: Receiver<ExitCode>,
}

impl Nao {
    /// Starts the NAO with its command `run`.
    fn start(arguments: &[&str]) -> Self {
        let port = addresses::free_port();
        let run = ["nao", "run", "--headless", "--no-trace"].map(str::to_owned);
        let page = ["--page".to_owned(), port.to_string(), "--set".to_owned(), format!("page.token=\"{TOKEN}\"")];
        let arguments: Vec<_> = run.into_iter().chain(page).chain(arguments.iter().map(|&one| one.into())).collect();
        let (sender, started) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            let start = move |robot: &RobotHandle| _ = sender.send(robot.clone());
            _ = end.send(Application::embedded(&patient()).started(start).run_with(arguments));
        });
        let handle = started.recv_timeout(PATIENCE).expect("it starts, or has said why it does not");
        let nao = Self { handle, port, ended };
        nao.handle.with_robot(|robot| {
            let configuration = robot.configuration();
            let cycles = configuration.cycles.iter().map(|cycle| cycle.scheduling);
            let sources = configuration.sources.keys().map(|source| configuration.source_scheduling(source));
            assert!(cycles.chain(sources).all(|scheduling| scheduling == Scheduling::TimeSharing));
        });
        nao
    }

    /// Runs a script on its page.
    fn is_shown_by(&self, mut script: Command, act: &[&str]) {
        script.arg(format!("http://127.0.0.1:{}/?token={TOKEN}", self.port)).args(act);
        foreign::is_content(script);
    }
}

impl Drop for Nao {
    fn drop(&mut self) {
        self.handle.stop();
        if self.ended.recv_timeout(PATIENCE).is_err() {
            eprintln!("the robot has not ended");
        }
    }
}

/// Returns a robot.toml for a shared computer and an unoptimised build: without priorities, without
/// a watchdog, and without a calibration of the machine at the start.
fn patient() -> String {
    let is_strict = |line: &&str| ["priority", "watchdog", "profile"].iter().any(|key| line.starts_with(key));
    include_str!("../robot.toml").lines().filter(|line| !is_strict(line)).map(|line| format!("{line}\n")).collect()
}

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("nao-page-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
