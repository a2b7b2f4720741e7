use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Wheels {
    turn: f32,
}

#[derive(Module)]
struct Encoders {}

#[module]
impl Encoders {
    #[update]
    fn turn(&mut self, _wheels: &mut Wheels) {}

    #[sample]
    fn read(&mut self) {}
}

fn main() {}
