//! Where the robot is on the map.

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::{OccupancyGrid, Odometry};
use hemiola_ros::sensor_msgs::LaserScan;

use super::scan::hits;
use super::scan_matcher::{Match, ScanMatcher, Window};
use crate::geometry::{Pose2, drawn};
use crate::representations::{MAP, MapPose, MapToOdom, ScanMatch};

/// Parameters of [`ScanMatching`].
#[derive(Parameters)]
pub struct ScanMatchingParameters {
    /// Where the robot begins on the map: x, y in m and its heading in rad.
    #[parameter(default = [0.0; 3])]
    start: [f64; 3],
    /// What is farther away is not matched.
    #[parameter(default = 8.0, range = 0.5..=100.0, unit = "m")]
    range: f64,
    /// So many rays are matched at most, evenly spread.
    #[parameter(default = 180, range = 8..=4096)]
    rays: u32,
    /// How far from the predicted place is searched.
    #[parameter(default = 0.2, range = 0.02..=3.0, unit = "m")]
    way: f64,
    /// How far from the predicted heading is searched.
    #[parameter(default = 0.12, range = 0.01..=1.0, unit = "rad")]
    turn: f64,
    /// Between two headings that are tried.
    #[parameter(default = 0.006, range = 0.0005..=0.1, unit = "rad")]
    turn_step: f64,
    /// How far from a wall of the map rays end, as a standard deviation.
    #[parameter(default = 0.03, range = 0.005..=1.0, unit = "m")]
    deviation: f64,
    /// How much of a measurement of its own each ray is: neighbours err together.
    #[parameter(default = 0.4, range = 0.001..=1.0)]
    weight: f64,
    /// Standard deviation of odometry while the robot stands.
    #[parameter(default = 0.02, range = 0.001..=1.0, unit = "m")]
    still_way: f64,
    /// What is added to it per metre of way.
    #[parameter(default = 0.2, range = 0.0..=1.0, unit = "m/m")]
    moving_way: f64,
    /// Standard deviation of the heading of odometry while the robot stands.
    #[parameter(default = 0.01, range = 0.001..=1.0, unit = "rad")]
    still_turn: f64,
    /// What is added to it per radian of turn.
    #[parameter(default = 0.2, range = 0.0..=1.0, unit = "rad/rad")]
    moving_turn: f64,
    /// Scans that fit worse are not used.
    #[parameter(default = 0.3, range = 0.0..=1.0)]
    least_quality: f64,
}

/// Moves the pose on by odometry, and corrects it by matching the scan with the map of the run
/// before: pose and map need each other, and `Previous` cuts the circle.
#[derive(Module)]
pub struct ScanMatching {
    #[parameters]
    parameters: ScanMatchingParameters,
    /// The pose at the last scan, and where odometry saw it.
    last: Option<(Pose2, Pose2)>,
    rejected: u32,
    #[stateless]
    matcher: ScanMatcher,
    #[stateless]
    points: Vec<[f64; 2]>,
}

#[module]
impl ScanMatching {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "the pose is what everything is about")]
    pub(super) fn pose(
        &mut self,
        scan: Fresh<LaserScan>,
        odometry: Samples<Odometry>,
        map: Previous<OccupancyGrid>,
        clock: &Clock,
        debug: &Debug,
        pose: &mut MapPose,
        matched: &mut ScanMatch,
        transform: &mut MapToOdom,
    ) {
        let parameters = &self.parameters;
        let [x, y, heading] = parameters.start;
        // The odometry of the moment in which the scan was taken.
        let distance = |stamp: Time| stamp.since(scan.stamp()).max(scan.stamp().since(stamp));
        let nearest = odometry.iter().min_by_key(|sample| distance(sample.stamp()));
        let (last, last_odometry) = self.last.unwrap_or((Pose2::new(x, y, heading), Pose2::default()));
        let odometry = nearest.map_or(last_odometry, |sample| Pose2::from(&sample.pose.pose));
        let last_odometry = if self.last.is_none() { odometry } else { last_odometry };
        let motion = last_odometry.inverse() * odometry;
        let predicted = last * motion;

        self.points.clear();
        self.points.extend(hits(&scan, parameters.range));
        thin_out(&mut self.points, parameters.rays as usize);
        let window = Window {
            way: parameters.way,
            turn: parameters.turn,
            turn_step: parameters.turn_step,
            way_deviation: parameters.still_way + parameters.moving_way * motion.x.hypot(motion.y),
            turn_deviation: parameters.still_turn + parameters.moving_turn * motion.heading.abs(),
            weight: parameters.weight,
        };
        let found = if map.data.is_empty() {
            None
        } else {
            let reach = parameters.range + parameters.way + 1.0;
            self.matcher.prepare(&map, predicted.position(), reach, parameters.deviation);
            self.matcher.search(&self.points, predicted, &window)
        };
        let is_good = |found: &Match| found.quality >= parameters.least_quality;
        self.rejected += u32::from(found.as_ref().is_some_and(|found| !is_good(found)));
        let unmatched = Match { pose: predicted, ..Match::default() };
        let quality = found.map_or(0.0, |found| found.quality);
        let found = found.filter(is_good).unwrap_or(unmatched);
        self.last = Some((found.pose, odometry));

        *matched = ScanMatch { quality, correction: predicted.inverse() * found.pose, rejected: self.rejected };
        let message = &mut pose.pose;
        message.header.stamp = clock.now();
        message.header.frame_id.push_str(MAP);
        message.pose.pose = found.pose.to_message();
        // ROS orders x, y, z and the rotations about them.
        for (row, place) in [0, 1, 5].into_iter().enumerate() {
            for (column, other_place) in [0, 1, 5].into_iter().enumerate() {
                message.pose.covariance[6 * place + other_place] = found.covariance[row][column];
            }
        }
        let branch = &mut transform.tf.transforms[0];
        branch.header.stamp = clock.now();
        branch.transform = (found.pose * odometry.inverse()).to_transform();
        self.show(&found, matched, debug);
    }

    fn show(&self, found: &Match, matched: &ScanMatch, debug: &Debug) {
        let pose = found.pose;
        debug.draw("map/pose", |canvas| {
            canvas.place("robot", pose.drawn(0.0, 0.0), pose.heading as f32);
            let [[xx, xy, _], [_, yy, _], _] = found.covariance.map(|row| row.map(|number| number as f32));
            canvas.covariance(pose.drawn(0.0, 0.0), [[xx, xy], [xy, yy]], Color::GREEN);
        });
        debug.draw("robot/body", |canvas| {
            canvas.circle([0.0, 0.0], 0.18, Color::GREEN);
            canvas.arrow([0.0, 0.0], [0.3, 0.0], Color::GREEN);
        });
        debug.draw("robot/scan", |canvas| canvas.points(self.points.iter().copied().map(drawn), Color::ORANGE));
        debug.plot("match.quality", matched.quality);
        debug.plot("match.correction [m]", matched.correction.x.hypot(matched.correction.y));
        debug.plot("match.turned back [rad]", matched.correction.heading);
    }
}

/// Keeps `most` of the points, evenly spread over the scan.
fn thin_out(points: &mut Vec<[f64; 2]>, most: usize) {
    let count = points.len();
    if count > most {
        (0..most).for_each(|kept| points[kept] = points[kept * count / most]);
        points.truncate(most);
    }
}
