//! The example `processes` in several processes: the one that sees is killed, the one that drives
//! goes on.
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
/// A time that no wait exceeds, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// The representation of the example that counts what was seen, to read it from logs.
#[derive(Representation, Clone, Default)]
struct Trip {
    runs: u64,
    seen: u64,
    image: u64,
    age: f64,
}

/// The representation of the example that crosses: where the line is.
#[derive(Representation, Clone, Default)]
struct Line {
    image: u64,
    offset: f64,
}

/// The robot's processes, whose output goes to a file.
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

    /// Returns the IDs of all processes with that name so far.
    fn processes(&self, name: &str) -> Vec<Pid> {
        let begin = format!("process `{name}` is ");
        let text = self.text();
        let numbers = text.lines().filter_map(|line| line.strip_prefix(&begin)?.parse().ok());
        numbers.filter_map(Pid::from_raw).collect()
    }

    /// Returns the number of images that the driving part has received, as far as it has printed
    /// it.
    fn seen(&self) -> u64 {
        let text = self.text();
        let mut said =
            text.lines().filter_map(|line| line.trim().strip_prefix("seen ")?.split(' ').next()?.parse().ok());
        said.next_back().unwrap_or(0)
    }

    fn wait_for(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
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

    /// Waits for the end, which must be a good one. Returns whether the logs lack nothing: if other
    /// programs occupy the cores, a log may lack values, which the exit code reports.
    fn ends_whole(&mut self) -> bool {
        let code = self.end().code();
        assert!(code == Some(0) || code == Some(3), "{code:?}: {}", self.text());
        code == Some(0)
    }
}

impl Drop for Run {
    /// Ends the process that has started the others, which end with it.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Returns all messages of a topic.
fn messages<T: hemiola_model::data::Data>(log: &Path, topic: &str) -> Vec<T> {
    let mut log = LogReader::open(log).unwrap();
    let mut messages = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Ok(Entry::Message(message)) = entry
            && message.channel.topic == topic
        {
            messages.push(decode(message.data).unwrap());
        }
    }
    messages
}

fn trips(log: &Path) -> Vec<Trip> {
    messages(log, "/driving/Trip")
}

fn verified(run: &Run, logs: &[&str]) {
    let verified = Command::new(PROGRAM).args(["log", "verify"]).args(logs).current_dir(&run.folder).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stdout).into_owned() + &String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{logs:?}: {said}");
    let all = format!("all {} logs are the same to the bit\n", logs.len());
    assert!(logs.len() == 1 || said.contains(&all), "{said}");
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
        run.wait_for("it is restarted", |run| run.processes("vision").len() == kill + 1);
    }
    let before = run.seen();
    run.wait_for("it sees again", |run| run.seen() > before + 20);
    run.signal(Signal::INT);
    let is_whole = run.ends_whole();
    let text = run.text();
    assert!(
        text.contains("process `vision` has died: signal: 9 (SIGKILL); it is restarted, 3 of at most 30"),
        "{text}"
    );
    assert_eq!(run.processes("main").len(), 1, "{text}");
    for process in [run.processes("main"), run.processes("vision")].concat() {
        assert!(test_kill_process(process).is_err(), "{process:?} is still there: {text}");
    }
    // The driving part has one log, in which no run is missing.
    let trips = trips(&run.folder.join("trip-main.mcap"));
    let runs: Vec<u64> = trips.iter().map(|trip| trip.runs).collect();
    if is_whole {
        assert_eq!(runs, (1..=runs.len() as u64).collect::<Vec<_>>());
        verified(&run, &["trip-main.mcap", "trip-vision-restart-3.mcap"]);
    } else {
        assert!(runs.is_sorted_by(|run, next| run < next), "{runs:?}");
    }
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
    // It does not begin without it, either.
    for said in
        ["enters its safe state, because it is waiting for process `vision`", "because nothing is missing any more"]
    {
        run.wait_for("it waits until it sees", |run| run.text().contains(said));
    }
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

/// The options for the robot of the example in two processes, both of which are restarted.
const BOTH_AGAIN: [&str; 6] = [
    "--set",
    "process.vision.restart='1000 per hour'",
    "--set",
    "process.pilot.cycles=['driving']",
    "--set",
    "process.pilot.restart='1000 per hour'",
];

/// The system's resources that a process holds: any that grow with each death of another process
/// are leaks. Only Linux reports them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    files: usize,
    threads: usize,
    children: usize,
}

impl Held {
    fn of(process: Pid) -> Option<Self> {
        let process = format!("/proc/{}", process.as_raw_nonzero());
        let count = |folder: &str| fs::read_dir(format!("{process}/{folder}")).ok().map(Iterator::count);
        let tasks = fs::read_dir(format!("{process}/task")).ok()?;
        let children = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
        let children = children.map(|children| children.split_whitespace().count()).sum();
        Some(Self { files: count("fd")?, threads: count("task")?, children })
    }

    /// Returns whether it is less than `deaths` more of anything than `before`: not even one thing
    /// stayed of each death. Some may be on its way, as while a link connects.
    fn has_kept_nothing(&self, before: &Self, deaths: usize) -> bool {
        let counts = |held: &Self| [held.files, held.threads, held.children];
        counts(self).into_iter().zip(counts(before)).all(|(now, before)| now < before + deaths)
    }
}

/// Returns what these processes hold when that has not changed for a second: right after a death
/// some is still on its way.
fn settled(run: &Run, processes: [Pid; 2]) -> Vec<Held> {
    let look = || processes.into_iter().filter_map(Held::of).collect::<Vec<_>>();
    let (mut held, mut since) = (look(), Instant::now());
    run.wait_for("nothing changes any more", |_| {
        let now = look();
        if now != held {
            (held, since) = (now, Instant::now());
        }
        since.elapsed() > Duration::from_secs(1)
    });
    held
}

/// Waits until the driving part has seen some more images, or has been restarted and has seen some.
fn sees_again(run: &Run) {
    let before = run.seen();
    run.wait_for("it sees again", |run| {
        let now = run.seen();
        now > before + 3 || (0 < now && now < before)
    });
}

/// Kills a process of the example repeatedly, at random moments. Returns the run after it has
/// ended.
fn killed(name: &str, victim: &str, survivor: &str, kills: usize) -> Run {
    let mut run = Run::start(name, &[&BOTH_AGAIN[..], &["--log", "trip.mcap"]].concat());
    run.wait_for("both are there", |run| run.processes("pilot").len() == 1 && run.processes("vision").len() == 1);
    let (starter, stays) = (Pid::from_child(&run.child), run.processes(survivor)[0]);
    let mut pause = hemiola_plan::SplitMix64::new(7);
    let mut held: Option<(usize, Vec<Held>)> = None;
    for kill in 1..=kills {
        run.wait_for("it is there", |run| run.processes(victim).len() == kill);
        // Every fourth time it is killed while it begins, otherwise while it runs.
        if kill % 4 > 0 {
            sees_again(&run);
        }
        thread::sleep(Duration::from_millis(pause.below(200)));
        kill_process(run.processes(victim)[kill - 1], Signal::KILL).unwrap();
        if kill % 4 == 1 {
            run.wait_for("it is restarted", |run| run.processes(victim).len() == kill + 1);
            sees_again(&run);
            let now = settled(&run, [starter, stays]);
            let Some((first, before)) = &held else {
                held = Some((kill, now));
                continue;
            };
            let mut pairs = now.iter().zip(before);
            assert!(pairs.all(|(now, before)| now.has_kept_nothing(before, kill - first)), "{now:?} after {before:?}");
        }
    }
    sees_again(&run);
    let folder = hemiola_link::socket_folder().join(format!("processes-{}", starter.as_raw_nonzero()));
    let sockets = || fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(sockets(), 2, "that of a link and that of the starter are in {}", folder.display());
    run.signal(Signal::INT);
    let is_whole = run.ends_whole();
    let text = run.text();
    assert_eq!((run.processes(survivor).len(), run.processes(victim).len()), (1, kills + 1), "{text}");
    for process in [run.processes("pilot"), run.processes("vision")].concat() {
        assert!(test_kill_process(process).is_err(), "{process:?} is still there: {text}");
    }
    assert!(!folder.exists(), "the folder of the sockets is gone");
    if is_whole {
        verified(&run, &[&format!("trip-{survivor}.mcap")]);
    } else {
        println!("the recorder of {survivor} was too slow, so that its log cannot be verified");
    }
    run
}

/// A time in which a process was dead, so that its last value was stale in the other one.
struct Outage {
    /// The time from the moment at which its death was noticed to the sample of its next value, in
    /// milliseconds.
    since_death: f64,
    /// The time from the sample of its last value to that of the next one, in milliseconds.
    between_samples: f64,
}

/// Returns the outages of a topic that a log shows.
fn outages(log: &Path, topic: &str) -> Vec<Outage> {
    let mut log = LogReader::open(log).unwrap();
    let (mut outages, mut last, mut death) = (Vec::new(), 0.0, None);
    while let Some(entry) = log.next_entry() {
        let Ok(Entry::Message(message)) = entry else { continue };
        if message.channel.topic != topic {
            continue;
        }
        let time = message.log_time.nanoseconds() as f64 / 1e6;
        // A value that has become stale is logged later than its sample was taken.
        if message.publish_time < message.log_time {
            death = Some(time);
            continue;
        }
        if let Some(death) = death.take() {
            outages.push(Outage { since_death: time - death, between_samples: time - last });
        }
        last = time;
    }
    outages
}

/// Prints how long the outages of 200 deaths took, and checks their number: a process that is
/// killed while it begins, as each fourth one is, may die before its first value, so that two
/// deaths are one outage.
fn tell(what: &str, outages: &[Outage]) {
    println!("200 deaths of {what}, of which 50 while it began: {} outages", outages.len());
    let tell = |of: &str, mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let at = |quantile: f64| times[((times.len() - 1) as f64 * quantile) as usize];
        println!("  {of}: {:.0} ms in the middle, {:.0} ms in 99 %, {:.0} ms at most", at(0.5), at(0.99), at(1.0));
    };
    tell("to the sample of its next value", outages.iter().map(|outage| outage.since_death).collect());
    let between = outages.iter().map(|outage| outage.between_samples).collect();
    tell("from the sample of the last value to that of the next one", between);
    // A recorder that is too slow loses some more.
    assert!((1..=200).contains(&outages.len()), "{} outages", outages.len());
}

/// Returns whether the detector can have seen this exact line.
fn is_possible(line: &Line) -> bool {
    let columns = 0..320;
    let is_on_grid = |column: i32| line.offset.to_bits() == (1.0 - 2.0 * f64::from(column) / 320.0).to_bits();
    line.image > 0 && columns.into_iter().any(is_on_grid)
}

#[test]
fn each_process_may_die_at_any_moment_and_leaves_nothing_behind() {
    let run = killed("each-vision", "vision", "pilot", 6);
    assert!(messages::<Line>(&run.folder.join("trip-pilot.mcap"), "/link_vision_Line/Line").iter().all(is_possible));
    killed("each-pilot", "pilot", "vision", 6);
}

/// Kills the process that sees 200 times, which takes some minutes.
#[test]
#[ignore = "takes minutes; .ci/long runs it"]
fn it_sees_again_after_each_of_200_deaths() {
    let run = killed("deaths", "vision", "pilot", 200);
    let log = run.folder.join("trip-pilot.mcap");
    let runs: Vec<u64> = trips(&log).iter().map(|trip| trip.runs).collect();
    assert!(runs.is_sorted_by(|run, next| run < next), "what drives has gone on");
    let lines = messages::<Line>(&log, "/link_vision_Line/Line");
    let corrupted = lines.iter().filter(|line| !is_possible(line)).count();
    assert_eq!(corrupted, 0, "of {} lines", lines.len());
    tell("what sees", &outages(&log, "/link_vision_Line/Line"));
}

/// Kills the process that drives 200 times, while the process that sees goes on.
#[test]
#[ignore = "takes minutes; .ci/long runs it"]
fn it_drives_again_after_each_of_200_deaths() {
    let run = killed("drivers", "pilot", "vision", 200);
    tell("what drives", &outages(&run.folder.join("trip-vision.mcap"), "/link_pilot_Drive/Drive"));
}
