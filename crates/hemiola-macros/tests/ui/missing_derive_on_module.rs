#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Default)]
struct Camera {
    frames: u32,
}

#[module]
impl Camera {
    #[update]
    fn image(&mut self, image: &mut Image) {}
}

fn main() {}
