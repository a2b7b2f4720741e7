use std::f32::consts::TAU;
use std::sync::Arc;

use hemiola::prelude::*;
use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};

use crate::representations::audio::AudioSpectrum;
use crate::representations::sensing::AudioBlock;

/// Transforms the newest two blocks under a Hann window, so that each sample counts in two spectra.
///
/// The periodogram method of Welch (1967) without averaging, so that later modules see changes.
/// Allocates when the length of a block changes, so only in the first run; O(n log n).
#[derive(Module)]
pub struct SpectrumAnalyzer {
    last: Vec<f32>,
    #[stateless]
    transform: Option<Transform>,
}

#[module]
impl SpectrumAnalyzer {
    #[update]
    pub(crate) fn spectrum(&mut self, audio: &AudioBlock, spectrum: &mut AudioSpectrum) {
        let length = audio.samples.len();
        if length == 0 || audio.sample_rate.is_nan() || audio.sample_rate <= 0.0 {
            self.last.clear();
            return;
        }
        if self.last.len() == length {
            let transform = match &mut self.transform {
                Some(transform) if transform.window.len() == 2 * length => transform,
                transform => transform.insert(Transform::new(2 * length)),
            };
            transform.power(&self.last, &audio.samples, &mut spectrum.power);
            spectrum.resolution = audio.sample_rate / (2 * length) as f32;
            spectrum.hop = length as f32 / audio.sample_rate;
        }
        self.last.clear();
        self.last.extend_from_slice(&audio.samples);
    }
}

/// A real Fourier transform of one length, with its window and buffers.
struct Transform {
    fourier: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    samples: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
    /// The factor by which the powers of all bins sum to the mean square of the samples.
    scale: f32,
}

impl Transform {
    fn new(length: usize) -> Self {
        let fourier = RealFftPlanner::new().plan_fft_forward(length);
        let window: Vec<f32> = (0..length).map(|i| 0.5 - 0.5 * (TAU * i as f32 / length as f32).cos()).collect();
        // Parseval, for one side of the spectrum (twice the power) and the part that passes the
        // window.
        let passed: f32 = window.iter().map(|weight| weight * weight).sum();
        Self {
            scale: 2.0 / (length as f32 * passed),
            samples: fourier.make_input_vec(),
            bins: fourier.make_output_vec(),
            scratch: fourier.make_scratch_vec(),
            fourier,
            window,
        }
    }

    fn power(&mut self, earlier: &[f32], later: &[f32], power: &mut Vec<f32>) {
        let sound = earlier.iter().chain(later);
        for ((sample, sound), weight) in self.samples.iter_mut().zip(sound).zip(&self.window) {
            *sample = sound * weight;
        }
        let transformed = self.fourier.process_with_scratch(&mut self.samples, &mut self.bins, &mut self.scratch);
        debug_assert!(transformed.is_ok(), "the buffers were made for this transform");
        power.clear();
        power.extend(self.bins.iter().map(|bin| bin.norm_sqr() * self.scale));
    }
}
