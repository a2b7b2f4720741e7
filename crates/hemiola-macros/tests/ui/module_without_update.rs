#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Module)]
struct Camera {
    frames: u32,
}

#[module]
impl Camera {
    fn image(&mut self) {}
}

fn main() {}
