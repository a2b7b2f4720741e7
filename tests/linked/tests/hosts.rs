//! A robot whose processes run on two hosts: each host has an address of loopback, a folder of
//! sockets and a starter of its own, as two machines would.
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "other tests use other parts of it")]
mod host;

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use hemiola::cdr::decode;
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use hemiola_live::client::{Address, Connection};
use hemiola_live::protocol::Request;
use host::{Addresses, Host, PATIENCE, PROGRAM, TOKEN, addresses, one_robot, robot};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// The representation of the robot that crosses, to read it from logs.
#[derive(Representation, Clone, Default)]
struct Line {
    image: u64,
    offset: f64,
    honks: u64,
    is_safe: bool,
}

#[test]
fn hosts_come_and_go_in_any_order() {
    let addresses = Addresses::of_test(1);
    let robot = robot(addresses, "");
    let body = Host::start("come", "body", &robot, &[]);
    // It drives alone, with the values that it reads while nothing is seen.
    body.until(&["show", "Drive.run"], |answer| answer["value"].as_u64() > Some(3));
    let mut head = Host::start("come", "head", &robot, &[]);
    body.follows(0.25);

    // Each host has its own processes, and none is missing.
    for (host, process) in [(&body, "main"), (&head, "vision")] {
        let robots = host.until(&["ps"], |robots| robots[0]["processes"][0]["name"].is_string());
        assert_eq!(robots[0]["processes"].as_array().map(Vec::len), Some(1), "{robots}");
        assert_eq!((&robots[0]["processes"][0]["name"], &robots[0]["missing"]), (&json!(process), &json!([])));
    }

    // A host that is stopped says goodbye, which does not affect the other one.
    kill_process(Pid::from_child(&head.child), Signal::TERM).unwrap();
    assert_eq!(head.ends(), Some(0), "{}", head.said());
    drop(head);
    let run = body.until(&["show", "Drive.run"], |answer| answer["value"].is_u64())["value"].as_u64();
    body.until(&["show", "Drive.run"], |answer| answer["value"].as_u64() > run);
    let head = Host::start("come", "head", &robot, &["--set", "module.LineDetector.offset=0.5"]);
    body.follows(0.5);

    // The host that listens may also be away.
    drop(body);
    let body = Host::start("come", "body", &robot, &[]);
    body.follows(0.5);
    drop(head);
}

#[test]
fn a_process_that_dies_on_another_host_is_started_again_there() {
    let addresses = Addresses::of_test(2);
    let robot = robot(addresses, "restart = '10 per minute'\n");
    let body = Host::start("dies", "body", &robot, &[]);
    let head = Host::start("dies", "head", &robot, &[]);
    body.follows(0.25);
    let image = body.until(&["show", "Line.image"], |answer| answer["value"].is_u64())["value"].as_u64();
    body.until(&["show", "Line.image"], |answer| answer["value"].as_u64() > image);
    let dead = head.process("vision");
    kill_process(dead, Signal::KILL).unwrap();
    // Its camera starts again from the beginning.
    head.until(&["ps"], |_| head.process("vision") != dead);
    let line = |answer: &Value| answer["value"].as_u64();
    let first = body.until(&["show", "Line.image"], |answer| line(answer).is_some())["value"].as_u64();
    body.until(&["show", "Line.image"], |answer| line(answer).is_some() && line(answer) != first);
    body.follows(0.25);
}

#[test]
fn a_robot_is_safe_when_a_host_is_lost_that_it_cannot_do_without() {
    let addresses = Addresses::of_test(3);
    let robot = robot(addresses, "on_loss = 'safe-state'\n");
    let body = Host::start("lost", "body", &robot, &[]);
    // It does not begin without that host, either.
    body.is_safe_because("main", "it is waiting for process `vision`: it has not been met yet");
    let mut head = Host::start("lost", "head", &robot, &[]);
    body.follows(0.25);
    body.is_safe("main", false);
    kill_process(head.process("vision"), Signal::KILL).unwrap();
    assert_eq!(head.ends(), Some(128 + 9), "{}", head.said());
    body.until(&["top"], |statistics| statistics["safe_state"].is_object());
}

#[test]
fn one_address_is_enough_for_all_processes_of_a_host() {
    let addresses = Addresses::of_test(4);
    let robot = robot(addresses, "");
    let body = Host::start("door", "body", &robot, &[]);
    let port = addresses::free_port().to_string();
    let head = Host::start("door", "head", &robot, &["--page", &port]);
    body.follows(0.25);
    let at = format!("127.0.0.1:{port}");
    let elsewhere = |arguments: &[&str]| body.until(&[arguments, &["--at", &at]].concat(), |answer| !answer.is_null());
    assert_eq!(elsewhere(&["show", "Line.offset"])["value"], 0.25);
    let cycles = elsewhere(&["top"])["report"]["cycles"].clone();
    assert_eq!(cycles.as_array().map(Vec::len), Some(1), "{cycles}");
    assert_eq!(cycles[0]["name"], "seeing");
    drop(head);
}

#[test]
fn the_safe_state_of_one_host_is_that_of_all() {
    let addresses = Addresses::of_test(5);
    let robot = one_robot(addresses, "");
    let body = Host::start("safe", "body", &robot, &[]);
    let mut head = Host::start("safe", "head", &robot, &[]);
    body.has_both();
    head.has_both();
    // What one process does, the other host hears.
    head.prints(&["safe-state", "enter", "--process", "vision"]);
    assert!(body.is_safe("main", true).ends_with("in process `vision`"), "{}", body.is_safe("main", true));
    body.prints(&["safe-state", "leave", "--process", "main"]);
    head.is_safe("vision", false);

    // A host that was away finds what happened meanwhile.
    kill_process(Pid::from_child(&head.child), Signal::TERM).unwrap();
    assert_eq!(head.ends(), Some(0), "{}", head.said());
    drop(head);
    body.prints(&["safe-state", "enter", "--process", "main"]);
    let head = Host::start("safe", "head", &robot, &[]);
    head.is_safe_because("vision", "in process `main`");
    head.has_both();
    // Both hosts are meant by a command about the whole robot.
    let left = head.prints(&["safe-state", "leave"]);
    assert_eq!(left, "main has left its safe state\nvision has left its safe state\n");
    body.is_safe("main", false);
    head.is_safe("vision", false);
}

/// Whether the robot was in its safe state at each run of the process that sees, as its log says.
fn was_safe(host: &Host) -> Vec<bool> {
    let mut log = LogReader::open(&host.folder.join("seen-vision.mcap")).unwrap();
    let mut was_safe = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Ok(Entry::Message(message)) = entry
            && message.channel.topic == "/seeing/Line"
        {
            was_safe.push(decode::<Line>(message.data).unwrap().is_safe);
        }
    }
    was_safe
}

/// Ends the host that sees, and repeats what it has computed.
fn ends_and_is_repeated(head: &mut Host) {
    kill_process(Pid::from_child(&head.child), Signal::TERM).unwrap();
    match head.ends() {
        Some(0) => _ = head.prints(&["log", "verify", "seen-vision.mcap"]),
        // Other programs may occupy the cores, so that the log lacks values, which it reports.
        Some(3) => println!("the recorder was too slow, so that the log cannot be verified"),
        code => panic!("{code:?}: {}", head.said()),
    }
}

/// The settings of a robot that must not run without the process that drives.
const NEEDS_MAIN: &str = "[process.main]\non_loss = 'safe-state'\n";

#[test]
fn a_host_that_must_not_run_alone_is_safe_until_the_other_one_is_there() {
    let addresses = Addresses::of_test(11);
    let robot = one_robot(addresses, NEEDS_MAIN);
    let mut head = Host::start("waits", "head", &robot, &["--log", "seen.mcap"]);
    let reason = head.is_safe("vision", true);
    assert_eq!(reason, "it is waiting for host `body`: it has not been met yet");
    head.until(&["show", "Line.image"], |image| image["value"].as_u64() > Some(10));
    head.is_safe_because("vision", &reason);
    let body = Host::start("waits", "body", &robot, &[]);
    head.is_safe("vision", false);
    body.is_safe("main", false);
    body.follows(0.25);
    head.until(&["show", "Line.is_safe"], |is_safe| is_safe["value"] == false);
    ends_and_is_repeated(&mut head);
    let was_safe = was_safe(&head);
    let first = was_safe.iter().position(|is_safe| !is_safe).unwrap();
    assert!(first > 10, "it was outside before it had met the other one: {was_safe:?}");
    assert!(was_safe[first..].iter().all(|is_safe| !is_safe), "{was_safe:?}");
}

#[test]
fn a_host_that_starts_while_another_one_is_safe_does_not_move_for_a_moment() {
    let addresses = Addresses::of_test(12);
    let robot = one_robot(addresses, NEEDS_MAIN);
    let body = Host::start("never", "body", &robot, &[]);
    // It may run without the other one, and so is outside at first.
    body.is_safe("main", false);
    body.prints(&["safe-state", "enter", "--process", "main"]);
    body.is_safe_because("main", "asked for it");
    // The other host cannot say so while this one is held up.
    let starter = Pid::from_child(&body.child);
    kill_process(starter, Signal::STOP).unwrap();
    let mut head = Host::start("never", "head", &robot, &["--log", "seen.mcap"]);
    head.is_safe_because("vision", "it is waiting for host `body`: it has not been met yet");
    kill_process(starter, Signal::CONT).unwrap();
    head.is_safe_because("vision", "asked for it in process `main`");
    head.has_both();
    ends_and_is_repeated(&mut head);
    let was_safe = was_safe(&head);
    assert!(!was_safe.is_empty() && was_safe.iter().all(|is_safe| *is_safe), "{was_safe:?}");
}

#[test]
fn a_host_that_accepts_connections_and_is_silent_is_not_waited_for() {
    let addresses = Addresses::of_test(15);
    let silent = TcpListener::bind((addresses.head, 0)).unwrap();
    let (address, at) = (format!("address = '{}'", addresses.head), silent.local_addr().unwrap());
    let robot = one_robot(addresses, "").replace(&address, &format!("{address}\nport = {}", at.port()));
    let body = Host::start("silent", "body", &robot, &[]);
    body.is_safe("main", false);
    // It is tried again and again, and reported once.
    for _ in 0..3 {
        silent.accept().unwrap();
    }
    let (said, warning) = (body.said(), format!("warning: host `head` at {at}: "));
    assert_eq!(said.matches(&warning).count(), 1, "{said}");
}

#[test]
fn a_robot_is_running_when_all_processes_of_this_host_are() {
    let addresses = Addresses::of_test(13);
    let robot = one_robot(addresses, "restart = '10 per minute'\n");
    let running = |host: &Host| host.command(&["ps", "--running", "convoy"]).status.code();
    let head = Host::start("running", "head", &robot, &[]);
    head.until(&["ps"], |robots| robots[0]["processes"][0]["time"].is_i64());
    assert_eq!(running(&head), Some(0), "it runs without the other host");
    let body = Host::start("running", "body", &robot, &[]);
    head.has_both();
    assert_eq!((running(&head), running(&body)), (Some(0), Some(0)));
    assert_eq!(head.command(&["ps", "--running", "another"]).status.code(), Some(1));
    // Its own process hangs while it begins; that of the other host is still reached.
    fs::write(head.folder.join("hang"), "").unwrap();
    kill_process(head.process("vision"), Signal::KILL).unwrap();
    head.until(&["ps"], |robots| robots[0]["missing"] == json!(["vision"]));
    let seen = head.command(&["ps", "--running", "convoy"]);
    let printed = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(printed.contains("main on body") && seen.status.code() == Some(1), "{printed}");
    assert_eq!(running(&body), Some(0), "its own processes run");
    fs::remove_file(head.folder.join("hang")).unwrap();
    head.has_both();
    assert_eq!(running(&head), Some(0));
}

#[test]
fn stop_ends_all_hosts() {
    let addresses = Addresses::of_test(6);
    let robot = one_robot(addresses, "");
    let mut body = Host::start("stop", "body", &robot, &[]);
    let mut head = Host::start("stop", "head", &robot, &[]);
    head.has_both();
    head.prints(&["stop"]);
    assert_eq!((body.ends(), head.ends()), (Some(0), Some(0)), "{}{}", body.said(), head.said());
    // Nothing is left of the ways to the other host.
    let left: Vec<_> = fs::read_dir(head.folder.join("hemiola")).unwrap().flatten().map(|file| file.path()).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn commands_and_the_page_reach_the_processes_of_all_hosts() {
    let addresses = Addresses::of_test(7);
    let robot = one_robot(addresses, "restart = '10 per minute'\n");
    let port = addresses::free_port().to_string();
    let body = Host::start("all", "body", &robot, &["--page", &port]);
    let head = Host::start("all", "head", &robot, &[]);
    body.has_both();
    let robots = body.until(&["ps"], |robots| robots[0]["missing"] == json!([]));
    let known: Vec<_> = [0, 1].map(|at| robots[0]["processes"][at].clone()).into();
    let vision = head.process("vision").as_raw_nonzero().get();
    assert_eq!((&known[0]["name"], &known[0]["host"]), (&json!("main"), &json!("body")));
    assert_eq!(
        (&known[1]["name"], &known[1]["host"], &known[1]["process"]),
        (&json!("vision"), &json!("head"), &json!(vision))
    );
    assert!(body.prints(&["ps"]).contains("  vision on head  "), "{}", body.prints(&["ps"]));

    let cycles = |top: &Value| {
        let cycles = top["report"]["cycles"].as_array().cloned().unwrap_or_default();
        cycles.iter().map(|cycle| format!("{} in {}", cycle["name"], cycle["process"])).collect::<Vec<_>>()
    };
    let all = ["\"driving\" in \"main\"", "\"seeing\" in \"vision\""];
    let at = format!("127.0.0.1:{port}");
    body.until(&["top"], |top| cycles(top) == all);
    head.until(&["top"], |top| cycles(top) == all);
    body.until(&["top", "--at", &at], |top| cycles(top) == all);

    // A value that crosses is that of its provider, as within one host.
    body.until(&["show", "Line"], |line| line["value"]["image"].as_u64() > Some(0));
    assert!(body.prints(&["why", "seeing"]).contains("seeing"));
    body.prints(&["parameters", "set", "LineDetector.offset", "0.5"]);
    body.follows(0.5);
    head.prints(&["parameters", "set", "Pilot.gain", "3.0"]);
    body.until(&["show", "Drive.turn"], |turn| turn["value"] == 1.5);

    // Who may only look here may only look there.
    let looks = |arguments: &[&str]| body.command(&[arguments, &["--at", &at]].concat());
    let set = ["parameters", "set", "LineDetector.offset", "0.75"];
    let refused = looks(&set);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("this connection is read-only"), "{refused:?}");
    let changed = looks(&[&set[..], &["--token", TOKEN]].concat());
    assert!(changed.status.success(), "{changed:?}");
    body.follows(0.75);
    let whole = Address::tcp(&at, None).unwrap().of_process("*");
    let mut page = Connection::open(&whole).unwrap();
    assert_eq!(page.welcome().parts, ["main", "vision"]);
    let described = page.request(Request::Describe {}).unwrap();
    assert_eq!(described["processes"], json!(["main", "vision"]));
    let time = page.request(Request::Read { value: "Line".into() }).unwrap()["time"].as_i64();
    assert!(time > Some(0));

    // A process that dies over there comes back, with what was changed.
    kill_process(head.process("vision"), Signal::KILL).unwrap();
    let is_another = |process: &Value| process.as_i64().is_some_and(|process| process != i64::from(vision));
    body.until(&["ps"], |robots| is_another(&robots[0]["processes"][1]["process"]));
    body.until(&["show", "Line.offset"], |offset| offset["value"] == 0.75);
}

/// The time by which the clock of one host is ahead of that of the other one.
const AHEAD: &str = "1000";

#[test]
fn times_of_another_host_are_on_the_clock_of_this_one() {
    let ahead = ["unshare", "--time", "--monotonic", AHEAD, "--kill-child", "--fork", "--"];
    let can = Command::new(ahead[0]).args(&ahead[1..]).arg("true").status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("skipped: nobody may shift the monotonic clock of a program here, as root may by `unshare --time`");
        return;
    }
    let addresses = Addresses::of_test(8);
    let robot = one_robot(addresses, "");
    let body = Host::start("time", "body", &robot, &[]);
    let head = Host::start_by(&[&ahead[..], &[PROGRAM]].concat(), "time", "head", &robot, &[]);
    body.has_both();
    head.has_both();
    for host in [&body, &head] {
        // The first process is the same for both, and with it the clock.
        let top = host.until(&["top"], |top| top["hosts"][0]["clock"].is_object());
        let clock = &top["hosts"][0]["clock"];
        let (ahead, error) = (clock["ahead_ns"].as_i64().unwrap(), clock["error_ns"].as_i64().unwrap());
        assert!((ahead - 1_000_000_000_000).abs() <= error, "{clock}");
        // Both clocks began within this test, which does not take the 1,000 s between the clocks.
        let driven = host.until(&["show", "Drive"], |answer| answer["time"].is_i64())["time"].as_i64().unwrap();
        let seen = host.until(&["show", "Line"], |answer| answer["time"].is_i64())["time"].as_i64().unwrap();
        assert!((seen - driven).abs() < 500_000_000_000, "{driven} {seen}");
    }
}

#[test]
fn a_host_without_the_token_is_no_part_of_the_robot() {
    let addresses = Addresses::of_test(9);
    let robot = one_robot(addresses, "");
    let body = Host::start("token", "body", &robot, &[]);
    let head = Host::start("token", "head", &robot.replace(TOKEN, "the-secret-of-another-one"), &[]);
    body.follows(0.25);
    let begin = Instant::now();
    while !(body.said().contains("not a host of the same robot")
        && head.said().contains("not a host of the same robot"))
    {
        assert!(begin.elapsed() < PATIENCE, "{}{}", body.said(), head.said());
        thread::sleep(Duration::from_millis(20));
    }
    let robots = body.until(&["ps"], |_| true);
    assert_eq!(robots[0]["missing"], json!(["vision"]));
    assert!(body.prints(&["ps"]).contains("vision on head  "), "{}", body.prints(&["ps"]));
    head.prints(&["safe-state", "enter", "--process", "vision"]);
    head.is_safe("vision", true);
    let stop = head.command(&["stop"]);
    assert!(String::from_utf8_lossy(&stop.stderr).contains("process `main`"), "it ends what it reaches");
    body.is_safe("main", false);
}

#[test]
fn a_machine_that_is_none_of_the_hosts_says_what_can_be_typed() {
    let addresses = Addresses::of_test(10);
    let host = Host::start("none", "haed", &robot(addresses, ""), &["--no-page"]);
    let mut host = host;
    assert_eq!(host.ends(), Some(2));
    assert!(host.said().contains("did you mean `head`?"), "{}", host.said());
    let without = host.command(&["run", "--no-trace", "--no-page"]);
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(said.contains("none of the robot's hosts: body, head") && said.contains("--host body"), "{said}");
    let check = String::from_utf8(host.command(&["check"]).stdout).unwrap();
    assert!(check.contains("process main on body    driving"), "{check}");
    assert!(check.contains("process vision on head  seeing, Camera"), "{check}");
}
