use std::collections::VecDeque;

use hemiola::prelude::*;

use super::decibel;
use crate::representations::audio::{AudioBands, AudioSpectrum, BANDS};

/// Estimates the background noise: the median power of the last two seconds in each quarter octave.
///
/// A median does not notice sounds that last less than half of that, however loud, and follows a
/// fan that is switched on within a second (Stahl, Fischer, Bippus: Quantile based noise
/// estimation, ICASSP 2000). Selecting a median takes time proportional to the number of remembered
/// spectra: some 100 times 22 per block.
#[derive(Module)]
pub struct NoiseFloorEstimator {
    #[parameters]
    parameters: NoiseFloorEstimatorParameters,
    history: VecDeque<[f32; BANDS]>,
    #[stateless]
    sorted: Vec<f32>,
}

/// Parameters of the [`NoiseFloorEstimator`].
#[derive(Parameters)]
pub struct NoiseFloorEstimatorParameters {
    /// The time over which the median is taken.
    #[parameter(default = 2.0, range = 0.2..=10.0, unit = "s")]
    memory: f32,
    /// The time that must have been recorded before anything can be distinguished from the
    /// background: seven spectra of 1024 samples at 48 kHz, whose median a click does not affect.
    #[parameter(default = 0.15, range = 0.0..=10.0, unit = "s")]
    settling: f32,
}

/// The minimum power of a background, below the noise of every microphone, so that not every sound
/// stands out from digital silence.
const SMALLEST_POWER: f32 = 1e-13;

#[module]
impl NoiseFloorEstimator {
    #[update]
    pub(crate) fn bands(&mut self, spectrum: &AudioSpectrum, debug: &Debug, bands: &mut AudioBands) {
        if spectrum.power.is_empty() {
            return;
        }
        for (band, power) in bands.power.iter_mut().enumerate() {
            let bins = spectrum.bins(AudioBands::edge(band), AudioBands::edge(band + 1));
            *power = spectrum.power[bins].iter().sum::<f32>().max(SMALLEST_POWER);
        }
        self.remember(bands.power, spectrum.hop);
        for (band, floor) in bands.floor.iter_mut().enumerate() {
            self.sorted.clear();
            self.sorted.extend(self.history.iter().map(|powers| powers[band]));
            let middle = self.sorted.len() / 2;
            *floor = *self.sorted.select_nth_unstable_by(middle, f32::total_cmp).1;
        }
        bands.settled = self.history.len() as f32 * spectrum.hop >= self.parameters.settling;
        debug.plot("audio background", decibel(bands.floor.iter().sum()));
    }

    fn remember(&mut self, powers: [f32; BANDS], hop: f32) {
        let capacity = (self.parameters.memory / hop).ceil().clamp(1.0, 4096.0) as usize;
        self.history.truncate(capacity);
        self.history.reserve(capacity + 1 - self.history.len().min(capacity));
        self.sorted.reserve(capacity.saturating_sub(self.sorted.len()));
        self.history.push_front(powers);
        self.history.truncate(capacity);
    }
}
