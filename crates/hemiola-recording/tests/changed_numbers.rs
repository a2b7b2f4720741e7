//! What a log says in numbers may be anything: damage that no checksum sees, or another program's
//! mistake. A replay of such a log comes to its end, or an error says why not.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hemiola::configuration::{Catalog, Configuration, parse};
use hemiola::realtime::{AllocationGuard, CountingAllocator};
use hemiola::runtime::{Change, Robot};
use hemiola::{Application, Time};
use hemiola_recording::replay::{Beginning, Fidelity, Replay, ReplayLog};
use hemiola_test_robots::logs::folder;
use hemiola_test_robots::plain::{PlainLog, PlainMessage, write_plainly};
use hemiola_test_robots::walker::ROBOT;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Describes a robot with checkpoints, and each cycle on one thread, because that is fast.
fn robot() -> String {
    let robot = ROBOT.replace("modules = ", "workers = 1\nmodules = ");
    format!("{robot}\n[log]\nsnapshot = \"100 ms\"\n")
}

fn configuration() -> Configuration {
    parse(&robot(), "robot.toml", &Catalog::linked()).unwrap().configuration
}

/// A moment of the robot, with changes from outside.
fn record(log: &Path) {
    let robot = Application::embedded(&robot()).started(|handle| {
        _ = handle.change(Change::parameter("Decide", "goal", 7.5));
        let value = serde_json::from_str(r#"{"x": 0.5, "steps": 3}"#).unwrap();
        _ = handle.change(Change::Override { representation: "Pose".into(), value });
        _ = handle.change(Change::Release { representation: "Pose".into() });
        _ = handle.change(Change::Restart { module: "Walk".into() });
    });
    let run = ["robot", "run", "--fast", "--headless", "--no-trace", "--duration", "130ms", "--log"];
    assert_eq!(robot.run_with([&run[..], &[log.to_str().unwrap()]].concat()), ExitCode::SUCCESS);
}

/// Four or eight bytes of a message, and what they shall say.
struct ChangedNumber {
    message: usize,
    place: usize,
    bytes: Vec<u8>,
}

/// The bytes before the numbers of a message, which state how it is encoded.
const HEAD: usize = 4;

/// Zero, the greatest, the least and the last number, and none at all.
const FOUR: [[u8; 4]; 5] = [[0; 4], i32::MAX.to_le_bytes(), i32::MIN.to_le_bytes(), [255; 4], f32::NAN.to_le_bytes()];
const EIGHT: [[u8; 8]; 5] = [[0; 8], i64::MAX.to_le_bytes(), i64::MIN.to_le_bytes(), [255; 8], f64::NAN.to_le_bytes()];

/// All that could be changed in what a log tells of how its robot ran: in the second message of
/// each transcript, and in all messages of checkpoints and of the journal.
fn changes(log: &PlainLog) -> Vec<ChangedNumber> {
    let mut changes = Vec::new();
    for (message, PlainMessage { topic, sequence, data, .. }) in log.messages.iter().enumerate() {
        let is_told =
            topic.ends_with("/_run") && *sequence == 1 || topic.contains("/_state") || topic == "/hemiola/changes";
        if !is_told {
            continue;
        }
        let change = |place, bytes: &[u8]| ChangedNumber { message, place, bytes: bytes.into() };
        for place in (HEAD..data.len()).step_by(4) {
            changes.extend(FOUR.map(|bytes| change(place, &bytes)));
            if (place - HEAD).is_multiple_of(8) {
                changes.extend(EIGHT.map(|bytes| change(place, &bytes)));
            }
        }
    }
    changes
}

/// The number of steps that a replay may take; that of the whole log takes 70.
const MOST_STEPS: usize = 500;

/// Replays a log from its beginning, or from its checkpoint. Without a failure it is as recorded,
/// or says why not.
fn replay(path: &Path, beginning: Beginning) -> Result<Fidelity, String> {
    let log = ReplayLog::read(path).map_err(|error| error.to_string())?;
    let robot = Robot::assemble(configuration()).unwrap();
    let Replay { robot, fidelity, .. } = Replay::of(robot, &log, beginning, &[]).map_err(|error| error.to_string())?;
    let mut stepper = robot.into_stepper().map_err(|error| error.to_string())?;
    let mut steps = 0;
    while let Some(next) = stepper.upcoming() {
        assert!(next <= log.end(), "a player would wait until {next}, and the log ends at {}", log.end());
        assert!(steps < MOST_STEPS, "it goes on and on");
        steps += 1;
        if stepper.step().is_none() {
            break;
        }
    }
    stepper.failure().map_or(Ok(fidelity), |failure| Err(failure.to_owned()))
}

/// The outcome of a log: how it was replayed, and how many bytes were allocated for that.
type Replayed = (Result<Fidelity, String>, u64);

/// Replays logs on a thread of its own: who waits for it need not wait for ever.
fn replayer() -> (mpsc::Sender<(PathBuf, Beginning)>, mpsc::Receiver<Replayed>) {
    let (logs, received) = mpsc::channel::<(PathBuf, Beginning)>();
    let (sender, replayed) = mpsc::channel();
    thread::spawn(move || {
        for (log, beginning) in received {
            let guard = AllocationGuard::new();
            let result = replay(&log, beginning);
            if sender.send((result, guard.counted().bytes)).is_err() {
                return;
            }
        }
    });
    (logs, replayed)
}

/// However busy the machine is, no replay takes longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The step from one change that is tried to the next: a prime, so that all kinds are tried.
const EVERY: usize = 37;

#[test]
fn a_log_with_any_number_in_it_is_replayed_or_refused() {
    let folder = folder("changed-numbers");
    let (whole, changed) = (folder.join("whole.mcap"), folder.join("changed.mcap"));
    record(&whole);
    let (logs, replayed) = replayer();
    let replay = |log: &Path, beginning: Beginning| {
        logs.send((log.to_owned(), beginning)).unwrap();
        replayed.recv_timeout(PATIENCE)
    };
    let from_checkpoint = Beginning::Before(Time::from_seconds(0.12));
    let mut most_bytes = 0;
    for beginning in [Beginning::OfLog, from_checkpoint] {
        let (result, bytes) = replay(&whole, beginning).unwrap();
        assert!(matches!(result, Ok(Fidelity::AsRecorded)), "{result:?}");
        most_bytes = most_bytes.max(2 * bytes);
    }

    let (mut tried, mut as_recorded, mut otherwise, mut refused) = (0, 0, 0, 0);
    let mut log = PlainLog::read(&whole);
    for ChangedNumber { message, place, bytes } in changes(&log).into_iter().step_by(EVERY) {
        let usual = log.messages[message].clone();
        let data = &mut log.messages[message].data;
        let end = data.len().min(place + bytes.len());
        data[place..end].copy_from_slice(&bytes[..end - place]);
        write_plainly(&changed, &log.about, &log.messages);
        let PlainMessage { topic, sequence, .. } = &usual;
        let beginning = if topic.contains("/_state") { from_checkpoint } else { Beginning::OfLog };
        let what = format!("{bytes:?} at {place} of message {sequence} of {topic}");
        let (result, allocated) = replay(&changed, beginning).unwrap_or_else(|_| panic!("{what}: it hangs or panics"));
        assert!(allocated <= most_bytes, "{what}: {allocated} bytes were allocated");
        log.messages[message] = usual;
        tried += 1;
        match result {
            Ok(Fidelity::AsRecorded) => as_recorded += 1,
            Ok(Fidelity::DueTimes(reason)) => {
                otherwise += 1;
                assert!(!reason.to_string().is_empty(), "{what}");
            }
            Err(error) => {
                refused += 1;
                assert!(!error.is_empty() && !error.contains("panic"), "{what}: {error}");
            }
        }
    }
    println!("{tried} logs: {as_recorded} replayed as recorded, {otherwise} otherwise, {refused} refused");
    assert!(tried > 150 && as_recorded > 0 && otherwise > 0 && refused > 0);
    std::fs::remove_dir_all(&folder).unwrap();
}
