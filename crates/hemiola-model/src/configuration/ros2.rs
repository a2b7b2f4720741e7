use std::fmt;
use std::time::Duration;

use super::{Keep, Received, Sent, Subject};

/// The robot's node in a ROS 2 system, as `[ros2]` in robot.toml configures it.
///
/// ```
/// use hemiola_model::configuration::{Ros2Configuration, Ros2Published, Ros2Quality, Ros2Subscribed, Subject};
///
/// let rover = Ros2Configuration {
///     publish: vec![Ros2Published::new("/scan", Subject::representation("Scan"), Ros2Quality::BestEffort)],
///     subscribe: vec![Ros2Subscribed::new("/cmd_vel", Subject::representation("Command"))],
///     ..Ros2Configuration::default()
/// };
/// assert_eq!(rover.router.to_string(), "tcp/localhost:7447"); // where ROS 2's router listens
/// assert_eq!(rover.subscribe[0].received.subject.name, "Command");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ros2Configuration {
    /// The node's name; `None`: the robot's name.
    pub node: Option<String>,
    /// The process of the robot that the node is of, if that is not its first one: the node's name
    /// ends with it. No key says it.
    pub process: Option<String>,
    /// The node's namespace, without slashes around it: `team/rover`; empty: the root.
    pub namespace: String,
    /// The names in ROS 2 that are replaced by others, as the node would use either: the first pair
    /// whose first name is that of a topic, service or action counts.
    pub remap: Vec<(String, String)>,
    /// The domain; `None`: that of the environment variable `ROS_DOMAIN_ID`, or else 0.
    pub domain: Option<u32>,
    /// The router over which nodes find each other.
    pub router: Ros2Router,
    /// The processor cores of all threads that serve the node; empty: those of the process.
    pub cores: Vec<usize>,
    /// The rate at which `/clock` is published, in hertz; `None`: it is not published.
    pub clock: Option<f64>,
    /// The topics that the node publishes, in the order of the file.
    pub publish: Vec<Ros2Published>,
    /// The topics to which the node subscribes, in the order of the file.
    pub subscribe: Vec<Ros2Subscribed>,
    /// The services of this robot that the node serves, in the order of the file.
    pub serve: Vec<Ros2Service>,
    /// The services of other nodes that are called here, in the order of the file.
    pub call: Vec<Ros2Service>,
    /// The actions whose goals this robot pursues, in the order of the file.
    pub action_server: Vec<Ros2Action>,
    /// The actions of other nodes to which this robot sends goals, in the order of the file.
    pub action_client: Vec<Ros2Action>,
}

/// The router of a ROS 2 system, over which its nodes find each other, as an address of Zenoh:
/// `tcp/localhost:7447`.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ros2Router {
    /// A router that runs elsewhere, where it listens at this address.
    At(String),
    /// The robot's process, which listens at this address.
    Here(String),
}

/// A topic of ROS 2 that the node publishes.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Debug, PartialEq)]
pub struct Ros2Published {
    /// The topic's name in ROS 2, with its namespace: `/scan`.
    pub name: String,
    /// The topic or representation that is published, and how much of it may wait.
    pub sent: Sent,
    /// The quality of service of its delivery.
    pub quality: Ros2Quality,
    /// The number of messages that are kept for subscribers that join late or fall behind.
    pub depth: usize,
    /// The messages that are kept, as announced to other nodes.
    pub history: Ros2History,
    /// The longest time between two messages that subscribers may rely on; `None`: any.
    pub deadline: Option<Duration>,
    /// The time after which a message expires: whoever subscribes later does not get it; `None`:
    /// never.
    pub lifespan: Option<Duration>,
    /// The sign by which subscribers see that the publisher is alive.
    pub liveliness: Ros2Liveliness,
    /// The time within which it is shown; `None`: any.
    pub lease: Option<Duration>,
    /// The messages in the safe state, and at the end.
    pub safe_state: Ros2SafeState,
}

/// A topic of ROS 2 to which the node subscribes.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ros2Subscribed {
    /// The topic's name in ROS 2, with its namespace: `/cmd_vel`.
    pub name: String,
    /// The topic or representation of this robot that receives the messages.
    pub received: Received,
    /// The quality of service of their delivery.
    pub quality: Ros2Quality,
    /// The number of messages that may wait for the robot.
    pub depth: usize,
    /// The messages that are kept, as announced to other nodes.
    pub history: Ros2History,
    /// The longest time between two messages that is requested of publishers; `None`: any.
    pub deadline: Option<Duration>,
    /// The age from which on a message has expired, and is dropped; `None`: the one that its
    /// publisher says.
    pub lifespan: Option<Duration>,
    /// The sign by which publishers are requested to show that they are alive.
    pub liveliness: Ros2Liveliness,
    /// The time within which publishers are requested to show that they are alive, and from which
    /// on their liveliness is supervised; `None`: it is not.
    pub lease: Option<Duration>,
}

/// A service of ROS 2.
///
/// ```
/// use hemiola_model::configuration::Ros2Service;
///
/// let reset = Ros2Service::new("/rover/reset", "Reset");
/// assert_eq!(reset.service_type, None); // that of the robot's type
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ros2Service {
    /// The service's name in ROS 2, with its namespace: `/rover/reset`.
    pub name: String,
    /// The service's name in this robot.
    pub service: String,
    /// The service's type in ROS 2, `std_srvs/srv/Trigger`; `None`: the package and the name of the
    /// type of its requests.
    pub service_type: Option<String>,
}

/// An action of ROS 2.
///
/// ```
/// use hemiola_model::configuration::Ros2Action;
///
/// let navigate = Ros2Action::new("/navigate_to_pose", "NavigateToPose");
/// assert_eq!(navigate.action_type, None); // that of the robot's type
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ros2Action {
    /// The action's name in ROS 2, with its namespace: `/navigate_to_pose`.
    pub name: String,
    /// The action's name in this robot, with which the names of its topics begin.
    pub action: String,
    /// The action's type in ROS 2, `nav2_msgs/action/NavigateToPose`; `None`: the package and the
    /// name of the type of its goals.
    pub action_type: Option<String>,
}

/// The delivery of messages, by the names of ROS 2's quality of service.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ros2Quality {
    /// Messages are repeated if they are lost on the way, and not kept after their delivery:
    /// `reliable`, `volatile`.
    #[default]
    Reliable,
    /// Messages may be lost on the way: `best effort`, `volatile`.
    BestEffort,
    /// Late subscribers receive the last messages, too: `reliable`, `transient local`.
    TransientLocal,
}

/// The messages that are kept, by the names of ROS 2.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ros2History {
    /// The last ones, as many as the depth says: `keep last`.
    #[default]
    KeepLast,
    /// All, as far as there is room: `keep all`. A network that does not take them in time holds up
    /// the node's thread instead of dropping them.
    KeepAll,
}

/// The signs that a publisher is alive, by the names of ROS 2.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ros2Liveliness {
    /// The middleware, as long as it reaches the node: `automatic`.
    #[default]
    Automatic,
    /// Each message of the topic: `manual by topic`.
    ManualByTopic,
}

/// The messages of a topic while the robot is in its safe state.
///
/// See [`Ros2Configuration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ros2SafeState {
    /// The messages that the robot publishes, as ever.
    #[default]
    Published,
    /// The default value of the topic's type, once, and no others; also when the robot ends.
    Default,
}

/// The address at which ROS 2's router listens.
const ROUTER: &str = "tcp/localhost:7447";

impl Ros2Configuration {
    /// Returns the name of the source that provides a representation to which the node subscribes.
    ///
    /// ```
    /// use hemiola_model::configuration::Ros2Configuration;
    ///
    /// assert_eq!(Ros2Configuration::source("Command"), "ros2.Command"); // a source like any other
    /// ```
    pub fn source(representation: &str) -> String {
        format!("ros2.{representation}")
    }

    /// Returns the node's full name in ROS 2, for a robot of that name.
    ///
    /// ```
    /// use hemiola_model::configuration::Ros2Configuration;
    ///
    /// let node = Ros2Configuration { namespace: "team".into(), ..Ros2Configuration::default() };
    /// assert_eq!(node.full_name("my-rover"), "/team/my_rover"); // as ROS 2 permits
    /// ```
    pub fn full_name(&self, robot: &str) -> String {
        let Self { node, process, namespace, .. } = self;
        let namespace = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
        let name = node.clone().unwrap_or_else(|| as_word(robot));
        match process {
            Some(process) => format!("{namespace}/{name}_{}", as_word(process)),
            None => format!("{namespace}/{name}"),
        }
    }
}

impl Ros2Published {
    /// The number of messages that are kept unless robot.toml sets another.
    pub const DEPTH: usize = 10;

    /// Returns the configuration that publishes all messages of a topic, or values of a
    /// representation, of which the last ten are kept.
    pub fn new(name: impl Into<String>, subject: Subject, quality: Ros2Quality) -> Self {
        let sent = Sent::new(subject, Keep::Last(Self::DEPTH));
        let (depth, history, liveliness) = (Self::DEPTH, Ros2History::default(), Ros2Liveliness::default());
        let (deadline, lifespan, lease, safe_state) = (None, None, None, Ros2SafeState::default());
        Self { name: name.into(), sent, quality, depth, history, deadline, lifespan, liveliness, lease, safe_state }
    }
}

impl Ros2Subscribed {
    /// Returns the configuration that subscribes reliably, where ten messages may wait.
    pub fn new(name: impl Into<String>, subject: Subject) -> Self {
        let (received, quality) = (Received::new(subject), Ros2Quality::default());
        let (depth, history) = (Ros2Published::DEPTH, Ros2History::default());
        let (deadline, lifespan, lease, liveliness) = (None, None, None, Ros2Liveliness::default());
        Self { name: name.into(), received, quality, depth, history, deadline, lifespan, liveliness, lease }
    }
}

impl Ros2Service {
    /// Returns the service of these names, in ROS 2 and in this robot.
    pub fn new(name: impl Into<String>, service: impl Into<String>) -> Self {
        Self { name: name.into(), service: service.into(), service_type: None }
    }
}

impl Ros2Action {
    /// Returns the action of these names, in ROS 2 and in this robot.
    pub fn new(name: impl Into<String>, action: impl Into<String>) -> Self {
        Self { name: name.into(), action: action.into(), action_type: None }
    }
}

impl Ros2Router {
    /// Returns the router in the robot's process, at ROS 2's address on this computer.
    pub fn here() -> Self {
        Self::Here(ROUTER.to_owned())
    }

    /// Returns the address.
    pub fn address(&self) -> &str {
        match self {
            Self::At(address) | Self::Here(address) => address,
        }
    }
}

impl Default for Ros2Router {
    fn default() -> Self {
        Self::At(ROUTER.to_owned())
    }
}

impl fmt::Display for Ros2Router {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.address())
    }
}

/// Returns a name in a spelling that ROS 2 permits for a node: `my-rover` becomes `my_rover`.
fn as_word(name: &str) -> String {
    let mut word = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    if word.is_empty() || word.starts_with(|letter: char| letter.is_ascii_digit()) {
        word.insert(0, '_');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_robot_has_a_name_in_ros_2() {
        assert_eq!(["rover", "my-rover", "5", ""].map(as_word), ["rover", "my_rover", "_5", "_"]);
        let node = Ros2Configuration { process: Some("eyes".to_owned()), ..Ros2Configuration::default() };
        assert_eq!(node.full_name("rover"), "/rover_eyes");
        assert_eq!(Ros2Configuration { node: Some("base".to_owned()), ..node }.full_name("rover"), "/base_eyes");
    }
}
