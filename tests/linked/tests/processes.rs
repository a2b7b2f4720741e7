//! The example `processes` as the processes that it is: what sees is killed, what drives goes on.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::cdr::decode;
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

const PROGRAM: &str = env!("CARGO_BIN_EXE_processes");
/// Nothing that is waited for takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// The representation of the example that counts what was seen, to read it from logs.
#[derive(Representation, Clone, Default)]
struct Trip {
    runs: u64,
    seen: u64,
    image: u64,
    age: f64,
}

/// The robot's processes, with their output in a file.
struct Run {
    child: Child,
    folder: PathBuf,
}

impl Run {
    fn start(name: &str, arguments: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("processes-{name}"));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Command::new(PROGRAM)
            .args(["--no-trace", "--no-page"])
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    /// Returns the numbers of all processes of that name so far.
    fn processes(&self, name: &str) -> Vec<Pid> {
        let begin = format!("process `{name}` is ");
        let text = self.text();
        let numbers = text.lines().filter_map(|line| line.strip_prefix(&begin)?.parse().ok());
        numbers.filter_map(Pid::from_raw).collect()
    }

    /// Returns how many images the part that drives has seen, as far as it has said so.
    fn seen(&self) -> u64 {
        let text = self.text();
        let mut said =
            text.lines().filter_map(|line| line.trim().strip_prefix("seen ")?.split(' ').next()?.parse().ok());
        said.next_back().unwrap_or(0)
    }

    fn wait_for(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is_so(self) {
            assert!(begin.elapsed() < PATIENCE, "{what}: {}", self.text());
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.text());
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Run {
    /// The processes end with the one that has started them.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn trips(log: &Path) -> Vec<Trip> {
    let mut log = LogReader::open(log).unwrap();
    let mut trips = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Ok(Entry::Message(message)) = entry
            && message.channel.topic == "/driving/Trip"
        {
            trips.push(decode(message.data).unwrap());
        }
    }
    trips
}

fn verified(run: &Run, logs: &[&str]) {
    let verified = Command::new(PROGRAM).args(["log", "verify"]).args(logs).current_dir(&run.folder).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stdout).into_owned() + &String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{logs:?}: {said}");
    assert!(said.contains(&format!("all {} logs are the same to the bit\n", logs.len())), "{said}");
}

#[test]
fn what_sees_is_killed_and_what_drives_goes_on() {
    let mut run = Run::start("killed", &["--log", "trip.mcap"]);
    for kill in 1..=3 {
        let before = run.seen();
        run.wait_for("it sees", |run| run.seen() > before + 20);
        let processes = run.processes("vision");
        assert_eq!(processes.len(), kill);
        kill_process(processes[kill - 1], Signal::KILL).unwrap();
        run.wait_for("it is started again", |run| run.processes("vision").len() == kill + 1);
    }
    let before = run.seen();
    run.wait_for("it sees again", |run| run.seen() > before + 20);
    run.signal(Signal::INT);
    let (status, text) = (run.end(), run.text());
    assert_eq!(status.code(), Some(0), "{text}");
    assert!(
        text.contains("process `vision` has died: signal: 9 (SIGKILL); it is started again, 3 of at most 30"),
        "{text}"
    );
    assert_eq!(run.processes("main").len(), 1, "{text}");
    for process in [run.processes("main"), run.processes("vision")].concat() {
        assert!(test_kill_process(process).is_err(), "{process:?} is still there: {text}");
    }
    // The part that drives has one log, in which no run is missing.
    let trips = trips(&run.folder.join("trip-main.mcap"));
    let runs: Vec<u64> = trips.iter().map(|trip| trip.runs).collect();
    assert_eq!(runs, (1..=runs.len() as u64).collect::<Vec<_>>());
    verified(&run, &["trip-main.mcap", "trip-vision-restart-3.mcap"]);
}

#[test]
fn a_process_that_may_not_be_started_again_ends_the_robot() {
    let mut run = Run::start("ended", &["--set", "process.vision.restart='1 per hour'"]);
    for kill in 1..=2 {
        run.wait_for("it is there", |run| run.processes("vision").len() == kill && run.seen() > 0);
        kill_process(run.processes("vision")[kill - 1], Signal::KILL).unwrap();
    }
    let (status, text) = (run.end(), run.text());
    assert_eq!(status.code(), Some(128 + 9), "{text}");
    assert!(text.contains("process `vision` has died: signal: 9 (SIGKILL); the robot ends"), "{text}");
    assert!(test_kill_process(run.processes("main")[0]).is_err(), "{text}");
}

#[test]
fn what_drives_may_be_made_safe_when_what_sees_dies() {
    let run = Run::start("safe", &["--set", "process.vision.on_loss='safe-state'"]);
    run.wait_for("it sees", |run| run.seen() > 0);
    kill_process(run.processes("vision")[0], Signal::KILL).unwrap();
    let said = "the robot enters its safe state, because link `vision` (it has lost `processes-vision`) asked for it";
    run.wait_for("it is safe", |run| run.text().contains(said));
}

#[test]
fn the_processes_end_with_the_one_that_has_started_them() {
    let mut run = Run::start("orphans", &[]);
    run.wait_for("it sees", |run| run.seen() > 0);
    run.signal(Signal::KILL);
    run.end();
    for process in [run.processes("main"), run.processes("vision")].concat() {
        run.wait_for("all have ended", |_| test_kill_process(process).is_err());
    }
}

#[test]
fn one_part_alone_is_started_by_its_name_and_an_unknown_one_is_an_error() {
    let mut run = Run::start("alone", &["--process", "vision", "--duration", "200ms", "--headless"]);
    let (status, text) = (run.end(), run.text());
    assert_eq!(status.code(), Some(0), "{text}");
    assert!(text.contains("seeing") && !text.contains("driving"), "{text}");
    let mut run = Run::start("unknown", &["--process", "visoin"]);
    let (status, text) = (run.end(), run.text());
    assert_eq!(status.code(), Some(2), "{text}");
    assert!(text.contains("there is no process `visoin`") && text.contains("main, vision"), "{text}");
}

/// From the death of the part that sees to its next value in the part that drives: 200 deaths, some
/// minutes.
#[test]
#[ignore = "takes minutes; .ci/long runs it"]
fn it_sees_again_after_each_of_200_deaths() {
    let mut run = Run::start("deaths", &["--log", "trip.mcap", "--set", "process.vision.restart='1000 per hour'"]);
    let mut pause = hemiola_plan::SplitMix64::new(7);
    for kill in 1..=200 {
        run.wait_for("it is there", |run| run.processes("vision").len() == kill);
        thread::sleep(Duration::from_millis(300 + pause.below(700)));
        kill_process(run.processes("vision")[kill - 1], Signal::KILL).unwrap();
    }
    thread::sleep(Duration::from_secs(1));
    run.signal(Signal::INT);
    assert_eq!(run.end().code(), Some(0), "{}", run.text());
    let trips = trips(&run.folder.join("trip-main.mcap"));
    // An outage is told by the age of what is seen, which falls when something new comes.
    let outages = trips.windows(2).filter(|pair| pair[1].age < pair[0].age && pair[0].age > 0.06);
    let mut outages: Vec<f64> = outages.map(|pair| pair[0].age).collect();
    outages.sort_by(f64::total_cmp);
    let at = |quantile: f64| outages[((outages.len() - 1) as f64 * quantile) as usize] * 1e3;
    println!(
        "{} outages: without a new value for {:.0} ms in the middle, {:.0} ms in 99 %, {:.0} ms at most",
        outages.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    assert!(outages.len() >= 190, "{} outages", outages.len());
}
