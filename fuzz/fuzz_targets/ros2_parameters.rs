//! Whatever other nodes of a ROS 2 system ask of a robot's parameters is answered, one answer for
//! each name, or refused with a reason; what is set has been read as a value of the parameter's
//! type.
#![no_main]

mod patched;
#[path = "../../crates/hemiola-ros2/tests/common/walk.rs"]
mod walk;

use std::sync::LazyLock;

use hemiola::cdr::{decode, encode};
use hemiola::data::Data;
use hemiola_config::{Catalog, parse};
use hemiola_ros2::ParameterService;
use hemiola_runtime::{Robot, RobotHandle, Stepper};
use libfuzzer_sys::fuzz_target;
use patched::patched;

/// `rcl_interfaces/msg/ParameterValue`, as ROS 2 defines it.
#[derive(Data, Clone, Debug, Default, PartialEq)]
struct ParameterValue {
    kind: u8,
    bool_value: bool,
    integer_value: i64,
    double_value: f64,
    string_value: String,
    byte_array_value: Vec<u8>,
    bool_array_value: Vec<bool>,
    integer_array_value: Vec<i64>,
    double_array_value: Vec<f64>,
    string_array_value: Vec<String>,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct Parameter {
    name: String,
    value: ParameterValue,
}

#[derive(Data, Clone, Debug, PartialEq)]
struct SetParametersResult {
    successful: bool,
    reason: String,
}

#[derive(Data, Clone, Debug, PartialEq)]
struct ListParameters {
    prefixes: Vec<String>,
    depth: u64,
}

const NAMES: [&str; 12] = [
    "Walk.gain",
    "Walk.steps",
    "Walk.careful",
    "Walk.name",
    "Walk.gait",
    "Walk.bytes",
    "Walk.feet",
    "Walk.offsets",
    "Walk.corner",
    "Walk.names",
    "use_sim_time",
    "Walk",
];

/// What a node asks, of each kind something.
static REQUESTS: LazyLock<Vec<(ParameterService, Vec<u8>)>> = LazyLock::new(|| {
    let names = || NAMES.map(str::to_owned).to_vec();
    let parameters: Vec<Parameter> = (0..).zip(NAMES).map(|(place, name)| parameter(name, place)).collect();
    ParameterService::ALL
        .into_iter()
        .map(|service| {
            let request = match service {
                ParameterService::List => encode(&ListParameters { prefixes: names(), depth: 1 }),
                ParameterService::Set | ParameterService::SetAtomically => encode(&parameters),
                _ => encode(&names()),
            };
            (service, request)
        })
        .collect()
});

fn parameter(name: &str, kind: u8) -> Parameter {
    let value = ParameterValue {
        kind: [3, 2, 1, 4, 4, 5, 6, 7, 8, 9, 1, 0][usize::from(kind)],
        bool_value: true,
        integer_value: 4,
        double_value: 0.25,
        string_value: "Trot".to_owned(),
        byte_array_value: vec![7],
        bool_array_value: vec![true, true],
        integer_array_value: vec![1],
        double_array_value: vec![0.5, 0.25],
        string_array_value: vec!["b".to_owned()],
    };
    Parameter { name: name.to_owned(), value }
}

thread_local! {
    /// A robot that has stopped, so that no change waits for its cycles: what can be set is set no
    /// more.
    static ROBOT: Stepper = {
        let loaded = parse("[cycle.main]\nrate = 100.0\nmodules = [\"Walk\"]\n", "robot.toml", &Catalog::linked());
        let robot = Robot::assemble(loaded.expect("it is right").configuration).expect("it is right");
        let stepper = robot.into_stepper().expect("it is right");
        stepper.handle().stop();
        stepper
    };
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let (service, whole) = &REQUESTS[usize::from(*choice) % REQUESTS.len()];
    ROBOT.with(|stepper| {
        let robot = stepper.handle();
        ask(robot, *service, rest);
        ask(robot, *service, &patched(whole, rest));
    });
});

fn ask(robot: &RobotHandle, service: ParameterService, request: &[u8]) {
    let answer = match service.answer(robot, request) {
        Ok(answer) => answer,
        Err(reason) => return assert!(!reason.is_empty()),
    };
    match service {
        ParameterService::List => {
            let (names, prefixes): (Vec<String>, Vec<String>) = lists(&answer);
            assert!(names.iter().all(|name| NAMES.contains(&name.as_str())), "{names:?}");
            assert!(prefixes.iter().all(|prefix| prefix == "Walk"), "{prefixes:?}");
        }
        ParameterService::Get => {
            let (names, values): (Vec<String>, Vec<ParameterValue>) = (read(request), read(&answer));
            assert_eq!(values.len(), names.len());
            let kind = |name: &String| NAMES[..11].iter().position(|known| known == name);
            let kinds = names.iter().map(|name| kind(name).map_or(0, |at| parameter("", at as u8).value.kind));
            assert!(kinds.eq(values.iter().map(|value| value.kind)));
        }
        ParameterService::GetTypes => {
            let (names, types): (Vec<String>, Vec<u8>) = (read(request), read(&answer));
            assert_eq!(types.len(), names.len());
        }
        ParameterService::Describe => assert!(answer.len() >= 8),
        ParameterService::Set => {
            let (wanted, results): (Vec<Parameter>, Vec<SetParametersResult>) = (read(request), read(&answer));
            assert_eq!(results.len(), wanted.len());
            assert!(results.iter().all(|result| result.successful == result.reason.is_empty()), "{results:?}");
        }
        ParameterService::SetAtomically => {
            let result: SetParametersResult = read(&answer);
            assert_eq!(result.successful, result.reason.is_empty(), "{result:?}");
        }
    }
}

fn read<T: Data>(cdr: &[u8]) -> T {
    decode(cdr).expect("it was read, or written")
}

/// `rcl_interfaces/msg/ListParametersResult`.
fn lists(cdr: &[u8]) -> (Vec<String>, Vec<String>) {
    #[derive(Data, Clone, Debug)]
    struct ListParametersResult {
        names: Vec<String>,
        prefixes: Vec<String>,
    }
    let ListParametersResult { names, prefixes } = read(cdr);
    (names, prefixes)
}
