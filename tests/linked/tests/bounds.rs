//! A chain over the link between two processes is measured where it ends, and has a bound as a
//! whole.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PROFILE: [&str; 2] = ["--set", "output.profile='profile.json'"];

fn program(folder: &Path, arguments: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gaze"));
    // A system that is read from a file has no robot, and so no profile.
    let profile = if arguments.contains(&"--system") { &[][..] } else { &PROFILE[..] };
    let output = command.args(arguments).args(profile).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output, said)
}

/// Returns the rows about the chain that `analyze` prints for machines.
fn rows(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let (output, said) = program(folder, &[&["analyze", "--format", "json"], arguments].concat());
    let all: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let rows = all["rows"].as_array().unwrap().iter();
    rows.filter(|row| row["name"].as_str().unwrap().starts_with("image-to-motors")).cloned().collect()
}

#[test]
fn a_chain_over_two_processes_is_measured_where_it_ends_and_has_a_bound() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bounds");
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    // Before the processes have run, there are no bounds.
    let before = rows(&folder, &[]);
    assert_eq!(before.len(), 2, "{before:?}");
    for row in &before {
        assert!(row["bound"].is_null() && row["observed"].is_null(), "{row}");
        assert!(row["no_bound"].as_str().unwrap().contains("the link vision to main: Ball"), "{row}");
    }
    let (output, said) = program(&folder, &["run", "--duration", "3s", "--headless", "--no-trace", "--no-page"]);
    assert!(output.status.success(), "{said}");
    // The profile of main contains the measured times of the link, and of the chain as main has
    // observed it.
    let profile: Value = serde_json::from_slice(&std::fs::read(folder.join("profile-main.json")).unwrap()).unwrap();
    let measured = &profile["profiles"][0];
    assert!(measured["links"]["link.vision.Ball"]["delay"]["maximum"].as_u64() > Some(0), "{measured}");
    let after = rows(&folder, &[]);
    for (row, what) in after.iter().zip(["reaction time", "data age"]) {
        assert_eq!(row["what"], what);
        let [bound, observed] = ["bound", "observed"].map(|key| row[key].as_u64().unwrap_or_else(|| panic!("{row}")));
        assert!(row["observations"].as_u64() > Some(0), "{row}");
        assert_eq!(row["exceeded"], observed > bound, "{row}");
        // A chain takes a sample, a run of each cycle, and the time of the link: none is faster.
        assert!(bound > 20_000_000 + 10_000_000, "{row}");
    }
    // The process in which the chain ends gets the bound of the whole chain, and `check` prints the
    // time of the link.
    let of_main = rows(&folder, &["--process", "main"]);
    for (row, whole) in of_main.iter().zip(&after) {
        assert!(row["name"].as_str().unwrap().starts_with("image-to-motors by Ball"), "{row}");
        assert_eq!((&row["bound"], &row["observed"]), (&whole["bound"], &whole["observed"]));
    }
    let (_, said) = program(&folder, &["check"]);
    assert!(said.contains("to main    Ball ("), "{said}");
    // The system contains everything that the bound depends on, and by itself yields the same
    // bound.
    let (_, system) = program(&folder, &["analyze", "--format", "toml"]);
    assert!(system.contains("[[link]]\nname = \"vision to main: Ball\"\nfrom = \"seeing\"\ntakes = "), "{system}");
    std::fs::write(folder.join("system.toml"), &system).unwrap();
    let (output, said) = program(&folder, &["analyze", "--system", "system.toml", "--format", "json"]);
    let alone: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let bounds: Vec<_> = alone["rows"].as_array().unwrap().iter().map(|row| &row["bound"]).collect();
    assert!(bounds.contains(&&after[0]["bound"]), "{bounds:?} {after:?}");
}
