//! The command `why`, and the profile's content, where a thread that is none of the robot's takes
//! the core: within an update, and before a run.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::runtime::LatencyBounds;
use hemiola::trace::ProfileHistory;
use hemiola::trace::causes::{Durations, Explanation, History, Reason, Taker};
use hemiola::trace::perfetto::Trace;
use hemiola_realtime::{
    Affinity, CoreId, KernelThread, Policy, Priority, ThreadAccount, ThreadSettings, monotonic_now, sleep_until, spawn,
};

const ROBOT: &str = "[cycle.control]\nrate = 100.0\npriority = 10\ncores = [0]\nworkers = 1\n";
/// A time that is less than a run may take that keeps its priority.
const HELD: Duration = Duration::from_millis(120);
const STARVED_WITHIN: u64 = 60;
const STARVED_AFTER: u64 = 120;

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
}

#[derive(Module)]
struct Walker {}

#[module]
impl Walker {
    #[update]
    fn step(&self, clock: &Clock, step: &mut Step) {
        step.number = clock.run();
        let Some(other) = OTHER.get() else { return };
        match clock.run() {
            // The thread is on the same core, and more important: it begins before this returns.
            STARVED_WITHIN => other.send(Duration::ZERO).unwrap(),
            // The thread begins when this run is over, and the next one is not due.
            STARVED_AFTER => other.send(Duration::from_millis(3)).unwrap(),
            _ => {}
        }
    }
}

static OTHER: OnceLock<Sender<Duration>> = OnceLock::new();

/// Takes the core for a fixed running time, each time that it is asked to, after the requested
/// delay.
fn take_core(asked: Receiver<Duration>) {
    let account = ThreadAccount::of(KernelThread::current()).unwrap();
    for delay in asked {
        sleep_until(monotonic_now() + delay);
        // The thread's running time counts and not the clock's: where the host takes the core,
        // nobody had it.
        let until = account.read().unwrap().running + HELD;
        while account.read().unwrap().running < until {}
    }
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-why-starved-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn explanation(trace: &Trace, run: u64) -> Explanation {
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let run = (trace.catalog.read().cycles().next().unwrap().0, run as u32);
    let durations = Durations::of(&trace.capture, &trace.catalog, &trace.scale, run);
    Explanation::of(history.blocking_chain(run.0, run.1).unwrap(), &durations, &trace.scale).with_accounts(&history)
}

#[test]
fn a_core_that_another_program_has_is_told_as_such() {
    let (ask, asked) = channel();
    let settings = ThreadSettings::new("other").policy(Policy::Fifo(Priority::new(50).unwrap()));
    let other = spawn(settings.affinity(Affinity::of([CoreId(0)])), || take_core(asked)).unwrap();
    if let Some(denial) = other.report.denials().next() {
        eprintln!("SKIPPED: {denial}");
        return;
    }
    OTHER.set(ask).unwrap();
    let folder = folder();
    let (file, log, profile) = (folder.join("robot.pftrace"), folder.join("robot.mcap"), folder.join("profile.json"));
    let [path, log_path] = [&file, &log].map(|path| path.to_str().unwrap());
    let keep = format!("output.profile={profile:?}");
    let robot = Application::embedded(ROBOT)
        .started(|handle| handle.watch_bounds(LatencyBounds::default().response("control", HELD / 2)));
    let run = ["robot", "run", "--headless", "--duration", "2s", "--trace", path, "--log", log_path, "--set", &keep];
    assert_eq!(robot.run_with(run), ExitCode::SUCCESS);

    let profile = ProfileHistory::load(profile).unwrap().profiles()[0].clone();
    let step = profile.task("control", "Walker.step").unwrap();
    assert!(step.maximum() < HELD.as_nanos() as u64 / 2, "bounds do not rest on a core that others had: {step:?}");
    let held_up = step.held_up();
    assert!(held_up.count >= 1 && held_up.longest >= HELD.as_nanos() as u64, "it is told: {held_up:?}");

    let trace = Trace::read(&file).unwrap();
    let words = |explanation: &Explanation| explanation.sentence(&trace.catalog.read());
    for (run, is_within) in [(STARVED_WITHIN, true), (STARVED_AFTER + 1, false)] {
        let explanation = explanation(&trace, run);
        let loss = explanation.loss.unwrap_or_else(|| panic!("{explanation:?}"));
        assert_eq!(loss.taker, Taker::OtherPrograms, "{}", words(&explanation));
        assert!(loss.taken <= loss.nanoseconds && loss.taken >= HELD.as_nanos() as u64 / 2, "{loss:?}");
        assert_eq!(matches!(explanation.reason, Reason::LongExecution(_)), is_within, "{}", words(&explanation));
        assert_eq!(loss.within.is_some(), is_within);
    }

    let slice = folder.join("slice.pftrace");
    let number = STARVED_WITHIN.to_string();
    let ask = ["robot", "why", "control", "--run", &number, "--trace", path, "--slice", slice.to_str().unwrap()];
    assert_eq!(Application::embedded(ROBOT).run_with(ask), ExitCode::SUCCESS);
    let loss = explanation(&Trace::read(&slice).unwrap(), STARVED_WITHIN).loss.unwrap();
    assert_eq!(loss.taker, Taker::OtherPrograms, "a slice tells as much: {loss:?}");

    let mut log = hemiola::log::LogReader::open(&log).unwrap();
    let mut causes = Vec::new();
    while let Some(entry) = log.next_entry() {
        let hemiola::log::Entry::Message(message) = entry.unwrap() else { continue };
        if message.channel.topic == "/hemiola/exceedances" {
            causes.push(message.decode().unwrap().to_string());
        }
    }
    let told = causes.iter().filter(|cause| cause.contains("cause: 8, culprit: \"control 0\"")).count();
    assert!(told >= 2, "{causes:?}");
    std::fs::remove_dir_all(folder).unwrap();
}
