#![allow(dead_code)]

use std::time::Duration;

use hemiola::prelude::*;

const WHEEL: f32 = 0.1;

#[derive(Parameters)]
struct Literal {
    /// The speed of the cart.
    #[parameter(default = -1.5, range = 0.0..=1.0, unit = "m/s")]
    speed: f32,
}

#[derive(Parameters)]
struct List {
    #[parameter(default = [0.5, 2.0], range = 0..=1)]
    gains: [f64; 2],
}

#[derive(Parameters)]
struct Constant {
    #[parameter(default = 2.0 * WHEEL, range = 0.0..=WHEEL, unit = "m")]
    diameter: f32,
}

#[derive(Parameters)]
struct Patience {
    #[parameter(default = Duration::from_millis(300), range = 0.0..=0.2, unit = "s")]
    patience: Duration,
}

#[derive(Parameters)]
struct Within {
    #[parameter(default = WHEEL, range = 0.1..=0.1)]
    wheel: f32,
    #[parameter(default = 3, range = 3..=4)]
    wheels: usize,
    #[parameter(default = Duration::from_secs(1), range = 1..=2, unit = "s")]
    patience: Duration,
    // What is computed at run time is not checked.
    #[parameter(default = wheels(), range = 0..=1)]
    computed: u8,
}

fn wheels() -> u8 {
    4
}

fn main() {}
