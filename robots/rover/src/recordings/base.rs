//! The wheels and the gyroscope of another robot.

use hemiola::prelude::*;
use hemiola_ros::sensor_msgs::Imu;

use crate::representations::WheelSpeeds;

/// Stands in for the sensors of a robot whose log is replayed: `run --replay` provides its samples,
/// as `[replay.*]` in robot.toml configures. Without a log it has none.
#[derive(Source)]
pub struct ReplayedBase;

#[source]
impl ReplayedBase {
    #[sample]
    fn sample(&mut self, imu: &mut Imu, wheels: &mut WheelSpeeds) -> Option<Time> {
        _ = (imu, wheels);
        None
    }
}
