//! A robot in two processes with a chain that crosses the link between them as messages: the legs
//! of `main` obey a whistle that `listening` hears.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use hemiola::prelude::*;

const ROBOT: &str = r#"
[cycle.motion]
rate = 50.0
modules = ["Legs"]
[cycle.cognition]
rate = 20.0
modules = ["Referee"]
[cycle.audio]
trigger = "Ear"
modules = ["Detector"]
[process.listening]
cycles = ["audio"]
[chain.ear-to-legs]
from = "Ear"
to = "Legs"
reaction = "10 s"
"#;

#[derive(Representation, Clone, Default)]
pub struct Sound {
    pub number: u64,
}

/// A message.
#[derive(Representation, Clone, Default)]
pub struct Whistle {
    pub sound: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Order {
    pub goes: bool,
}

#[derive(Source)]
struct Ear {}

#[source]
impl Ear {
    #[sample(rate = 100.0)]
    fn sound(&mut self, clock: &Clock, sound: &mut Sound) {
        sound.number = clock.run();
    }
}

/// Hears a whistle twice a second.
#[derive(Module)]
struct Detector {}

#[module]
impl Detector {
    #[update]
    fn listen(&self, sound: &Sound, heard: &mut Publisher<Whistle>) {
        if sound.number.is_multiple_of(50) {
            heard.publish(Whistle { sound: sound.number });
        }
    }
}

#[derive(Module)]
struct Referee {}

#[module]
impl Referee {
    #[update]
    fn order(&self, heard: &Subscription<Whistle>, last: Previous<Order>, order: &mut Order) {
        order.goes = last.goes ^ !heard.is_empty();
    }
}

#[derive(Module)]
struct Legs {}

#[module]
impl Legs {
    #[update]
    fn go(&self, order: &Order) {
        std::hint::black_box(order.goes);
    }
}

fn main() -> std::process::ExitCode {
    hemiola::Application::embedded(ROBOT).run()
}
