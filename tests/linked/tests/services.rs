//! Two processes of a robot call each other's services: what came of the answers repeats to the
//! bit. Calls end with a process that is killed while it works on one of them, and are answered
//! again when it is back.
#![forbid(unsafe_code)]

mod tampered;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tampered::tampered;

const PROGRAM: &str = env!("CARGO_BIN_EXE_errand");
/// A time that no wait exceeds, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// The robot, which runs in a folder of its own.
struct Errand {
    child: Child,
    folder: PathBuf,
}

fn program(folder: &Path) -> Command {
    let mut program = Command::new(PROGRAM);
    program.current_dir(folder).env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).stdin(Stdio::null());
    program
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

fn empty_folder(name: &str) -> PathBuf {
    // The paths of sockets must be short.
    let folder = std::env::temp_dir().join(format!("hemiola-{name}-{}", std::process::id()));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Errand {
    fn start(name: &str) -> Self {
        let folder = empty_folder(name);
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = program(&folder)
            .args(["run", "--no-trace", "--headless", "--log", "errand.mcap"])
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    /// Runs a command repeatedly until its answer satisfies `is_so`.
    #[track_caller]
    fn until(&self, arguments: &[&str], mut is_so: impl FnMut(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let output = program(&self.folder).args(arguments).arg("--json").output().unwrap();
            if output.status.success()
                && let Ok(answer) = serde_json::from_slice(&output.stdout)
                && is_so(&answer)
            {
                return answer;
            }
            assert!(begin.elapsed() < PATIENCE, "{arguments:?}: {}{}", said(&output), self.output());
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn output(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    /// Returns the ID of a process.
    #[track_caller]
    fn process(&self, name: &str) -> u64 {
        let mut found = None;
        self.until(&["ps"], |robots| {
            let processes = robots[0]["processes"].as_array();
            let process = processes.and_then(|all| all.iter().find(|process| process["name"] == name));
            found = process.and_then(|process| process["process"].as_u64());
            found.is_some()
        });
        found.unwrap()
    }

    /// Ends the robot as a person does, and returns its exit code.
    fn stop(&mut self) -> Option<i32> {
        let output = program(&self.folder).arg("stop").output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        self.child.wait().unwrap().code()
    }
}

impl Drop for Errand {
    /// Ends the process that has started the others, which end with it.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}

fn number(answer: &Value, field: &str) -> u64 {
    answer["value"][field].as_u64().unwrap_or(0)
}

#[test]
fn services_each_way_are_called_where_they_are_served_and_repeated_to_the_bit() {
    let mut errand = Errand::start("served");
    errand.until(&["show", "Drive"], |drive| number(drive, "answered") > 50);
    let drive = errand.until(&["show", "Plan"], |plan| number(plan, "answered") > 50 && number(plan, "empty") > 5);
    assert_eq!(number(&drive, "lost"), 0);
    let (main, planning) = (errand.process("main"), errand.process("planning"));
    let drive = errand.until(&["show", "Drive"], |_| true);
    assert_eq!(number(&drive, "by"), planning, "not {main}");
    // So are people, whatever process they reach.
    let output =
        program(&errand.folder).args(["service", "call", "Route", "{ number = 3, to = 1.5 }"]).output().unwrap();
    assert!(output.status.success() && said(&output).contains(&format!("by = {planning}")), "{}", said(&output));
    let output = program(&errand.folder).args(["service", "call", "Fuel", "{ at = 4 }"]).output().unwrap();
    assert!(output.status.success() && said(&output).contains("0.25"), "{}", said(&output));
    // 3: a recorder has come too late for some values.
    let code = errand.stop();
    assert!([Some(0), Some(3)].contains(&code), "{}", errand.output());
    let output =
        program(&errand.folder).args(["log", "verify", "errand-main.mcap", "errand-planning.mcap"]).output().unwrap();
    assert!(said(&output).contains("all 2 logs are the same to the bit\n"), "{}{}", said(&output), errand.output());

    // An answer that is not as it was is found.
    let [from, to] = ["errand-main.mcap", "tampered.mcap"].map(|name| errand.folder.join(name));
    tampered(&from, &to, "/topic/RouteAnswers", 40);
    let output = program(&errand.folder).args(["log", "verify", "tampered.mcap"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let said = said(&output);
    assert!(said.contains("the first difference: run ") && said.contains(": Drive.x\n"), "{said}");
}

#[test]
fn a_call_ends_with_the_process_that_serves_it_and_later_ones_are_answered_by_the_next() {
    let mut errand = Errand::start("killed");
    errand.until(&["show", "Drive"], |drive| number(drive, "answered") > 5);
    let before = errand.process("planning");
    fs::write(errand.folder.join("hold"), "").unwrap();
    let begin = Instant::now();
    while !errand.folder.join("held").exists() {
        assert!(begin.elapsed() < PATIENCE, "{}", errand.output());
        thread::sleep(Duration::from_millis(5));
    }
    // Nothing is answered any more, and nothing is lost.
    let held = errand.until(&["show", "Drive"], |drive| number(drive, "waiting") == 4);
    assert_eq!(number(&held, "lost"), 0);
    fs::remove_file(errand.folder.join("hold")).unwrap();
    let process = Pid::from_raw(i32::try_from(before).unwrap()).unwrap();
    kill_process(process, Signal::KILL).unwrap();
    let after = errand.until(&["show", "Drive"], |drive| number(drive, "lost") >= 4);
    assert_eq!(number(&after, "lost"), 4, "each call that was under way, once");
    let answered = number(&after, "answered");
    let drive = errand.until(&["show", "Drive"], |drive| number(drive, "answered") > answered + 50);
    assert_eq!(number(&drive, "by"), errand.process("planning"));
    assert_ne!(number(&drive, "by"), before);
    let code = errand.stop();
    assert!([Some(0), Some(3)].contains(&code), "{}", errand.output());
    for log in ["errand-main.mcap", "errand-planning-restart-1.mcap"] {
        let output = program(&errand.folder).args(["log", "verify", log]).output().unwrap();
        assert!(said(&output).contains("the same to the bit"), "{log}: {}{}", said(&output), errand.output());
    }
}

#[test]
fn check_lists_services_where_they_are_called_and_refuses_two_servers() {
    let folder = empty_folder("checked");
    let check = |arguments: &[&str]| program(&folder).arg("check").args(arguments).output().unwrap();
    let output = check(&[]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    for line in
        ["process main      driving\n     to planning  Route\n", "process planning  planning\n     to main      Fuel\n"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    let alone = check(&["--set", "process.maps.services=[\"Route\"]", "--set", "process.planning.services=[]"]);
    let text = said(&alone);
    assert!(text.contains("     to maps      Route\n") && text.contains("process maps      serves Route\n"), "{text}");
    let both = check(&["--set", "process.main.services=[\"Fuel\", \"Route\"]"]);
    assert_eq!(both.status.code(), Some(2));
    let text = said(&both);
    assert!(
        text.contains("the service `Route` can be served in one process only, not in `main` and `planning`"),
        "{text}"
    );
    let unknown = check(&["--set", "process.main.services=[\"Fuel\", \"Tides\"]"]);
    assert_eq!(unknown.status.code(), Some(2));
    let text = said(&unknown);
    assert!(text.contains("`main` serves `Tides`, which the program does not declare"), "{text}");
    assert!(text.contains("declare it by `Application::service`"), "{text}");
    _ = fs::remove_dir_all(&folder);
}
