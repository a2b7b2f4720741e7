#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Parameters)]
struct FinderParameters {
    /// Smallest score that counts as a ball.
    #[parameter(defualt = 0.6)]
    threshold: f32,
}

fn main() {}
