//! The action `NavigateToPose` of Nav2, as messages of its four topics in a robot:
//! `NavigateToPoseGoal`, `NavigateToPoseCancel`, `NavigateToPoseFeedback`, `NavigateToPoseResult`.
//!
//! With the feature `ros2` and a line in robot.toml, a robot serves this action or sends goals to
//! it:
//!
//! ```toml
//! [ros2.action_server]
//! "/navigate_to_pose" = "NavigateToPose"
//! ```

use std::time::Duration;

use hemiola::Representation;
use hemiola::data::Data;

use crate::action_msgs::GoalStatus;
use crate::geometry_msgs::PoseStamped;
use crate::unique_identifier_msgs::UUID;

/// The content of a goal of `NavigateToPose`.
#[derive(Data, Clone, Debug, Default, PartialEq)]
#[data(name = "nav2_msgs/NavigateToPose")]
pub struct NavigateToPose {
    /// The pose to navigate to.
    pub pose: PoseStamped,
    /// The behavior tree to run; empty for the default one.
    pub behavior_tree: String,
}

/// A goal of `NavigateToPose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav2_msgs/NavigateToPoseGoal")]
pub struct NavigateToPoseGoal {
    /// The identifier of the goal.
    pub goal_id: UUID,
    /// The goal.
    pub goal: NavigateToPose,
}

/// A request to cancel a goal of `NavigateToPose`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "nav2_msgs/NavigateToPoseCancel")]
pub struct NavigateToPoseCancel {
    /// The identifier of the goal.
    pub goal_id: UUID,
}

/// The progress of the robot towards its goal.
#[derive(Data, Clone, Debug, Default, PartialEq)]
#[data(name = "nav2_msgs/NavigateToPoseProgress")]
pub struct NavigateToPoseProgress {
    /// The present pose of the robot.
    pub current_pose: PoseStamped,
    /// The time since the robot began to navigate.
    pub navigation_time: Duration,
    /// The estimated time until the robot arrives.
    pub estimated_time_remaining: Duration,
    /// The number of recoveries: the times that the robot was stuck.
    pub number_of_recoveries: i16,
    /// The distance to the goal, in metres.
    pub distance_remaining: f32,
}

/// Feedback on a goal of `NavigateToPose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav2_msgs/NavigateToPoseFeedback")]
pub struct NavigateToPoseFeedback {
    /// The identifier of the goal.
    pub goal_id: UUID,
    /// The progress towards the goal.
    pub feedback: NavigateToPoseProgress,
}

/// The reason why a goal was not reached.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "nav2_msgs/NavigateToPoseOutcome")]
pub struct NavigateToPoseOutcome {
    /// The error; 0 if there was none.
    pub error_code: u16,
}

/// The result of a goal of `NavigateToPose`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "nav2_msgs/NavigateToPoseResult")]
pub struct NavigateToPoseResult {
    /// The identifier of the goal.
    pub goal_id: UUID,
    /// The status in which the goal ended.
    pub status: GoalStatus,
    /// The reason why the goal was not reached.
    pub result: NavigateToPoseOutcome,
}

impl NavigateToPoseOutcome {
    /// There was no error.
    pub const NONE: u16 = 0;
    /// There was an error other than those below.
    pub const UNKNOWN: u16 = 9000;
    /// The behavior tree could not be loaded.
    pub const FAILED_TO_LOAD_BEHAVIOR_TREE: u16 = 9001;
    /// A frame is unknown.
    pub const TF_ERROR: u16 = 9002;
}
