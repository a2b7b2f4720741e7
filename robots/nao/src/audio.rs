//! The audio cycle: from blocks of a microphone to the referee's whistle.
//!
//! [`LevelMeter`] and [`SpectrumAnalyzer`] look at the block; [`NoiseFloorEstimator`] learns what
//! is usual in each band; [`WhistleFeatureExtractor`] measures what sets a whistle apart;
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

/// A power in decibel.
fn decibel(power: f32) -> f32 {
    10.0 * power.log10()
}

/// The weight of a new value in a mean that forgets within `time_constant` seconds, for values
/// `hop` seconds apart.
fn weight(hop: f32, time_constant: f32) -> f32 {
    1.0 - (-hop / time_constant).exp()
}
