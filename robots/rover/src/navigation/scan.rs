//! The rays of a scan.

use hemiola_ros::sensor_msgs::LaserScan;

/// The result of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ray {
    /// An obstacle at a point in the scanner's frame.
    Hit([f64; 2]),
    /// No obstacle up to a point in the scanner's frame.
    Free([f64; 2]),
}

/// Returns the rays of a scan up to `farthest` metres. Ranges follow REP-117: infinity means that
/// nothing is within reach; ranges outside the limits, or that are not a number, are invalid.
pub fn rays(scan: &LaserScan, farthest: f64) -> impl Iterator<Item = Ray> + '_ {
    scan.ranges.iter().enumerate().filter_map(move |(number, range)| {
        let angle = f64::from(scan.angle_min) + f64::from(scan.angle_increment) * number as f64;
        let (sine, cosine) = angle.sin_cos();
        let at = |range: f64| [range * cosine, range * sine];
        match *range {
            range if range == f32::INFINITY => Some(Ray::Free(at(farthest.min(scan.range_max.into())))),
            range if !(scan.range_min..=scan.range_max).contains(&range) => None,
            range if f64::from(range) > farthest => Some(Ray::Free(at(farthest))),
            range => Some(Ray::Hit(at(range.into()))),
        }
    })
}

/// Returns the points that the rays of a scan hit, up to `farthest` metres, in the scanner's frame.
pub fn hits(scan: &LaserScan, farthest: f64) -> impl Iterator<Item = [f64; 2]> + '_ {
    rays(scan, farthest).filter_map(|ray| match ray {
        Ray::Hit(at) => Some(at),
        Ray::Free(_) => None,
    })
}
