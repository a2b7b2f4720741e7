//! Bounds of a robot from measurements, and their consequences.
#![forbid(unsafe_code)]

mod measured;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::trace::{ChainProfile, Distribution, HeldUp, Measured, Profile};
use hemiola_analysis::{Analysis, System};
use serde_json::Value;

#[derive(Representation, Clone, Default)]
struct Imu {
    rate: f32,
}

#[derive(Representation, Clone, Default)]
struct Image {
    brightness: f32,
}

#[derive(Representation, Clone, Default)]
struct Attitude {
    angle: f32,
}

#[derive(Representation, Clone, Default)]
struct Request {
    speed: f32,
}

#[derive(Representation, Clone, Default)]
struct Joints {
    angle: f32,
}

#[derive(Source)]
struct Body;

#[source]
impl Body {
    #[sample(rate = 100.0)]
    fn sample(&mut self, joints: &Joints, imu: &mut Imu) {
        imu.rate = joints.angle;
    }
}

#[derive(Source)]
struct Camera;

#[source]
impl Camera {
    #[sample(rate = 25.0)]
    fn sample(&mut self, image: &mut Image) {
        image.brightness = 0.5;
    }
}

#[derive(Module)]
struct Filter;

#[module]
impl Filter {
    #[update]
    fn attitude(&self, imu: &Imu, attitude: &mut Attitude) {
        attitude.angle = imu.rate;
    }
}

#[derive(Module)]
struct Walk;

#[module]
impl Walk {
    #[update]
    fn joints(&self, attitude: &Attitude, request: &Request, joints: &mut Joints) {
        joints.angle = attitude.angle + request.speed;
    }
}

#[derive(Module)]
struct Mind;

#[module]
impl Mind {
    #[update]
    fn request(&self, image: &Image, request: &mut Request) {
        request.speed = image.brightness;
    }
}

const ROBOT: &str = r#"
[cycle.cognition]
trigger = "Camera"
modules = ["Mind"]
deadline = "38 ms"
priority = 80

[cycle.motion]
trigger = "Body"
modules = ["Filter", "Walk"]
deadline = "8 ms"
priority = 40

[source.Body]
priority = 90

[source.Camera]
priority = 85

[chain.image-to-joints]
from = "Camera"
to = "Body"
reaction = "120 ms"

[analysis]
cores = 1
"#;

/// A robot in a folder of its own, and its measured times, in microseconds.
struct Robot {
    folder: PathBuf,
}

impl Robot {
    fn new(name: &str, more: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hemiola-analyze-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let profile = folder.join("profile.json");
        std::fs::write(folder.join("robot.toml"), format!("{ROBOT}{more}\n[output]\nprofile = {profile:?}\n")).unwrap();
        Self { folder }
    }

    fn measured(name: &str, more: &str) -> Self {
        let robot = Self::new(name, more);
        robot.keep(&profile());
        robot
    }

    fn keep(&self, profile: &Profile) {
        measured::keep(profile, &self.folder.join("robot.toml"), &self.folder.join("profile.json"));
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> ExitCode {
        let (command, rest) = arguments.split_first().unwrap();
        let configured = [*command, "--config", &self.path("robot.toml")];
        Application::embedded("").run_with([&["robot"], configured.as_slice(), rest].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let path = self.path("out.json");
        let all = [&["analyze", "--format", "json", "--output", &path], arguments].concat();
        assert_eq!(self.command(&all), ExitCode::SUCCESS);
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn times(microseconds: &[u64]) -> Measured {
    let mut distribution = Distribution::new();
    microseconds.iter().for_each(|time| distribution.record(time * 1000));
    distribution.into()
}

fn profile() -> Profile {
    let mut profile = Profile::default();
    let motion = profile.cycle_mut("motion");
    motion.tasks.insert("Filter.attitude".into(), times(&[900, 1000]));
    motion.tasks.insert("Walk.joints".into(), times(&[1000, 2000]));
    motion.tasks.insert("output to Body".into(), times(&[0, 0]));
    motion.response = times(&[3500, 3600]);
    let cognition = profile.cycle_mut("cognition");
    cognition.tasks.insert("Mind.request".into(), times(&[&[5000; 999], [10_000].as_slice()].concat()));
    cognition.tasks.insert("publish to motion".into(), times(&[0, 0]));
    profile.sources.insert("Body".into(), times(&[500, 500]));
    profile.sources.insert("Camera".into(), times(&[1000, 1000]));
    profile.chains.push(ChainProfile {
        source: "Camera".into(),
        cycle: "motion".into(),
        output: "output to Body".into(),
        reaction: times(&[60_000, 70_000]),
        data_age: times(&[20_000, 200_000]),
        newest_age: times(&[20_000, 200_000]),
    });
    profile
}

#[test]
fn what_was_held_up_is_said_and_does_not_count() {
    let robot = Robot::measured("held-up", "");
    let before = robot.json(&[]);
    assert_eq!(before["execution_times"]["held_up"], serde_json::json!([]));
    let mut profile = profile();
    let stalled = HeldUp { count: 2, longest: 58_000_000 };
    let request = times(&[&[5000; 999], [10_000, 58_000].as_slice()].concat()).with_held_up(stalled, 10_000_000);
    profile.cycle_mut("cognition").tasks.insert("Mind.request".into(), request);
    let camera = times(&[1000, 20_000]).with_held_up(HeldUp { count: 1, longest: 20_000_000 }, 1_000_000);
    profile.sources.insert("Camera".into(), camera);
    robot.keep(&profile);
    let after = robot.json(&[]);
    assert_eq!(after["rows"], before["rows"]);
    let [first, second] = [("Mind.request", 2, 58_000_000), ("Camera", 1, 20_000_000)]
        .map(|(name, count, longest)| serde_json::json!({ "of": name, "count": count, "longest": longest }));
    assert_eq!(after["execution_times"]["held_up"], serde_json::json!([first, second]));
    let path = robot.path("out.txt");
    assert_eq!(robot.command(&["analyze", "--output", &path]), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(path).unwrap();
    let line = "Not counted: the time in which other programs, the kernel or the host had the core, within 3 executions of 58.0 ms at most \
                (Mind.request, Camera).\n";
    assert!(text.contains(line), "{text}");
}

/// Returns the figure of a row in milliseconds.
fn milliseconds(findings: &Value, what: &str, name: &str, figure: &str) -> Option<f64> {
    let rows = findings["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["what"] == what && row["name"].as_str().unwrap().starts_with(name)).unwrap();
    row[figure].as_f64().map(|nanoseconds| nanoseconds / 1e6)
}

#[test]
fn what_was_never_measured_is_not_sure_to_be_in_time() {
    let robot = Robot::new("unmeasured", "");
    assert_eq!(robot.command(&["analyze"]), ExitCode::SUCCESS);
    assert_eq!(robot.command(&["analyze", "--fail"]), ExitCode::from(1));
    assert_eq!(robot.command(&["assign"]), ExitCode::from(2));
}

#[test]
fn a_run_is_bounded_from_its_sample_on_beside_all_that_is_more_important() {
    let robot = Robot::measured("bounds", "");
    let findings = robot.json(&[]);
    // The body takes 0.5 ms. The rest is 3 ms of its own, 10 + 1 ms of cognition and the camera,
    // and the body again and again.
    assert_eq!(milliseconds(&findings, "source", "Body", "bound"), Some(0.5));
    let motion = milliseconds(&findings, "cycle", "motion", "bound").unwrap();
    assert!((14.5..20.0).contains(&motion), "{motion}");
    assert_eq!(milliseconds(&findings, "cycle", "motion", "observed"), Some(3.6));
    assert_eq!(findings["holds"], false);
    assert_eq!(robot.command(&["analyze", "--fail"]), ExitCode::from(1));
    // The camera takes 40 ms; then come it and cognition, then the wait for the next motion and
    // motion itself.
    let reaction =
        milliseconds(&findings, "reaction time", "image-to-joints: Camera → output to Body", "bound").unwrap();
    assert!((40.0 + 12.0 + 10.0 + motion - 1.0..120.0).contains(&reaction), "{reaction}");
    assert_eq!(milliseconds(&findings, "reaction time", "image-to-joints", "observed"), Some(70.0));
    assert_eq!(milliseconds(&findings, "reaction time", "image-to-joints", "deadline"), Some(120.0));
}

#[test]
fn what_goes_from_one_process_to_another_has_no_bound_and_why_is_said() {
    let cut = "[process.vision]\ncycles = [\"cognition\"]\n";
    let robot = Robot::measured("cut", cut);
    let findings = robot.json(&[]);
    let whole = Robot::measured("whole", "").json(&[]);
    for (what, name) in [("reaction time", "image-to-joints"), ("data age", "image-to-joints")] {
        assert!(milliseconds(&whole, what, name, "bound").is_some());
        assert_eq!(milliseconds(&findings, what, name, "bound"), None);
        assert_eq!(milliseconds(&findings, what, name, "observed"), milliseconds(&whole, what, name, "observed"));
    }
    let text = findings.to_string();
    assert!(text.contains("it crosses the link vision to main: Request, whose latency"), "{text}");
    // What stays in one process is bounded as before.
    for (what, name) in [("cycle", "motion"), ("cycle", "cognition"), ("source", "Camera")] {
        let bound = |findings| milliseconds(findings, what, name, "bound");
        assert!(bound(&findings).is_some() && bound(&findings) == bound(&whole), "{name}");
    }
    assert_eq!(robot.command(&["analyze", "--fail"]), ExitCode::from(1));
}

#[test]
fn what_took_longer_than_its_bound_is_said() {
    let findings = Robot::measured("exceeded", "").json(&[]);
    let rows = findings["rows"].as_array().unwrap();
    let exceeded: Vec<_> = rows.iter().filter(|row| row["exceeded"] == true).map(|row| &row["what"]).collect();
    assert_eq!(exceeded, ["data age"]);
}

#[test]
fn a_share_of_the_runs_may_be_enough() {
    let robot = Robot::measured("share", "");
    let (all, most) = (robot.json(&[]), robot.json(&["--quantile", "0.99"]));
    let bound = |findings: &Value| milliseconds(findings, "cycle", "cognition", "bound").unwrap();
    assert!(bound(&all) > bound(&most) + 4.9, "{} {}", bound(&all), bound(&most));
    assert_eq!(all["execution_times"]["statistic"], "maximum");
    assert_eq!(most["execution_times"]["statistic"], 0.99);
    assert_eq!(most["execution_times"]["most_samples"], 1000);
}

#[test]
fn the_same_bounds_come_from_the_system_that_is_written_down() {
    let robot = Robot::measured("toml", "");
    let path = robot.path("system.toml");
    assert_eq!(robot.command(&["analyze", "--format", "toml", "--output", &path]), ExitCode::SUCCESS);
    let system = System::from_toml(&std::fs::read_to_string(&path).unwrap(), "system.toml").unwrap();
    let motion = Analysis::of(&system).find("response of motion").unwrap().bound.clone().unwrap();
    let derived = milliseconds(&robot.json(&[]), "cycle", "motion", "bound").unwrap();
    assert!((motion.as_nanoseconds() as f64 / 1e6 - derived).abs() < 1e-9, "{motion} {derived}");
    let read = Application::embedded("").run_with(["robot", "analyze", "--system", &path, "--fail"]);
    assert_eq!(read, ExitCode::from(1));
}

#[test]
fn assigned_priorities_are_obeyed_and_make_it_fit() {
    let robot = Robot::measured("assign", "");
    let overlay = robot.path("assigned.toml");
    assert_eq!(robot.command(&["assign", "--output", &overlay]), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(&overlay).unwrap();
    assert!(text.contains("deadline monotonic"), "{text}");
    assert!(text.contains("[cycle.motion]\npriority = 80\nworkers = 1"), "{text}");
    let findings = robot.json(&["--overlay", &overlay]);
    assert_eq!(findings["holds"], true, "{findings:#}");
    assert_eq!(robot.command(&["analyze", "--overlay", &overlay, "--fail"]), ExitCode::SUCCESS);
    // The figures in the overlay's comments are those of the robot with the overlay.
    let bound = milliseconds(&findings, "cycle", "motion", "bound").unwrap();
    let said = text.lines().find(|line| line.starts_with("# motion")).unwrap();
    assert!(said.ends_with(&format!("80, 1,   {bound:.2} ms")), "{said} {bound}");
    // So are those of `--json`, which has the overlay, too.
    let path = robot.path("assigned.json");
    assert_eq!(robot.command(&["assign", "--json", "--output", &path]), ExitCode::SUCCESS);
    let answer: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&answer["method"], &answer["holds"]), (&"deadline monotonic".into(), &true.into()), "{answer:#}");
    assert_eq!(answer["overlay"].as_str(), Some(text.as_str()));
    let motion = answer["rows"].as_array().unwrap().iter().find(|row| row["name"] == "motion").unwrap();
    assert_eq!((&motion["after"]["priority"], &motion["after"]["workers"]), (&80.into(), &1.into()), "{motion:#}");
    assert_eq!(motion["after"]["bound"].as_f64().unwrap() / 1e6, bound, "{motion:#}");
    assert_ne!(motion["before"]["bound"], motion["after"]["bound"]);
}

#[test]
fn a_source_is_analysed_at_the_priority_that_it_has_for_its_cycle() {
    let robot = Robot::measured("raised", "");
    let without = "[source.Body]\npriority = 90\n\n[source.Camera]\npriority = 85\n";
    let plain = ROBOT.replace(without, "");
    let profile = robot.path("profile.json");
    std::fs::write(robot.path("robot.toml"), format!("{plain}[output]\nprofile = {profile:?}\n")).unwrap();
    let path = robot.path("system.toml");
    let system = || {
        assert_eq!(robot.command(&["analyze", "--format", "toml", "--output", &path]), ExitCode::SUCCESS);
        System::from_toml(&std::fs::read_to_string(&path).unwrap(), "system.toml").unwrap()
    };
    let priorities = |system: &System| ["Body", "Camera"].map(|name| priority_of(system, name));
    assert_eq!(priorities(&system()), [41, 81]);
    // With other cycles' priorities the sources keep those with which they were analysed.
    let overlay = robot.path("assigned.toml");
    assert_eq!(robot.command(&["assign", "--output", &overlay]), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(&overlay).unwrap();
    assert!(text.contains("[source.Body]\npriority = 41\n\n[source.Camera]\npriority = 81\n"), "{text}");
}

fn priority_of(system: &System, cycle: &str) -> u32 {
    system.cycles.iter().find(|it| it.name == cycle).unwrap().priority
}

#[test]
fn answers_to_what_if_stand_side_by_side() {
    let findings = Robot::measured("what-if", "").json(&[
        "--what-if",
        "cores = 4",
        "--what-if",
        "motion priority 82, Mind takes 2x",
    ]);
    let [cores, priority] = findings["what_if"].as_array().unwrap().as_slice() else { panic!("{findings:#}") };
    assert_eq!((&cores["change"], &cores["cores"]), (&Value::from("cores = 4"), &Value::from(4)));
    let bound = |findings: &Value| milliseconds(findings, "cycle", "motion", "bound").unwrap();
    assert!(bound(priority) < bound(&findings), "{priority:#}");
    assert_eq!(
        Robot::measured("what-if-unknown", "").command(&["analyze", "--what-if", "Mnd takes 2x"]),
        ExitCode::from(2)
    );
}

#[test]
fn the_task_to_shorten_first_is_named_and_how_far_each_may_grow() {
    let robot = Robot::measured("shorten", "");
    let overlay = robot.path("assigned.toml");
    assert_eq!(robot.command(&["assign", "--output", &overlay]), ExitCode::SUCCESS);
    let findings = robot.json(&["--overlay", &overlay, "--tasks"]);
    let rows = findings["rows"].as_array().unwrap();
    let cognition = rows.iter().find(|row| row["name"] == "cognition").unwrap();
    assert_eq!(cognition["shorten_first"]["task"], "Mind.request", "{cognition:#}");
    let walk = findings["tasks"].as_array().unwrap().iter().find(|task| task["task"] == "Walk.joints").unwrap();
    assert_eq!((&walk["takes"], &walk["fails"]), (&Value::from(2_000_000), &Value::from("response of cognition")));
    let most = walk["at_most"].as_f64().unwrap() / 1e6;
    assert!((2.5..6.0).contains(&most), "{most}");
}

#[test]
fn a_robot_that_does_not_fit_is_not_admitted_unless_nobody_asks() {
    let run = ["run", "--headless", "--duration", "100ms", "--no-trace"];
    assert_eq!(Robot::measured("refused", "admission = \"refuse\"").command(&run), ExitCode::from(2));
    assert_eq!(Robot::measured("warned", "admission = \"warn\"").command(&run), ExitCode::SUCCESS);
    let unmeasured = Robot::new("unknown", "admission = \"refuse\"");
    let is_known = |duration| {
        let run = ["run", "--headless", "--duration", duration, "--no-trace", "--set", "analysis.admission='warn'"];
        assert_eq!(unmeasured.command(&run), ExitCode::SUCCESS);
        let known = measured::last(Path::new(&unmeasured.path("profile.json")));
        known.sources["Body"].count() > 0 && known.chain("Camera", "motion", "output to Body").is_some()
    };
    assert_eq!(unmeasured.command(&run), ExitCode::SUCCESS, "or it could never be measured");
    // A busy machine needs longer until the first image has come to the joints.
    assert!(["200ms", "1s", "5s"].into_iter().any(is_known));
}

#[test]
fn a_log_holds_what_its_bounds_rest_on() {
    let robot = Robot::new("log", "");
    let log = robot.path("run.mcap");
    let findings = |duration| {
        _ = std::fs::remove_file(&log);
        let run = ["run", "--headless", "--duration", duration, "--no-trace", "--log", &log];
        // 3: the recorder has come too late for some values, as it may on a busy machine.
        assert!([ExitCode::SUCCESS, ExitCode::from(3)].contains(&robot.command(&run)));
        robot.json(&["--profile", &log])
    };
    let is_known = |findings: &Value| findings["execution_times"]["unmeasured"].as_array().unwrap().is_empty();
    let findings = ["300ms", "2s", "10s"].into_iter().map(findings).find(is_known).expect("everything is measured");
    assert!(milliseconds(&findings, "cycle", "motion", "observed").is_some());
}

#[test]
fn an_observation_of_another_configuration_exceeds_no_bound() {
    let robot = Robot::measured("other-configuration", "");
    let exceeded = |findings: &Value| {
        let rows = findings["rows"].as_array().unwrap();
        rows.iter().filter(|row| row["exceeded"] == true).count()
    };
    let observed = |findings: &Value| {
        let rows = findings["rows"].as_array().unwrap();
        rows.iter().filter(|row| row["observed"].is_number()).count()
    };
    let now = robot.json(&[]);
    assert_eq!((exceeded(&now), observed(&now)), (1, 3), "{now:#}");
    // This holds also if the file is named: it is of the same configuration.
    let named = robot.json(&["--profile", &robot.path("profile.json")]);
    assert_eq!((exceeded(&named), observed(&named)), (1, 3));
    for changed in ["cycle.motion.priority=85", "source.Camera.priority=70", "cycle.cognition.workers=2"] {
        for profile in [&[] as &[_], &["--profile", &robot.path("profile.json")]] {
            let findings = robot.json(&[&["--set", changed], profile].concat());
            assert_eq!((exceeded(&findings), observed(&findings)), (0, 0), "{changed} {profile:?}");
            // The execution time of an update does not depend on these.
            assert_eq!(findings["execution_times"]["estimated"], serde_json::json!([]), "{changed}");
        }
    }
}

#[test]
fn the_last_line_says_what_does_not_fit_and_what_to_do() {
    let robot = Robot::measured("verdict", "");
    let path = robot.path("out.txt");
    let last_line = |arguments: &[&str]| {
        assert_eq!(robot.command(&[&["analyze", "--output", &path], arguments].concat()), ExitCode::SUCCESS);
        std::fs::read_to_string(&path).unwrap().trim_end().lines().last().unwrap().to_owned()
    };
    let verdict = last_line(&[]);
    assert!(verdict.starts_with("VERDICT: NOT SURE TO BE IN TIME: motion does not fit ("), "{verdict}");
    assert!(
        verdict.contains("has taken 200 ms, longer than its bound") && verdict.contains("What to do: shorten "),
        "{verdict}"
    );
    assert_eq!(robot.json(&[])["verdict"], verdict.strip_prefix("VERDICT: ").unwrap());

    let overlay = robot.path("assigned.toml");
    assert_eq!(robot.command(&["assign", "--output", &overlay]), ExitCode::SUCCESS);
    assert_eq!(last_line(&["--overlay", &overlay]), "VERDICT: everything is sure to fit");

    let system = robot.path("system.toml");
    let late = "cores = 1\n[[cycle]]\nname = 'vision'\nbegins = { every = '33 ms' }\nworkers = 1\npriority = 50\n\
                tasks = [{ name = 'all', takes = '40 ms' }]\n";
    std::fs::write(&system, late).unwrap();
    let arguments = ["robot", "analyze", "--system", &system, "--output", &path];
    assert_eq!(Application::embedded("").run_with(arguments), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.trim_end().lines().last().unwrap().starts_with("VERDICT: NOT SURE TO BE IN TIME: "), "{text}");

    let verdict = {
        let unmeasured = Robot::new("verdict-unmeasured", "");
        unmeasured.json(&[])["verdict"].as_str().unwrap().to_owned()
    };
    assert!(verdict.contains("never measured") && verdict.contains("What to do: run the robot once"), "{verdict}");
}

#[test]
fn a_profile_is_shown_and_removed_also_one_that_cannot_be_read() {
    let robot = Robot::measured("shown", "");
    let configuration = ["--config", &robot.path("robot.toml")];
    let command = |arguments: &[&str]| {
        Application::embedded("").run_with([&["robot", "profile"], arguments, configuration.as_slice()].concat())
    };
    for arguments in [&["show"] as &[_], &["show", "--json"], &["show", "--set", "cycle.motion.priority=70"]] {
        assert_eq!(command(arguments), ExitCode::SUCCESS, "{arguments:?}");
    }
    let profile = robot.path("profile.json");
    std::fs::write(&profile, "spoiled").unwrap();
    assert_eq!(command(&["show"]), ExitCode::from(1));
    assert_eq!(command(&["reset"]), ExitCode::SUCCESS);
    assert!(!std::fs::exists(&profile).unwrap());
    assert_eq!([command(&["show"]), command(&["reset"])], [ExitCode::SUCCESS; 2]);
    let none =
        Application::embedded("[cycle.main]\nrate = 1.0\nmodules = []\n").run_with(["robot", "profile", "reset"]);
    assert_eq!(none, ExitCode::from(2));
}
