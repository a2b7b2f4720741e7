//! Third-party programs that connect to a robot, if they are installed: a module of each test that
//! runs them. If something is not installed, the test says what, and is skipped.
#![allow(dead_code, reason = "each test uses some of it")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the path of a file of `tests/foreign`.
pub fn script(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(file)
}

/// Returns the folders in which packages may have been installed.
pub fn installed() -> [PathBuf; 2] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign");
    [Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/foreign"), target]
}

/// Returns Node with a script that needs a package; `None` if the package is not installed.
pub fn node(package: &str, file: &str) -> Option<Command> {
    let modules = installed().map(|folder| folder.join("node_modules"));
    let modules = modules.into_iter().find(|modules| modules.join(package).exists())?;
    // The scripts end by themselves before this timeout, unless they hang.
    let mut node = Command::new("timeout");
    node.args(["--kill-after=10", "450", "node"]).env("NODE_PATH", modules).arg(script(file));
    Some(node)
}

/// Returns Node with a script that drives Chromium; if that is impossible, reports what is missing
/// and returns `None`.
pub fn browser(script: &str) -> Option<Command> {
    let named = std::env::var_os("HEMIOLA_CHROMIUM");
    let node = node("puppeteer-core", script);
    let missing = if !answers(&named.unwrap_or_else(|| "/usr/bin/chromium".into())) {
        "Chromium (apt-get install chromium)"
    } else if !answers("node".as_ref()) {
        "Node (apt-get install nodejs)"
    } else if node.is_none() {
        "puppeteer-core (install -D -t target/foreign tests/foreign/package.json && npm install --prefix target/foreign)"
    } else {
        return node;
    };
    // The output of `eprintln!` in a test that passes is captured.
    _ = writeln!(std::io::stderr(), "SKIPPED: the page is not tested, because there is no {missing}");
    None
}

/// Returns whether a program is installed.
fn answers(program: &OsStr) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs a viewer, and asserts that it succeeds and prints `as expected`.
pub fn is_content(mut viewer: Command) {
    let Output { status, stdout, stderr } = viewer.output().expect("it starts");
    let text = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(status.success() && text.contains("as expected"), "{text}");
    println!("{text}");
}
