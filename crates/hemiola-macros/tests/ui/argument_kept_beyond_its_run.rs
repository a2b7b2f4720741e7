// What an update borrows, it borrows for one call.
#![forbid(unsafe_code)]

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    radius: f32,
}

#[derive(Module)]
struct Keeper {
    #[stateless]
    kept: Vec<&'static Ball>,
}

#[module]
impl Keeper {
    #[update]
    fn keep(&mut self, ball: &'static Ball) {
        self.kept.push(ball);
    }

    #[update]
    fn samples(&mut self, balls: Samples<'static, Ball>) {
        _ = balls.last();
    }
}

fn main() {}
