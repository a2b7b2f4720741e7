#![allow(unused_variables)]

use std::rc::Rc;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Handle {
    shared: Rc<u32>,
}

fn main() {}
