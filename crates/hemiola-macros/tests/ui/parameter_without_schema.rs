#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Default)]
struct Curve {
    points: Vec<f32>,
}

#[derive(Parameters)]
struct WalkParameters {
    /// How the foot swings.
    swing: Curve,
}

fn main() {}
