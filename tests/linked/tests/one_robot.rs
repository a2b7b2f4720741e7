//! A robot of two processes is controlled as one robot: by commands beside it, as a person types
//! them, and by the page.
#![forbid(unsafe_code)]

#[path = "../../addresses.rs"]
mod addresses;
#[path = "../../foreign/programs.rs"]
mod foreign;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use hemiola::log::{Entry, LogReader};
use hemiola_live::RunningRobot;
use hemiola_live::client::{Incoming, WholeRobot};
use hemiola_live::protocol::{Request, Watched};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use convoy::Convoy;

mod convoy;

impl Convoy {
    /// Starts the robot with a page. Returns the robot, the address of the page, and its port.
    fn with_page() -> (Self, String, u16) {
        let port = addresses::free_port();
        let convoy = Self::start(&["--page", &port.to_string()]);
        let output = fs::read_to_string(convoy.folder.join("output")).unwrap();
        let mut pages = output.lines().filter_map(|line| line.strip_prefix("page: "));
        let page = pages.find(|page| page.contains(&format!(":{port}/"))).unwrap().to_owned();
        (convoy, page, port)
    }

    /// Runs a command that must fail with that code, and returns its whole output.
    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.command(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", self.said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Plots these fields until there are points of each.
    fn plots(&self, fields: &[&str]) {
        let mut plotting = Self::program(&self.folder);
        let mut plotting = plotting.arg("plot").args(fields).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
        let mut lacking = fields.to_vec();
        for line in BufReader::new(plotting.stdout.take().unwrap()).lines() {
            let point: Value = serde_json::from_str(&line.unwrap()).unwrap();
            lacking.retain(|field| point["field"] != *field);
            if lacking.is_empty() {
                break;
            }
        }
        plotting.kill().unwrap();
        plotting.wait().unwrap();
        assert!(lacking.is_empty(), "nothing is plotted of {lacking:?}");
    }

    /// Returns the times of the messages of a topic in a log, in nanoseconds.
    fn times(&self, log: &str, topic: &str) -> Vec<u64> {
        let mut log = LogReader::open(&self.folder.join(log)).unwrap();
        let mut times = Vec::new();
        while let Some(entry) = log.next_entry() {
            if let Entry::Message(message) = entry.unwrap()
                && message.channel.topic == topic
            {
                times.push(message.log_time.nanoseconds());
            }
        }
        times
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn it_is_listed_and_looked_at_as_one_robot() {
    let mut convoy = Convoy::start(&[]);
    let robots = convoy.json(&["ps"]);
    assert_eq!(names(&robots), ["convoy"]);
    assert_eq!(names(&robots[0]["processes"]), ["main", "vision"]);
    assert_eq!(robots[0]["started_by"], convoy.child.id());
    let listed = convoy.prints(&["ps"]);
    let first: Vec<_> = listed.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(first, ["robot", "convoy", "main", "vision"], "{listed}");

    // A value comes from the process that has it, whichever that is, or from a process that is
    // named.
    assert_eq!(convoy.json(&["show", "Line.offset"])["value"], 0.25);
    assert_eq!(convoy.json(&["show", "Drive.turn", "--robot", "convoy"])["value"], 0.5);
    assert!(convoy.json(&["show", "Line", "Image", "Drive"]).as_array().is_some_and(|values| values.len() == 3));
    assert_eq!(convoy.json(&["show", "Line.offset", "--robot", "convoy-vision"])["value"], 0.25);
    assert!(convoy.fails(&["show", "Drive.turn", "--process", "vision"], 1).contains("Drive"));
    assert!(convoy.fails(&["show", "Drvie"], 1).contains("did you mean `Drive`"));
    assert!(convoy.fails(&["show", "Drive", "--process", "visoin"], 2).contains("did you mean `vision`"));

    let statistics = convoy.json(&["top"]);
    let cycles = statistics["report"]["cycles"].as_array().unwrap();
    let mut cycles: Vec<_> =
        cycles.iter().map(|cycle| [&cycle["process"], &cycle["name"]].map(Value::as_str)).collect();
    cycles.sort();
    assert_eq!(cycles, [[Some("main"), Some("driving")], [Some("vision"), Some("seeing")]]);
    assert_eq!(names(&statistics["report"]["sources"]), ["Camera"]);
    assert!(statistics["health"]["seeing"]["runs"].as_u64() > Some(0), "{statistics}");

    let provided = convoy.json(&["providers", "list"]);
    assert_eq!(names(&provided).iter().filter(|name| **name == "Line").count(), 1, "{provided}");
    let topics = convoy.json(&["topic", "list"]);
    assert_eq!(names(&topics).iter().filter(|name| **name == "Lap").count(), 1, "{topics}");
    let captured = convoy.json(&["snapshot"]);
    assert!(captured["cycles"]["driving"]["Drive"].is_object() && captured["cycles"]["seeing"]["Line"].is_object());
    let graph = convoy.prints(&["graph"]);
    assert!(graph.contains("process vision") && graph.contains("to main    Line"), "{graph}");
    let why = convoy.prints(&["why", "seeing"]);
    assert!(why.contains("seeing"), "{why}");
    assert_eq!(convoy.json(&["why", "seeing"])["cycle"], "seeing");
    assert_eq!(convoy.json(&["why"])["processes"]["vision"]["cycles"][0]["cycle"], "seeing");

    // Numbers of both processes are in one plot, and a missing one is reported.
    convoy.plots(&["Line.image", "Drive.run", "timing:seeing.response", "timing:Pilot.drive"]);
    assert!(convoy.fails(&["plot", "Lnie.image", "--json"], 2).contains("did you mean `Line`"));

    assert_eq!(convoy.prints(&["stop"]), "convoy has ended\n");
    assert_eq!(convoy.ends(), Some(0));
    assert_eq!(convoy.json(&["ps"]), json!([]));
}

#[test]
fn it_is_changed_wherever_the_changed_thing_is() {
    let convoy = Convoy::start(&[]);
    let set = convoy.json(&["parameters", "set", "LineDetector.offset", "0.5"]);
    assert_eq!((&set["before"], &set["value"]), (&json!(0.25), &json!(0.5)));
    convoy.prints(&["parameters", "set", "Pilot.gain", "3.0"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["turn"] == 1.5);
    assert_eq!(convoy.prints(&["parameters", "get", "LineDetector.offset"]), "0.5\n");
    let diff = convoy.json(&["parameters", "diff"]);
    let mut changed: Vec<_> = diff.as_array().unwrap().iter().map(|it| it["module"].as_str().unwrap()).collect();
    changed.sort_unstable();
    assert_eq!(changed, ["LineDetector", "Pilot"]);
    assert!(
        convoy.fails(&["parameters", "set", "LineDetecto.offset", "0.5"], 1).contains("did you mean `LineDetector`")
    );

    convoy.prints(&["parameters", "save"]);
    let saved = fs::read_to_string(convoy.folder.join("robot.toml")).unwrap();
    assert!(saved.contains("gain = 3") && saved.contains("offset = 0.5") && saved.contains("# It follows"), "{saved}");

    convoy.prints(&["providers", "switch", "Line", "BlindDetector"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == -1.0);
    convoy.prints(&["override", "Line", "{ offset = 0.75 }"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.75);
    convoy.prints(&["release", "Line"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == -1.0);
    convoy.prints(&["providers", "switch", "Line", "LineDetector"]);
    assert_eq!(convoy.prints(&["workers", "seeing", "1"]), "seeing runs on 1 worker\n");

    // Both processes subscribe to it, and none publishes it: the message goes to both.
    convoy.prints(&["topic", "pub", "Honk", "{ loudness = 1.0 }"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["honks"] == 1);
    convoy.until(&["show", "Line"], |answer| answer["value"]["honks"] == 1);
    let echo = convoy.prints(&["topic", "echo", "Lap", "--count", "2", "--json"]);
    assert_eq!(echo.lines().count(), 2);
}

#[test]
fn a_safe_state_is_that_of_all_and_one_that_hangs_is_told() {
    let convoy = Convoy::start(&[]);
    let entered = convoy.prints(&["safe-state", "enter"]);
    assert!(
        entered.contains("main is in its safe state") && entered.contains("vision is in its safe state"),
        "{entered}"
    );
    let both = json!(["main", "vision"]);
    convoy.until(&["top"], |statistics| statistics["safe_state"]["processes"] == both);
    convoy.prints(&["safe-state", "leave"]);
    convoy.until(&["top"], |statistics| statistics["safe_state"].is_null());

    let vision = convoy.process("vision");
    kill_process(vision, Signal::STOP).unwrap();
    let said = convoy.fails(&["safe-state", "enter"], 1);
    assert!(said.contains("main is in its safe state"), "{said}");
    assert!(
        said.contains("process `vision`") && said.contains("has not answered") && said.contains("done by: main"),
        "{said}"
    );
    // The values of the other process can still be read, and lists report what is missing.
    assert!(convoy.json(&["show", "Drive.run"])["value"].is_u64());
    assert!(convoy.fails(&["providers", "list"], 1).contains("process `vision`"));
    kill_process(vision, Signal::CONT).unwrap();
    // The request may have come too late to be answered, so it is repeated.
    convoy.until(&["safe-state", "enter"], |answer| answer["failed"] == json!({}));
    convoy.until(&["top"], |statistics| statistics["safe_state"]["processes"] == both);
}

/// The environment variable with which the client of the next test is started.
const CLIENT: &str = "HEMIOLA_TEST_CLIENT";

/// Prints the cycles at each moment, in a process that finds the robot of a test. This is not a
/// test itself.
#[test]
fn client_of_the_next_test() {
    if std::env::var_os(CLIENT).is_none() {
        return;
    }
    let mut whole = WholeRobot::open(&RunningRobot::all()[0]).unwrap();
    whole.request(Request::Watch { what: Watched::Statistics, period: Some(100_000_000), names: None }).unwrap();
    // The test ends this process.
    loop {
        whole.rejoin();
        if let Some(Incoming::Event { name, content }) = whole.next(Duration::from_millis(100)).unwrap()
            && name == "statistics"
        {
            println!("\ncycles: {}", names(&content["report"]["cycles"]).join(" "));
        }
    }
}

#[test]
fn a_process_that_is_started_again_comes_back_to_who_watches_the_robot() {
    let convoy = Convoy::start(&[]);
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "client_of_the_next_test", "--nocapture"])
        .env(CLIENT, "")
        .env("XDG_RUNTIME_DIR", &convoy.folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut wait_for = |cycles: &str| {
        let line = format!("cycles: {cycles}");
        assert!(lines.any(|said| said == line), "the client has ended before there were the cycles {cycles}");
    };
    wait_for("driving seeing");
    // The process does not begin before the client has noticed that it is away.
    let hang = convoy.folder.join("hang");
    fs::write(&hang, "").unwrap();
    kill_process(convoy.process("vision"), Signal::KILL).unwrap();
    wait_for("driving");
    fs::remove_file(&hang).unwrap();
    wait_for("driving seeing");
    client.kill().unwrap();
    client.wait().unwrap();
}

#[test]
fn one_address_is_enough_for_all_processes() {
    let (convoy, page, port) = Convoy::with_page();
    let page = page.as_str();
    assert_eq!(convoy.json(&["show", "Line.offset", "--at", page])["value"], 0.25);
    assert!(convoy.json(&["show", "Drive.run", "--at", page])["value"].is_u64());
    convoy.prints(&["parameters", "set", "LineDetector.offset", "0.5", "--at", page]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.5);
    let statistics = convoy.json(&["top", "--at", page, "--process", "vision"]);
    assert_eq!(names(&statistics["report"]["cycles"]), ["seeing"]);
    convoy.prints(&["safe-state", "enter", "--at", page]);
    convoy.until(&["top"], |statistics| statistics["safe_state"]["processes"] == json!(["main", "vision"]));

    // A read-only client has no more rights in another process.
    let address = format!("127.0.0.1:{port}");
    assert_eq!(convoy.json(&["show", "Line.offset", "--at", &address])["value"], 0.5);
    let refused = convoy.fails(&["parameters", "set", "LineDetector.offset", "0.1", "--at", &address], 1);
    assert!(refused.contains("is read-only"), "{refused}");
    assert!(convoy.fails(&["show", "Line", "--at", page, "--process", "visoin"], 1).contains("is not running"));
}

#[test]
fn the_page_shows_all_processes_also_when_one_is_killed() {
    let Some(mut node) = foreign::browser("check_whole.cjs") else { return };
    let (_convoy, page, _) = Convoy::with_page();
    node.arg(page);
    foreign::is_content(node);
}

#[test]
fn its_logs_are_merged_as_those_of_one_robot() {
    let mut convoy = Convoy::start(&[]);
    let begun = convoy.json(&["record", "start", "game.mcap"]);
    let log = |name: &str| convoy.folder.join(name).to_str().unwrap().to_owned();
    assert_eq!(begun["files"], json!([log("game-main.mcap"), log("game-vision.mcap")]));
    convoy.prints(&["record", "mark", "kick-off"]);
    convoy.until(&["top"], |statistics| !statistics["recording"].is_null());
    let [line, drive] =
        ["Line.image", "Drive.run"].map(|value| convoy.json(&["show", value])["value"].as_u64().unwrap());
    convoy.until(&["show", "Line.image"], |answer| answer["value"].as_u64() > Some(line + 20));
    convoy.until(&["show", "Drive.run"], |answer| answer["value"].as_u64() > Some(drive + 20));
    let ended = convoy.json(&["record", "stop"]);
    assert_eq!(ended["files"], begun["files"]);
    convoy.prints(&["stop"]);
    // 3: on a busy machine a log may lack values.
    assert!([Some(0), Some(3)].contains(&convoy.ends()));

    convoy.prints(&["log", "merge", "game-main.mcap", "game-vision.mcap", "--output", "game.mcap"]);
    let mut topics = Vec::new();
    let (mut about, mut kickoffs) = (Vec::new(), 0);
    let mut merged = LogReader::open(&convoy.folder.join("game.mcap")).unwrap();
    while let Some(entry) = merged.next_entry() {
        match entry.unwrap() {
            Entry::Message(message) => {
                let topic = message.channel.topic.clone();
                kickoffs += usize::from(message.data.windows(8).any(|bytes| bytes == b"kick-off"));
                if !topics.contains(&topic) {
                    topics.push(topic);
                }
            }
            Entry::Metadata(metadata) if metadata.name == "hemiola" => about.push(metadata.entries),
            _ => {}
        }
    }
    let of = |name: &str| topics.iter().filter(|topic| topic.ends_with(name)).collect::<Vec<_>>();
    assert_eq!(
        [of("/Line"), of("/Drive"), of("/Lap")],
        [vec!["/seeing/Line"], vec!["/driving/Drive"], vec!["/topic/Lap"]]
    );
    assert!(of("/_run").is_empty(), "{topics:?}");
    assert_eq!(about.len(), 1, "the robot is said once");
    assert_eq!((about[0]["robot"].as_str(), about[0]["processes"].as_str()), ("convoy", "main, vision"));
    assert!(kickoffs > 0);
    // All times of a process are later by the same amount, those of the first one by zero.
    let later = [("main", "/driving/Drive"), ("vision", "/seeing/Line")].map(|(process, topic)| {
        let [own, merged] =
            [format!("game-{process}.mcap"), "game.mcap".to_owned()].map(|log| convoy.times(&log, topic));
        assert_eq!(own.len(), merged.len());
        let later: BTreeSet<u64> = own.iter().zip(&merged).map(|(own, merged)| merged - own).collect();
        assert_eq!(later.len(), 1, "{process}");
        later.into_iter().next().unwrap()
    });
    assert!(later.contains(&0) && later != [0, 0], "{later:?}");
    let info = convoy.prints(&["log", "info", "game.mcap"]);
    assert!(info.contains("/seeing/Line") && info.contains("/driving/Drive"), "{info}");
    assert!(convoy.fails(&["log", "verify", "game.mcap"], 2).contains("main, vision"));
}
