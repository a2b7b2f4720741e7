//! The peers, and how they are built here.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::entrant::{Entrant, Side};

/// A peer: its id, label, program, and the arguments before those that all get.
type Peer = (&'static str, &'static str, &'static str, &'static [&'static str]);

const RUST: [Peer; 4] = [
    ("rayon", "rayon, inside the pool", "rayon", &["inside"]),
    ("rayon-outside", "rayon, from outside", "rayon", &["outside"]),
    ("bevy", "bevy_ecs", "bevy_ecs", &[]),
    ("tokio", "tokio", "tokio", &[]),
];

const COPPER: [Peer; 2] = [
    ("copper", "copper, as it comes", "hemiola-bench-copper", &["default"]),
    ("copper-quiet", "copper, logging off", "hemiola-bench-copper", &["quiet"]),
];

const TBB: [Peer; 3] = [
    ("tbb-flow", "oneTBB flow graph", "tbb", &["flow"]),
    ("tbb-flow-priorities", "oneTBB flow graph, priorities", "tbb", &["flow-priorities"]),
    ("tbb-group", "oneTBB task group", "tbb", &["task-group"]),
];
const OPENMP_GNU: [Peer; 1] = [("openmp-gnu", "OpenMP tasks (GNU)", "openmp-gnu", &[])];
const OPENMP_LLVM: [Peer; 1] = [("openmp-llvm", "OpenMP tasks (LLVM)", "openmp-llvm", &[])];
const TASKFLOW: [Peer; 2] = [
    ("taskflow", "Taskflow", "taskflow", &["outside"]),
    ("taskflow-inside", "Taskflow, from inside", "taskflow", &["inside"]),
];

/// Builds all peers for which there are compilers and packages; notes what is missing, and how to
/// get it.
pub fn build(folder: &Path, notices: &mut Vec<String>) -> Vec<Entrant> {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers");
    let mut entrants = rust(&sources.join("rust"), &folder.join("rust"), &RUST, notices);
    entrants.extend(rust(&sources.join("copper"), &folder.join("copper"), &COPPER, notices));
    let mut cpp = |compiler, source: &str, flags: &[&str], peers: &[Peer], remedy: &str| {
        // All peers of one source and compiler are one program.
        let program = folder.join(peers[0].2);
        let source = sources.join("cpp").join(source);
        match compile(compiler, &source, &sources.join("cpp/contestant.hpp"), flags, &program) {
            Ok(()) => entrants.extend(peers.iter().map(|peer| entrant(peer, folder))),
            Err(problem) => {
                notices.push(format!("Left out: {} ({compiler}: {problem}). {remedy}", labels(peers)));
            }
        }
    };
    cpp("g++", "tbb.cpp", &["-ltbb"], &TBB, "On Debian: apt install g++ libtbb-dev");
    cpp("g++", "openmp.cpp", &["-fopenmp"], &OPENMP_GNU, "On Debian: apt install g++");
    cpp("clang++", "openmp.cpp", &["-fopenmp"], &OPENMP_LLVM, "On Debian: apt install clang libomp-dev");
    match std::env::var("TASKFLOW_DIR") {
        Ok(directory) => {
            let remedy = "TASKFLOW_DIR has to hold taskflow/taskflow.hpp";
            cpp("g++", "taskflow.cpp", &["-pthread", "-I", &directory], &TASKFLOW, remedy);
        }
        Err(_) => notices.push(
            "Left out: Taskflow, for which Debian has no package. TASKFLOW_DIR=FOLDER, with taskflow/taskflow.hpp in it, lets it \
             take part; until then its figures in the table of bars are quoted from a run of 23 November 2026 on another machine."
                .to_owned(),
        ),
    }
    entrants
}

/// Builds the peers of a workspace, if cargo can.
fn rust(sources: &Path, target: &Path, peers: &[Peer], notices: &mut Vec<String>) -> Vec<Entrant> {
    match build_crates(sources, target) {
        Ok(()) => peers.iter().map(|peer| entrant(peer, &target.join("release"))).collect(),
        Err(problem) => {
            notices.push(format!("Left out: {} (cargo: {problem}).", labels(peers)));
            Vec::new()
        }
    }
}

/// Builds a workspace; the error says what went wrong.
pub fn build_crates(sources: &Path, target: &Path) -> Result<(), String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--quiet"]).current_dir(sources).env("CARGO_TARGET_DIR", target);
    succeed(&mut cargo)
}

/// Compiles a C++ source, unless that was done since the source and its header were changed; the
/// error says what went wrong.
pub fn compile(compiler: &str, source: &Path, header: &Path, flags: &[&str], program: &Path) -> Result<(), String> {
    if is_newer(program, &[source, header]) {
        return Ok(());
    }
    make_directory(program.parent().unwrap_or(Path::new(".")))?;
    succeed(Command::new(compiler).args(["-std=c++20", "-O3"]).arg(source).arg("-o").arg(program).args(flags))
}

fn labels(peers: &[Peer]) -> String {
    peers.iter().map(|peer| peer.1).collect::<Vec<_>>().join(", ")
}

fn entrant(&(id, label, program, arguments): &Peer, folder: &Path) -> Entrant {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Entrant { id, label, side: Side::Peer, program: folder.join(program), arguments }
}

/// Returns whether a program is newer than all of its sources.
fn is_newer(program: &Path, sources: &[&Path]) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    modified(program)
        .is_some_and(|built| sources.iter().all(|source| modified(source).is_some_and(|written| written < built)))
}

fn make_directory(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))
}

/// Runs a command; the error is the last line of one that failed.
fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = complaint.lines().find(|line| line.contains("error")).or(complaint.lines().last());
    Err(line.unwrap_or("it prints nothing").to_owned())
}
