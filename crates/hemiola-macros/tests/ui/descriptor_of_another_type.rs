// What is known of a type without it comes from the type: nobody overrides it.
#![forbid(unsafe_code)]

use hemiola::data::{Form, RepresentationDescriptor};
use hemiola::prelude::*;

#[derive(Representation, Default)]
#[representation(opaque)]
struct Small(u8);

#[derive(Default)]
struct Big {
    values: [u64; 32],
}

impl hemiola::Representation for Big {
    const NAME: &'static str = "Big";

    fn form() -> Form<Self> {
        Form::opaque()
    }

    fn descriptor() -> &'static RepresentationDescriptor {
        RepresentationDescriptor::of::<Small>()
    }
}

fn main() {}
