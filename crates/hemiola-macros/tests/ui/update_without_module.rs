use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Wheels {
    turn: f32,
}

#[derive(Module)]
struct Motors {}

impl Motors {
    #[update]
    fn send(&mut self, _wheels: &Wheels) {}

    #[safe_state]
    fn stop(&mut self) {}
}

#[derive(Source)]
struct Encoders {}

impl Encoders {
    #[sample(rate = 100.0)]
    fn read(&mut self, _wheels: &mut Wheels) {}
}

fn main() {
    // The methods are there all the same, so that there are no errors but those above.
    Motors {}.stop();
}
