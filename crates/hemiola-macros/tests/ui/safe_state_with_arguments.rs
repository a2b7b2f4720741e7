use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct JointRequest {
    angle: f32,
}

#[derive(Module)]
struct Motors {}

#[module]
impl Motors {
    #[update]
    fn send(&mut self, _request: &JointRequest) {}

    #[safe_state]
    fn relax(&mut self, _request: &JointRequest) {}
}

fn main() {}
