//! The mapping between an action of a robot and an action of ROS 2.
//!
//! In a robot an action `Dock` is four topics of messages that begin with the identity of a goal:
//!
//! | topic | fields |
//! |---|---|
//! | `DockGoal` | the identity, the goal |
//! | `DockCancel` | the identity |
//! | `DockFeedback` | the identity, the feedback |
//! | `DockResult` | the identity, the status, the result |
//!
//! In ROS 2 an action is three services and two topics, whose messages have the same bytes. An
//! identity is 16 bytes long, so the alignment of what follows it is the same with and without it.

use hemiola_model::cdr::ActionSchema;
use hemiola_model::data::{Data, DataType};

use crate::action_msgs::{CancelGoalRequest, CancelGoalResponse, GoalId, GoalStatusArray};
use crate::error::Ros2Error;
use crate::names::{InterfaceKind, TypeName};
use crate::type_hash::{Interface, service_hash};

/// The suffixes of the names of an action's topics in a robot.
pub const GOAL: &str = "Goal";
pub const CANCEL: &str = "Cancel";
pub const FEEDBACK: &str = "Feedback";
pub const RESULT: &str = "Result";

/// The types of an action's services and topics in ROS 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionInterfaces {
    pub send_goal: Interface,
    pub cancel_goal: Interface,
    pub get_result: Interface,
    pub feedback: Interface,
    pub status: Interface,
}

/// The fields of a goal's message.
const GOAL_FIELDS: &str = "the identity, the goal";
/// The length of the encapsulation header of each CDR message, which states the byte order.
const HEADER: usize = 4;
/// The offset of the end of the identity.
const ID_END: usize = HEADER + size_of::<GoalId>();

impl ActionInterfaces {
    /// Returns the ROS 2 types of an action whose messages have these types in the robot.
    /// `action_type` is its type in ROS 2, such as `nav2_msgs/action/NavigateToPose`; `None`
    /// derives it from the package and the name of the goal type, without the suffix `Goal`.
    ///
    /// # Errors
    /// Returns an error if a message does not have the required fields, or ROS 2 does not permit
    /// the name.
    pub fn of(
        action: &str,
        action_type: Option<&str>,
        [goal, result, feedback]: [&DataType; 3],
    ) -> Result<Self, Ros2Error> {
        let wrong = |topic, fields| Ros2Error::Action { topic: format!("{action}{topic}"), fields };
        let [goal_content, result, feedback] = ActionSchema::contents([goal, result, feedback]);
        let goal_content = goal_content.ok_or_else(|| wrong(GOAL, GOAL_FIELDS))?;
        let feedback = feedback.ok_or_else(|| wrong(FEEDBACK, "the identity, the feedback"))?;
        let result = result.ok_or_else(|| wrong(RESULT, "the identity, the status, the result"))?;
        let name = match action_type {
            Some(name) => name.parse()?,
            None => {
                let (package, name) = ActionSchema::name_by(goal).ok_or_else(|| wrong(GOAL, GOAL_FIELDS))?;
                TypeName::new(&package, InterfaceKind::Action, &name)?
            }
        };
        let schema = ActionSchema::called(name.package(), name.name(), [goal_content, result, feedback]);
        let part = |ending: &str, hash: &str| {
            let name = TypeName::new(name.package(), InterfaceKind::Action, &format!("{}_{ending}", name.name()))?;
            Ok(Interface::new(name, Some(hash.parse()?)))
        };
        let cancel: TypeName = "action_msgs/srv/CancelGoal".parse()?;
        let hash = service_hash(&cancel, &CancelGoalRequest::data_type(), &CancelGoalResponse::data_type());
        Ok(Self {
            send_goal: part("SendGoal", &schema.send_goal_hash)?,
            cancel_goal: Interface::new(cancel, Some(hash)),
            get_result: part("GetResult", &schema.get_result_hash)?,
            feedback: part("FeedbackMessage", &schema.feedback_hash)?,
            status: Interface::message("GoalStatusArray", &GoalStatusArray::data_type())?,
        })
    }
}

/// Returns the identity with which a message begins.
pub fn id_of(cdr: &[u8]) -> Option<GoalId> {
    cdr.get(HEADER..ID_END)?.try_into().ok()
}

/// Returns the message with its identity replaced.
pub fn with_id(cdr: &[u8], id: &GoalId) -> Option<Vec<u8>> {
    let mut cdr = cdr.to_vec();
    cdr.get_mut(HEADER..ID_END)?.copy_from_slice(id);
    Some(cdr)
}

/// Returns whether the response to a request to send a goal says that it is accepted.
pub fn is_accepted(response: &[u8]) -> bool {
    response.get(HEADER) == Some(&1)
}

/// Removes the identity from the message of a result; the rest is the response to a request for the
/// result. Returns the identity, the status and the response.
pub fn response_of(result: &[u8]) -> Option<(GoalId, u8, Vec<u8>)> {
    let (id, status) = (id_of(result)?, *result.get(ID_END)?);
    let response = [result.get(..HEADER)?, result.get(ID_END..)?].concat();
    Some((id, status, response))
}

/// Inserts an identity into the response with a result, which makes it the message of the result.
pub fn result_of(response: &[u8], id: &GoalId) -> Option<Vec<u8>> {
    Some([response.get(..HEADER)?, id, response.get(HEADER..)?].concat())
}

/// Returns a message that consists of an identity only.
pub fn only_id(id: &GoalId) -> Vec<u8> {
    [&[0, 1, 0, 0][..], id].concat()
}

#[cfg(test)]
mod tests;
