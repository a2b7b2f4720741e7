//! A CARMEN log as a source.

use std::f32::consts::{FRAC_PI_2, PI};
use std::path::Path;
use std::time::Duration;

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::Odometry;
use hemiola_ros::sensor_msgs::LaserScan;

use super::CarmenLog;
use crate::RoverError;
use crate::representations::{BASE, ODOM};

/// Plays the scans of a CARMEN log, each with the odometry of its time.
#[derive(Source)]
pub struct RecordedCarmen {
    #[parameters]
    parameters: RecordedCarmenParameters,
    log: Playback,
    first: Option<f64>,
    last: Time,
}

/// Parameters of [`RecordedCarmen`].
#[derive(Parameters)]
pub struct RecordedCarmenParameters {
    /// The log, relative to the current directory.
    #[parameter(default = String::new())]
    file: String,
    /// The range from which on there is no obstacle: scanners report it if nothing was reflected.
    #[parameter(default = 40.0, range = 0.5..=1000.0, unit = "m")]
    range: f32,
    /// The time after which playback ends; 0: at the end of the recording.
    #[parameter(default = 0.0, range = 0.0..=1e6, unit = "s")]
    seconds: f64,
}

#[derive(Default)]
enum Playback {
    #[default]
    Unopened,
    Open(CarmenLog),
    Ended,
}

/// The minimum step between time stamps, which have to increase; some logs step back by up to a
/// second.
const LEAST_STEP: Duration = Duration::from_millis(1);

#[source]
impl RecordedCarmen {
    #[sample]
    fn sample(&mut self, scan: &mut LaserScan, odometry: &mut Odometry) -> Result<Option<Time>, RoverError> {
        if let Playback::Unopened = self.log {
            // A log that cannot be opened is reported once.
            self.log = Playback::Ended;
            self.log = Playback::Open(CarmenLog::open(Path::new(&self.parameters.file))?);
        }
        let Playback::Open(log) = &mut self.log else { return Ok(None) };
        let Some(recorded) = log.next_scan()? else {
            self.log = Playback::Ended;
            return Ok(None);
        };
        let seconds = recorded.seconds - *self.first.get_or_insert(recorded.seconds);
        if self.parameters.seconds > 0.0 && seconds > self.parameters.seconds {
            self.log = Playback::Ended;
            return Ok(None);
        }
        self.last = Time::from_seconds(seconds).max(self.last + LEAST_STEP);
        scan.header.stamp = self.last;
        scan.header.frame_id.push_str(BASE);
        let step = PI / recorded.ranges.len() as f32;
        scan.angle_min = -FRAC_PI_2;
        scan.angle_increment = step;
        scan.angle_max = FRAC_PI_2 - step;
        scan.range_max = self.parameters.range;
        scan.ranges.extend_from_slice(&recorded.ranges);
        odometry.header.stamp = self.last;
        odometry.header.frame_id.push_str(ODOM);
        odometry.child_frame_id.push_str(BASE);
        odometry.pose.pose = recorded.odometry.to_message();
        Ok(Some(self.last))
    }
}
