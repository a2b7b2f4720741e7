#![allow(unused_variables)]

use hemiola::bus::Client;
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Fall {
    inclination: f32,
}

#[derive(Representation, Clone, Default)]
struct SaveSnapshot {
    inclination: f32,
}

#[derive(Module)]
struct Guard {
    calls: u32,
}

#[module]
impl Guard {
    #[update]
    fn fallen(&mut self, fall: &Fall, snapshots: &mut Client<SaveSnapshot, bool>) {}
}

fn main() {}
