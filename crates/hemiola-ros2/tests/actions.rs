//! Actions: goals of other nodes that this robot executes, and goals of this robot for other nodes.

mod common;

use common::foreign::Foreign;
use common::{Side, next};
use hemiola::bus::{Publisher, Queue};
use hemiola_model::configuration::{Ros2Action, Ros2Configuration};
use hemiola_ros::action_msgs::GoalStatus;
use hemiola_ros::nav2_msgs::{
    NavigateToPoseCancel, NavigateToPoseFeedback, NavigateToPoseGoal, NavigateToPoseOutcome, NavigateToPoseResult,
};
use hemiola_ros::unique_identifier_msgs::UUID;

fn serving() -> Ros2Configuration {
    let action_server = vec![Ros2Action::new("/navigate_to_pose", "NavigateToPose")];
    Ros2Configuration { action_server, ..Ros2Configuration::default() }
}

fn using() -> Ros2Configuration {
    let action_client = vec![Ros2Action::new("/navigate_to_pose", "NavigateToPose")];
    Ros2Configuration { action_client, ..Ros2Configuration::default() }
}

/// A robot that executes goals, driven by the test.
struct Pursuer {
    goals: Queue<NavigateToPoseGoal>,
    cancels: Queue<NavigateToPoseCancel>,
    feedback: Publisher<NavigateToPoseFeedback>,
    results: Publisher<NavigateToPoseResult>,
}

impl Pursuer {
    fn of(side: &Side) -> Self {
        Self {
            goals: side.queue("NavigateToPoseGoal"),
            cancels: side.queue("NavigateToPoseCancel"),
            feedback: side.publisher("NavigateToPoseFeedback"),
            results: side.publisher("NavigateToPoseResult"),
        }
    }

    fn tell(&mut self, goal_id: UUID, distance: f32) {
        let mut feedback = NavigateToPoseFeedback { goal_id, ..NavigateToPoseFeedback::default() };
        feedback.feedback.distance_remaining = distance;
        feedback.feedback.current_pose.pose.position.x = 1.5;
        self.feedback.publish(feedback);
    }

    fn end(&mut self, goal_id: UUID, status: GoalStatus, error_code: u16) {
        self.results.publish(NavigateToPoseResult { goal_id, status, result: NavigateToPoseOutcome { error_code } });
    }
}

/// A robot that sends goals, driven by the test.
struct Wisher {
    goals: Publisher<NavigateToPoseGoal>,
    cancels: Publisher<NavigateToPoseCancel>,
    feedback: Queue<NavigateToPoseFeedback>,
    results: Queue<NavigateToPoseResult>,
}

impl Wisher {
    fn of(side: &Side) -> Self {
        Self {
            goals: side.publisher("NavigateToPoseGoal"),
            cancels: side.publisher("NavigateToPoseCancel"),
            feedback: side.queue("NavigateToPoseFeedback"),
            results: side.queue("NavigateToPoseResult"),
        }
    }

    fn wish(&mut self, number: u64, x: f64) -> UUID {
        let mut goal = NavigateToPoseGoal { goal_id: UUID::numbered(number), ..NavigateToPoseGoal::default() };
        goal.goal.pose.header.frame_id = "map".to_owned();
        goal.goal.pose.pose.position.x = x;
        let goal_id = goal.goal_id;
        self.goals.publish(goal);
        goal_id
    }
}

#[test]
fn a_robot_pursues_the_goals_of_another_one_until_it_is_gone() {
    let laptop = Side::router("laptop", using());
    let mut wisher = Wisher::of(&laptop);
    for round in 0..2 {
        let rover = Side::of(&laptop, "rover", serving());
        let mut pursuer = Pursuer::of(&rover);
        laptop.until(|node| node.called[0].peers == 1);
        let reached = wisher.wish(10 * round + 1, 2.5);
        let goal = next(&mut pursuer.goals);
        // In the system the goal has an identity that no other goal has.
        assert!(goal.goal_id != reached && goal.goal.pose.pose.position.x == 2.5, "{goal:?}");
        pursuer.tell(goal.goal_id, 0.75);
        let told = next(&mut wisher.feedback);
        assert_eq!((told.goal_id, told.feedback.distance_remaining), (reached, 0.75));
        pursuer.end(goal.goal_id, GoalStatus::Succeeded, 0);
        let result = next(&mut wisher.results);
        assert_eq!((result.goal_id, result.status, result.result.error_code), (reached, GoalStatus::Succeeded, 0));

        let canceled = wisher.wish(10 * round + 2, 3.5);
        let goal = next(&mut pursuer.goals);
        // Whoever receives feedback on a goal knows that it was accepted.
        pursuer.tell(goal.goal_id, 0.5);
        next(&mut wisher.feedback);
        wisher.cancels.publish(NavigateToPoseCancel { goal_id: canceled });
        assert_eq!(next(&mut pursuer.cancels).goal_id, goal.goal_id);
        pursuer.end(goal.goal_id, GoalStatus::Canceled, 7);
        let result = next(&mut wisher.results);
        assert_eq!((result.goal_id, result.status, result.result.error_code), (canceled, GoalStatus::Canceled, 7));

        let lost = wisher.wish(10 * round + 3, 4.5);
        next(&mut pursuer.goals);
        assert_eq!(rover.until(|node| node.served[0].in_flight == 1).served[0].answers, 2);
        drop((pursuer, rover));
        // The server is gone, and nobody knows the goal's outcome.
        let result = next(&mut wisher.results);
        assert_eq!((result.goal_id, result.status), (lost, GoalStatus::Unknown));
        laptop.until(|node| node.called[0].peers == 0);
    }
    // Where nobody serves the action, a goal ends at once.
    let nobody = wisher.wish(99, 1.0);
    assert_eq!(next(&mut wisher.results).goal_id, nobody);
    assert_eq!(laptop.until(|node| node.called[0].in_flight == 0).called[0].calls, 7);
}

#[test]
fn a_node_by_others_sends_goals_hears_of_them_cancels_one_is_killed_and_comes_late() {
    let rover = Side::router("rover", serving());
    let mut pursuer = Pursuer::of(&rover);
    rover.until(|node| node.served[0].is_there);
    let Some(mut foreign) = Foreign::start("ros2_requests.py", &rover.address()) else { return };
    assert_eq!(foreign.ask("goal 1 map 2.5 -1"), "accepted 1");
    let goal = next(&mut pursuer.goals);
    assert_eq!(goal.goal_id, UUID { uuid: 1_u128.to_be_bytes() });
    assert_eq!((goal.goal.pose.pose.position.x, goal.goal.pose.pose.position.y), (2.5, -1.0));
    pursuer.tell(goal.goal_id, 0.75);
    assert_eq!(foreign.hear(), "feedback 1 1.5 0.75");
    // The result is requested before and after the goal ends.
    assert_eq!(foreign.ask("result 1"), "asked 1");
    pursuer.end(goal.goal_id, GoalStatus::Aborted, 9000);
    assert_eq!(foreign.hear(), "ended 1 6 9000");
    rover.until(|node| node.served[0].in_flight == 0);
    foreign.tell("result 1");
    assert_eq!(foreign.hear_of("ended"), "ended 1 6 9000");
    // A duplicate identity, and an unknown one.
    assert_eq!(foreign.hear_after("goal 1 map 0 0", "rejected"), "rejected 1");
    assert_eq!(foreign.hear_after("result 5", "ended"), "ended 5 0 0");
    assert_eq!(foreign.hear_after("cancel 5", "canceling"), "canceling 2 0");

    assert_eq!(foreign.hear_after("goal 2 map 1 1", "accepted"), "accepted 2");
    let goal = next(&mut pursuer.goals);
    assert_eq!(foreign.hear_after("cancel 2", "canceling"), "canceling 0 1");
    assert_eq!(next(&mut pursuer.cancels).goal_id, goal.goal_id);
    pursuer.end(goal.goal_id, GoalStatus::Canceled, 0);
    assert_eq!(foreign.hear_after("result 2", "ended"), "ended 2 5 0");

    // The client is killed while its goal is running; others may then request the goal's result.
    assert_eq!(foreign.hear_after("goal 3 map 1 1", "accepted"), "accepted 3");
    assert_eq!(foreign.hear_after("result 3", "asked"), "asked 3");
    let goal = next(&mut pursuer.goals);
    drop(foreign);
    rover.until(|node| node.peers.is_empty());
    let Some(mut late) = Foreign::start("ros2_requests.py", &rover.address()) else { return };
    // Nodes that join late receive the states of goals.
    late.tell("status");
    while late.hear_of("status") != "status 1:6 2:5 3:2" {}
    late.tell("result 3");
    pursuer.end(goal.goal_id, GoalStatus::Succeeded, 0);
    assert_eq!(late.hear_of("ended"), "ended 3 4 0");
    assert_eq!(rover.until(|node| node.served[0].answers == 3).served[0].refused, 1);
}

#[test]
fn goals_of_a_robot_are_pursued_by_a_node_by_others() {
    let laptop = Side::router("laptop", using());
    let mut wisher = Wisher::of(&laptop);
    laptop.until(|node| node.called[0].is_there);
    let Some(mut foreign) = Foreign::start("ros2_requests.py", &laptop.address()) else { return };
    assert_eq!(foreign.ask("serve"), "serving");
    laptop.until(|node| node.called[0].peers == 1);
    let goal = wisher.wish(1, 2.5);
    assert_eq!(foreign.hear(), "asked 2.5 0.0");
    laptop.until(|node| node.called[0].in_flight == 1);
    assert_eq!(foreign.ask("tell 1.5 0.5"), "told");
    let told = next(&mut wisher.feedback);
    assert_eq!((told.goal_id, told.feedback.current_pose.pose.position.x), (goal, 1.5));
    wisher.cancels.publish(NavigateToPoseCancel { goal_id: goal });
    assert_eq!(foreign.hear(), "canceled True");
    assert_eq!(foreign.ask("end 5 3"), "ended");
    let result = next(&mut wisher.results);
    assert_eq!((result.goal_id, result.status, result.result.error_code), (goal, GoalStatus::Canceled, 3));
    // The server is killed while a goal is running.
    let goal = wisher.wish(2, 2.5);
    assert_eq!(foreign.hear(), "asked 2.5 0.0");
    drop(foreign);
    let result = next(&mut wisher.results);
    assert_eq!((result.goal_id, result.status), (goal, GoalStatus::Unknown));
}
