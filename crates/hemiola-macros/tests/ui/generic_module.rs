#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Module)]
struct Camera<T> {
    last: T,
}

#[module]
impl<T: Send> Camera<T> {
    #[update]
    fn image(&mut self, image: &mut Image) {}
}

fn main() {}
