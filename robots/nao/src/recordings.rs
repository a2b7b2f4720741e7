//! Recorded sensor data as sources, so that the robot's modules run on what real robots have seen,
//! felt and heard.
//!
//! | source | takes | gives |
//! |---|---|---|
//! | [`RecordedCamera`] | a directory of pictures, with `index.csv` or `poses.csv` or just sorted by name | images of the upper camera |
//! | [`RecordedBody`] | an IMU trial (`*.csv`, also gzipped), or a directory with `imu.csv` and `joints.csv` or with trials | IMU, joints, foot forces |
//! | [`RecordedMicrophone`] | a directory of `*.wav` and `*.flac` | audio blocks |
//!
//! What is read is never trusted: a broken file costs its own samples, is counted in the
//! [`RecordingReport`] and told as an error once; nothing panics. The readers are pure ([`table`],
//! [`picture`], [`sound`]): from bytes to values. Recordings may be combined, and
//! [`combination_notice`] tells that they do not belong together.

mod body;
mod camera;
mod directory;
mod humanoid;
mod microphone;
pub mod picture;
mod report;
pub mod sound;
pub mod table;
mod timeline;
pub mod trial;

pub use body::{RecordedBody, RecordedBodyParameters};
pub use camera::{RecordedCamera, RecordedCameraParameters};
pub use directory::{files_with, read_bounded, read_table};
pub use humanoid::imu_rotation;
pub use microphone::{RecordedMicrophone, RecordedMicrophoneParameters};
pub use report::{BodyRecording, CameraRecording, MicrophoneRecording, RecordingReport};

/// What to tell when recordings of several directories run together; `None` where there is nothing
/// to tell.
///
/// ```
/// assert_eq!(nao::recordings::combination_notice(&["walk", ""]), None);
/// let notice = nao::recordings::combination_notice(&["walk", "whistles"]).unwrap();
/// assert!(notice.contains("not recorded together"));
/// ```
#[must_use]
pub fn combination_notice(directories: &[&str]) -> Option<String> {
    let mut used: Vec<_> = directories.iter().filter(|directory| !directory.is_empty()).copied().collect();
    used.sort_unstable();
    used.dedup();
    (used.len() > 1).then(|| {
        format!(
            "{} were not recorded together: each starts at time zero, and what one shows does not explain another",
            used.join(", ")
        )
    })
}

#[cfg(test)]
mod tests;
