//! A ROS 2 node that follows a wall, as a module.

// ANCHOR: module
use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::sensor_msgs::LaserScan;

#[derive(Parameters)]
pub struct WallFollowerParameters {
    /// The distance to the wall on the right.
    #[parameter(default = 0.6, range = 0.2..=3.0, unit = "m")]
    pub distance: f64,
    /// The speed of the robot.
    #[parameter(default = 0.3, range = 0.0..=1.0, unit = "m/s")]
    pub speed: f64,
}

/// Follows the wall on the right, and turns away from obstacles ahead.
#[derive(Module)]
pub struct WallFollower {
    #[parameters]
    pub parameters: WallFollowerParameters,
}

#[module]
impl WallFollower {
    #[update]
    pub fn follow(&self, scan: &LaserScan, command: &mut Twist) {
        let nearest = |from: f32, to: f32| {
            let angle = |ray: usize| scan.angle_min + ray as f32 * scan.angle_increment;
            let rays = scan.ranges.iter().enumerate();
            let seen = rays.filter(|(ray, range)| (from..to).contains(&angle(*ray)) && **range >= scan.range_min);
            seen.map(|(_, range)| f64::from(*range)).fold(f64::INFINITY, f64::min)
        };
        if nearest(-0.3, 0.3) < self.parameters.distance {
            command.angular.z = 0.8; // turn to the left, on the spot
            return;
        }
        command.linear.x = self.parameters.speed;
        let error = nearest(-1.8, -1.2).min(2.0 * self.parameters.distance) - self.parameters.distance;
        command.angular.z = -1.5 * error;
    }
}
// ANCHOR_END: module

// ANCHOR: wanted
/// The velocity that another node asks for.
#[derive(Representation, Clone, Default)]
#[data(transparent)]
pub struct WantedTwist(pub Twist);
// ANCHOR_END: wanted

#[cfg(test)]
mod tests {
    use super::*;

    // ANCHOR: test
    fn scan(range: impl Fn(f32) -> f32) -> LaserScan {
        let angles = (0..360).map(|degree| (degree as f32 - 180.0).to_radians());
        LaserScan {
            angle_min: -std::f32::consts::PI,
            angle_increment: 1.0_f32.to_radians(),
            range_min: 0.05,
            ranges: angles.map(range).collect(),
            ..LaserScan::default()
        }
    }

    fn command(scan: &LaserScan) -> Twist {
        let follower = WallFollower::create(WallFollowerParameters::default());
        let mut command = Twist::default();
        follower.follow(scan, &mut command);
        command
    }

    #[test]
    fn the_robot_turns_to_a_wall_that_is_too_far_and_away_from_one_that_is_near() {
        let wall = |metres| scan(move |angle| if angle < 0.0 { metres } else { 9.0 });
        let beside = |metres| scan(move |angle| if (-1.8..-1.2).contains(&angle) { metres } else { 9.0 });
        assert!(command(&beside(1.0)).angular.z < 0.0);
        assert!(command(&beside(0.3)).angular.z > 0.0);
        assert_eq!(command(&wall(0.3)).linear.x, 0.0, "there is something ahead");
    }
    // ANCHOR_END: test

    #[test]
    fn what_another_node_asks_for_is_a_twist_outside() {
        use hemiola::cdr::MessageSchema;
        use hemiola::data::Data;
        let [wanted, twist] = [WantedTwist::data_type(), Twist::data_type()];
        assert_eq!(MessageSchema::of("WantedTwist", &wanted), MessageSchema::of("Twist", &twist));
        assert_eq!(MessageSchema::of("WantedTwist", &wanted).name, "geometry_msgs/msg/Twist");
    }

    #[test]
    fn its_robot_toml_is_one() {
        use hemiola::configuration::{Catalog, parse};
        let loaded = parse(include_str!("wall_follower.toml"), "robot.toml", &Catalog::linked()).unwrap();
        assert_eq!(loaded.configuration.cycles.len(), 1);
    }
}
