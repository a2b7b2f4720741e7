// Updates are called, and values looked at, by who keeps the order of a run.
#![forbid(unsafe_code)]

use hemiola::module::{Argument, BetweenRuns, Binding, Context, Instance, Update};
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    radius: f32,
}

fn call(update: &Update, instance: &Instance, binding: Binding<'_>) {
    _ = update.call(instance, &[binding], &Context::default());
    _ = <&mut Ball as Argument>::fetch(binding, &Context::default());
    instance.alone().enter_safe_state();
    _ = BetweenRuns::assume();
}

fn main() {}
