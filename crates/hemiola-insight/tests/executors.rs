//! Bounds of a robot with an executor beside its cycles.
#![forbid(unsafe_code)]

mod measured;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hemiola::Application;
use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::prelude::*;
use hemiola::trace::{CallbackProfile, Distribution, ExecutorProfile, ExecutorThread, Measured, Profile};
use hemiola_analysis::{Analysis, System};
use hemiola_realtime::{Policy, ThreadSettings};
use hemiola_runtime::RobotHandle;
use serde_json::Value;

#[derive(Representation, Clone, Default)]
struct Grip {
    force: f32,
}

#[derive(Representation, Clone, Default)]
struct Touch {
    run: u64,
}

#[derive(Module)]
struct Hand;

#[module]
impl Hand {
    #[update]
    fn grip(&self, clock: &Clock, touches: &mut Publisher<Touch>, grip: &mut Grip) {
        work(Duration::from_micros(200));
        grip.force = 1.0;
        touches.publish(Touch { run: clock.run() });
    }
}

fn work(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

const ROBOT: &str = r#"
[cycle.hand]
rate = 50.0
priority = 30

[analysis]
cores = 1
quantile = 0.5
"#;

/// Runs the commands of a robot whose executor has a timer and a topic.
struct Robot {
    folder: PathBuf,
}

impl Robot {
    fn new(name: &str, more: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hemiola-executors-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let profile = folder.join("profile.json");
        std::fs::write(folder.join("robot.toml"), format!("{ROBOT}{more}\n[output]\nprofile = {profile:?}\n")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> ExitCode {
        let (command, rest) = arguments.split_first().unwrap();
        let configured = [*command, "--config", &self.path("robot.toml")];
        let arms: Rc<RefCell<Vec<RunningExecutor>>> = Rc::default();
        let start = move |robot: &RobotHandle| arms.borrow_mut().push(start_arm(robot));
        Application::embedded("").started(start).run_with([&["robot"], configured.as_slice(), rest].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let path = self.path("out.json");
        let all = [&["analyze", "--format", "json", "--output", &path], arguments].concat();
        assert_eq!(self.command(&all), ExitCode::SUCCESS);
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Gives the robot this profile instead of the one that it has.
    fn knowing(&self, profile: &Profile) -> &Self {
        measured::keep(profile, Path::new(&self.path("robot.toml")), Path::new(&self.path("profile.json")));
        self
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn start_arm(robot: &RobotHandle) -> RunningExecutor {
    let mut arm = robot.executor("arm").unwrap();
    arm.every(Duration::from_millis(10), Priority(20), |_| work(Duration::from_micros(300))).unwrap();
    let touches = robot.bus().topic(Touch::NAME).unwrap();
    arm.subscribe(&touches, Priority(10), 16, WhenFull::DropOldest, |_: &Touch| work(Duration::from_micros(100)))
        .unwrap();
    let priority = hemiola_realtime::Priority::new(60).unwrap();
    arm.spawn(ThreadSettings::new("arm").policy(Policy::Fifo(priority))).unwrap()
}

fn row<'f>(findings: &'f Value, what: &str, name: &str) -> &'f Value {
    let rows = findings["rows"].as_array().unwrap();
    let is_it = |row: &&Value| row["what"] == what && row["name"].as_str().unwrap().starts_with(name);
    rows.iter().find(is_it).unwrap_or_else(|| panic!("no {what} {name} in {findings:#}"))
}

fn bound(findings: &Value, what: &str, name: &str) -> f64 {
    let row = row(findings, what, name);
    row["bound"].as_f64().unwrap_or_else(|| panic!("{row:#}")) / 1e6
}

#[test]
fn what_an_executor_was_seen_to_do_is_bounded_and_counts_for_less_important_cycles() {
    let robot = Robot::new("run", "");
    assert_eq!(robot.command(&["run", "--headless", "--duration", "2s", "--no-trace"]), ExitCode::SUCCESS);
    let mut profile = measured::last(Path::new(&robot.path("profile.json")));
    // The test does not depend on what this machine takes, and which priorities it grants.
    profile.costs.clear();
    let arm = profile.executors.get_mut("arm").unwrap();
    arm.thread.as_mut().unwrap().priority = Some(60);
    let findings = robot.knowing(&profile).json(&[]);
    for name in ["arm: every 10ms at ", "arm: Touch"] {
        let callback = row(&findings, "callback", name);
        assert!(callback["bound"].is_u64() && callback["observations"].as_u64() > Some(5), "{callback:#}");
    }
    assert_eq!(row(&findings, "callback", "arm: every")["deadline"], 10_000_000);
    assert_eq!(row(&findings, "callback", "arm: Touch")["deadline"], Value::Null);
    assert_eq!(findings["messages"][0]["callback"], "arm: Touch");
    assert_eq!(findings["execution_times"]["left_out"], Value::Array(Vec::new()));

    profile.executors.clear();
    let without = robot.knowing(&profile).json(&[]);
    let hand = |findings| bound(findings, "cycle", "hand");
    assert!(hand(&findings) > hand(&without) + 0.3, "{} {}", hand(&findings), hand(&without));
}

fn times(microseconds: u64, count: usize) -> Measured {
    let mut distribution = Distribution::new();
    (0..count).for_each(|_| distribution.record(microseconds * 1000));
    distribution.into()
}

/// Returns a profile in which the hand takes 4 ms; a timer of 10 ms takes 1 ms, and messages, two
/// at once every 20 ms, take 0.5 ms each.
fn profile(priority: u8, cores: &[usize]) -> Profile {
    let mut profile = Profile::default();
    profile.cycle_mut("hand").tasks.insert("Hand.grip".into(), times(4000, 9));
    let response = times(1500, 9);
    let timer = CallbackProfile {
        priority: 20,
        period: Some(10_000_000),
        execution: times(1000, 9),
        response: response.clone(),
        ..CallbackProfile::default()
    };
    let touch = CallbackProfile {
        topic: Some("Touch".into()),
        priority: 10,
        execution: times(500, 9),
        response,
        spans: vec![0, 20_000_000, 20_000_000, 40_000_000],
        ..CallbackProfile::default()
    };
    let (order, cores) = (Default::default(), cores.to_vec());
    let thread = ExecutorThread { priority: Some(priority), reservation: None, cores, order, spin: 0, early: 0 };
    let callbacks = [("tick".to_owned(), timer), ("Touch".to_owned(), touch)].into();
    profile.executors.insert("arm".into(), ExecutorProfile { thread: Some(thread), callbacks });
    profile
}

#[test]
fn bounds_of_callbacks_add_up() {
    let robot = Robot::new("exact", "");
    let findings = robot.knowing(&profile(60, &[0])).json(&[]);
    // A message of lower priority may have begun.
    assert_eq!(bound(&findings, "callback", "arm: tick"), 1.0 + 0.5);
    assert_eq!(bound(&findings, "callback", "arm: Touch"), 1.0 + 2.0 * 0.5);
    assert_eq!(
        findings["messages"][0],
        serde_json::json!({ "callback": "arm: Touch", "at_most": 2, "within": 20_000_000 })
    );
    // A callback of a less important executor waits for the hand, too.
    let below = robot.knowing(&profile(20, &[0])).json(&[]);
    assert!(bound(&below, "callback", "arm: tick") >= 1.0 + 0.5 + 4.0);
    assert!(bound(&below, "cycle", "hand") < bound(&findings, "cycle", "hand"));
    // Cores beyond those of the robot's computer, or any cores, give the same bound where there is
    // only one.
    for cores in [&[3][..], &[0, 1]] {
        let moved = robot.knowing(&profile(60, cores)).json(&[]);
        assert_eq!(bound(&moved, "callback", "arm: Touch"), 2.0);
    }
}

#[test]
fn the_system_that_is_written_down_has_the_same_bounds() {
    let robot = Robot::new("toml", "");
    let path = robot.path("system.toml");
    let toml = ["analyze", "--format", "toml", "--output", &path];
    assert_eq!(robot.knowing(&profile(60, &[0])).command(&toml), ExitCode::SUCCESS);
    let system = System::from_toml(&std::fs::read_to_string(&path).unwrap(), "system.toml").unwrap();
    let analysis = Analysis::of(&system);
    let touch = analysis.find("arm: Touch").unwrap();
    assert_eq!((touch.bound.as_ref().unwrap().as_nanoseconds(), touch.deadline), (2_000_000, None));
    let slower = robot.json(&["--what-if", "Touch takes 3x, arm priority 20"]);
    assert!(bound(&slower["what_if"][0], "callback", "arm: Touch") > 1.0 + 4.0 + 3.0);
}

#[test]
fn a_timer_that_may_be_called_too_late_does_not_fit() {
    let robot = Robot::new("late", "");
    assert_eq!(robot.knowing(&profile(60, &[0])).command(&["analyze", "--fail"]), ExitCode::SUCCESS);
    let mut slow = profile(20, &[0]);
    slow.cycle_mut("hand").tasks.insert("Hand.grip".into(), times(10_000, 9));
    let findings = robot.knowing(&slow).json(&[]);
    assert_eq!(row(&findings, "callback", "arm: tick")["holds"], false);
    assert_eq!(row(&findings, "callback", "arm: Touch")["holds"], true, "nobody says until when it has to be");
    slow.cycle_mut("hand").tasks.insert("Hand.grip".into(), times(19_000, 9));
    let touch = robot.knowing(&slow).json(&[]);
    assert_eq!(
        (&row(&touch, "callback", "arm: Touch")["bound"], &row(&touch, "callback", "arm: Touch")["holds"]),
        (&Value::Null, &true.into())
    );
    assert_eq!(robot.command(&["analyze", "--fail"]), ExitCode::from(1));
}

#[test]
fn what_cannot_be_counted_is_named_with_the_reason() {
    let robot = Robot::new("unknown", "");
    let mut unknown = profile(60, &[0]);
    let arm = unknown.executors.get_mut("arm").unwrap();
    arm.callbacks.get_mut("Touch").unwrap().spans.clear();
    let findings = robot.knowing(&unknown).json(&[]);
    let reason = |findings: &Value, name| row(findings, "callback", name)["no_bound"].as_str().unwrap().to_owned();
    assert!(reason(&findings, "arm: Touch").contains("its period is not known"), "{findings:#}");
    assert_eq!(findings["execution_times"]["left_out"], serde_json::json!(["arm: Touch"]));
    assert_eq!(bound(&findings, "callback", "arm: tick"), 1.0);
    assert_eq!(robot.command(&["analyze", "--fail"]), ExitCode::from(1), "the hand may have to wait for it");
    let mut harmless = unknown.clone();
    harmless.executors.get_mut("arm").unwrap().thread.as_mut().unwrap().priority = Some(0);
    assert_eq!(robot.knowing(&harmless).command(&["analyze", "--fail"]), ExitCode::SUCCESS);

    let declared = Robot::new("declared", "[analysis.period]\nTouch = \"20 ms\"");
    assert_eq!(bound(&declared.knowing(&unknown).json(&[]), "callback", "arm: Touch"), 1.5);

    let wide = Robot::new("wide", "").knowing(&profile(60, &[0, 1])).json(&["--set", "analysis.cores=3"]);
    assert!(reason(&wide, "arm: tick").contains("some of the cores"), "{wide:#}");

    unknown.executors.get_mut("arm").unwrap().thread = None;
    let findings = robot.knowing(&unknown).json(&[]);
    assert!(reason(&findings, "arm: tick").contains("Executor::spawn"), "{findings:#}");
    assert_eq!(row(&findings, "callback", "arm: tick")["holds"], false);
}

#[test]
fn assigned_priorities_of_threads_and_callbacks_are_obeyed() {
    let robot = Robot::new("assign", "[executor.arm.callbacks]\n\"every 10ms\" = 3\nTouch = 7\n");
    assert_eq!(robot.command(&["run", "--headless", "--duration", "1s", "--no-trace"]), ExitCode::SUCCESS);
    let path = robot.path("profile.json");
    let mut profile = measured::last(Path::new(&path));
    let priorities = |profile: &Profile| {
        let callbacks = profile.executors["arm"].callbacks.iter();
        callbacks
            .map(|(name, callback)| (name.split(' ').next().unwrap().to_owned(), callback.priority))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        priorities(&profile),
        [("Touch".to_owned(), 7), ("every".to_owned(), 3)],
        "robot.toml goes before the program"
    );
    // The arm takes turns with a hand whose deadline is earlier.
    let arm = profile.executors.get_mut("arm").unwrap();
    arm.thread.as_mut().unwrap().priority = Some(20);
    profile.costs.clear();
    robot.knowing(&profile);
    let overlay = robot.path("assigned.toml");
    assert_eq!(robot.command(&["assign", "--output", &overlay]), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(&overlay).unwrap();
    assert!(
        text.contains("[executor.arm]\npriority = 30\n") && text.contains("[cycle.hand]\npriority = 20\n"),
        "{text}"
    );
    assert!(text.contains("[executor.arm.callbacks]\nTouch = 3\n\"every 10ms\" = 7\n"), "{text}");

    let run = ["run", "--headless", "--duration", "1s", "--no-trace", "--overlay", &overlay];
    assert_eq!(robot.command(&run), ExitCode::SUCCESS);
    let obeyed = measured::last(Path::new(&path));
    assert_eq!(priorities(&obeyed), [("Touch".to_owned(), 3), ("every".to_owned(), 7)]);
    let granted = obeyed.executors["arm"].thread.as_ref().unwrap().priority;
    assert!([Some(30), Some(0)].contains(&granted), "as assigned, or not permitted: {granted:?}");
}
