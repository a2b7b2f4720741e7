//! The program `hemiola` where a robot's own program is needed.
#![forbid(unsafe_code)]

use std::process::Command;

/// Returns the complaint about a command that is wrong.
fn complaint(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hemiola")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_command_of_robots_is_answered_with_what_to_type() {
    for (arguments, typed) in [
        (&["check"][..], "`cargo run -- check`"),
        (&["run", "--set", "cycle.main.rate=30 Hz"], "`cargo run -- run --set 'cycle.main.rate=30 Hz'`"),
        (&["modules", "--json"], "`cargo run -- modules --json`"),
        (&["log", "verify", "game.mcap"], "`cargo run -- log verify game.mcap`"),
        (&["why", "motion", "--overlay", "outdoor"], "`cargo run -- why motion --overlay outdoor`"),
    ] {
        let said = complaint(arguments);
        let place = "the robot's modules, which are in the robot's own program: in its folder, ";
        assert!(said.contains(place) && said.contains(typed), "{said}");
    }
    // What nobody has is not a robot's either.
    let unknown = complaint(&["frobnicate"]);
    assert!(unknown.contains("unrecognized subcommand") && !unknown.contains("cargo run"), "{unknown}");
}
