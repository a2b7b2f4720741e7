use std::fmt;
use std::time::Duration;

use hemiola::prelude::*;

use crate::NaoError;

/// The statistics of a source about its recording so far.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct RecordingReport {
    /// The directory or file.
    pub directory: String,
    /// The number of samples that were delivered.
    pub samples: u64,
    /// The number of stamps before that of the previous sample; such a sample is delivered with the
    /// stamp of the previous one.
    pub steps_back: u64,
    /// The longest time by which a stamp went back.
    pub farthest_back: Duration,
    /// The number of steps forward of more than five times the usual one.
    pub gaps: u64,
    /// The longest step that counts as a gap.
    pub longest_gap: Duration,
    /// The number of files that end early: pictures are left out, sound is played as far as it
    /// goes.
    pub truncated: u64,
    /// The number of samples that could not be read for another reason, and were left out.
    pub unreadable: u64,
    /// The error of the last sample or file that could not be read; empty when there was none.
    pub last_error: String,
}

impl RecordingReport {
    /// Counts an error of reading.
    pub(crate) fn count(&mut self, error: &NaoError) {
        match error {
            NaoError::Truncated { .. } | NaoError::EndsEarly { .. } => self.truncated += 1,
            _ => self.unreadable += 1,
        }
        self.last_error = error.to_string();
    }
}

impl fmt::Display for RecordingReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} samples", self.directory, self.samples)?;
        if self.steps_back > 0 {
            write!(
                formatter,
                ", {} stamps step back (by up to {:.3} s)",
                self.steps_back,
                self.farthest_back.as_secs_f64()
            )?;
        }
        if self.gaps > 0 {
            write!(formatter, ", {} gaps (of up to {:.1} s)", self.gaps, self.longest_gap.as_secs_f64())?;
        }
        if self.truncated > 0 {
            write!(formatter, ", {} truncated", self.truncated)?;
        }
        if self.unreadable > 0 {
            write!(formatter, ", {} unreadable", self.unreadable)?;
        }
        if !self.last_error.is_empty() {
            write!(formatter, "; last: {}", self.last_error)?;
        }
        Ok(())
    }
}

/// The report of the recorded camera.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct CameraRecording {
    /// The report so far.
    pub report: RecordingReport,
}

/// The report of the recorded body.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BodyRecording {
    /// The report so far.
    pub report: RecordingReport,
}

/// The report of the recorded microphone.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MicrophoneRecording {
    /// The report so far.
    pub report: RecordingReport,
}
