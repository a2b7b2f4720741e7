//! Tests of the NAO in three processes: it plays as in one, even while perception is killed.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The robot's processes, and the folder for their files.
struct Game {
    child: Child,
    folder: PathBuf,
}

/// The maximum wait for anything, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

impl Game {
    fn start(name: &str, arguments: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("nao-processes-{name}"));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let profile = format!("output.profile='{}'", folder.join("profile.json").display());
        let child = Command::new(env!("CARGO_BIN_EXE_nao"))
            .args(["run", "--overlay", "processes", "--no-trace", "--no-page", "--set", &profile])
            // Other programs may have the cores for some time.
            .args(["--set", "cycle.motion.watchdog='20 s'"])
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    /// Returns the newest process of perception.
    fn vision(&self) -> Option<Pid> {
        let text = self.text();
        let mut numbers = text.lines().filter_map(|line| line.strip_prefix("process `vision` is ")?.parse().ok());
        numbers.next_back().and_then(Pid::from_raw)
    }

    /// Waits until the game is over, and calls `meanwhile` repeatedly.
    fn play(&mut self, mut meanwhile: impl FnMut(&Self)) {
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.text());
            meanwhile(self);
            thread::sleep(Duration::from_millis(10));
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.text());
    }
}

impl Drop for Game {
    /// Ends the first process, with which the others end.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[test]
fn what_sees_hears_and_walks_are_one_robot() {
    // The chain from the image continues with the values from the link.
    let parts = [
        "received MotionRequest: ",
        "received JointAngles: ",
        "received SimulatedWorld: ",
        "walks",
        "image-to-joints by MotionRequest",
    ];
    let mut lacking = Vec::new();
    // It walks as soon as it has localized itself, which takes longer on a busy machine.
    for duration in ["4s", "16s", "64s"] {
        let mut game = Game::start("short", &["--duration", duration]);
        game.play(|_| {});
        let text = game.text();
        lacking = parts.into_iter().filter(|part| !text.contains(part)).map(|part| (part, text.clone())).collect();
        if lacking.is_empty() {
            break;
        }
    }
    assert!(lacking.is_empty(), "{lacking:?}");
}

/// A game of up to a minute, in which perception dies every five seconds, and goes on from what
/// motion has kept.
#[test]
#[ignore = "takes a minute, and is about time; .ci/long runs it"]
fn it_scores_while_what_sees_is_killed_every_five_seconds() {
    let mut game = Game::start("killed", &["--statistics", "report.json"]);
    let (mut kills, mut last) = (0, Instant::now());
    game.play(|game| {
        if last.elapsed() > Duration::from_secs(5)
            && let Some(vision) = game.vision()
        {
            kill_process(vision, Signal::KILL).unwrap();
            (kills, last) = (kills + 1, Instant::now());
        }
    });
    let text = game.text();
    let motion = text.lines().rfind(|line| line.starts_with("motion ")).unwrap_or_default();
    let truth = text.lines().rfind(|line| line.contains("truth ")).unwrap_or_default();
    println!("what sees was killed {kills} times\n{motion}\n{truth}");
    assert!(kills > 2 && motion.contains(" 0 missed"), "{text}");
    assert!(truth.contains("goals 1, the first after"), "it has not scored: {text}");
}
