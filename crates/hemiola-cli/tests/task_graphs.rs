//! `graph --file` and `simulate --file`, as somebody types them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;

#[track_caller]
fn exits(arguments: &[&str], code: u8) {
    let robot = Application::embedded("[cycle.main]\nrate = 1.0\n");
    assert_eq!(robot.run_with([&["robot"], arguments].concat()), ExitCode::from(code), "{}", arguments.join(" "));
}

fn text(path: &Path) -> &str {
    path.to_str().expect("it is UTF-8")
}

const PAIR: &str = r#"{"name": "pair", "tasks": [
    {"id": 0, "duration_ns": 2000000, "predecessors": []}, {"id": 1, "duration_ns": 3000000, "predecessors": [0]}]}"#;
const ROBOT: &str = r#"{"cycles": [
    {"name": "motion", "rate_hz": 83, "workers": 2, "modules": [
        {"name": "Walk", "requires": [], "uses": ["Ball"], "provides": [{"representation": "Gait", "concurrent": false}]}]},
    {"name": "cognition", "modules": [
        {"name": "Eye", "requires": [], "uses": ["Wind"], "provides": [{"representation": "Seen", "concurrent": false}]}]}],
    "shared": [{"representation": "Ball", "source": "Seen", "from": "cognition", "to": "motion"}]}"#;

#[test]
fn a_task_graph_from_a_file_is_planned_simulated_and_drawn_by_a_command() {
    let folder = tempfile::tempdir().expect("the folder for temporary files can be written");
    let path = |name: &str| folder.path().join(name);
    let (pair, robot, drawn) = (path("pair.json"), path("robot.json"), path("drawn"));
    std::fs::write(&pair, PAIR).expect("it can be written");
    std::fs::write(&robot, ROBOT).expect("it can be written");
    for file in [&pair, &robot] {
        exits(&["graph", "--file", text(file)], 0);
        exits(&["simulate", "--file", text(file), "--workers", "2"], 0);
    }
    let drawing = |arguments: &[&str]| {
        _ = std::fs::remove_file(&drawn);
        exits(arguments, 0);
        std::fs::read_to_string(&drawn).expect("it is written")
    };
    let output = ["--output", text(&drawn)];
    assert!(drawing(&[&["graph", "--file", text(&pair), "--format", "svg"], &output[..]].concat()).contains("</svg>"));
    let dot = drawing(&[&["graph", "--file", text(&robot), "motion", "--format", "dot"], &output[..]].concat());
    assert!(dot.starts_with("digraph") && dot.contains("Walk"), "{dot}");
    let listed = drawing(&[&["graph", "--file", text(&robot)], &output[..]].concat());
    assert!(listed.contains("Walk") && listed.contains("Eye"), "{listed}");
    let svg = drawing(&["simulate", "--file", text(&pair), "--picture", text(&drawn)]);
    assert!(svg.contains("</svg>"));
    let json = drawing(&[&["graph", "--file", text(&pair), "--json"], &output[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let tasks = &json["cycles"][0]["tasks"];
    assert_eq!(
        (&json["cycles"][0]["cycle"], &json["cycles"][0]["critical_path_ns"]),
        (&"pair".into(), &5_000_000.into())
    );
    assert_eq!((&tasks[0]["duration_ns"], &tasks[1]["predecessors"]), (&2_000_000.into(), &serde_json::json!([0])));
    let whole = drawing(&[&["graph", "--json"], &output[..]].concat());
    let whole: serde_json::Value = serde_json::from_str(&whole).expect("it is JSON");
    assert_eq!(whole["places"], serde_json::json!([{ "kind": "cycle", "name": "main", "process": null }]));
    // These arguments are refused.
    exits(&["graph", "--file", text(&robot), "--format", "svg"], 2);
    exits(&["graph", "--file", text(&robot), "motoin"], 2);
    exits(&["graph", "--file", text(&path("none.json"))], 2);
    exits(&["graph", "--file", text(&pair), "--set", "cycle.main.rate=2.0"], 2);
    std::fs::write(&pair, PAIR.replace("[0]", "[7]")).expect("it can be written");
    exits(&["simulate", "--file", text(&pair)], 2);
}

#[test]
fn every_published_task_graph_is_taken_by_the_commands() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let graphs = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from).join("data/graphs");
    let Ok(entries) = std::fs::read_dir(&graphs) else {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", graphs.display());
        return;
    };
    for path in entries.map(|entry| entry.expect("it can be listed").path()) {
        let content = std::fs::read_to_string(&path).expect("it can be read");
        let is_graph = content.contains("\"tasks\"") || content.contains("\"cycles\"");
        let code = if is_graph { 0 } else { 2 };
        exits(&["graph", "--file", text(&path)], code);
        exits(&["simulate", "--file", text(&path), "--workers", "2"], code);
    }
}
