//! Checks by the definitions that Perfetto publishes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::scenario::Scenario;
use super::{SCALE, decoder};

/// Perfetto's own definitions parse the file and know every field of it.
#[test]
fn the_official_definitions_accept_the_trace() {
    let Some(python) = python_with_perfetto() else {
        eprintln!(
            "SKIPPED: no Python with the package `perfetto`; install tests/foreign/requirements.txt into \
             target/foreign or set HEMIOLA_PYTHON"
        );
        return;
    };
    let scenario = Scenario::of(Duration::from_secs(1));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenario.pftrace");
    scenario.capture.write_perfetto(&path, &scenario.catalog, &SCALE).unwrap();
    let (sound, text) = checked(&python, &path);
    assert!(sound, "{text}");
    println!("{text}");

    // The check can fail: the same trace without its last packets leaves slices and flows open.
    let bytes = std::fs::read(&path).unwrap();
    let cut = path.with_extension("cut");
    std::fs::write(&cut, &bytes[..decoder::packet_boundary_before(&bytes, bytes.len() * 99 / 100)]).unwrap();
    let (sound, text) = checked(&python, &cut);
    assert!(!sound && text.contains("flow"), "{text}");
}

/// Returns whether the official definitions find the trace sound, and the output of the check.
fn checked(python: &Path, trace: &Path) -> (bool, String) {
    let check = workspace_root().join("tests/foreign/check_perfetto.py");
    let output = Command::new(python).arg(check).arg(trace).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

fn python_with_perfetto() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign/bin/python");
    [named, Some(workspace_root().join("target/foreign/bin/python")), Some(installed)].into_iter().flatten().find(
        |python| {
            Command::new(python).args(["-c", "import perfetto"]).output().is_ok_and(|output| output.status.success())
        },
    )
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
