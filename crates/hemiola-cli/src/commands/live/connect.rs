//! The connection to the robot that a command selects.

use hemiola_live::client::{Address, WholeRobot};
use hemiola_live::{RunningRobot, RunningSocket};

use crate::command_line::live::RobotArguments;
use crate::error::CommandError;

/// The selected robot.
#[derive(Debug)]
pub enum Meant {
    /// All processes of a robot that is running here.
    Whole(RunningRobot),
    /// One process of a robot.
    One(Address),
    /// The robot that has a process at this address.
    There(Address),
}

/// Connects to the robot that the arguments select, or to the only one that is running here.
pub fn connect(own: Option<&str>, arguments: &RobotArguments) -> Result<WholeRobot, CommandError> {
    let robot = match meant(own, arguments)? {
        Meant::Whole(robot) => WholeRobot::open(&robot)?,
        Meant::One(address) => WholeRobot::at(&address)?,
        Meant::There(address) => WholeRobot::through(&address)?,
    };
    let has_token = matches!(robot.address(), Address::Tcp { token: Some(_), .. });
    if has_token && !robot.welcome().may_change {
        let address = robot.address();
        let text = format!("the token is not that of the robot at {address}: use the one that it printed at its start");
        return Err(CommandError::Usage(text));
    }
    Ok(robot)
}

/// Returns the robot that the arguments select, or the only one that is running here.
pub fn meant(own: Option<&str>, arguments: &RobotArguments) -> Result<Meant, CommandError> {
    match &arguments.at {
        Some(at) => {
            let address = Address::tcp(at, arguments.token.clone())?;
            Ok(match &arguments.process {
                Some(process) => Meant::One(address.of_process(process)),
                None => Meant::There(address),
            })
        }
        None => choose(RunningRobot::all(), own, arguments.robot.as_deref(), arguments.process.as_deref()),
    }
}

/// Chooses the robot of that name or number; without a name, robots of this program have precedence
/// over others.
fn choose(
    running: Vec<RunningRobot>,
    own: Option<&str>,
    named: Option<&str>,
    process: Option<&str>,
) -> Result<Meant, CommandError> {
    let wanted: Vec<&RunningRobot> = match named {
        Some(name) => running.iter().filter(|robot| is_named(robot, name)).collect(),
        None => {
            let ours: Vec<_> = running.iter().filter(|robot| Some(robot.name.as_str()) == own).collect();
            if ours.is_empty() { running.iter().collect() } else { ours }
        }
    };
    // One process of a robot has a name, too.
    let sockets = running.iter().filter(|robot| robot.is_cut()).flat_map(|robot| &robot.sockets);
    let parts: Vec<_> = sockets.filter(|socket| named.is_some_and(|name| is_socket(socket, name))).collect();
    match (wanted.as_slice(), parts.as_slice(), named) {
        ([], [part], _) if process.is_none() => Ok(Meant::One(Address::Unix(part.path.clone()))),
        ([], [_, _, ..], Some(name)) => {
            let numbers: Vec<_> = parts.iter().map(|part| part.process.to_string()).collect();
            let text = format!(
                "{} processes are named `{name}`: choose one by its number with --robot PROCESS: {}",
                parts.len(),
                numbers.join(", ")
            );
            Err(CommandError::Usage(text))
        }
        ([robot], ..) => match process {
            None => Ok(Meant::Whole((*robot).clone())),
            Some(process) => one_of(robot, process),
        },
        ([], _, None) => Err(CommandError::Usage(
            "no robot is running here; start one, or give the host of another one: --at HOST:PORT".to_owned(),
        )),
        ([], _, Some(name)) if running.is_empty() => Err(CommandError::Usage(format!(
            "no robot is running here, and so none named `{name}`; start it, or give its host: --at HOST:PORT"
        ))),
        ([], _, Some(name)) => {
            Err(CommandError::unknown("running robot", name, running.iter().map(|robot| robot.name.as_str())))
        }
        (several, ..) => {
            let names: Vec<_> = several.iter().map(|robot| described(robot)).collect();
            let is_enough =
                several.iter().all(|one| several.iter().filter(|other| one.name == other.name).count() == 1);
            let how =
                if is_enough { "choose one with --robot" } else { "choose one by its process with --robot PROCESS" };
            Err(CommandError::Usage(format!("{} robots are running: {how}: {}", several.len(), names.join(", "))))
        }
    }
}

/// Returns whether `name` is the name of a whole robot, or the number of its process or of the one
/// that has started all of its processes.
fn is_named(robot: &RunningRobot, name: &str) -> bool {
    let number = |socket: &RunningSocket| match &socket.part {
        None => Some(socket.process.to_string()),
        Some(part) => part.started_by.map(|process| process.to_string()),
    };
    robot.name == name || robot.sockets.first().and_then(number).is_some_and(|number| number == name)
}

/// Returns whether `name` is the name or number of one process of a robot.
fn is_socket(socket: &RunningSocket, name: &str) -> bool {
    socket.name() == name || socket.process.to_string() == name
}

fn one_of(robot: &RunningRobot, process: &str) -> Result<Meant, CommandError> {
    let name = |socket: &RunningSocket| socket.part.as_ref().map(|part| part.process.clone());
    let is_meant = |socket: &&RunningSocket| name(socket).as_deref() == Some(process) || is_socket(socket, process);
    if let Some(socket) = robot.sockets.iter().find(is_meant) {
        return Ok(Meant::One(Address::Unix(socket.path.clone())));
    }
    let known: Vec<_> = robot.sockets.iter().filter_map(name).collect();
    let kind = format!("process of {} that runs", robot.name);
    Err(CommandError::unknown(&kind, process, known.iter().map(String::as_str)))
}

/// Describes a robot for a list to choose from: `arm (process 8)`, or `nao (process 7: main 9,
/// vision 10)`, where 7 has started them.
fn described(robot: &RunningRobot) -> String {
    let part = |socket: &RunningSocket| {
        let name = socket.part.as_ref().map(|part| format!("{} ", part.process)).unwrap_or_default();
        format!("{name}{}", socket.process)
    };
    let parts: Vec<_> = robot.sockets.iter().map(part).collect();
    let started_by = robot.sockets[0].part.as_ref().map(|part| part.started_by);
    match started_by {
        None => format!("{} (process {})", robot.name, parts.join(", ")),
        Some(None) => format!("{} (processes {})", robot.name, parts.join(", ")),
        Some(Some(by)) => format!("{} (process {by}: {})", robot.name, parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use hemiola_live::Part;

    use super::*;

    fn socket(robot: &str, part: Option<Part>, process: i32) -> RunningSocket {
        RunningSocket { robot: robot.into(), part, process, path: process.to_string().into() }
    }

    fn chosen(robots: &[(&str, i32)], own: Option<&str>, named: Option<&str>) -> Result<i32, String> {
        let running = robots.iter().map(|&(robot, process)| socket(robot, None, process)).collect();
        match choose(RunningRobot::of(running), own, named, None).map_err(|error| error.to_string())? {
            Meant::Whole(robot) => Ok(robot.sockets[0].process),
            Meant::One(address) | Meant::There(address) => panic!("{address}"),
        }
    }

    /// Returns the processes that are meant of `nao` (7: `main` 8, `vision` 9) and another `nao`
    /// (17: `main` 18, `vision` 19).
    fn chosen_of_cut(named: Option<&str>, process: Option<&str>) -> Result<String, String> {
        let part =
            |by: i32, process: &str| Some(Part { process: process.to_owned(), started_by: Some(by.cast_unsigned()) });
        let of = |by: i32| [socket("nao", part(by, "main"), by + 1), socket("nao", part(by, "vision"), by + 2)];
        let running = RunningRobot::of([of(7), of(17)].concat());
        let names = |robot: RunningRobot| robot.sockets.iter().map(|it| it.process.to_string()).collect::<Vec<_>>();
        choose(running, None, named, process).map_err(|error| error.to_string()).map(|meant| match meant {
            Meant::Whole(robot) => names(robot).join(" and "),
            Meant::One(address) | Meant::There(address) => address.to_string(),
        })
    }

    #[test]
    fn a_robot_of_several_processes_is_meant_as_a_whole_or_in_part() {
        let chosen = |named, process| chosen_of_cut(Some(named), process).unwrap();
        assert_eq!(chosen("7", None), "8 and 9");
        assert_eq!(chosen("17", Some("vision")), "19");
        assert_eq!(chosen("9", None), "9");
        let unclear = chosen_of_cut(None, None).unwrap_err();
        assert!(
            unclear
                .ends_with("--robot PROCESS: nao (process 7: main 8, vision 9), nao (process 17: main 18, vision 19)"),
            "{unclear}"
        );
        let unclear = chosen_of_cut(Some("nao-vision"), None).unwrap_err();
        assert!(unclear.contains("2 processes are named `nao-vision`"), "{unclear}");
        let unknown = chosen_of_cut(Some("7"), Some("visoin")).unwrap_err();
        assert!(unknown.contains("no process of nao that runs `visoin`, did you mean `vision`?"), "{unknown}");
    }

    #[test]
    fn the_only_robot_is_meant_and_those_of_the_same_program_before_others() {
        assert_eq!(chosen(&[("nao", 7)], None, None), Ok(7));
        assert_eq!(chosen(&[("nao", 7), ("arm", 8)], Some("arm"), None), Ok(8));
        assert_eq!(chosen(&[("nao", 7)], Some("arm"), None), Ok(7));
        assert_eq!(chosen(&[("nao", 7), ("nao", 8)], None, Some("8")), Ok(8));
        assert_eq!(chosen(&[("nao", 7), ("arm", 8)], Some("nao"), Some("arm")), Ok(8));
    }

    #[test]
    fn what_is_not_clear_is_an_error_that_says_what_to_do() {
        let error = |robots: &[_], named| chosen(robots, None, named).unwrap_err();
        assert!(error(&[], None).starts_with("error: no robot is running here; start one"));
        assert!(error(&[], Some("nao")).starts_with("error: no robot is running here, and so none named `nao`"));
        let several = error(&[("arm", 8), ("nao", 7)], None);
        assert_eq!(several, "error: 2 robots are running: choose one with --robot: arm (process 8), nao (process 7)");
        assert!(error(&[("nao", 7), ("nao", 8)], Some("nao")).contains("by its process with --robot PROCESS"));
        assert!(error(&[("nao", 7)], Some("noa")).contains("did you mean `nao`?"));
    }
}
