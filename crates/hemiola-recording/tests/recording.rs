//! `run --log`: all that a robot provides is in a log that any reader of ROS 2's logs understands.
#![forbid(unsafe_code)]

#[path = "../../hemiola/examples/hello.rs"]
#[allow(dead_code, reason = "its `main` is the example's, not the test's")]
mod hello;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::cdr;
use hemiola::runtime::Change;
use hemiola_log::{Entry, LogReader};

use hello::{Drive, ROBOT, Wall};

fn record(arguments: &[&str], log: &Path) -> ExitCode {
    let fixed = ["hello", "run", "--headless", "--no-trace", "--log", log.to_str().unwrap()];
    Application::embedded(ROBOT).run_with([&fixed, arguments].concat())
}

/// A value: topic, number, time in nanoseconds, and bytes. What runs began with, and what modules
/// remember, is in every log besides.
type Seen = (String, u32, u64, Vec<u8>);

fn messages(log: &Path) -> Vec<Seen> {
    let mut log = LogReader::open(log).unwrap();
    let mut messages = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && !message.channel.topic.ends_with("/_run")
            && !message.channel.topic.contains("/_state")
        {
            let topic = message.channel.topic.clone();
            messages.push((topic, message.sequence, message.log_time.nanoseconds(), message.data.to_vec()));
        }
    }
    messages
}

#[test]
fn a_stepped_run_is_recorded_whole_and_twice_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let logs = ["first.mcap", "second.mcap"].map(|name| folder.path().join(name));
    for log in &logs {
        assert_eq!(record(&["--fast", "--duration", "5s"], log), ExitCode::SUCCESS);
    }
    let [first, second] = logs.map(|log| messages(&log));
    let of = |topic: &str| first.iter().filter(move |message| message.0 == topic).collect::<Vec<_>>();
    let (walls, drives) = (of("/World/Wall"), of("/control/Drive"));
    assert!(walls.len() >= 500, "{} values in 5 s at 100 Hz", walls.len());
    assert_eq!(walls.len(), drives.len());
    for (index, (wall, drive)) in walls.iter().zip(&drives).enumerate() {
        assert_eq!((wall.1, drive.1), (index as u32, index as u32), "none is missing");
        assert_eq!((wall.2, drive.2), (index as u64 * 10_000_000, index as u64 * 10_000_000));
    }
    let last_wall: Wall = cdr::decode(&walls[walls.len() - 1].3).unwrap();
    assert!((0.4..1.5).contains(&last_wall.metres), "{}", last_wall.metres);
    assert!(drives.iter().all(|drive| cdr::decode::<Drive>(&drive.3).unwrap().metres_per_second < 0.6));
    // Threads decide which of two channels comes first, and nothing else.
    assert!(sorted(first) == sorted(second), "the same values at the same times");
}

#[test]
fn a_replay_gives_the_same_bits_and_other_parameters_give_others() {
    let folder = tempfile::tempdir().unwrap();
    let [first, again, other] = ["first.mcap", "again.mcap", "other.mcap"].map(|name| folder.path().join(name));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    assert_eq!(record(&["--fast", "--duration", "5s"], &first), ExitCode::SUCCESS);
    assert_eq!(record(&["--fast", "--replay", &text(&first)], &again), ExitCode::SUCCESS);
    let farther = "module.Pilot.distance=1.5";
    assert_eq!(record(&["--fast", "--replay", &text(&first), "--set", farther], &other), ExitCode::SUCCESS);
    let [first, again, other] = [first, again, other].map(|log| {
        let mut messages = messages(&log);
        messages.sort();
        messages
    });
    assert!(first.len() > 1000 && first == again, "the same values at the same times");
    let of = |log: &[Seen], topic: &str| log.iter().filter(|seen| seen.0 == topic).cloned().collect::<Vec<_>>();
    assert!(of(&first, "/World/Wall") == of(&other, "/World/Wall"), "what was recorded is given");
    assert!(of(&first, "/control/Drive") != of(&other, "/control/Drive"), "what was computed is computed anew");
}

#[test]
fn a_log_that_does_not_fit_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (drives, new) = (folder.path().join("drives.mcap"), folder.path().join("new.mcap"));
    assert_eq!(record(&["--fast", "--duration", "1s", "--log-only", "Drive"], &drives), ExitCode::SUCCESS);
    let replay = |log: &str| record(&["--fast", "--replay", log], &new);
    assert_eq!(replay(drives.to_str().unwrap()), ExitCode::from(2), "no source provides what is in it");
    assert_ne!(replay("/nowhere.mcap"), ExitCode::SUCCESS);
    assert!(!new.exists(), "nothing was begun");
}

#[test]
fn only_what_was_asked_for_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("some.mcap");
    assert_eq!(record(&["--fast", "--duration", "5s", "--log-only", "Wall@10"], &log), ExitCode::SUCCESS);
    let messages = messages(&log);
    assert!(messages.iter().all(|message| message.0 == "/World/Wall"));
    assert!((50..=51).contains(&messages.len()), "{}", messages.len());
}

#[test]
fn what_robot_toml_says_is_recorded_in_every_run_and_the_command_line_has_the_last_word() {
    let folder = tempfile::tempdir().unwrap();
    let robot = format!(
        "{ROBOT}[log]\nfolder = {:?}\ncompression = \"zstd\"\nonly = [\"Wall\", \"Drive\"]\n\
         [log.channel.Wall]\nrate = 10.0\n[log.channel.Drive]\nenabled = false\n",
        folder.path().join("logs")
    );
    let run = |arguments: &[&str]| {
        let fixed = ["hello", "run", "--headless", "--no-trace", "--fast", "--duration", "990ms"];
        let code = Application::embedded(robot.as_str()).run_with([&fixed, arguments].concat());
        assert_eq!(code, ExitCode::SUCCESS, "{arguments:?}");
    };
    // How often which topic is in a log.
    let counts = |log: &str| {
        let mut counts = BTreeMap::new();
        messages(&folder.path().join(log)).into_iter().for_each(|seen| *counts.entry(seen.0).or_insert(0) += 1);
        counts.into_iter().collect::<Vec<_>>()
    };
    let (wall, drive) = (|count| ("/World/Wall".to_owned(), count), |count| ("/control/Drive".to_owned(), count));
    run(&[]);
    assert_eq!(counts("logs/hello-1.mcap"), [wall(10)]);
    run(&["--no-log"]);
    run(&["--set", "log.channel.Wall.rate=20.0", "--set", "log.channel.Drive={ unset = true }"]);
    assert_eq!(counts("logs/hello-2.mcap"), [wall(20), drive(100)]);
    run(&["--log", folder.path().join("named.mcap").to_str().unwrap(), "--log-only", "Drive@5"]);
    assert_eq!(counts("named.mcap"), [drive(5)]);
    run(&["--replay", folder.path().join("logs/hello-2.mcap").to_str().unwrap()]);
    let logs = std::fs::read_dir(folder.path().join("logs")).unwrap().count();
    assert_eq!(logs, 2, "what is replayed is not recorded again");
}

/// The facts in a log besides its values.
#[derive(Default)]
struct Besides {
    metadata: BTreeMap<String, BTreeMap<String, String>>,
    attachments: BTreeMap<String, String>,
    /// Topic, and the message as text.
    messages: Vec<(String, String)>,
}

fn besides(log: &Path) -> Besides {
    let mut log = LogReader::open(log).unwrap();
    let (mut besides, mut attachments) = (Besides::default(), Vec::new());
    while let Some(entry) = log.next_entry() {
        match entry.unwrap() {
            Entry::Metadata(metadata) => _ = besides.metadata.insert(metadata.name, metadata.entries),
            Entry::Attachment(attachment) => attachments.push(attachment),
            Entry::Message(message) if message.channel.topic.starts_with("/hemiola/") => {
                let text = message.decode().unwrap().to_string();
                besides.messages.push((message.channel.topic.clone(), text));
            }
            _ => {}
        }
    }
    for attachment in attachments {
        let mut data = Vec::new();
        log.read_attachment(&attachment, &mut data).unwrap();
        besides.attachments.insert(attachment.name, String::from_utf8_lossy(&data).into_owned());
    }
    besides
}

#[test]
fn a_log_tells_how_the_robot_was_configured_what_was_changed_and_said_and_how_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("all.mcap");
    let text = log.to_str().unwrap();
    let run = |pace: &str| {
        _ = std::fs::remove_file(&log);
        let robot = Application::embedded(ROBOT).started(|handle| {
            handle.change(Change::parameter("Pilot", "distance", hemiola::data::Value::Float(0.75))).wait().unwrap();
            handle.note("the referee has come".to_owned());
        });
        let run = "hello run --headless --no-trace --duration 1s --set cycle.control.workers=1";
        robot.run_with(format!("{run} --speed {pace} --log {text}").split(' '))
    };
    // On a busy machine a recorder may come too late for some values.
    assert!(["1", "0.5", "0.2"].into_iter().any(|pace| run(pace) == ExitCode::SUCCESS));

    let Besides { metadata, attachments, messages } = besides(&log);
    assert_eq!(metadata["hemiola"]["provider/control/Drive"], "Pilot");
    let configuration = &metadata["hemiola/configuration"];
    assert_eq!(configuration["cycle.control.trigger"], "\"World\"");
    assert_eq!(configuration["cycle.control.workers"], "1");
    assert_eq!(metadata["hemiola/parameters"]["module.Pilot.distance"], "0.5", "as it was at the start");
    assert!(metadata["hemiola/channels"]["/control/Drive"].contains("\"dropped\":0"), "{metadata:?}");
    assert_eq!(attachments["configuration/1-built-in robot.toml"], ROBOT);
    assert_eq!(attachments["configuration/2-set"], "cycle.control.workers=1");
    assert!(attachments["statistics.json"].contains("\"control\""), "{}", attachments["statistics.json"]);
    let worst = &attachments["worst/control.pftrace"];
    assert!(worst.contains("Pilot.drive"), "a trace of the longest run has its tasks");
    let told = |topic: &str, parts: &[&str]| {
        let mut of_topic = messages.iter().filter(|message| message.0 == topic);
        of_topic.any(|message| parts.iter().all(|part| message.1.contains(part)))
    };
    assert!(told("/hemiola/changes", &["Pilot", "distance", "0.75"]), "{messages:?}");
    assert!(told("/hemiola/log", &["the referee has come"]), "{messages:?}");
}

/// The logs in a folder by name.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut logs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    logs.sort();
    logs
}

fn names(logs: &[PathBuf]) -> Vec<&str> {
    logs.iter().map(|log| log.file_name().unwrap().to_str().unwrap()).collect()
}

fn sorted(mut messages: Vec<Seen>) -> Vec<Seen> {
    messages.sort();
    messages
}

#[test]
fn a_log_is_split_into_files_that_are_whole_and_together_have_it_all() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, split, merged] = ["whole", "split", "merged"].map(|name| folder.path().join(name).join("game.mcap"));
    assert_eq!(record(&["--fast", "--duration", "5s"], &whole), ExitCode::SUCCESS);
    assert_eq!(record(&["--fast", "--duration", "5s", "--set", "log.split=2 s"], &split), ExitCode::SUCCESS);
    let parts = logs(split.parent().unwrap());
    assert_eq!(names(&parts), ["game-001.mcap", "game-002.mcap", "game-003.mcap"]);
    for part in &parts {
        let log = LogReader::open(part).unwrap();
        assert!(log.summary().is_some(), "{} has an end", part.display());
        let Besides { metadata, attachments, .. } = besides(part);
        assert_eq!(metadata["hemiola/parameters"]["module.Pilot.distance"], "0.5");
        assert_eq!(attachments["configuration/1-built-in robot.toml"], ROBOT);
    }
    let walls = |log: &Path| messages(log).iter().filter(|seen| seen.0 == "/World/Wall").count();
    assert!((195..=205).contains(&walls(&parts[0])), "{} values in 2 s", walls(&parts[0]));

    std::fs::create_dir_all(merged.parent().unwrap()).unwrap();
    let mut parts: Vec<_> = parts.iter().map(|part| LogReader::open(part).unwrap()).collect();
    hemiola_log::merge(&mut parts, &merged, |_, _| {}).unwrap();
    let of_robot =
        |log: &Path| sorted(messages(log).into_iter().filter(|seen| !seen.0.starts_with("/hemiola/")).collect());
    assert!(of_robot(&merged) == of_robot(&whole), "all is there, with the same numbers");
    let mut log = LogReader::open(&merged).unwrap();
    let (mut configurations, mut texts) = (0, 0);
    while let Some(entry) = log.next_entry() {
        match entry.unwrap() {
            Entry::Metadata(metadata) if metadata.name == "hemiola/configuration" => configurations += 1,
            Entry::Attachment(attachment) if attachment.name.starts_with("configuration/1") => texts += 1,
            _ => {}
        }
    }
    assert_eq!((configurations, texts), (1, 1), "what all files say is said once");
    let again = record(&["--fast", "--duration", "1s", "--set", "log.split=2 s"], &split);
    assert_eq!(again, ExitCode::FAILURE, "files of another run are never overwritten");
}

#[test]
fn the_last_minutes_are_kept_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("game.mcap");
    assert_eq!(record(&["--fast", "--duration", "60s", "--set", "log.keep=8 s"], &log), ExitCode::SUCCESS);
    let files = logs(log.parent().unwrap());
    let times: Vec<u64> = files.iter().flat_map(|file| messages(file)).map(|seen| seen.2).collect();
    let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
    assert!(*last >= 59_900_000_000, "{last}");
    let kept = last - first;
    assert!((7_900_000_000..=10_100_000_000).contains(&kept), "{kept} ns are kept in {:?}", names(&files));
    assert!((4..=5).contains(&files.len()), "a file has a quarter: {:?}", names(&files));
}

/// Something of the log is lost.
fn lossy() -> ExitCode {
    ExitCode::from(3)
}

#[test]
fn what_shall_stay_free_on_the_disk_stays_free_and_the_robot_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("game.mcap");
    // No disk has as much.
    let reserve = ["--fast", "--duration", "120s", "--set", "log.reserve=900000 TB", "--set", "log.flush=10 ms"];
    assert_eq!(record(&reserve, &log), lossy());
    let whole = LogReader::open(&log).unwrap();
    assert!(whole.summary().is_some(), "what was written has an end");
    assert!(messages(&log).len() < 20_000, "it ended early");
}

#[test]
fn values_are_recorded_only_while_the_condition_holds() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, settings: &[&str]| {
        let log = folder.path().join(name);
        let mut arguments = vec!["--fast", "--duration", "10s"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        assert_eq!(record(&arguments, &log), ExitCode::SUCCESS, "{settings:?}");
        let counts = besides(&log).metadata["hemiola/channels"].clone();
        (messages(&log), counts)
    };
    let (all, _) = run("all.mcap", &[]);
    let is_fast = |seen: &Seen| cdr::decode::<Drive>(&seen.3).unwrap().metres_per_second > 0.3;
    let fast: Vec<_> = all.iter().filter(|seen| seen.0 == "/control/Drive" && is_fast(seen)).collect();
    assert!((100..900).contains(&fast.len()), "{} times", fast.len());

    let condition = "log.channel.Drive.only_while=Drive.metres_per_second > 0.3";
    let (some, counts) = run("some.mcap", &[condition]);
    let some: Vec<_> = some.iter().filter(|seen| seen.0 == "/control/Drive").collect();
    assert!(some.iter().map(|seen| (seen.2, &seen.3)).eq(fast.iter().map(|seen| (seen.2, &seen.3))));
    assert!(some.iter().enumerate().all(|(index, seen)| seen.1 == index as u32), "what is left out is not lost");
    let left_out = 1001 - fast.len();
    assert!(counts["/control/Drive"].contains(&format!("\"left_out\":{left_out},")), "{counts:?}");

    let of_other = "log.channel.Wall.only_while=Drive.metres_per_second > 0.3 and Drive.metres_per_second <= 1";
    let (walls, _) = run("walls.mcap", &[of_other, "log.only=['Wall']"]);
    assert!(walls.iter().all(|seen| seen.0 == "/World/Wall"), "what is spoken of is not recorded by that");
    assert!(walls.len().abs_diff(fast.len()) < 20, "{} walls, {} drives", walls.len(), fast.len());
    let mut arguments = vec!["--fast", "--set", "log.channel.Drive.only_while=Drive.metres > 0.3"];
    assert_eq!(record(&arguments, &folder.path().join("wrong.mcap")), ExitCode::from(2));
    arguments[2] = "log.channel.Wall.only_while=Wall.metres";
    assert_eq!(record(&arguments, &folder.path().join("wrong.mcap")), ExitCode::from(2));
}

#[test]
fn a_choice_of_what_to_record_needs_a_log() {
    let run = |arguments: &[&str]| Application::embedded(ROBOT).run_with([&["hello", "run"], arguments].concat());
    assert_eq!(run(&["--log-only", "Wall"]), ExitCode::from(2));
    assert_eq!(run(&["--log-compression", "none"]), ExitCode::from(2));
}

#[test]
fn a_log_that_cannot_be_written_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("there.mcap");
    std::fs::write(&log, "precious").unwrap();
    assert_eq!(record(&["--fast", "--duration", "1s"], &log), ExitCode::FAILURE);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "precious");
    let log = log.with_file_name("other.mcap");
    assert_ne!(record(&["--fast", "--duration", "1s", "--log-only", "Wlal"], &log), ExitCode::SUCCESS);
    assert_ne!(record(&["--fast", "--duration", "1s", "--log-only", "Wall@often"], &log), ExitCode::SUCCESS);
}

/// The variable with the path to which the child writes; set for the child only.
const PATH: &str = "HEMIOLA_RECORDING_PATH";

/// Not a test by itself: the run that has no room for its log.
#[test]
#[ignore = "the process without room"]
fn records_without_room() {
    let Ok(path) = std::env::var(PATH) else { return };
    assert_eq!(record(&["--fast", "--duration", "60s", "--log-compression", "none"], path.as_ref()), lossy());
}

#[test]
fn a_full_disk_costs_the_end_of_the_log_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("full.mcap");
    // No file may grow beyond 64 blocks, and who tries is told instead of killed.
    let script = "ulimit -f 64; trap '' XFSZ; exec \"$0\" --exact records_without_room --ignored --nocapture";
    let output = std::process::Command::new("sh")
        .args(["-c", script, std::env::current_exe().unwrap().to_str().unwrap()])
        .env(PATH, &log)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the run goes on to its end: {told}");
    assert!(told.contains("60.0 s on the robot's clock"), "{told}");
    assert!(told.contains("ended early") && told.contains("are not in it: cannot write"), "{told}");
    let mut log = LogReader::open(&log).unwrap();
    let mut whole = 0;
    while let Some(entry) = log.next_entry() {
        whole += u32::from(matches!(entry, Ok(Entry::Message(_))));
    }
    assert!(whole > 0, "what had been written can be read");
}
