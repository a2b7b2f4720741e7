//! The parts that other messages share.

use hemiola::prelude::*;

/// The time of a measurement, and the frame of its coordinates.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "std_msgs/Header")]
pub struct Header {
    /// The time stamp.
    pub stamp: Time,
    /// The name of the frame, as transforms call it.
    pub frame_id: String,
}

/// A colour, whose components are from 0 to 1.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "std_msgs/ColorRGBA")]
pub struct ColorRGBA {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
    /// Opacity.
    pub a: f32,
}
