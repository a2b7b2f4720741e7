//! `hemiola new`, as somebody types it.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the program in a folder, with what its environment has of git taken away.
fn hemiola(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hemiola"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .output()
        .unwrap()
}

#[track_caller]
fn makes(folder: &Path, arguments: &[&str]) -> String {
    let output = hemiola(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said + &String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refuses(folder: &Path, arguments: &[&str]) -> String {
    let output = hemiola(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    said
}

fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// Cargo reads it as it stands, with all that it depends on: that needs no network, but all crates
/// that Hemiola is built from, and those are there.
#[test]
fn cargo_understands_the_new_crate() {
    let folder = tempfile::tempdir().unwrap();
    let said = makes(folder.path(), &["new", "my-robot", "--vcs", "none"]);
    assert!(said.ends_with("  cd my-robot\n  cargo run\n"), "{said}");
    let hemiola = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("hemiola").canonicalize().unwrap();
    assert!(said.contains(&hemiola.display().to_string()), "{said}");

    let robot = folder.path().join("my-robot");
    assert_eq!(entries(&robot), [".gitignore", "Cargo.toml", "robot.toml", "src", "tests"]);
    let metadata = metadata(&robot, &["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let packages = metadata["packages"].as_array().unwrap();
    let found = packages.iter().find(|package| package["name"] == "hemiola").unwrap();
    assert_eq!(found["manifest_path"], hemiola.join("Cargo.toml").to_str().unwrap());
    assert_eq!(targets(&metadata, "my-robot"), ["my_robot", "my-robot", "drive"]);
}

#[test]
fn every_template_makes_a_crate() {
    let folder = tempfile::tempdir().unwrap();
    for (template, name, test) in
        [("rover", "my-rover", "drive"), ("humanoid", "my-humanoid", "stand"), ("node", "my-node", "node")]
    {
        makes(folder.path(), &["new", name, "--template", template, "--vcs", "none"]);
        let metadata = metadata(&folder.path().join(name), &["--no-deps"]);
        assert_eq!(targets(&metadata, name), [&name.replace('-', "_"), name, test]);
    }
}

/// Returns what cargo says of the crate in a folder.
fn metadata(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    serde_json::from_slice(&metadata.stdout).unwrap()
}

/// Returns the names of the library, the program and the test of a package.
fn targets(metadata: &serde_json::Value, package: &str) -> [String; 3] {
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|known| known["name"] == package).unwrap();
    let targets = package["targets"].as_array().unwrap();
    ["lib", "bin", "test"].map(|kind| {
        let target = targets.iter().find(|target| target["kind"][0] == kind).unwrap();
        target["name"].as_str().unwrap().to_owned()
    })
}

#[test]
fn a_repository_is_made_where_there_is_none() {
    if Command::new("git").arg("--version").output().is_err() {
        return; // what then happens is the next test
    }
    let folder = tempfile::tempdir().unwrap();
    makes(folder.path(), &["new", "outer"]);
    assert!(folder.path().join("outer/.git").is_dir());
    makes(folder.path(), &["new", "outer/inner"]);
    assert!(!folder.path().join("outer/inner/.git").exists());
    makes(folder.path(), &["new", "outer/own", "--vcs", "git"]);
    assert!(folder.path().join("outer/own/.git").is_dir());
    makes(folder.path(), &["new", "none", "--vcs", "none"]);
    assert!(!folder.path().join("none/.git").exists());
}

#[test]
fn without_git_there_is_no_repository_and_no_error_unless_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let without_git = |arguments: &[&str]| {
        let hemiola = env!("CARGO_BIN_EXE_hemiola");
        Command::new(hemiola).args(arguments).current_dir(folder.path()).env("PATH", folder.path()).output().unwrap()
    };
    assert!(without_git(&["new", "robot"]).status.success());
    assert_eq!(entries(folder.path()), ["robot"]);

    let output = without_git(&["new", "another", "--vcs", "git"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--vcs none"));
    assert_eq!(entries(folder.path()), ["robot"], "nothing is left behind");
}

#[test]
fn what_is_there_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("robot")).unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    for name in ["robot", "file"] {
        let said = refuses(folder.path(), &["new", name]);
        assert!(said.contains(&format!("{name} already exists")), "{said}");
    }
    assert_eq!(entries(&folder.path().join("robot")), [""; 0]);
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "mine");
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, told) in [
        (&["new", "match"] as &[_], "`match`: it is a keyword"),
        (&["new", "my robot"], "`my robot`"),
        (&["new", "robot", "--hemiola", "nowhere"], "Hemiola is not in nowhere"),
        (&["new", "robot", "--template", "tank"], "possible values: cart, rover, humanoid"),
        (&["new"], "<FOLDER>"),
    ] {
        let said = refuses(folder.path(), arguments);
        assert!(said.contains(told), "{said}");
    }
    let output = hemiola(folder.path(), &["new", "no/such/folder/robot"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/such/folder/robot"));
    assert_eq!(entries(folder.path()), [""; 0]);
}

#[test]
fn in_a_workspace_the_new_crate_is_on_its_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
    let said = makes(folder.path(), &["new", "robot", "--vcs", "none"]);
    assert!(said.contains("a workspace"), "{said}");
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1", "--no-deps"])
        .current_dir(folder.path().join("robot"))
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
}
