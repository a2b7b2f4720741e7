//! Modules that read each other's values are distributed at random over cycles, and these over
//! processes: each value gets everywhere by itself, no module ever reads values of different runs
//! of a cycle side by side, and the logs repeat to the bit.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hemiola::cdr;
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use proptest::prelude::*;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mesh");
const MODULES: [&str; 5] = ["First", "Second", "Third", "Fourth", "Fifth"];
const CYCLES: usize = 4;
const PROCESSES: [&str; 3] = ["main", "left", "right"];

#[derive(Data, Clone, Default)]
struct Mark {
    cycle: u32,
    run: u64,
}

#[derive(Data, Clone, Default)]
struct Found {
    new: u32,
    torn: u32,
}

#[derive(Data, Clone, Default)]
struct Value {
    mark: Mark,
    found: Found,
    beat: u64,
    bytes: Vec<u8>,
}

/// A distribution of the modules.
#[derive(Clone, Debug)]
struct Mesh {
    /// The cycle of each module.
    cycles: [usize; MODULES.len()],
    /// The rate of each cycle; `None`: each sample of the drum starts it.
    rates: [Option<f64>; CYCLES],
    /// The process of each cycle.
    processes: [usize; CYCLES],
    /// The number of bytes that the values of each module have.
    bytes: [usize; MODULES.len()],
}

fn meshes() -> impl Strategy<Value = Mesh> {
    (
        prop::array::uniform(0..CYCLES),
        prop::array::uniform(prop::option::of(20.0..200.0)),
        prop::array::uniform(0..PROCESSES.len()),
        prop::array::uniform(prop_oneof![Just(0), 1..2000_usize, 60_000..120_000_usize]),
    )
        .prop_map(|(cycles, rates, mut processes, bytes)| {
            // There is always a process `main`.
            processes[cycles[0]] = 0;
            Mesh { cycles, rates, processes, bytes }
        })
}

impl Mesh {
    fn modules_of(&self, cycle: usize) -> impl Iterator<Item = usize> {
        (0..MODULES.len()).filter(move |&module| self.cycles[module] == cycle)
    }

    fn used_cycles(&self) -> impl Iterator<Item = usize> {
        (0..CYCLES).filter(|&cycle| self.modules_of(cycle).next().is_some())
    }

    fn robot_toml(&self) -> String {
        let mut robot = String::new();
        for cycle in self.used_cycles() {
            let modules: Vec<_> = self.modules_of(cycle).map(|module| MODULES[module]).collect();
            let trigger = self.rates[cycle].map_or("trigger = 'Drum'".to_owned(), |rate| format!("rate = {rate:.1}"));
            writeln!(robot, "[cycle.c{cycle}]\n{trigger}\nmodules = {modules:?}").unwrap();
        }
        for (module, name) in MODULES.iter().enumerate() {
            let (cycle, bytes) = (self.cycles[module] + 1, self.bytes[module]);
            writeln!(robot, "[module.{name}]\ncycle = {cycle}\nbytes = {bytes}").unwrap();
        }
        for (process, name) in PROCESSES.iter().enumerate().skip(1) {
            let cycles: Vec<_> = self.used_cycles().filter(|&cycle| self.processes[cycle] == process).collect();
            if !cycles.is_empty() {
                let cycles: Vec<_> = cycles.iter().map(|cycle| format!("c{cycle}")).collect();
                writeln!(robot, "[process.{name}]\ncycles = {cycles:?}").unwrap();
            }
        }
        robot
    }

    /// Returns whether a module reads something of another cycle.
    fn reads_another_cycle(&self, module: usize) -> bool {
        self.cycles[..module].iter().any(|&cycle| cycle != self.cycles[module])
    }
}

/// Runs the program in that folder, and returns its exit code and what it prints.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(PROGRAM).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Returns the last message of a topic, which one of the logs has.
fn last(logs: &[PathBuf], topic: &str) -> Value {
    let mut last = None;
    for log in logs {
        let mut log = LogReader::open(log).unwrap();
        while let Some(entry) = log.next_entry() {
            if let Entry::Message(message) = entry.unwrap()
                && message.channel.topic == topic
            {
                last = Some(cdr::decode(message.data).unwrap());
            }
        }
    }
    last.unwrap_or_else(|| panic!("nothing of {topic}"))
}

/// Records a robot, and returns its logs if they are complete and everything has got everywhere.
fn recorded(mesh: &Mesh, folder: &Path, duration: &str) -> Result<Option<Vec<PathBuf>>, TestCaseError> {
    _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("robot.toml"), mesh.robot_toml()).unwrap();
    let arguments = ["--no-trace", "--no-page", "--headless", "--duration", duration, "--log", "mesh.mcap"];
    let (code, said) = run(folder, &arguments);
    // 3: a recorder has come too late for some values.
    prop_assert!([Some(0), Some(3)].contains(&code), "{said}\n{}", mesh.robot_toml());
    let processes: BTreeSet<_> = mesh.used_cycles().map(|cycle| mesh.processes[cycle]).collect();
    let name = |process| match processes.len() {
        1 => "mesh.mcap".to_owned(),
        _ => format!("mesh-{}.mcap", PROCESSES[process]),
    };
    let logs: Vec<_> = processes.iter().map(|&process| folder.join(name(process))).collect();
    let mut is_whole = code == Some(0);
    for (module, name) in MODULES.iter().enumerate() {
        let Value { found, beat, .. } = last(&logs, &format!("/c{}/{name}Value", mesh.cycles[module]));
        prop_assert_eq!(found.torn, 0, "{}\n{}", name, mesh.robot_toml());
        is_whole &= beat > 10 && (found.new > 10 || !mesh.reads_another_cycle(module));
    }
    Ok(is_whole.then_some(logs))
}

proptest! {
    // Each takes some seconds; a smaller one would show the same.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..ProptestConfig::with_cases(4) })]

    #[test]
    fn whoever_reads_it_wherever_sees_values_of_one_run_and_logs_repeat(mesh in meshes()) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mesh");
        // On a busy machine it takes longer until they talk, and values may be lost.
        let mut logs = None;
        for duration in ["2s", "4s", "10s", "10s"] {
            logs = recorded(&mesh, &folder, duration)?;
            if logs.is_some() {
                break;
            }
        }
        let logs = logs.ok_or_else(|| TestCaseError::fail(format!("it is not whole:\n{}", mesh.robot_toml())))?;
        let paths = logs.iter().map(|log| log.to_str().unwrap());
        let (code, said) = run(&folder, &["log", "verify"].into_iter().chain(paths).collect::<Vec<_>>());
        prop_assert_eq!(code, Some(0), "{}\n{}", said, mesh.robot_toml());
    }
}
