use std::path::Path;

use hemiola::prelude::*;

use super::{Measure, Score};
use crate::NaoError;
use crate::recordings::{
    BodyRecording, CameraRecording, MicrophoneRecording, RecordedBody, RecordedBodyParameters, RecordedCamera,
    RecordedCameraParameters, RecordedMicrophone, RecordedMicrophoneParameters, RecordingReport,
};
use crate::representations::sensing::{AudioBlock, FootPressure, ImuSample, JointAngles, LowerImage, UpperImage};

/// Plays a recording without ground truth through the source for its format, and reports what could
/// be read.
pub fn evaluate(directory: &Path) -> Result<Score, NaoError> {
    let name = || directory.display().to_string();
    let mut reports = Vec::new();

    let parameters = RecordedCameraParameters { directory: name(), rate: 0.0, repeat: false };
    let (mut source, mut recording) = (RecordedCamera::create(parameters), CameraRecording::default());
    let (mut upper, mut lower) = (UpperImage::default(), LowerImage::default());
    play(|| source.sample(&mut upper, &mut lower, &mut recording).ok());
    reports.push(("pictures", recording.report));

    let parameters = RecordedBodyParameters { directory: name(), rate: 0.0, repeat: false };
    let (mut source, mut recording) = (RecordedBody::create(parameters), BodyRecording::default());
    let (mut imu, mut joints, mut feet) = (ImuSample::default(), JointAngles::default(), FootPressure::default());
    play(|| source.sample(&mut imu, &mut joints, &mut feet, &mut recording).ok());
    reports.push(("body", recording.report));

    let parameters = RecordedMicrophoneParameters { directory: name(), rate: 0.0, repeat: false };
    let (mut source, mut recording) = (RecordedMicrophone::create(parameters), MicrophoneRecording::default());
    let mut audio = AudioBlock::default();
    play(|| source.sample(&mut audio, &mut recording).ok());
    reports.push(("sound", recording.report));

    reports.retain(|(_, report)| report.samples + report.truncated > 0);
    if reports.is_empty() {
        let expected = "IMU trials (ref_qw), imu.csv with groundtruth_base.csv, landmarks.csv with poses.csv, whistle_yes \
                        with whistle_no, pictures, IMU tables or sound";
        return Err(NaoError::NothingFound { directory: directory.to_owned(), expected });
    }
    Ok(Score {
        title: "Playback (no known ground truth)".into(),
        directory: name(),
        measures: reports.iter().map(|(subject, report)| measure(subject, report)).collect(),
        details: Vec::new(),
        notes: reports.iter().map(|(_, report)| report.to_string()).collect(),
    })
}

/// Reads samples until there are none; a sample that cannot be read (`None`) is counted by its
/// source.
fn play(mut sample: impl FnMut() -> Option<Option<Time>>) {
    while !matches!(sample(), Some(None)) {}
}

fn measure(subject: &str, report: &RecordingReport) -> Measure {
    Measure::new(
        subject,
        vec![
            ("samples", report.samples as f64, 0),
            ("steps back", report.steps_back as f64, 0),
            ("gaps", report.gaps as f64, 0),
            ("truncated", report.truncated as f64, 0),
            ("unreadable", report.unreadable as f64, 0),
        ],
    )
}
