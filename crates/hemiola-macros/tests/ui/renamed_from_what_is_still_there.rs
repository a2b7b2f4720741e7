use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    range: f32,
    #[data(was = "range")]
    distance: f32,
}

#[derive(Representation, Clone, Default)]
struct Goal {
    #[data(is = "width")]
    breadth: f32,
}

fn main() {}
