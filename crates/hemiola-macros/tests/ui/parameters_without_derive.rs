#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Default)]
struct CameraParameters {
    exposure: f32,
}

#[derive(Module)]
struct Camera {
    #[parameters]
    parameters: CameraParameters,
}

#[module]
impl Camera {
    #[update]
    fn image(&mut self, image: &mut Image) {}
}

fn main() {}
