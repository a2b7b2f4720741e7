//! The node that a robot is in a ROS 2 system. Programs have it with the feature `ros2`, so that
//! others do not build it.

#[cfg(feature = "ros2")]
pub use linked::{Node, open};
#[cfg(not(feature = "ros2"))]
pub use missing::{Node, open};

/// The reason why this program cannot be the node that `[ros2]` in robot.toml demands; `None` if it
/// can.
pub const MISSING: Option<&str> = if cfg!(feature = "ros2") {
    None
} else {
    Some(
        "robot.toml has `[ros2]`, and this program was built without ROS 2: add the feature to the robot's Cargo.toml, \
         `hemiola = { version = \"0.1\", features = [\"ros2\"] }`",
    )
};

#[cfg(feature = "ros2")]
mod linked {
    use hemiola_link::{LinkHost, LinksView};
    use hemiola_model::configuration::Ros2Configuration;
    use hemiola_ros2::RobotNode;

    use crate::error::CommandError;

    /// The node.
    pub struct Node(RobotNode);

    impl Node {
        pub fn view(&self) -> LinksView {
            self.0.view()
        }

        pub fn close(self) {
            self.0.close();
        }
    }

    pub fn open(configuration: &Ros2Configuration, host: LinkHost) -> Result<Node, CommandError> {
        RobotNode::open(configuration, host).map(Node).map_err(|error| CommandError::Ros2(error.to_string()))
    }
}

#[cfg(not(feature = "ros2"))]
mod missing {
    use hemiola_link::{LinkHost, LinksView};
    use hemiola_model::configuration::Ros2Configuration;

    use super::MISSING;
    use crate::error::CommandError;

    /// A node that no program without the feature has.
    pub enum Node {}

    impl Node {
        pub fn view(&self) -> LinksView {
            match *self {}
        }

        pub fn close(self) {
            match self {}
        }
    }

    pub fn open(_: &Ros2Configuration, _: LinkHost) -> Result<Node, CommandError> {
        Err(CommandError::Usage(MISSING.unwrap_or_default().to_owned()))
    }
}
