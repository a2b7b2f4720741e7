//! The robot of the tests, stepped for a moment: what it leaves behind is what a fuzzer changes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::runtime::Change;
use hemiola_test_robots::walker::ROBOT;

/// With checkpoints, and deadlines to explain.
pub fn configuration() -> String {
    let chain = "[chain.look]\nfrom = \"Camera\"\nto = \"Localize\"\nreaction = \"40 ms\"\n";
    format!("{}\n[log]\nsnapshot = \"50 ms\"\n{chain}", ROBOT.replace("rate = 37.0", "rate = 37.0\ndeadline = \"9 ms\""))
}

/// A folder of this process, in memory where there is one.
pub fn folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = place.join(format!("hemiola-fuzz-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("the folder for temporary files can be written");
    folder
}

/// Runs it, with changes from outside at the beginning.
pub fn run(duration: &str, arguments: &[&str]) {
    let robot = Application::embedded(&configuration()).started(|handle| {
        _ = handle.change(Change::parameter("Decide", "goal", 0.7));
        _ = handle.change(Change::parameter("Decide", "goal", 7.5));
        let value = serde_json::from_str(r#"{"x": 0.5, "steps": 3}"#).expect("it is data");
        _ = handle.change(Change::Override { representation: "Pose".into(), value });
        _ = handle.change(Change::Release { representation: "Pose".into() });
        _ = handle.change(Change::Restart { module: "Walk".into() });
    });
    let run = ["robot", "run", "--fast", "--headless", "--duration", duration];
    assert_eq!(robot.run_with([&run, arguments].concat()), ExitCode::SUCCESS);
}
