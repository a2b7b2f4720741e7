#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Parameters)]
struct FinderParameters {
    /// Smallest score that counts as a ball.
    #[parameter(default = 0.6, range = 0.0..)]
    threshold: f32,
}

fn main() {}
