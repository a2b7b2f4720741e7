#![allow(unused_variables)]

use std::collections::HashMap;
use std::time::Instant;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    x: f32,
}

#[derive(Clone, Default)]
struct Track {
    x: f32,
}

#[derive(Module)]
struct Tracker {
    best: Track,
    others: Vec<Track>,
    by_name: HashMap<String, f32>,
    begun: Option<Instant>,
}

#[module]
impl Tracker {
    #[update]
    fn ball(&mut self, ball: &mut Ball) {}
}

fn main() {}
