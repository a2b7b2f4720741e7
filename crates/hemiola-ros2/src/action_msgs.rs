//! The messages of `action_msgs`, which all actions share.

use hemiola_macros::Data;
use hemiola_model::Time;

/// The bytes of a goal's identity, as they precede goals, feedback and results.
pub type GoalId = [u8; 16];

#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "unique_identifier_msgs/UUID")]
pub struct Uuid {
    pub uuid: GoalId,
}

#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
#[data(name = "action_msgs/GoalInfo")]
pub struct GoalInfo {
    pub goal_id: Uuid,
    /// The time at which the goal was accepted.
    pub stamp: Time,
}

#[derive(Data, Clone, Copy, Debug, PartialEq)]
#[data(name = "action_msgs/GoalStatus")]
pub struct GoalStatus {
    pub goal_info: GoalInfo,
    /// The status, as a number of [`Status`].
    pub status: i8,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
#[data(name = "action_msgs/GoalStatusArray")]
pub struct GoalStatusArray {
    pub status_list: Vec<GoalStatus>,
}

/// The state of a goal: the constants of `action_msgs/msg/GoalStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Status {
    Unknown = 0,
    Executing = 2,
    Canceling = 3,
    Succeeded = 4,
    Canceled = 5,
    Aborted = 6,
}

#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct CancelGoalRequest {
    pub goal_info: GoalInfo,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct CancelGoalResponse {
    /// The return code, as a number of [`Canceled`].
    pub return_code: i8,
    pub goals_canceling: Vec<GoalInfo>,
}

/// The return code of a request to cancel: the constants of `action_msgs/srv/CancelGoal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i8)]
pub enum Canceled {
    #[default]
    None = 0,
    Rejected = 1,
    UnknownGoal = 2,
    Terminated = 3,
}

#[derive(Data, Clone, Copy, Debug, PartialEq)]
pub struct SendGoalResponse {
    pub accepted: bool,
    pub stamp: Time,
}

impl CancelGoalResponse {
    /// Changes the return code to "rejected" if no goal is left that is canceled.
    pub fn reject_if_empty(&mut self) {
        if self.goals_canceling.is_empty() && self.return_code == Canceled::None as i8 {
            self.return_code = Canceled::Rejected as i8;
        }
    }
}

impl Status {
    /// Returns the status if it is that of a goal that has ended, or else `None`.
    pub fn of_end(byte: u8) -> Option<Self> {
        [Self::Succeeded, Self::Canceled, Self::Aborted].into_iter().find(|status| *status as u8 == byte)
    }

    pub const fn is_end(self) -> bool {
        matches!(self, Self::Succeeded | Self::Canceled | Self::Aborted)
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::data::Data;

    use super::*;
    use crate::type_hash::{message_hash, service_hash};

    /// The expected hashes are those of rosbags 0.11.9 for Jazzy.
    #[test]
    fn messages_have_the_hashes_of_ros_2() {
        let hash = message_hash("", &GoalStatusArray::data_type()).to_string();
        assert_eq!(hash, "RIHS01_6c1684b00f177d37438febe6e709fc4e2b0d4248dca4854946f9ed8b30cda83e");
        let hash = message_hash("", &GoalInfo::data_type()).to_string();
        assert_eq!(hash, "RIHS01_6398fe763154554353930716b225947f93b672f0fb2e49fdd01bb7a7e37933e9");
        let cancel = "action_msgs/srv/CancelGoal".parse().unwrap();
        let hash = service_hash(&cancel, &CancelGoalRequest::data_type(), &CancelGoalResponse::data_type());
        assert_eq!(hash.to_string(), "RIHS01_573d8b0a534451d7bc2ac8c5ffde8ac14b8593b7001175d0cd6516dcbeb8689a");
    }
}
