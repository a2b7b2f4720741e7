#![allow(unused_variables)]

use std::rc::Rc;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Image {
    width: u32,
}

#[derive(Module)]
struct Camera {
    #[opaque]
    shared: Rc<u32>,
}

#[module]
impl Camera {
    #[update]
    fn image(&mut self, image: &mut Image) {}
}

fn main() {}
