//! The connections of a running robot to other programs: its links, and its node in a ROS 2 system.

use hemiola_link::{LinkHost, Links, LinksView};
use hemiola_model::configuration::Configuration;
use hemiola_runtime::{RobotHandle, Tempo};

use super::runner::stepped;
use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::notes::tell;
use crate::ros2;

/// The links and the node, while the robot runs.
#[derive(Default)]
pub struct OpenLinks {
    links: Option<Links>,
    node: Option<ros2::Node>,
}

impl OpenLinks {
    /// Returns a view of the links and the node, for displays of the robot.
    pub fn view(&self) -> LinksView {
        let links = self.links.as_ref().map(Links::view).unwrap_or_default();
        links.and(self.node.as_ref().map(ros2::Node::view).unwrap_or_default())
    }

    /// Closes the links and the node when the robot has ended, and returns lines about their
    /// traffic.
    pub fn close(self) -> Vec<String> {
        let lines = self.view().statistics().iter().map(ToString::to_string).collect();
        if let Some(links) = self.links {
            links.close("the robot has ended");
        }
        self.node.into_iter().for_each(ros2::Node::close);
        lines
    }
}

/// Opens the links and the node that robot.toml demands. A replay and a robot that is stepped as
/// fast as possible have none: the one repeats the past, and the other must give the same result
/// each time.
pub fn open(
    handle: &RobotHandle,
    robot: &str,
    configuration: &Configuration,
    arguments: &RunArguments,
) -> Result<OpenLinks, CommandError> {
    let Configuration { links, ros2, .. } = configuration;
    if links.is_empty() && ros2.is_none() {
        return Ok(OpenLinks::default());
    }
    if arguments.replay.is_some() || stepped(arguments) == Some(Tempo::AsFastAsPossible) {
        tell(format_args!("note: a robot that is stepped or replays a log opens no links, and is not a node of ROS 2"));
        return Ok(OpenLinks::default());
    }
    let to_parts = links.iter().map(|link| &link.name).filter(|name| configuration.is_between_parts(name));
    let host = with_zenoh(LinkHost::of(robot, handle)).with_links_to_parts(to_parts);
    let node = match ros2 {
        Some(node) => Some(ros2::open(node, host.clone())?),
        None => None,
    };
    let links = if links.is_empty() { None } else { Some(Links::open(links, host)?) };
    Ok(OpenLinks { links, node })
}

/// Returns the host with the transport of links over Zenoh, which programs have with the feature
/// `zenoh`.
#[cfg(feature = "zenoh")]
fn with_zenoh(host: LinkHost) -> LinkHost {
    host.with_transport(std::sync::Arc::new(hemiola_zenoh::ZenohTransport::new()))
}

/// Returns the host, whose links cannot go over Zenoh.
#[cfg(not(feature = "zenoh"))]
fn with_zenoh(host: LinkHost) -> LinkHost {
    host
}
