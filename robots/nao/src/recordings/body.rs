use std::path::Path;

use hemiola::prelude::*;

use super::timeline::Timeline;
use super::trial::{Trial, TrialFiles};
use super::{BodyRecording, RecordingReport};
use crate::NaoError;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};

/// Plays the recorded sensors of a body: an inertial unit, and joints and foot forces if recorded.
///
/// The input is a table of an inertial unit, a directory of such tables, which are played one after
/// the other, or the directory of a humanoid with `imu.csv`, `joints.csv`, `feet.csv` and its URDF
/// (all tables may be gzipped).
#[derive(Source)]
pub struct RecordedBody {
    #[parameters]
    parameters: RecordedBodyParameters,
    playback: Playback,
    report: RecordingReport,
}

/// Parameters of [`RecordedBody`].
#[derive(Parameters)]
pub struct RecordedBodyParameters {
    /// A table or a directory; empty for no body at all.
    #[parameter(default = String::new())]
    pub directory: String,
    /// The number of samples per second; 0 for the recorded stamps.
    #[parameter(default = 0.0, range = 0.0..=10000.0, unit = "Hz")]
    pub rate: f64,
    /// Starts again at the end.
    #[parameter(default = false)]
    pub repeat: bool,
}

#[derive(Default)]
enum Playback {
    #[default]
    Unopened,
    /// The trials, the number of the next one, and the one that is being played.
    Open(TrialFiles, usize, Option<Box<Playing>>),
    Ended,
}

struct Playing {
    trial: Trial,
    first: f64,
    row: usize,
    timeline: Timeline,
}

#[source]
impl RecordedBody {
    #[sample]
    pub(crate) fn sample(
        &mut self,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        pressure: &mut FootPressure,
        recording: &mut BodyRecording,
    ) -> Result<Option<Time>, NaoError> {
        let result = self.next(imu, joints, pressure);
        if let Err(error) = &result {
            self.report.count(error);
        }
        recording.report.clone_from(&self.report);
        result
    }

    fn next(
        &mut self,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        pressure: &mut FootPressure,
    ) -> Result<Option<Time>, NaoError> {
        if let Playback::Unopened = self.playback {
            self.playback = Playback::Ended;
            if !self.parameters.directory.is_empty() {
                self.report.directory.clone_from(&self.parameters.directory);
                let files = TrialFiles::find(Path::new(&self.parameters.directory))?;
                self.playback = Playback::Open(files, 0, None);
            }
        }
        loop {
            let Playback::Open(files, number, playing) = &mut self.playback else { return Ok(None) };
            match playing {
                Some(playing) if playing.row < playing.trial.table().len() => {
                    return playing.next(&mut self.report, imu, joints, pressure).map(Some);
                }
                _ => {}
            }
            let ended = *number >= files.len();
            if ended && !(self.parameters.repeat && self.report.samples > 0) {
                self.playback = Playback::Ended;
                return Ok(None);
            }
            let next = if ended { 0 } else { *number };
            *number = next + 1;
            let timeline = playing.take().map(|playing| playing.timeline);
            *playing = Some(Box::new(Playing::open(files, next, self.parameters.rate, timeline)?));
        }
    }
}

impl Playing {
    /// Opens a trial, to be played after the last sample of `timeline`.
    fn open(files: &TrialFiles, number: usize, rate: f64, timeline: Option<Timeline>) -> Result<Self, NaoError> {
        let trial = files.read(number)?;
        let stamps = (0..trial.table().len()).filter_map(|row| trial.seconds(row).ok());
        let first = stamps.clone().next().unwrap_or_default();
        let timeline = match timeline {
            Some(timeline) => timeline.followed_by(stamps),
            None if rate > 0.0 => Timeline::at_rate(rate),
            None => Timeline::of_stamps(stamps),
        };
        Ok(Self { first, row: 0, timeline, trial })
    }

    fn next(
        &mut self,
        report: &mut RecordingReport,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        pressure: &mut FootPressure,
    ) -> Result<Time, NaoError> {
        let row = self.row;
        self.row += 1;
        let seconds = self.trial.seconds(row)?;
        *imu = self.trial.sample(row)?;
        self.trial.joints(seconds, joints)?;
        self.trial.feet(seconds, pressure)?;
        Ok(self.timeline.next(seconds - self.first, report))
    }
}
