use thiserror::Error;

/// The reason why something of ROS 2 could not be used.
///
/// ```
/// use hemiola_ros2::TopicName;
///
/// let error = TopicName::new("/scan front").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`/scan front` is no topic name of ROS 2: it has a ` ` (use letters, digits, `_` and `/`)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Ros2Error {
    /// A name breaks the rules of ROS 2.
    #[error("`{name}` is no {what} of ROS 2: {why} ({remedy})")]
    Name {
        /// What the name should have been.
        what: &'static str,
        /// The name.
        name: String,
        /// The rule that it breaks.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A hash is not one of version 1 of REP-2016.
    #[error("`{text}` is no hash of a type: {why}")]
    Hash {
        /// The text.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The definition of a message or service cannot be read.
    #[error("the definition of `{name}` cannot be read: {why}")]
    Definition {
        /// The full name of the type.
        name: String,
        /// What is wrong with the text.
        why: String,
    },
    /// The messages of an action's topic have other fields than those of an action.
    #[error(
        "the messages of `{topic}` are not those of an action: their fields are to be {fields} (an identity is \
         `unique_identifier_msgs::UUID`, a status `action_msgs::GoalStatus`, both of `hemiola_ros`)"
    )]
    Action {
        /// The topic.
        topic: String,
        /// The fields that its messages should have.
        fields: &'static str,
    },
    /// A quality of service cannot be read.
    #[error("`{text}` is no quality of service: {why}")]
    Quality {
        /// The text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A liveliness token is not one of `rmw_zenoh`.
    #[error("`{token}` is no token of rmw_zenoh: {why}")]
    Token {
        /// The token.
        token: String,
        /// What is wrong with it.
        why: String,
    },
    /// The bytes beside a message are not those of `rmw_zenoh`.
    #[error("the attachment of a message has {length} bytes, which begin with {begin:02x?}: {why}")]
    Attachment {
        /// The number of bytes.
        length: usize,
        /// The first bytes.
        begin: Vec<u8>,
        /// What is wrong with them.
        why: &'static str,
    },
    /// The node's session could not be opened.
    #[error(
        "the node `{node}` cannot be opened at {address}: {reason} (does another router listen there? then say `connect` in `[ros2]`)"
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
