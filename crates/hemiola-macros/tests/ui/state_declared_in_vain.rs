#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Parameters)]
struct FilterParameters {
    #[parameter(default = 0.5)]
    gain: f32,
}

#[derive(Module)]
struct Filter {
    #[parameters]
    #[stateless]
    parameters: FilterParameters,
}

#[derive(Module)]
#[opaque]
struct Network {
    #[stateless]
    scratch: Vec<f32>,
}

#[derive(Module)]
struct Camera {
    #[opaque(handle)]
    handle: u64,
}

#[derive(Module)]
struct Lidar {
    #[opaque]
    #[stateless]
    handle: u64,
}

fn main() {}
