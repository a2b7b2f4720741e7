//! Recorded sensor data as sources, so that the robot's modules run on the measurements of real
//! robots.
//!
//! | source | input | provides |
//! |---|---|---|
//! | [`RecordedCamera`] | a directory of pictures, with `index.csv` or `poses.csv` or just sorted by name | images of the upper camera |
//! | [`RecordedBody`] | an IMU trial (`*.csv`, also gzipped), or a directory with `imu.csv` and `joints.csv` or with trials | IMU, joints, foot forces |
//! | [`RecordedMicrophone`] | a directory of `*.wav` and `*.flac` | audio blocks |
//!
//! Files are never trusted: a damaged file costs its own samples, is counted in the
//! [`RecordingReport`] and reported as an error once; nothing panics. The readers are pure
//! ([`table`], [`picture`], [`sound`]): from bytes to values. Recordings may be combined, and
//! [`combination_notice`] warns that they do not belong together.

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

/// Returns a notice for recordings of several directories that run together; `None` for a single
/// one.
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
