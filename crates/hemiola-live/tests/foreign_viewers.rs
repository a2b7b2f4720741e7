//! Clients of other projects view a robot: Lichtblick's own (npm), and one in Python.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::foreign::{self, installed, script};
use common::{House, TOKEN};

fn is_content(house: &House, mut viewer: Command) {
    viewer.arg(format!("ws://{}/?token={TOKEN}", house.address()));
    foreign::is_content(viewer);
    house.runs_on();
}

#[test]
fn the_client_and_the_decoders_of_lichtblick_understand_the_door() {
    let Some(node) = foreign::node("@foxglove/ws-protocol", "check_viewer.cjs") else {
        return eprintln!(
            "SKIPPED: no Foxglove client; install -D -t target/foreign tests/foreign/package.json && npm install --prefix target/foreign"
        );
    };
    let house = House::plain();
    let server = house.doubling();
    is_content(&house, node);
    drop(server);
}

#[test]
fn a_client_in_python_understands_the_door() {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let known = named.into_iter().chain(installed().map(|folder| folder.join("bin/python")));
    let has_it = |python: &PathBuf| {
        Command::new(python).args(["-c", "import websockets"]).output().is_ok_and(|output| output.status.success())
    };
    let Some(python) = known.into_iter().find(has_it) else {
        return eprintln!(
            "SKIPPED: no Python with the package `websockets`; install tests/foreign/requirements.txt into target/foreign"
        );
    };
    let mut command = Command::new(python);
    command.arg(script("check_viewer.py"));
    is_content(&House::plain(), command);
}
