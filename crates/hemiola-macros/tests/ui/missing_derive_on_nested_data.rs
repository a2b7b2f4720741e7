#![allow(unused_variables)]

use hemiola::prelude::*;

#[derive(Clone, Default)]
struct Corner {
    x: f32,
}

#[derive(Representation, Clone, Default)]
struct Field {
    corners: Vec<Corner>,
}

fn main() {}
