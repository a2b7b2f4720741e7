use thiserror::Error;

/// The reason why a name, hash, message or session of ROS 2 cannot be used.
///
/// ```
/// use hemiola_ros2::TopicName;
///
/// let error = TopicName::new("/scan front").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`/scan front` is not a valid ROS 2 topic name: it has a ` ` (use letters, digits, `_` and `/`)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Ros2Error {
    /// A name breaks the rules of ROS 2.
    #[error("`{name}` is not a valid ROS 2 {what}: {why} ({remedy})")]
    Name {
        /// The kind of name that was expected.
        what: &'static str,
        /// The name.
        name: String,
        /// The rule that it breaks.
        why: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A hash is not one of version 1 of REP-2016.
    #[error("`{text}` is not a type hash: {why}")]
    Hash {
        /// The text.
        text: String,
        /// The reason why it cannot be parsed.
        why: &'static str,
    },
    /// The definition of a message or service cannot be read.
    #[error("the definition of `{name}` cannot be read: {why}")]
    Definition {
        /// The full name of the type.
        name: String,
        /// The reason why it cannot be parsed.
        why: String,
    },
    /// The messages of an action's topic do not have the fields that an action requires.
    #[error(
        "the messages of `{topic}` are not those of an action: their fields must be {fields} (an identity is \
         `unique_identifier_msgs::UUID`, a status `action_msgs::GoalStatus`, both of `hemiola_ros`)"
    )]
    Action {
        /// The topic.
        topic: String,
        /// The fields that its messages must have.
        fields: &'static str,
    },
    /// A quality of service cannot be read.
    #[error("`{text}` is not a quality of service: {why}")]
    Quality {
        /// The text.
        text: String,
        /// The reason why it cannot be parsed.
        why: String,
    },
    /// A liveliness token is not in the format of `rmw_zenoh`.
    #[error("`{token}` is not a liveliness token of rmw_zenoh: {why}")]
    Token {
        /// The token.
        token: String,
        /// The reason why it cannot be parsed.
        why: String,
    },
    /// The attachment of a message is not in the format of `rmw_zenoh`.
    #[error("the attachment of a message has {length} bytes, beginning with {begin:02x?}: {why}")]
    Attachment {
        /// The number of bytes.
        length: usize,
        /// The first bytes.
        begin: Vec<u8>,
        /// The reason why they cannot be parsed.
        why: &'static str,
    },
    /// The node's session could not be opened.
    #[error(
        "the node `{node}` cannot be opened at {address}: {reason} (if another router listens there already, set `router = false` in `[ros2]`: then the node connects to it)"
    )]
    Open {
        /// The node's name.
        node: String,
        /// The address of the router.
        address: String,
        /// The reason.
        reason: String,
    },
}
