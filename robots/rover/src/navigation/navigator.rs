//! The choice of the goal, and its result: goals are poses of a topic, or goals of the action
//! `NavigateToPose`, which receive feedback. A new goal replaces the last one.

use std::time::Duration;

use hemiola::prelude::*;
use hemiola_ros::action_msgs::GoalStatus;
use hemiola_ros::nav_msgs::Path;
use hemiola_ros::nav2_msgs::{
    NavigateToPoseCancel, NavigateToPoseFeedback, NavigateToPoseGoal, NavigateToPoseOutcome, NavigateToPoseProgress,
    NavigateToPoseResult,
};
use hemiola_ros::unique_identifier_msgs::UUID;

use crate::geometry::{Pose2, normalize_angle};
use crate::representations::{GoalPose, MAP, MapPose, Navigation, NavigationResult, Outcome};

/// Parameters of [`Navigator`].
#[derive(Parameters)]
pub struct NavigatorParameters {
    /// The distance from the goal within which the robot has arrived.
    #[parameter(default = 0.1, range = 0.01..=2.0, unit = "m")]
    near: f64,
    /// The heading error within which the robot has arrived.
    #[parameter(default = 0.1, range = 0.01..=3.2, unit = "rad")]
    turned: f64,
    /// The time without a path after which a goal is given up.
    #[parameter(default = 5.0, range = 0.1..=600.0, unit = "s")]
    without_way: f64,
    /// The time without progress after which a goal is given up.
    #[parameter(default = 20.0, range = 1.0..=600.0, unit = "s")]
    without_progress: f64,
}

/// Follows the newest goal until it is reached or has to be given up.
#[derive(Module)]
pub struct Navigator {
    #[parameters]
    parameters: NavigatorParameters,
    trip: Option<Trip>,
    number: u32,
    reached: u32,
    failed: u32,
}

/// The progress towards a goal. Times are in seconds, lengths in metres.
#[derive(Data, Clone, Debug)]
struct Trip {
    goal: Pose2,
    /// The identifier of the goal, if it is one of the action.
    asked: Option<UUID>,
    seconds: f64,
    /// The time without a path.
    without_way: f64,
    /// The shortest length that was left so far, and the time since then.
    least: f64,
    without_progress: f64,
}

/// The publishers of results.
struct Reports<'p> {
    results: &'p mut Publisher<NavigationResult>,
    /// The results of goals of the action.
    answers: &'p mut Publisher<NavigateToPoseResult>,
}

#[module]
impl Navigator {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(super) fn navigation(
        &mut self,
        poses: &Subscription<GoalPose>,
        goals: &Subscription<NavigateToPoseGoal>,
        cancels: &Subscription<NavigateToPoseCancel>,
        pose: &MapPose,
        path: Previous<Path>,
        clock: &Clock,
        results: &mut Publisher<NavigationResult>,
        answers: &mut Publisher<NavigateToPoseResult>,
        feedback: &mut Publisher<NavigateToPoseFeedback>,
        navigation: &mut Navigation,
    ) {
        let mut reports = Reports { results, answers };
        if let Some(goal) = poses.last() {
            self.begin(Trip::to(Pose2::from(&goal.pose.pose)), &mut reports);
        }
        // ANCHOR: goals
        for message in goals.iter() {
            let NavigateToPoseGoal { goal_id, goal } = &*message;
            if ["", MAP].contains(&goal.pose.header.frame_id.as_str()) {
                let trip = Trip { asked: Some(*goal_id), ..Trip::to(Pose2::from(&goal.pose.pose)) };
                self.begin(trip, &mut reports);
            } else {
                // Goals in other frames are not supported.
                reports.answer(*goal_id, GoalStatus::Aborted, NavigateToPoseOutcome::TF_ERROR);
            }
        }
        if cancels.iter().any(|cancel| self.trip.as_ref().is_some_and(|trip| trip.asked == Some(cancel.goal_id))) {
            self.end(Outcome::Canceled, &mut reports);
        }
        // ANCHOR_END: goals
        let remaining = length(&path);
        let step = f64::from(clock.step_seconds());
        if let Some(trip) = &mut self.trip
            && let Some(outcome) =
                trip.go_on(&self.parameters, pose.mean(), (!path.poses.is_empty()).then_some(remaining), step)
        {
            self.end(outcome, &mut reports);
        }
        if let Some(Trip { asked: Some(goal_id), seconds, .. }) = self.trip {
            let progress = NavigateToPoseProgress {
                current_pose: GoalPose::on_map(pose.mean(), clock.now()).pose,
                navigation_time: Duration::from_secs_f64(seconds),
                distance_remaining: remaining as f32,
                ..NavigateToPoseProgress::default()
            };
            feedback.publish(NavigateToPoseFeedback { goal_id, feedback: progress });
        }
        let Self { number, reached, failed, .. } = *self;
        let (goal, seconds) = self.trip.as_ref().map_or((None, 0.0), |trip| (Some(trip.goal), trip.seconds));
        *navigation = Navigation { goal, number, seconds, remaining, reached, failed };
    }

    fn begin(&mut self, trip: Trip, reports: &mut Reports<'_>) {
        self.end(Outcome::Replaced, reports);
        self.number += 1;
        self.trip = Some(trip);
    }

    fn end(&mut self, outcome: Outcome, reports: &mut Reports<'_>) {
        let Some(trip) = self.trip.take() else { return };
        let (status, error) = match outcome {
            Outcome::Reached => (GoalStatus::Succeeded, NavigateToPoseOutcome::NONE),
            Outcome::Canceled => (GoalStatus::Canceled, NavigateToPoseOutcome::NONE),
            Outcome::Replaced => (GoalStatus::Aborted, NavigateToPoseOutcome::NONE),
            Outcome::Unreachable | Outcome::Stuck => (GoalStatus::Aborted, NavigateToPoseOutcome::UNKNOWN),
        };
        match outcome {
            Outcome::Reached => self.reached += 1,
            Outcome::Replaced | Outcome::Canceled => {}
            Outcome::Unreachable | Outcome::Stuck => self.failed += 1,
        }
        reports.results.publish(NavigationResult { goal: self.number, outcome, seconds: trip.seconds });
        if let Some(goal_id) = trip.asked {
            reports.answer(goal_id, status, error);
        }
    }
}

impl Reports<'_> {
    fn answer(&mut self, goal_id: UUID, status: GoalStatus, error_code: u16) {
        self.answers.publish(NavigateToPoseResult { goal_id, status, result: NavigateToPoseOutcome { error_code } });
    }
}

impl Trip {
    const fn to(goal: Pose2) -> Self {
        Self { goal, asked: None, seconds: 0.0, without_way: 0.0, least: f64::INFINITY, without_progress: 0.0 }
    }

    /// Accounts for `step` seconds, after which the robot is at `pose` with `way` metres left, if
    /// there is a path. Returns the outcome of the goal, once it is certain.
    fn go_on(&mut self, limits: &NavigatorParameters, pose: Pose2, way: Option<f64>, step: f64) -> Option<Outcome> {
        let distance = pose.distance(self.goal.position());
        let is_near = distance < limits.near;
        self.seconds += step;
        self.without_way = if way.is_some() || is_near { 0.0 } else { self.without_way + step };
        let left = way.map_or(distance, |way| way.max(distance));
        // At the goal, the robot may turn for as long as it takes.
        if left < self.least - 0.1 || is_near {
            (self.least, self.without_progress) = (left, 0.0);
        } else {
            self.without_progress += step;
        }
        let is_turned = normalize_angle(self.goal.heading - pose.heading).abs() < limits.turned;
        match () {
            () if is_near && is_turned => Some(Outcome::Reached),
            () if self.without_way > limits.without_way => Some(Outcome::Unreachable),
            () if self.without_progress > limits.without_progress => Some(Outcome::Stuck),
            () => None,
        }
    }
}

fn length(path: &Path) -> f64 {
    let place = |number: usize| Pose2::from(&path.poses[number].pose);
    (1..path.poses.len()).map(|next| place(next - 1).distance(place(next).position())).sum()
}
