use std::f64::consts::{PI, TAU};

use hemiola::prelude::*;

use crate::representations::{GoalReached, Navigation, Pose, Scan, Twist};
use crate::world::RADIUS;

/// The values that can be tuned, in `[module.Planner]` of robot.toml, or while the robot runs: with
/// `cargo run -- parameters set Planner.speed 0.3`, or in the page.
#[derive(Parameters)]
struct PlannerParameters {
    /// The goals to drive to, over and over again: x, y.
    #[parameter(default = Vec::new(), unit = "m")]
    goals: Vec<[f64; 2]>,
    /// The maximum speed of the rover.
    #[parameter(default = 0.5, range = 0.0..=1.0, unit = "m/s")]
    speed: f64,
    /// The distance to which it looks for obstacles.
    #[parameter(default = 1.0, range = 0.3..=3.0, unit = "m")]
    lookahead: f64,
    /// The distance that it keeps from obstacles.
    #[parameter(default = 0.1, range = 0.0..=1.0, unit = "m")]
    margin: f64,
}

/// Drives towards the goal, in the free direction that is nearest to it.
#[derive(Module)]
struct Planner {
    #[parameters]
    parameters: PlannerParameters,
    reached: u64,
}

/// The distance from the goal at which the rover has arrived, in metres.
const ARRIVED: f64 = 0.15;

#[module]
impl Planner {
    #[update]
    fn twist(
        &mut self,
        scan: &Scan,
        pose: &Pose,
        reached: &mut Publisher<GoalReached>,
        navigation: &mut Navigation,
        twist: &mut Twist,
    ) {
        let goals = &self.parameters.goals;
        if goals.is_empty() || scan.ranges.is_empty() {
            return; // `twist` starts as its default: the rover stands still
        }
        let goal = |number: u64| goals[(number % goals.len() as u64) as usize];
        let to = |[x, y]: [f64; 2]| [x - pose.x, y - pose.y];
        let [x, y] = to(goal(self.reached));
        if x.hypot(y) < ARRIVED {
            let place = goal(self.reached);
            self.reached += 1;
            let number = self.reached;
            reached.publish(GoalReached { number, place });
        }
        let goal = goal(self.reached);
        *navigation = Navigation {
            reached: self.reached,
            goal,
        };
        let [x, y] = to(goal);
        let direction = wrapped(y.atan2(x) - pose.heading);
        let way = self.parameters.lookahead.min(x.hypot(y));
        let Some(free) = self.free_direction(scan, direction, way) else {
            twist.angular.z = 1.0; // it looks for a way out
            return;
        };
        twist.linear.x = self.parameters.speed.min(x.hypot(y)) * free.cos().max(0.0).powi(3);
        twist.angular.z = (2.5 * free).clamp(-2.0, 2.0);
    }
}

impl Planner {
    /// Returns the direction, relative to the rover, in which the next `way` metres are free, and
    /// which is nearest to the wanted one; `None` if there is none.
    fn free_direction(&self, scan: &Scan, wanted: f64, way: f64) -> Option<f64> {
        let step = TAU / scan.ranges.len() as f64;
        let rays = || {
            scan.ranges
                .iter()
                .enumerate()
                .map(|(ray, range)| (ray as f64 * step - PI, f64::from(*range)))
        };
        let width = RADIUS + self.parameters.margin;
        let is_free = |direction: f64| {
            rays().all(|(angle, range)| {
                let (sin, cos) = wrapped(angle - direction).sin_cos();
                // Objects behind the rover, beside the way, or beyond its end do not block it.
                cos <= 0.0 || range * sin.abs() > width || range * cos > way + width
            })
        };
        let directions = std::iter::once(wanted).chain(rays().map(|(angle, _)| angle));
        let off = |direction: &f64| wrapped(direction - wanted).abs();
        directions
            .filter(|direction| is_free(*direction))
            .min_by(|left, right| off(left).total_cmp(&off(right)))
    }
}

/// Returns the same angle between -π and π.
fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use hemiola::bus::{Bus, WhenFull};

    use super::*;

    /// Returns a scan of an object that is one metre away, from one angle to another one.
    fn scan(from: f64, to: f64) -> Scan {
        let angles = (0..120).map(|ray| TAU * f64::from(ray) / 120.0 - PI);
        let range = |angle: f64| {
            if (from..to).contains(&angle) {
                1.0
            } else {
                f32::INFINITY
            }
        };
        Scan {
            ranges: angles.map(range).collect(),
        }
    }

    /// Returns what a planner at this place commands that drives to a goal, and the number of the
    /// goal that it has reached, if any.
    fn planned_at(x: f64, scan: &Scan) -> (Twist, Option<u64>) {
        let topic = Bus::new().topic::<GoalReached>("GoalReached").unwrap();
        let mut reached = topic.queue(4, WhenFull::DropOldest);
        let pose = Pose {
            x,
            ..Pose::default()
        };
        let goals = vec![[3.0, 0.0]];
        let parameters = PlannerParameters {
            goals,
            speed: 0.5,
            lookahead: 1.0,
            margin: 0.1,
        };
        let mut planner = Planner {
            parameters,
            reached: 0,
        };
        let mut twist = Twist::default();
        planner.twist(
            scan,
            &pose,
            &mut topic.publisher(),
            &mut Navigation::default(),
            &mut twist,
        );
        let number = reached.receive().map(|message| message.number);
        (twist, number)
    }

    fn planned(scan: &Scan) -> Twist {
        planned_at(0.0, scan).0
    }

    #[test]
    fn who_is_at_the_goal_says_so_once() {
        let nothing = scan(2.0, 2.1);
        assert_eq!(planned_at(2.9, &nothing).1, Some(1));
        assert_eq!(planned_at(2.8, &nothing).1, None);
    }

    #[test]
    fn where_there_is_room_it_drives_straight_to_the_goal() {
        let twist = planned(&scan(2.0, 2.1));
        assert!(
            twist.linear.x > 0.4 && twist.angular.z.abs() < 1e-9,
            "{}",
            twist.angular.z
        );
    }

    #[test]
    fn it_passes_what_is_in_its_way_on_the_shorter_side() {
        assert!(planned(&scan(-0.1, 0.5)).angular.z < -0.3);
        assert!(planned(&scan(-0.5, 0.1)).angular.z > 0.3);
    }

    #[test]
    fn where_there_is_no_room_it_does_not_move_on() {
        let twist = planned(&scan(-PI, PI));
        assert!(twist.linear.x == 0.0 && twist.angular.z > 0.0);
    }
}
