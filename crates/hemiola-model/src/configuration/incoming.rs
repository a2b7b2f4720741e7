use super::{Configuration, Received, Ros2Configuration, SubjectKind};

/// A representation that comes into the robot from other programs: over a link, or from a ROS 2
/// system. It has a source of its own.
///
/// See [`Configuration::incoming`].
#[derive(Clone, Debug)]
pub struct Incoming<'c> {
    /// The representation that is received.
    pub received: &'c Received,
    /// The name of the source that provides it.
    pub source: String,
    /// The link or node that carries it, for messages: ``link `head` `` or `` `[ros2]` ``.
    pub carrier: String,
    /// The keys in robot.toml under which it is configured.
    pub path: Vec<&'c str>,
}

impl Configuration {
    /// Returns the representations that come into the robot from other programs.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, Ros2Configuration, Ros2Subscribed, Subject};
    ///
    /// let command = Ros2Subscribed::new("/cmd_vel", Subject::representation("Command"));
    /// let ros2 = Ros2Configuration { subscribe: vec![command], ..Ros2Configuration::default() };
    /// let configuration = Configuration { ros2: Some(ros2), ..Configuration::default() };
    /// let sources: Vec<_> = configuration.incoming().map(|incoming| incoming.source).collect();
    /// assert_eq!(sources, ["ros2.Command"]);
    /// ```
    pub fn incoming(&self) -> impl Iterator<Item = Incoming<'_>> {
        let over_links = self.links.iter().flat_map(|link| {
            link.receive.iter().map(|received| Incoming {
                received,
                source: received.source(&link.name),
                carrier: format!("link `{}`", link.name),
                path: vec!["link", &link.name, "receive"],
            })
        });
        let subscribed = self.ros2.iter().flat_map(|node| &node.subscribe).map(|subscribed| Incoming {
            received: &subscribed.received,
            source: Ros2Configuration::source(&subscribed.received.subject.name),
            carrier: "`[ros2]`".to_owned(),
            path: vec!["ros2", "subscribe", &subscribed.name],
        });
        over_links.chain(subscribed).filter(|it| it.received.subject.kind == SubjectKind::Representation)
    }
}
