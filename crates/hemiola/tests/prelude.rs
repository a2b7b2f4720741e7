//! `use hemiola::prelude::*;` takes nothing away from a module's author.

use hemiola::prelude::*;
use std::io::Write;

#[derive(Data, Clone, Default, PartialEq, Debug)]
struct Corner {
    x: f32,
}

#[derive(Representation, Clone, Default)]
struct Names {
    all: String,
    corners: Vec<Corner>,
}

#[test]
fn methods_of_the_standard_library_are_reached_beside_the_prelude() {
    let names = Names { all: "left leg".to_owned(), corners: vec![Corner { x: 1.0 }] };
    assert_eq!(names.all.replace("left", "right"), "right leg");
    assert_eq!(names.all.clone().replace(' ', "_"), "left_leg");

    let mut bytes = Vec::new();
    assert_eq!(bytes.write(b"abc").unwrap(), 3);
    let mut corner = Some(names.corners[0].clone());
    assert_eq!(corner.replace(Corner::default()), Some(Corner { x: 1.0 }));
}

/// Has fields with names that the prelude's attributes have.
#[derive(thiserror::Error, Debug)]
enum Fault {
    #[error("the bus does not answer")]
    Bus(#[from] std::io::Error),
    #[error("no sample")]
    Sample {
        #[source]
        cause: std::fmt::Error,
    },
}

#[test]
fn derives_of_errors_keep_their_attributes_beside_the_prelude() {
    use std::error::Error;

    let sample = Fault::Sample { cause: std::fmt::Error };
    assert!(sample.source().is_some());
    assert!(Fault::from(std::io::Error::other("unplugged")).source().is_some());
}

#[test]
fn vectors_of_the_glam_that_is_reexported_are_data() {
    #[derive(Representation, Clone, Default)]
    struct Place {
        at: hemiola::glam::Vec3,
    }
    let content = hemiola::data::Value::of(&Place::default().at);
    assert_eq!(content, hemiola::data::Value::of(&hemiola::glam::Vec3::ZERO));
}
