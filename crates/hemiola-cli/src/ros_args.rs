//! The arguments of ROS 2, as `ros2 run` and launch files pass them: `--ros-args -r
//! /scan:=/front/scan -p Walk.gain:=0.5 --`. They become assignments of robot.toml, as those of
//! `--set`, and files of parameters override robot.toml.

mod parameters;
mod yaml;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use hemiola_config::{ForeignFile, ForeignValue};

use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session;
use parameters::Parameter;

const BEGIN: &str = "--ros-args";
const END: &str = "--";

/// Takes the arguments of ROS 2 out of a command line: those from each `--ros-args` to the next
/// `--`, or to the end.
pub fn take(arguments: &mut Vec<OsString>) -> Vec<String> {
    let (mut taken, mut is_inside) = (Vec::new(), false);
    arguments.retain(|argument| {
        match argument.to_str() {
            Some(BEGIN) => is_inside = true,
            Some(END) if is_inside => is_inside = false,
            _ if is_inside => taken.push(argument.to_string_lossy().into_owned()),
            _ => return true,
        }
        false
    });
    taken
}

/// Ends the arguments of ROS 2 in a command line, so that others may follow.
pub fn ended(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let last = arguments.iter().rposition(|argument| argument == BEGIN);
    if last.is_some_and(|last| !arguments[last..].iter().any(|argument| argument == END)) {
        arguments.push(END.into());
    }
    arguments
}

/// Returns the arguments of a run with those of ROS 2 as assignments, and with the values of files
/// of parameters.
///
/// # Errors
/// Returns an error if an argument is unknown or a file of parameters cannot be read.
pub fn applied(program: &Program, robot: &str, arguments: &RunArguments) -> Result<RunArguments, CommandError> {
    let mut applied = arguments.clone();
    let Given { assignments, files, parameters } = Given::parse(&arguments.ros_args)?;
    applied.configuration.assignments.extend(assignments);
    if files.is_empty() && parameters.is_empty() {
        return Ok(applied);
    }
    let configuration = session::configuration(program, &applied.configuration)?.0.configuration;
    let has_own_clock = configuration.ros2.as_ref().is_some_and(|node| node.clock.is_some());
    let nodes = parameters::nodes(&configuration, robot);
    for file in &files {
        let file = of_file(&file.display().to_string(), read(file)?, &nodes, has_own_clock)?;
        applied.configuration.foreign.push(file);
    }
    // What stands on the command line has precedence over files.
    for (name, value) in parameters {
        let assignment = parameters::assignment(&name, &value, has_own_clock);
        let assignment = assignment.map_err(|why| usage(&format!("{name}:={value}"), &why))?;
        applied.configuration.assignments.extend(assignment);
    }
    Ok(applied)
}

/// Returns the values in a file of parameters that are those of one of the nodes.
fn of_file(name: &str, content: String, nodes: &[String], has_own_clock: bool) -> Result<ForeignFile, CommandError> {
    let parameters = parameters::of_file(&content, nodes);
    let parameters = parameters.map_err(|error| usage(&format!("{name}:{}", error.line), &error.why))?;
    let mut values = Vec::new();
    for Parameter { name: parameter, value, place } in parameters {
        let assignment = parameters::assignment(&parameter, &value, has_own_clock);
        let place_of = |why: String| usage(&format!("{name}:{}: {parameter}: {value}", place.line), &why);
        let assignment = assignment.map_err(place_of)?;
        values.extend(assignment.map(|assignment| ForeignValue { assignment, span: place.span.clone() }));
    }
    Ok(ForeignFile { name: name.to_owned(), content, values })
}

/// The arguments of ROS 2, by what they are.
#[derive(Debug, Default, PartialEq)]
struct Given {
    /// The assignments of names.
    assignments: Vec<String>,
    files: Vec<PathBuf>,
    /// The parameters, with values in TOML.
    parameters: Vec<(String, String)>,
}

impl Given {
    fn parse(arguments: &[String]) -> Result<Self, CommandError> {
        let mut given = Self::default();
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let mut value = |example: &str| {
                rest.next().ok_or_else(|| usage(option, &format!("a value must follow, as in `{option} {example}`")))
            };
            match option.as_str() {
                "-r" | "--remap" => {
                    let rule = value("/scan:=/front/scan")?;
                    given.assignments.push(remapping(rule).map_err(|why| usage(rule, &why))?);
                }
                "-p" | "--param" => {
                    let rule = value("Walk.gain:=0.5")?;
                    given.parameters.push(parameter(rule).map_err(|why| usage(rule, &why))?);
                }
                "--params-file" => given.files.push(value("rover.yaml")?.into()),
                _ => {
                    return Err(usage(
                        option,
                        "a robot knows `-r FROM:=TO`, `-p NAME:=VALUE` and `--params-file FILE` of the arguments of ROS 2 \
                         (`--` ends them)",
                    ));
                }
            }
        }
        Ok(given)
    }
}

/// Returns the assignment of a name: that of the node, its namespace, or a topic, service or
/// action.
fn remapping(rule: &str) -> Result<String, String> {
    let (from, to) = rule.split_once(":=").ok_or("it must be FROM:=TO, as in `/scan:=/front/scan`")?;
    if from.contains(':') {
        return Err("a rule for one node of several is not known here: leave out the node's name".to_owned());
    }
    Ok(match from {
        "__node" | "__name" => format!("ros2.node={}", yaml::quoted(to)),
        "__ns" => format!("ros2.namespace={}", yaml::quoted(to)),
        _ => format!("ros2.remap.{}={}", yaml::quoted(from), yaml::quoted(to)),
    })
}

fn parameter(rule: &str) -> Result<(String, String), String> {
    let (name, value) = rule.split_once(":=").ok_or("it must be NAME:=VALUE, as in `Walk.gain:=0.5`")?;
    if name.contains(':') {
        return Err("a parameter for one node of several is not known here: leave out the node's name".to_owned());
    }
    Ok((name.to_owned(), yaml::value(value).map_err(|error| error.why)?))
}

fn read(file: &Path) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to see that it is too long.
    let read = File::open(file).and_then(|file| file.take(yaml::LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| usage(&file.display().to_string(), &error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&byte| byte == b'\n').count();
        usage(&format!("{}:{line}", file.display()), "this is not text in UTF-8 (save it as UTF-8)")
    })
}

fn usage(what: &str, why: &str) -> CommandError {
    CommandError::Usage(format!("{BEGIN}: `{what}`: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn given(text: &str) -> Result<Given, String> {
        let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Given::parse(&arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn they_end_with_the_line_or_with_two_hyphens() {
        let mut line = words("rover run --ros-args -r a:=b -- --headless --ros-args -p A.b:=1");
        assert_eq!(take(&mut line), ["-r", "a:=b", "-p", "A.b:=1"]);
        assert_eq!(line, words("rover run --headless"));
        let mut line = words("rover shout -- --ros");
        assert_eq!((take(&mut line).len(), line), (0, words("rover shout -- --ros")));
        assert_eq!(ended(words("run --ros-args -r a:=b")), words("run --ros-args -r a:=b --"));
        for whole in ["run --headless", "run --ros-args -r a:=b -- --fast"] {
            assert_eq!(ended(words(whole)), words(whole));
        }
    }

    #[test]
    fn names_become_assignments_and_parameters_values_in_toml() {
        let given =
            given("-r __node:=base --remap __ns:=/left -r scan:=/front/scan -p Walk.gain:=0.5 --params-file a.yaml");
        let given = given.unwrap();
        let remap = r#"ros2.remap."scan"="/front/scan""#;
        assert_eq!(given.assignments, [r#"ros2.node="base""#, r#"ros2.namespace="/left""#, remap]);
        assert_eq!(given.parameters, [("Walk.gain".to_owned(), "0.5".to_owned())]);
        assert_eq!(given.files, [PathBuf::from("a.yaml")]);
    }

    #[test]
    fn what_is_not_known_or_not_whole_is_an_error_that_names_it() {
        for (text, why) in [
            ("--enclave /a", "`--enclave`: a robot knows `-r FROM:=TO`"),
            ("-r", "`-r`: a value must follow, as in `-r /scan:=/front/scan`"),
            ("-r a=b", "`a=b`: it must be FROM:=TO"),
            ("-r rover:a:=b", "`rover:a:=b`: a rule for one node of several"),
            ("-p Walk.gain", "`Walk.gain`: it must be NAME:=VALUE"),
            ("-p Walk.gain:=[1", "`Walk.gain:=[1`: "),
        ] {
            let said = given(text).unwrap_err();
            assert!(said.starts_with("error: --ros-args: ") && said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn an_error_in_a_file_names_it_with_the_line_the_value_and_a_remedy() {
        let of_file = |text: &str| super::of_file("rover.yaml", text.to_owned(), &["/rover".to_owned()], false);
        let pattern = "/**:\n  ros__parameters:\n    ";
        for (parameters, why) in [
            (
                "Nobody.gain: 1",
                "`rover.yaml:3: Nobody.gain: 1`: `Nobody.gain` is no parameter of this robot: write Module.parameter",
            ),
            (
                "Nobody:\n      gain: *g",
                "`rover.yaml:4`: `*g` stands for a value elsewhere, which ROS 2 does not support: write the value",
            ),
            ("use_sim_time: true", "`rover.yaml:3: use_sim_time: true`: a robot goes by its own clock"),
            ("use_sim_time: [", "`rover.yaml:3`: `use_sim_time`: this is not YAML: unclosed bracket"),
        ] {
            let said = of_file(&format!("{pattern}{parameters}\n")).unwrap_err().to_string();
            assert!(said.starts_with(&format!("error: --ros-args: {why}")), "{said}");
        }
        let nothing = of_file(&format!("{pattern}use_sim_time: false\n/lidar:\n  ros__parameters:\n    range: 3\n"));
        assert_eq!(nothing.unwrap().values, []);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rover.yaml");
        assert!(read(&path).unwrap_err().to_string().contains("rover.yaml`: No such file"));
        std::fs::write(&path, b"a:\n  b: \xff\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("rover.yaml:2`: this is not text in UTF-8 (save it"));
        // A device that never ends is as any file that is too long.
        let endless = read(Path::new("/dev/zero")).unwrap();
        assert_eq!(endless.len(), yaml::LONGEST_TEXT + 1);
    }
}
