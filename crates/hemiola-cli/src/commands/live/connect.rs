//! Which robot is meant.

use hemiola_live::RunningSocket;
use hemiola_live::client::{Address, Connection};

use crate::command_line::live::RobotArguments;
use crate::error::CommandError;

/// Connects to the robot that the arguments name, or to the only one that runs here.
pub fn connect(own: Option<&str>, arguments: &RobotArguments) -> Result<Connection, CommandError> {
    let address = match &arguments.at {
        Some(at) => Address::tcp(at, arguments.token.clone())?,
        None => Address::Unix(choose(RunningSocket::all(), own, arguments.robot.as_deref())?.path),
    };
    let robot = Connection::open(&address)?;
    let has_token = matches!(address, Address::Tcp { token: Some(_), .. });
    if has_token && !robot.welcome().may_change {
        let text =
            format!("the token is not the one of the robot at {address}: take the one that it printed when it started");
        return Err(CommandError::Usage(text));
    }
    Ok(robot)
}

/// Chooses the robot of that name or process; without a name, robots of this program go before
/// others.
pub fn choose(
    running: Vec<RunningSocket>,
    own: Option<&str>,
    named: Option<&str>,
) -> Result<RunningSocket, CommandError> {
    let is_named = |name: &str, robot: &RunningSocket| robot.robot == name || robot.process.to_string() == name;
    let wanted: Vec<_> = match named {
        Some(name) => running.iter().filter(|robot| is_named(name, robot)).collect(),
        None => {
            let ours: Vec<_> = running.iter().filter(|robot| Some(robot.robot.as_str()) == own).collect();
            if ours.is_empty() { running.iter().collect() } else { ours }
        }
    };
    match (wanted.as_slice(), named) {
        ([robot], _) => Ok((*robot).clone()),
        ([], None) => Err(CommandError::Usage(
            "no robot is running here; start one, or name the host of another one: --at HOST:PORT".to_owned(),
        )),
        ([], Some(name)) if running.is_empty() => Err(CommandError::Usage(format!(
            "no robot is running here, and so none called `{name}`; start it, or name its host: --at HOST:PORT"
        ))),
        ([], Some(name)) => {
            Err(CommandError::unknown("running robot", name, running.iter().map(|robot| robot.robot.as_str())))
        }
        (several, _) => {
            let names: Vec<_> =
                several.iter().map(|robot| format!("{} (process {})", robot.robot, robot.process)).collect();
            let is_enough =
                several.iter().all(|one| several.iter().filter(|other| one.robot == other.robot).count() == 1);
            let how = if is_enough { "name one with --robot" } else { "name one by its process, as --robot PROCESS" };
            Err(CommandError::Usage(format!("{} robots are running: {how}: {}", several.len(), names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(robots: &[(&str, i32)]) -> Vec<RunningSocket> {
        let socket =
            |&(robot, process): &(&str, i32)| RunningSocket { robot: robot.into(), process, path: "/x".into() };
        robots.iter().map(socket).collect()
    }

    fn chosen(robots: &[(&str, i32)], own: Option<&str>, named: Option<&str>) -> Result<i32, String> {
        choose(running(robots), own, named).map(|robot| robot.process).map_err(|error| error.to_string())
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
        assert!(error(&[], Some("nao")).starts_with("error: no robot is running here, and so none called `nao`"));
        let several = error(&[("arm", 8), ("nao", 7)], None);
        assert_eq!(several, "error: 2 robots are running: name one with --robot: arm (process 8), nao (process 7)");
        assert!(error(&[("nao", 7), ("nao", 8)], Some("nao")).contains("by its process, as --robot PROCESS"));
        assert!(error(&[("nao", 7)], Some("noa")).contains("did you mean `nao`?"));
    }
}
