//! A robot whose processes run on two hosts: each host has an address of loopback, a folder of
//! sockets and a starter of its own, as two machines would.
#![forbid(unsafe_code)]

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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

/// The part of a robot that runs on one host.
struct Host {
    name: &'static str,
    child: Child,
    folder: PathBuf,
}

impl Host {
    fn start(test: &str, name: &'static str, robot: &str, arguments: &[&str]) -> Self {
        // The paths of sockets must be short.
        let folder = std::env::temp_dir().join(format!("hemiola-{test}-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("robot.toml"), robot).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Self::program(&folder)
            .args(["run", "--no-trace", "--host", name])
            .args(arguments)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { name, child, folder }
    }

    fn program(folder: &Path) -> Command {
        let mut program = Command::new(PROGRAM);
        program.current_dir(folder).env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).stdin(Stdio::null());
        program
    }

    fn command(&self, arguments: &[&str]) -> Output {
        Self::program(&self.folder).args(arguments).output().unwrap()
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
    let addresses = Addresses { body: Ipv4Addr::new(127, 0, 0, 2), head: Ipv4Addr::new(127, 0, 0, 3) };
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
    let addresses = Addresses { body: Ipv4Addr::new(127, 0, 0, 4), head: Ipv4Addr::new(127, 0, 0, 5) };
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
    let addresses = Addresses { body: Ipv4Addr::new(127, 0, 0, 6), head: Ipv4Addr::new(127, 0, 0, 7) };
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
    let addresses = Addresses { body: Ipv4Addr::new(127, 0, 0, 8), head: Ipv4Addr::new(127, 0, 0, 9) };
    let robot = robot(addresses, "");
    let body = Host::start("door", "body", &robot, &[]);
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port().to_string();
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
fn a_machine_that_is_none_of_the_hosts_says_what_can_be_typed() {
    let addresses = Addresses { body: Ipv4Addr::new(127, 0, 0, 10), head: Ipv4Addr::new(127, 0, 0, 11) };
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
