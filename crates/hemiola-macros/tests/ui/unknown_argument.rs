#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Representation, Clone, Default)]
struct Ball {
    radius: f32,
}

#[derive(Module)]
struct Finder {
    calls: u32,
}

struct Camera;

#[module]
impl Finder {
    #[update]
    fn ball(&mut self, image: &Image, camera: &Camera, ball: &mut Ball) {}
}

fn main() {}
