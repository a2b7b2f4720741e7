//! Programs of others that look at a robot, where they are installed: a part of each test that runs
//! them. Where something is not installed, the test says what, and is skipped.
#![allow(dead_code, reason = "each test uses some of it")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file of `tests/foreign`.
pub fn script(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(file)
}

/// Folders in which packages may have been installed.
pub fn installed() -> [PathBuf; 2] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign");
    [Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/foreign"), target]
}

/// Node with a script that needs this package; without it there is nothing to be run.
pub fn node(package: &str, file: &str) -> Option<Command> {
    let modules = installed().map(|folder| folder.join("node_modules"));
    let modules = modules.into_iter().find(|modules| modules.join(package).exists())?;
    // The scripts end by themselves before that, unless they cannot.
    let mut node = Command::new("timeout");
    node.args(["--kill-after=10", "450", "node"]).env("NODE_PATH", modules).arg(script(file));
    Some(node)
}

/// Node with a script that drives Chromium; where that cannot be, it says what is missing.
pub fn browser(script: &str) -> Option<Command> {
    let named = std::env::var_os("HEMIOLA_CHROMIUM");
    let node = node("puppeteer-core", script);
    let missing = if !answers(&named.unwrap_or_else(|| "/usr/bin/chromium".into())) {
        "Chromium (apt-get install chromium)"
    } else if !answers("node".as_ref()) {
        "Node (apt-get install nodejs)"
    } else if node.is_none() {
        "puppeteer-core (npm install --prefix target/foreign tests/foreign)"
    } else {
        return node;
    };
    // What `eprintln!` says of a test that passes is shown to nobody.
    _ = writeln!(std::io::stderr(), "SKIPPED: nobody looks at the page, for there is no {missing}");
    None
}

/// Whether there is such a program.
fn answers(program: &OsStr) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs it; it has to say that everything was as it expected.
pub fn is_content(mut viewer: Command) {
    let Output { status, stdout, stderr } = viewer.output().expect("it starts");
    let text = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(status.success() && text.contains("as expected"), "{text}");
    println!("{text}");
}
