//! The clients of others look at a robot: Lichtblick's own (npm), and one in Python.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{House, TOKEN};

fn foreign(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(file)
}

/// Folders in which packages may have been installed.
fn installed() -> [PathBuf; 2] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign");
    [Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/foreign"), target]
}

fn is_content(house: &House, mut viewer: Command) {
    let url = format!("ws://{}/?token={TOKEN}", house.address());
    let Output { status, stdout, stderr } = viewer.arg(url).output().expect("it starts");
    let text = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(status.success() && text.contains("as expected"), "{text}");
    house.runs_on();
}

#[test]
fn the_client_and_the_decoders_of_lichtblick_understand_the_door() {
    let modules = installed().map(|folder| folder.join("node_modules"));
    let Some(modules) = modules.into_iter().find(|modules| modules.join("@foxglove/ws-protocol").exists()) else {
        return eprintln!("SKIPPED: no Foxglove client; npm install --prefix target/foreign tests/foreign");
    };
    let mut node = Command::new("node");
    node.env("NODE_PATH", modules).arg(foreign("check_viewer.cjs"));
    is_content(&House::plain(), node);
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
    command.arg(foreign("check_viewer.py"));
    is_content(&House::plain(), command);
}
