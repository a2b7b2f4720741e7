use hemiola::prelude::*;

use super::decibel;
use crate::representations::audio::{AudioLevel, SILENCE};
use crate::representations::sensing::AudioBlock;

/// Measures the level of the microphone, and whether its converter clips.
#[derive(Module)]
pub struct LevelMeter {
    #[parameters]
    parameters: LevelMeterParameters,
}

/// Parameters of the [`LevelMeter`].
#[derive(Parameters)]
pub struct LevelMeterParameters {
    /// The magnitude from which a sample counts as clipped.
    #[parameter(default = 0.999, range = 0.5..=1.0)]
    clipping: f32,
}

#[module]
impl LevelMeter {
    #[update]
    pub(crate) fn level(&self, audio: &AudioBlock, debug: &Debug, level: &mut AudioLevel) {
        if audio.samples.is_empty() {
            return;
        }
        let count = audio.samples.len() as f32;
        let power = audio.samples.iter().map(|sample| sample * sample).sum::<f32>() / count;
        let peak = audio.samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        let clipped = audio.samples.iter().filter(|sample| sample.abs() >= self.parameters.clipping).count();
        level.root_mean_square = decibel(power).max(SILENCE);
        level.peak = decibel(peak * peak).max(SILENCE);
        level.clipped = clipped as f32 / count;
        debug.plot("audio level", level.root_mean_square);
    }
}
