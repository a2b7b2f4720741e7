//! The audio cycle: from blocks of a microphone to the referee's whistle.
//!
//! [`LevelMeter`] and [`SpectrumAnalyzer`] analyse the block; [`NoiseFloorEstimator`] estimates the
//! usual power of each band; [`WhistleFeatureExtractor`] measures what distinguishes a whistle;
//! [`WhistleDetector`] decides. All of them take the sample rate and the length of a block from the
//! block itself.

mod level_meter;
mod noise_floor;
mod spectrum;
mod whistle_detector;
mod whistle_features;

pub use level_meter::LevelMeter;
pub use noise_floor::NoiseFloorEstimator;
pub use spectrum::SpectrumAnalyzer;
pub use whistle_detector::{WhistleDetector, WhistleDetectorParameters};
pub use whistle_features::WhistleFeatureExtractor;

#[cfg(test)]
mod tests;

/// Returns a power in decibels.
fn decibel(power: f32) -> f32 {
    10.0 * power.log10()
}

/// Returns the weight of a new value in an exponential mean with a time constant in seconds, for
/// values `hop` seconds apart.
fn weight(hop: f32, time_constant: f32) -> f32 {
    1.0 - (-hop / time_constant).exp()
}
