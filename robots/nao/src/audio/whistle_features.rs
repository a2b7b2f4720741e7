use hemiola::prelude::*;

use super::{decibel, weight};
use crate::representations::audio::{AudioBands, AudioSpectrum, BANDS, WhistleFeatures};

/// Measures what distinguishes a referee's whistle from speech, gears, steps and other noise.
///
/// A whistle is a resonator of 2 to 4.5 kHz that is blown hard. So it is a line in the spectrum
/// (tonality: spectral flatness after Gray and Markel, 1974), it stands out from the background
/// (prominence), there is little power below it (dominance: speech and motors have their power
/// there), and it stays for a while (stability). None of this depends on the microphone's gain.
#[derive(Module)]
pub struct WhistleFeatureExtractor {
    #[parameters]
    parameters: WhistleFeatureExtractorParameters,
    last_frequency: f32,
    stability: f32,
}

/// Parameters of the [`WhistleFeatureExtractor`].
#[derive(Parameters)]
pub struct WhistleFeatureExtractorParameters {
    /// The lower end of the whistle band.
    #[parameter(default = 2000.0, range = 500.0..=8000.0, unit = "Hz")]
    lowest: f32,
    /// The upper end of the whistle band.
    #[parameter(default = 4500.0, range = 500.0..=8000.0, unit = "Hz")]
    highest: f32,
    /// Half the width of a tone: pressure and the pea in the whistle make its frequency waver.
    #[parameter(default = 75.0, range = 10.0..=500.0, unit = "Hz")]
    half_width: f32,
    /// The maximum change of a stable frequency from block to block, relative to it. A whistle with
    /// several chambers has as many tones, up to a fifth of their frequency apart, and the
    /// strongest one alternates.
    #[parameter(default = 0.2, range = 0.0..=1.0)]
    largest_change: f32,
    /// The time constant of the stability.
    #[parameter(default = 0.06, range = 0.001..=1.0, unit = "s")]
    memory: f32,
}

#[module]
impl WhistleFeatureExtractor {
    #[update]
    pub(crate) fn features(
        &mut self,
        spectrum: &AudioSpectrum,
        bands: &AudioBands,
        debug: &Debug,
        features: &mut WhistleFeatures,
    ) {
        let WhistleFeatureExtractorParameters { lowest, highest, half_width, largest_change, memory } = self.parameters;
        features.hop = spectrum.hop;
        let whistle_band = spectrum.bins(lowest, highest);
        let first = whistle_band.start;
        let Some(strongest) = strongest(&spectrum.power[whistle_band.clone()]).map(|bin| first + bin) else { return };
        if !bands.settled {
            return;
        }
        features.frequency = strongest as f32 * spectrum.resolution;
        let tone = spectrum.bins(features.frequency - half_width, features.frequency + half_width);
        let width = tone.len().max(1) as f32 * spectrum.resolution;
        features.prominence =
            decibel(spectrum.power[tone].iter().sum::<f32>() / (density(bands, features.frequency) * width));
        features.dominance = dominance(bands, lowest, highest);
        features.tonality = tonality(&spectrum.power[whistle_band]);

        let stayed = (features.frequency - self.last_frequency).abs() < largest_change * features.frequency;
        self.last_frequency = features.frequency;
        self.stability += weight(spectrum.hop, memory) * (f32::from(u8::from(stayed)) - self.stability);
        features.stability = self.stability;

        debug.plot("whistle frequency", features.frequency);
        debug.plot("whistle prominence", features.prominence);
    }
}

fn strongest(power: &[f32]) -> Option<usize> {
    power.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(bin, _)| bin)
}

/// Returns the background power per hertz around `frequency`.
fn density(bands: &AudioBands, frequency: f32) -> f32 {
    let band = (0..BANDS).rev().find(|&band| AudioBands::edge(band) <= frequency).unwrap_or(0);
    bands.floor[band] / (AudioBands::edge(band + 1) - AudioBands::edge(band))
}

/// Returns the share of the whistle band in all power above the background, up to its upper end.
fn dominance(bands: &AudioBands, lowest: f32, highest: f32) -> f32 {
    let (mut below, mut within) = (0.0, 0.0);
    for band in 0..BANDS {
        let center = (AudioBands::edge(band) * AudioBands::edge(band + 1)).sqrt();
        if center < lowest {
            below += bands.excess(band);
        } else if center <= highest {
            within += bands.excess(band);
        }
    }
    if within > 0.0 { within / (within + below) } else { 0.0 }
}

/// Returns the ratio of arithmetic and geometric mean, in decibels.
fn tonality(power: &[f32]) -> f32 {
    let count = power.len() as f32;
    let arithmetic = power.iter().sum::<f32>() / count;
    let geometric = power.iter().map(|power| power.max(f32::MIN_POSITIVE).ln()).sum::<f32>() / count;
    decibel(arithmetic.max(f32::MIN_POSITIVE) / geometric.exp())
}
