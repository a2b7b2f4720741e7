#![allow(unused_variables)]

use std::cell::Cell;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Module)]
struct Camera {
    #[opaque]
    frames: Cell<u32>,
}

#[module]
impl Camera {
    #[update]
    fn image(&self, image: &mut Image) {}
}

fn main() {}
