//! What a scan says, ray by ray.

use hemiola_ros::sensor_msgs::LaserScan;

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ray {
    /// An obstacle, there in the scanner's frame.
    Hit([f64; 2]),
    /// Nothing, up to there.
    Free([f64; 2]),
}

/// The rays of a scan up to `farthest` metres. Ranges are as REP-117 has them: infinity is nothing
/// within reach; what is below the smallest, above the largest or no number says nothing.
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

/// Where the rays of a scan met something, up to `farthest` metres, in the scanner's frame.
pub fn hits(scan: &LaserScan, farthest: f64) -> impl Iterator<Item = [f64; 2]> + '_ {
    rays(scan, farthest).filter_map(|ray| match ray {
        Ray::Hit(at) => Some(at),
        Ray::Free(_) => None,
    })
}
