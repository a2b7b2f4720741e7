//! Sound from WAV files.

use std::io::Cursor;
use std::path::Path;

use hound::{SampleFormat, WavReader};

use crate::NaoError;

/// What one microphone recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// From -1 to 1.
    pub samples: Vec<f32>,
    /// In hertz.
    pub sample_rate: f32,
    /// The file ends before the samples that it announces.
    pub ends_early: bool,
}

impl Sound {
    /// Decodes the first channel of a WAV file, of integers or floating point numbers; `file` is for messages only.
    ///
    /// # Errors
    /// It is none, or of no samples.
    pub fn decode(file: &Path, bytes: &[u8]) -> Result<Self, NaoError> {
        let wrong = |reason: hound::Error| NaoError::format(file, "WAV", reason);
        let mut reader = WavReader::new(Cursor::new(bytes)).map_err(wrong)?;
        let form = reader.spec();
        let channels = usize::from(form.channels.max(1));
        let announced = reader.len() as usize / channels;
        let samples: Vec<f32> = match form.sample_format {
            SampleFormat::Float => {
                reader.samples::<f32>().step_by(channels).map_while(Result::ok).map(within).collect()
            }
            SampleFormat::Int => {
                let scale = 1.0 / (1_i64 << (form.bits_per_sample.clamp(1, 32) - 1)) as f32;
                let samples = reader.samples::<i32>().step_by(channels).map_while(Result::ok);
                samples.map(|sample| within(sample as f32 * scale)).collect()
            }
        };
        if samples.is_empty() || form.sample_rate == 0 {
            let reason = format!("{} samples at {} Hz", samples.len(), form.sample_rate);
            return Err(NaoError::format(file, "WAV", reason));
        }
        Ok(Self { ends_early: samples.len() < announced, samples, sample_rate: form.sample_rate as f32 })
    }
}

/// What a converter can give; a number that is none becomes silence.
fn within(sample: f32) -> f32 {
    if sample.is_nan() { 0.0 } else { sample.clamp(-1.0, 1.0) }
}
