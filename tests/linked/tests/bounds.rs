//! A chain over the link between two processes, by values or by messages, is measured where it
//! ends, and has a bound as a whole.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hemiola::trace::causes::{History, Hop, Latency, Step};
use hemiola::trace::perfetto::Trace;
use serde_json::Value;

const PROFILE: [&str; 2] = ["--set", "output.profile='profile.json'"];

/// A robot in two processes, with a chain from one to the other.
struct Example {
    program: &'static str,
    chain: &'static str,
    folder: PathBuf,
}

impl Example {
    fn of(program: &'static str, chain: &'static str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bounds").join(chain);
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self { program, chain, folder }
    }

    fn program(&self, arguments: &[&str]) -> (Output, String) {
        let mut command = Command::new(self.program);
        // A system that is read from a file has no robot, and so no profile.
        let profile = if arguments.contains(&"--system") { &[][..] } else { &PROFILE[..] };
        command.args(arguments).args(profile).current_dir(&self.folder).stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output, said)
    }

    /// Runs the robot, longer each time, until the chain and its link have been measured.
    fn run(&self, link: &str, arguments: &[&str]) {
        for duration in ["3s", "10s", "30s"] {
            let run = [&["run", "--duration", duration, "--headless", "--no-page"], arguments].concat();
            let (output, said) = self.program(&run);
            assert!(output.status.success(), "{said}");
            let delay = &self.measured()["links"][link]["delay"]["maximum"];
            let is_observed = |row: &Value| row["observations"].as_u64() > Some(0);
            if delay.as_u64() > Some(0) && self.rows(&[]).iter().all(is_observed) {
                return;
            }
        }
        panic!("it is not measured: {}", self.measured());
    }

    /// Returns what the process `main` has measured.
    fn measured(&self) -> Value {
        let profile: Value =
            serde_json::from_slice(&std::fs::read(self.folder.join("profile-main.json")).unwrap()).unwrap();
        profile["profiles"][0].clone()
    }

    /// Returns the rows about the chain that `analyze` prints for machines.
    fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let (output, said) = self.program(&[&["analyze", "--format", "json"], arguments].concat());
        let all: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        let rows = all["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["name"].as_str().unwrap().starts_with(self.chain)).cloned().collect()
    }

    /// Checks that the described system alone has a path with this bound, and returns the
    /// description.
    fn check_system(&self, bound: &Value) -> String {
        let (_, system) = self.program(&["analyze", "--format", "toml"]);
        std::fs::write(self.folder.join("system.toml"), &system).unwrap();
        let (output, said) = self.program(&["analyze", "--system", "system.toml", "--format", "json"]);
        let alone: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        let bounds: Vec<_> = alone["rows"].as_array().unwrap().iter().map(|row| &row["bound"]).collect();
        assert!(bounds.contains(&bound), "{bounds:?} {bound}");
        system
    }
}

/// Checks that both latencies of a chain were measured and have bounds, which are more than
/// `periods` nanoseconds.
fn check_bounds(rows: &[Value], periods: u64) {
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (row, what) in rows.iter().zip(["reaction time", "data age"]) {
        assert_eq!(row["what"], what);
        let [bound, observed] = ["bound", "observed"].map(|key| row[key].as_u64().unwrap_or_else(|| panic!("{row}")));
        assert!(row["observations"].as_u64() > Some(0), "{row}");
        assert_eq!(row["exceeded"], observed > bound, "{row}");
        assert!(bound > periods, "{row}");
    }
}

/// Checks that the process in which the chain ends gets the bound of the whole chain.
fn check_part(rows: &[Value], whole: &[Value], name: &str) {
    assert_eq!(rows.len(), whole.len(), "{rows:?}");
    for (row, whole) in rows.iter().zip(whole) {
        assert!(row["name"].as_str().unwrap().starts_with(name), "{row}");
        assert_eq!((&row["bound"], &row["observed"]), (&whole["bound"], &whole["observed"]));
    }
}

#[test]
fn a_chain_over_two_processes_is_measured_where_it_ends_and_has_a_bound() {
    let gaze = Example::of(env!("CARGO_BIN_EXE_gaze"), "image-to-motors");
    // Before the processes have run, there are no bounds.
    let before = gaze.rows(&[]);
    assert_eq!(before.len(), 2, "{before:?}");
    for row in &before {
        assert!(row["bound"].is_null() && row["observed"].is_null(), "{row}");
        assert!(row["no_bound"].as_str().unwrap().contains("the link vision to main: Ball"), "{row}");
    }
    // The profile of main contains the measured times of the link, and of the chain as main has
    // observed it.
    gaze.run("link.vision.Ball", &["--no-trace"]);
    let after = gaze.rows(&[]);
    // A chain takes a sample, a run of each cycle, and the time of the link: none is faster.
    check_bounds(&after, 20_000_000 + 10_000_000);
    check_part(&gaze.rows(&["--process", "main"]), &after, "image-to-motors by Ball");
    let (_, said) = gaze.program(&["check"]);
    assert!(said.contains("to main    Ball ("), "{said}");
    // The system contains everything that the bound depends on.
    let system = gaze.check_system(&after[0]["bound"]);
    assert!(system.contains("[[link]]\nname = \"vision to main: Ball\"\nfrom = \"seeing\"\ntakes = "), "{system}");
}

#[test]
fn a_chain_by_messages_over_two_processes_is_measured_where_it_ends_has_a_bound_and_is_explained() {
    let whistle = Example::of(env!("CARGO_BIN_EXE_whistle"), "ear-to-legs");
    let before = whistle.rows(&[]);
    assert_eq!(before.len(), 2, "{before:?}");
    for row in &before {
        assert!(row["bound"].is_null() && row["observed"].is_null(), "{row}");
        assert!(row["no_bound"].as_str().unwrap().contains("the link listening to main: Whistle"), "{row}");
    }
    whistle.run("link.listening.Whistle", &["--trace", "run.pftrace"]);
    let after = whistle.rows(&[]);
    check_bounds(&after, 10_000_000 + 50_000_000 + 20_000_000);
    check_part(&whistle.rows(&["--process", "main"]), &after, "ear-to-legs by Whistle");
    let (_, said) = whistle.program(&["check"]);
    assert!(said.contains("to main       Whistle ("), "{said}");
    let system = whistle.check_system(&after[0]["bound"]);
    let link = "[[link]]\nname = \"listening to main: Whistle\"\nfrom = \"audio\"\ntakes = ";
    assert!(system.contains(link), "{system}");
    // What main waited for, hop by hop.
    let why = ["why", "ear-to-legs by Whistle", "--process", "main", "--trace", "run-main.pftrace"];
    let (output, said) = whistle.program(&why);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("until link.listening.Whistle took its next sample"), "{said}");
    let trace = Trace::read(whistle.folder.join("run-main.pftrace")).unwrap();
    let ways = ways(&trace, "link.listening.Whistle by messages", "Legs.go");
    assert!(ways.iter().any(|way| way == &["cognition", "motion"]), "{ways:?}");
}

/// Returns the cycles through which each output of a chain learned of a sample.
fn ways(trace: &Trace, source: &str, output: &str) -> Vec<Vec<String>> {
    let names = trace.catalog.read();
    let (source, _) = names.sources().find(|(_, name)| *name == source).unwrap();
    let (output, _) = names.tasks().find(|(_, task)| task.name == output).unwrap();
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let cycle = |hop: &Hop| match hop.step {
        Step::Run { cycle, .. } => Some(names.cycle_name(cycle)),
        _ => None,
    };
    let reactions = history.reactions(source, output, Latency::Reaction).into_iter();
    reactions.map(|reaction| history.hops(source, output, reaction).iter().filter_map(cycle).collect()).collect()
}
