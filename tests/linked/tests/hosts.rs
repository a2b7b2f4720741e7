//! A robot whose processes run on two hosts: each host has an address of loopback, a folder of
//! sockets and a starter of its own, as two machines would.
#![forbid(unsafe_code)]

#[path = "../../addresses.rs"]
mod addresses;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::{Address, Connection};
use hemiola_live::protocol::Request;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_convoy");
/// A time that no wait exceeds, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// The addresses of the two hosts of a test, which no other test uses at the same time.
#[derive(Clone, Copy)]
struct Addresses {
    body: Ipv4Addr,
    head: Ipv4Addr,
}

impl Addresses {
    /// Returns those of the test with this number.
    fn of_test(number: u8) -> Self {
        Self { body: addresses::own_loopback(2 * number), head: addresses::own_loopback(2 * number + 1) }
    }
}

/// Returns a robot.toml in which `main` runs on the first host, and `vision` on the other one.
fn robot(Addresses { body, head }: Addresses, vision: &str) -> String {
    let port = TcpListener::bind((body, 0)).unwrap().local_addr().unwrap().port().min(65_000);
    format!(
        "[cycle.driving]\nrate = 50.0\nmodules = ['Pilot']\n\
         [cycle.seeing]\ntrigger = 'Camera'\nmodules = ['LineDetector', 'BlindDetector']\n\
         [providers]\nLine = 'LineDetector'\n\
         [host.body]\naddress = '{body}'\nport = {port}\n[host.head]\naddress = '{head}'\n\
         [process.vision]\ncycles = ['seeing']\nhost = 'head'\n{vision}"
    )
}

/// Returns the same robot with a token, by which its hosts act as one.
fn one_robot(addresses: Addresses, vision: &str) -> String {
    format!("{}[page]\ntoken = '{TOKEN}'\n", robot(addresses, vision))
}

const TOKEN: &str = "the-secret-of-this-cart";

/// The part of a robot that runs on one host.
struct Host {
    name: &'static str,
    child: Child,
    folder: PathBuf,
}

impl Host {
    fn start(test: &str, name: &'static str, robot: &str, arguments: &[&str]) -> Self {
        Self::start_by(&[PROGRAM], test, name, robot, arguments)
    }

    /// Starts a host by this command, to which the program's arguments are added.
    fn start_by(command: &[&str], test: &str, name: &'static str, robot: &str, arguments: &[&str]) -> Self {
        // The paths of sockets must be short.
        let folder = std::env::temp_dir().join(format!("hemiola-{test}-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("robot.toml"), robot).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Self::program(command[0], &folder)
            .args(&command[1..])
            .args(["run", "--no-trace", "--host", name])
            .args(arguments)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { name, child, folder }
    }

    fn program(program: &str, folder: &Path) -> Command {
        let mut program = Command::new(program);
        program.current_dir(folder).env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).stdin(Stdio::null());
        program
    }

    fn command(&self, arguments: &[&str]) -> Output {
        Self::program(PROGRAM, &self.folder).args(arguments).output().unwrap()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    /// Runs a command repeatedly until its answer satisfies `is_so`.
    #[track_caller]
    fn until(&self, arguments: &[&str], mut is_so: impl FnMut(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            // The robot may not be running yet.
            let output = self.command(&[arguments, &["--json"]].concat());
            if output.status.success()
                && let Ok(answer) = serde_json::from_slice(&output.stdout)
                && is_so(&answer)
            {
                return answer;
            }
            let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(begin.elapsed() < PATIENCE, "{}: {arguments:?}: {printed}{}", self.name, self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until this host, which drives, follows the line that the other one sees.
    #[track_caller]
    fn follows(&self, offset: f64) {
        self.until(&["show", "Drive"], |answer| answer["value"]["offset"] == offset);
    }

    /// Runs a command that must succeed, and returns what it printed.
    #[track_caller]
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {arguments:?}: {printed}{said}{}", self.name, self.said());
        printed.into_owned()
    }

    /// Waits until commands on this host reach both processes.
    #[track_caller]
    fn has_both(&self) {
        self.until(&["ps"], |robots| {
            let processes = &robots[0]["processes"];
            processes.as_array().map(Vec::len) == Some(2)
                && processes[0]["time"].is_i64()
                && processes[1]["time"].is_i64()
        });
    }

    /// Waits until a process says whether it is in its safe state; returns the cause.
    #[track_caller]
    fn is_safe(&self, process: &str, is_safe: bool) -> String {
        let top = self.until(&["top", "--process", process], |top| top["safe_state"].is_object() == is_safe);
        top["safe_state"]["cause"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the ID of the process with that name that was started last.
    fn process(&self, name: &str) -> Pid {
        let begin = format!("process `{name}` is ");
        let text = self.said();
        let last = text.lines().filter_map(|line| line.strip_prefix(&begin)?.parse().ok()).next_back();
        Pid::from_raw(last.unwrap()).unwrap()
    }

    fn ends(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.said());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Host {
    /// Ends the process that has started the others, which end with it.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
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
    let mut head = Host::start("lost", "head", &robot, &[]);
    body.follows(0.25);
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
    assert!(head.is_safe("vision", true).ends_with("in process `main`"));
    head.has_both();
    // Both hosts are meant by a command about the whole robot.
    let left = head.prints(&["safe-state", "leave"]);
    assert_eq!(left, "main has left its safe state\nvision has left its safe state\n");
    body.is_safe("main", false);
    head.is_safe("vision", false);
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
