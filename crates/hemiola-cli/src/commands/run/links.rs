//! The links of the robot that runs.

use hemiola_link::{LinkHost, Links, LinksView};
use hemiola_model::configuration::LinkConfiguration;
use hemiola_runtime::{RobotHandle, Tempo};

use super::runner::stepped;
use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::notes::tell;

/// The links, while the robot runs.
pub struct OpenLinks(Links);

impl OpenLinks {
    /// Returns a view of them, for whoever shows the robot.
    pub fn view(&self) -> LinksView {
        self.0.view()
    }

    /// Closes them when the robot has ended, and tells what went over them.
    pub fn close(self) -> Vec<String> {
        let lines = self.0.statistics().iter().map(ToString::to_string).collect();
        self.0.close("the robot has ended");
        lines
    }
}

/// Opens the links that robot.toml asks for. What is repeated from a log is nobody's present, and
/// who steps a robot as fast as possible wants the same result each time: these have none.
pub fn open(
    handle: &RobotHandle,
    robot: &str,
    links: &[LinkConfiguration],
    arguments: &RunArguments,
) -> Result<Option<OpenLinks>, CommandError> {
    if links.is_empty() {
        return Ok(None);
    }
    if arguments.replay.is_some() || stepped(arguments) == Some(Tempo::AsFastAsPossible) {
        tell(format_args!("note: a robot that is stepped or repeats a log opens no links"));
        return Ok(None);
    }
    Ok(Some(OpenLinks(Links::open(links, LinkHost::of(robot, handle))?)))
}
