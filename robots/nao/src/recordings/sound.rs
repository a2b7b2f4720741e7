//! Sound from files, with the decoder of `log import`.

use std::path::Path;

use hemiola::log::SoundReader;

use crate::NaoError;

/// The recording of one microphone.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// The samples, from -1 to 1.
    pub samples: Vec<f32>,
    /// The sample rate, in hertz.
    pub sample_rate: f32,
    /// True if the file ends before the samples that it announces.
    pub ends_early: bool,
}

impl Sound {
    /// Decodes the first channel of a WAV or FLAC file; `file` is for messages only.
    ///
    /// # Errors
    /// The file has another format, or no samples.
    pub fn decode(file: &Path, bytes: &[u8]) -> Result<Self, NaoError> {
        let wrong = |reason: &dyn ToString| NaoError::format(file, "sound (WAV, FLAC)", reason.to_string());
        let mut reader = SoundReader::new(file, bytes).map_err(|error| wrong(&error))?;
        let channels = usize::from(reader.channels());
        let (mut samples, mut block) = (Vec::new(), Vec::new());
        while reader.read(BLOCK, &mut block).map_err(|error| wrong(&error))? > 0 {
            samples.extend(block.drain(..).step_by(channels));
        }
        if samples.is_empty() {
            return Err(wrong(&reader.ends_early().unwrap_or("it has no samples")));
        }
        Ok(Self { samples, sample_rate: reader.sample_rate() as f32, ends_early: reader.ends_early().is_some() })
    }
}

/// The number of frames that are decoded at once.
const BLOCK: usize = 4096;
