//! A robot that is started with the arguments of ROS 2, as a launch file starts nodes.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use hemiola::Application;
use hemiola::configuration::Configuration;
use hemiola::data::Value;
use hemiola::prelude::*;

#[derive(Parameters)]
struct WalkParameters {
    #[parameter(default = 0.5, range = 0.0..=2.0)]
    gain: f64,
    #[parameter(default = "ada".to_owned())]
    name: String,
    #[parameter(default = vec![0.0])]
    corner: Vec<f64>,
}

#[derive(Module)]
struct Walk {
    #[parameters]
    parameters: WalkParameters,
}

#[derive(Representation, Clone, Default, Debug)]
struct Steps {
    sum: f64,
}

#[module]
impl Walk {
    #[update]
    fn steps(&self, steps: &mut Steps) {
        let WalkParameters { gain, name, corner } = &self.parameters;
        steps.sum = gain + name.len() as f64 + corner.iter().sum::<f64>();
    }
}

const ROBOT: &str = "[cycle.main]\nrate = 100.0\nmodules = [\"Walk\"]\n[ros2]\nnode = \"toml\"\n\
                     remap = { \"/scan\" = \"/back/scan\", \"/map\" = \"/house\" }\n";

/// Runs the robot for a moment, without ROS 2. Returns its configuration if it has run.
fn run(ros_args: &[&str]) -> (ExitCode, Option<Configuration>) {
    let seen = Arc::new(Mutex::new(None));
    let noted = seen.clone();
    let robot = Application::embedded(ROBOT).summary(move |robot| {
        *noted.lock().unwrap() = Some(robot.with_robot(|robot| robot.configuration().clone()));
        Vec::new()
    });
    let line = ["rover", "--fast", "--headless", "--duration", "30ms", "--no-trace", "--no-page", "--ros-args"];
    let code = robot.run_with([&line, ros_args].concat());
    let configuration = seen.lock().unwrap().take();
    (code, configuration)
}

fn parameter(configuration: &Configuration, name: &str) -> Option<Value> {
    configuration.modules.get("Walk")?.parameters.get(name).cloned()
}

fn write(folder: &Path, text: &str) -> String {
    let file = folder.join("walk.yaml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn names_and_parameters_are_those_of_the_launch_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "/**:\n  ros__parameters:\n    use_sim_time: false\n    Walk:\n      gain: 1.5\n      name: 'grace'\n\
                /left/base:\n  ros__parameters:\n    Walk.corner: [1, 2.5]\n\
                /left/toml:\n  ros__parameters:\n    Walk.corner: [9.0]\n";
    let file = write(folder.path(), text);
    let names = ["-r", "__node:=base", "-r", "__ns:=/left", "-r", "/scan:=/front/scan"];
    let (code, configuration) =
        run(&[&names[..], &["--params-file", &file, "-p", "Walk.gain:=0.25", "--", "--no-log"]].concat());
    assert_eq!(code, ExitCode::SUCCESS);
    let configuration = configuration.expect("it has run");
    let node = configuration.ros2.as_ref().expect("the robot has `[ros2]`");
    assert_eq!(node.full_name("rover"), "/left/base");
    let mut remap = node.remap.clone();
    remap.sort();
    assert_eq!(
        remap,
        [("/map", "/house"), ("/scan", "/front/scan")].map(|(from, to)| (from.to_owned(), to.to_owned()))
    );
    // What is on the command line has precedence over the file.
    assert_eq!(parameter(&configuration, "gain"), Some(Value::Float(0.25)));
    assert_eq!(parameter(&configuration, "name"), Some(Value::Text("grace".to_owned())));
    // The node's name is that of the command line, and not that of robot.toml.
    let corner = Value::List(vec![Value::Integer(1), Value::Float(2.5)]);
    assert_eq!(parameter(&configuration, "corner"), Some(corner));
}

#[test]
fn what_is_wrong_is_an_error_before_the_robot_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "/**:\n\tros__parameters:\n");
    for wrong in [
        &["-p", "Walk.gain:=7.5"][..],
        &["-p", "Nobody.gain:=1"],
        &["-r", "/scan"],
        &["-r", "/scan:=/the scan"],
        &["--log-level", "debug"],
        &["--params-file", &file],
        &["--params-file", "/nowhere/walk.yaml"],
    ] {
        let (code, configuration) = run(wrong);
        assert_eq!((code, configuration), (ExitCode::from(2), None), "{wrong:?}");
    }
}
