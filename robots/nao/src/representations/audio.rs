//! The data of the audio cycle.

use hemiola::prelude::*;

/// The level of a block of the microphone.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct AudioLevel {
    /// The root mean square, in decibels relative to full scale: 0 is a square wave at the limits.
    pub root_mean_square: f32,
    /// The largest magnitude, in decibels relative to full scale.
    pub peak: f32,
    /// The share of samples at the limits of the converter, from 0 to 1.
    pub clipped: f32,
}

impl Default for AudioLevel {
    fn default() -> Self {
        Self { root_mean_square: SILENCE, peak: SILENCE, clipped: 0.0 }
    }
}

/// The level of silence, in decibels relative to full scale.
pub const SILENCE: f32 = -120.0;

/// The power spectrum of the newest two blocks.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct AudioSpectrum {
    /// The power in each bin; the sum is the mean square of the signal. Empty until two blocks have
    /// been heard.
    pub power: Vec<f32>,
    /// The width of a bin, in hertz; bin `i` lies around `i * resolution`.
    pub resolution: f32,
    /// The time from one spectrum to the next, in seconds.
    pub hop: f32,
}

impl AudioSpectrum {
    /// Returns the bins from one frequency in hertz up to, but excluding, another; empty if the
    /// spectrum ends before.
    #[must_use]
    pub fn bins(&self, from: f32, to: f32) -> std::ops::Range<usize> {
        let bin = |frequency: f32| ((frequency / self.resolution).ceil() as usize).min(self.power.len());
        if self.resolution > 0.0 { bin(from)..bin(to).max(bin(from)) } else { 0..0 }
    }
}

/// The number of bands in [`AudioBands`].
pub const BANDS: usize = 22;

/// The power in quarter octaves from 200 Hz to 9 kHz, and the usual power there.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct AudioBands {
    /// The power of the newest spectrum in each band.
    pub power: [f32; BANDS],
    /// The power of the background in each band.
    pub floor: [f32; BANDS],
    /// True if enough has been heard to tell a sound from the background.
    pub settled: bool,
}

impl AudioBands {
    /// Returns the lower edge of a band, which is the upper edge of the previous one, in hertz.
    #[must_use]
    pub fn edge(band: usize) -> f32 {
        200.0 * (band as f32 / 4.0).exp2()
    }

    /// Returns the excess of the power in `band` over what the background may reach by chance:
    /// twice its usual power.
    #[must_use]
    pub fn excess(&self, band: usize) -> f32 {
        (self.power[band] - 2.0 * self.floor[band]).max(0.0)
    }
}

/// The features that distinguish a whistle from other sounds, in the newest spectrum.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WhistleFeatures {
    /// The strongest frequency of the whistle band, in hertz; 0 while nothing can be said.
    pub frequency: f32,
    /// The power of the tone relative to the background at its own frequency, in decibels.
    pub prominence: f32,
    /// The share of all that rises above the background up to the whistle band that lies in it: 0
    /// for speech, 1 for a whistle.
    pub dominance: f32,
    /// The difference of the whistle band from noise, in decibels: 0 for white noise, and more the
    /// fewer lines it consists of.
    pub tonality: f32,
    /// The stability of the frequency, from 0 (it jumps from block to block) to 1 (it has stayed
    /// for a while).
    pub stability: f32,
    /// The time from one set of features to the next, in seconds.
    pub hop: f32,
}

/// The detection of a referee's whistle.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Whistle {
    /// True if a whistle is being heard in this block.
    pub heard: bool,
    /// The time at which the last whistle began; `None` before the first one.
    pub last_heard: Option<Time>,
}
