//! The pose of the robot on the map.

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
    /// The pose at which the robot starts on the map: x, y in m and its heading in rad.
    #[parameter(default = [0.0; 3])]
    start: [f64; 3],
    /// The range beyond which points are not matched.
    #[parameter(default = 8.0, range = 0.5..=100.0, unit = "m")]
    range: f64,
    /// The maximum number of rays that are matched, evenly distributed.
    #[parameter(default = 180, range = 8..=4096)]
    rays: u32,
    /// The distance from the predicted position that is searched.
    #[parameter(default = 0.2, range = 0.02..=1.0, unit = "m")]
    way: f64,
    /// The difference from the predicted heading that is searched.
    #[parameter(default = 0.12, range = 0.01..=0.5, unit = "rad")]
    turn: f64,
    /// The step between two headings that are searched.
    #[parameter(default = 0.006, range = 0.002..=0.1, unit = "rad")]
    turn_step: f64,
    /// The standard deviation of the distance between the end of a ray and its wall on the map.
    #[parameter(default = 0.03, range = 0.005..=1.0, unit = "m")]
    deviation: f64,
    /// The weight of each ray as an independent measurement: the errors of neighbours correlate.
    #[parameter(default = 0.4, range = 0.001..=1.0)]
    weight: f64,
    /// The standard deviation of odometry while the robot stands still.
    #[parameter(default = 0.02, range = 0.001..=1.0, unit = "m")]
    still_way: f64,
    /// The increase of that deviation per metre driven.
    #[parameter(default = 0.2, range = 0.0..=1.0, unit = "m/m")]
    moving_way: f64,
    /// The standard deviation of odometry's heading while the robot stands still.
    #[parameter(default = 0.01, range = 0.001..=1.0, unit = "rad")]
    still_turn: f64,
    /// The increase of that deviation per radian turned.
    #[parameter(default = 0.2, range = 0.0..=1.0, unit = "rad/rad")]
    moving_turn: f64,
    /// The minimum quality of the match of a scan that is used.
    #[parameter(default = 0.3, range = 0.0..=1.0)]
    least_quality: f64,
}

/// Moves the pose by odometry, and corrects it by matching the scan with the map of the previous
/// run: pose and map depend on each other, and `Previous` breaks the circle.
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
        let motion = self.motion(scan.stamp(), &odometry);
        let predicted = motion.pose();
        self.points.clear();
        self.points.extend(hits(&scan, self.parameters.range));
        thin_out(&mut self.points, self.parameters.rays as usize);
        let window = self.window(&motion);
        let found = self.find(&map, predicted, &window);
        let quality = found.map_or(0.0, |found| found.quality);
        let is_good = quality >= self.parameters.least_quality;
        self.rejected += u32::from(found.is_some() && !is_good);
        let found = found.filter(|_| is_good).unwrap_or_else(|| unmatched(predicted, &window));
        self.last = Some((found.pose, motion.odometry));

        *matched = ScanMatch { quality, correction: predicted.inverse() * found.pose, rejected: self.rejected };
        let message = &mut pose.pose;
        message.header.stamp = clock.now();
        message.header.frame_id.push_str(MAP);
        message.pose.pose = found.pose.to_message();
        // The order in ROS is x, y, z and the rotations about them.
        for (row, place) in [0, 1, 5].into_iter().enumerate() {
            for (column, other_place) in [0, 1, 5].into_iter().enumerate() {
                message.pose.covariance[6 * place + other_place] = found.covariance[row][column];
            }
        }
        let branch = &mut transform.tf.transforms[0];
        branch.header.stamp = clock.now();
        branch.transform = (found.pose * motion.odometry.inverse()).to_transform();
        self.show(&found, matched, debug);
    }

    /// Returns the motion by odometry from the time of the last scan to that of this one.
    fn motion(&self, scan: Time, odometry: &Samples<Odometry>) -> Motion {
        let apart = |stamp: Time| stamp.since(scan).max(scan.since(stamp));
        let nearest = odometry.iter().min_by_key(|sample| apart(sample.stamp()));
        let odometry = nearest.map(|sample| Pose2::from(&sample.pose.pose));
        let [x, y, heading] = self.parameters.start;
        let start = || (Pose2::new(x, y, heading), odometry.unwrap_or_default());
        let (from, odometry_before) = self.last.unwrap_or_else(start);
        let odometry = odometry.unwrap_or(odometry_before);
        Motion { from, way: odometry_before.inverse() * odometry, odometry }
    }

    fn window(&self, motion: &Motion) -> Window {
        let parameters = &self.parameters;
        Window {
            way: parameters.way,
            turn: parameters.turn,
            turn_step: parameters.turn_step,
            way_deviation: parameters.still_way + parameters.moving_way * motion.way.x.hypot(motion.way.y),
            turn_deviation: parameters.still_turn + parameters.moving_turn * motion.way.heading.abs(),
            weight: parameters.weight,
        }
    }

    /// Matches the scan with the map, once there is one.
    fn find(&mut self, map: &OccupancyGrid, predicted: Pose2, window: &Window) -> Option<Match> {
        if map.data.is_empty() {
            return None;
        }
        let reach = self.parameters.range + window.way + 1.0;
        self.matcher.prepare(map, predicted.position(), reach, self.parameters.deviation);
        self.matcher.search(&self.points, predicted, window)
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

/// The motion between two scans, by odometry.
struct Motion {
    /// The pose on the map at the last scan.
    from: Pose2,
    /// The relative motion since then.
    way: Pose2,
    /// The robot's pose by odometry now.
    odometry: Pose2,
}

impl Motion {
    /// Returns the resulting pose on the map.
    fn pose(&self) -> Pose2 {
        self.from * self.way
    }
}

/// Returns the match of a scan that does not fit: the robot is somewhere in the window.
fn unmatched(predicted: Pose2, window: &Window) -> Match {
    let mut covariance = [[0.0; 3]; 3];
    for (axis, deviation) in [window.way, window.way, window.turn].into_iter().enumerate() {
        covariance[axis][axis] = deviation * deviation;
    }
    Match { pose: predicted, covariance, quality: 0.0 }
}

/// Keeps `most` of the points, evenly distributed over the scan.
fn thin_out(points: &mut Vec<[f64; 2]>, most: usize) {
    let count = points.len();
    if count > most {
        (0..most).for_each(|kept| points[kept] = points[kept * count / most]);
        points.truncate(most);
    }
}
