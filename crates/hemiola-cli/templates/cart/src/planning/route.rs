use hemiola::prelude::*;

use crate::representations::{Goal, Pose, WaypointReached};

#[derive(Parameters)]
struct RouteParameters {
    /// The waypoints to drive to, over and over again, in metres.
    #[parameter(default = vec![[2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]])]
    waypoints: Vec<[f64; 2]>,
    /// The distance from a waypoint at which the cart has reached it.
    #[parameter(default = 0.05, range = 0.02..=1.0, unit = "m")]
    tolerance: f64,
}

/// Makes each waypoint the goal in turn.
#[derive(Module)]
struct Route {
    #[parameters]
    parameters: RouteParameters,
    /// The number of waypoints that were reached.
    reached: u64,
}

#[module]
impl Route {
    #[update]
    fn goal(
        &mut self,
        pose: &Pose,
        clock: &Clock,
        reached: &mut Publisher<WaypointReached>,
        goal: &mut Goal,
    ) {
        let waypoints = &self.parameters.waypoints;
        if waypoints.is_empty() {
            (goal.x, goal.y) = (pose.x, pose.y); // it stays where it is
            return;
        }
        let waypoint = |number: u64| waypoints[(number % waypoints.len() as u64) as usize];
        let [x, y] = waypoint(self.reached);
        if (x - pose.x).hypot(y - pose.y) < self.parameters.tolerance {
            self.reached += 1;
            reached.publish(WaypointReached {
                number: self.reached,
                at: clock.now(),
            });
        }
        [goal.x, goal.y] = waypoint(self.reached);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hemiola::bus::{Bus, WhenFull};

    use super::*;

    #[test]
    fn who_is_at_the_first_waypoint_drives_to_the_second_and_says_so() {
        let topic = Bus::new().topic("WaypointReached").unwrap();
        let mut messages = topic.queue(4, WhenFull::DropOldest);
        let parameters = RouteParameters {
            waypoints: vec![[1.0, 0.0], [1.0, 1.0]],
            tolerance: 0.1,
        };
        let mut route = Route {
            parameters,
            reached: 0,
        };
        let clock = Clock::new(Time::from_seconds(3.0), Duration::from_millis(100), 30);
        let mut goal = Goal::default();

        let arrived = Pose {
            x: 0.95,
            y: 0.0,
            heading: 0.0,
        };
        route.goal(&arrived, &clock, &mut topic.publisher(), &mut goal);

        assert_eq!((goal.x, goal.y), (1.0, 1.0));
        assert_eq!(messages.receive().map(|message| message.number), Some(1));
    }
}
