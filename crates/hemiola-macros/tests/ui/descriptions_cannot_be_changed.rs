// What was described from types stays as it was described.
#![forbid(unsafe_code)]

use hemiola::module::{Access, Argument, ArgumentDescriptor, ArgumentKind, ModuleDescriptor, PortDescriptor, Update};
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    radius: f32,
}

fn forge(mut update: Update, mut module: ModuleDescriptor, source: hemiola::SourceDescriptor, port: PortDescriptor) {
    update.access = Access::Concurrent;
    update.arguments[0] = <&mut Ball>::describe();
    module.updates.push(update);
    module.updates()[0].arguments()[0] = <&mut Ball>::describe();
    _ = ArgumentDescriptor { kind: ArgumentKind::Provides, ..<&Ball>::describe() };
    _ = hemiola::SourceDescriptor { sample: module.updates()[0].clone(), ..source };
    _ = PortDescriptor { name: "Ball", ..port };
}

fn main() {}
