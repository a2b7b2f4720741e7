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

#[module]
impl Finder {
    #[update]
    fn ball(&mut self, images: Samples, ball: &mut Ball) {}
}

fn main() {}
