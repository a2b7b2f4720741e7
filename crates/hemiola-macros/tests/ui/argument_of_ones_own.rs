// What an argument says of itself is trusted, so only `unsafe` code can say it.
#![forbid(unsafe_code)]

use hemiola::module::{Argument, ArgumentDescriptor, Arguments, Binding, Context};
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Ball {
    radius: f32,
}

struct Mine;

impl Argument for Mine {
    type Item<'f> = Mine;

    fn describe() -> ArgumentDescriptor {
        <&Ball>::describe()
    }

    unsafe fn fetch<'f>(_: Binding<'f>, _: &'f Context<'f>) -> Mine {
        Mine
    }
}

struct List;

unsafe impl Arguments for List {
    type Items<'f> = ();

    fn describe(_: &mut Vec<ArgumentDescriptor>) {}

    unsafe fn fetch<'f>(_: &'f [Binding<'f>], _: &'f Context<'f>) {}
}

fn main() {}
