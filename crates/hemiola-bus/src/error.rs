use thiserror::Error;

/// What can go wrong when somebody joins a topic, calls a service, or sends to an actor.
///
/// ```
/// use hemiola_bus::BusError;
///
/// let error = BusError::OtherType { name: "pose".into(), existing: "robot::Pose", asked: "robot::Odometry" };
/// assert_eq!(error.to_string(), "`pose` carries `robot::Pose`, not `robot::Odometry`: choose another name or the same type");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BusError {
    /// The name is taken by something of another type.
    #[error("`{name}` carries `{existing}`, not `{asked}`: choose another name or the same type")]
    OtherType {
        /// The topic or service.
        name: String,
        /// What it carries.
        existing: &'static str,
        /// What was asked for.
        asked: &'static str,
    },
}
