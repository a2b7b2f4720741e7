#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Module)]
struct Camera {
    frames: u32,
}

#[module]
impl Camera {
    #[update]
    fn image(&mut self, last: Previous<Image>, image: &mut Image) {}
}

fn main() {}
