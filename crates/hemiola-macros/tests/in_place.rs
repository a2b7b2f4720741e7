//! Derived views: what they see in a message is what is decoded from it.

use std::fmt::Debug;
use std::time::Duration;

use hemiola::cdr::{decode, encode};
use hemiola::data::RepresentationDescriptor;
use hemiola::glam::Vec2;
use hemiola::prelude::*;
use hemiola::wire::InPlace;

#[derive(Data, InPlace, Clone, Copy, PartialEq, Debug)]
enum Phase {
    KickOff,
    Playing,
}

#[derive(Data, InPlace, Clone, PartialEq, Debug)]
#[data(transparent)]
struct Names(Vec<String>);

#[derive(Data, InPlace, Clone, PartialEq, Debug)]
struct Line(Vec2, Vec2);

#[derive(Data, InPlace, Clone, PartialEq, Debug)]
struct Nothing;

/// What a robot does.
#[derive(Data, InPlace, Clone, PartialEq, Debug)]
enum Action {
    Stand,
    /// Kicks.
    Kick {
        /// In radians.
        angle: f32,
        foot: Option<String>,
    },
    Walk(f64, [u16; 2]),
}

#[derive(Representation, InPlace, Clone, PartialEq, Debug)]
struct Report {
    is_ready: bool,
    stamp: Time,
    age: Duration,
    /// The phase of the game.
    phase: Phase,
    names: Names,
    lines: Vec<Line>,
    nothing: Nothing,
    actions: Vec<Action>,
    r#type: u8,
    pixels: SharedBytes,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            is_ready: true,
            stamp: Time::from_nanoseconds(1_500_000_000),
            age: Duration::from_millis(20),
            phase: Phase::Playing,
            names: Names(vec!["left".into(), "".into()]),
            lines: vec![Line(Vec2::new(0.0, 1.0), Vec2::new(4.5, 1.0)), Line(Vec2::ZERO, Vec2::ONE)],
            nothing: Nothing,
            actions: vec![
                Action::Stand,
                Action::Kick { angle: 0.5, foot: Some("right".into()) },
                Action::Kick { angle: -0.5, foot: None },
                Action::Walk(0.25, [1, 2]),
            ],
            r#type: 3,
            pixels: vec![1, 2, 3].into(),
        }
    }
}

#[test]
fn a_view_has_the_fields_of_its_type() {
    let report = Report::default();
    let wire = Wire::encode(&report);
    assert_eq!((&wire.message()[..], wire.decode()), (&encode(&report)[..], report.clone()));
    let ReportView { is_ready, stamp, age, phase, names, lines, nothing: (), actions, r#type, pixels } = wire.view();
    assert_eq!((is_ready, stamp, age, phase), (true, report.stamp, report.age, Phase::Playing));
    assert!(names.iter().eq(["left", ""]));
    let LineView(from, to) = lines.get(0).unwrap();
    assert_eq!((lines.len(), from, to), (2, Vec2::new(0.0, 1.0), Vec2::new(4.5, 1.0)));
    assert_eq!(lines.to_vec(), report.lines);
    let angles: Vec<_> = actions
        .iter()
        .filter_map(|action| match action {
            ActionView::Kick { angle, foot } => Some((angle, foot)),
            ActionView::Stand | ActionView::Walk(..) => None,
        })
        .collect();
    assert_eq!(angles, [(0.5, Some("right")), (-0.5, None)]);
    let Some(ActionView::Walk(speed, steps)) = actions.get(3) else { panic!("the robot walks") };
    assert_eq!((speed, steps.values(), r#type, pixels), (0.25, [1, 2], 3, &[1, 2, 3][..]));
}

#[test]
fn a_wire_has_the_name_and_the_schema_of_its_type() {
    let (wire, plain) = (RepresentationDescriptor::of::<Wire<Report>>(), RepresentationDescriptor::of::<Report>());
    assert_eq!((wire.name(), wire.data_type()), (plain.name(), plain.data_type()));
    assert!(wire.is_like(plain));
    let mut value = wire.create();
    assert_eq!(value.fingerprint(), plain.create().fingerprint());
    let place = value.downcast_ref::<Wire<Report>>().unwrap().message().as_ptr();
    value.reset();
    assert_eq!(value.downcast_ref::<Wire<Report>>().unwrap().message().as_ptr(), place, "the buffer is kept");
}

/// Checks that bytes are seen as they are decoded: views look like values, but for their names.
fn same<T: InPlace + Debug>(bytes: &[u8]) -> bool {
    match (Wire::<T>::checked(bytes.into()), decode::<T>(bytes)) {
        (Ok(wire), Ok(value)) => {
            let seen = format!("{:?}", wire.view()).replace("View", "");
            assert_eq!(seen.replace("nothing: ()", "nothing: Nothing"), without_wrapper(&format!("{value:?}")));
            true
        }
        (Err(error), Err(_)) => {
            assert!(error.path.starts_with("byte "), "{error}");
            false
        }
        (seen, decoded) => panic!("{seen:?} in place, {decoded:?} decoded, of {bytes:?}"),
    }
}

/// Removes the name of the transparent type, which its view does not have.
fn without_wrapper(value: &str) -> String {
    match value.split_once("Names(") {
        Some((before, behind)) => before.to_owned() + &behind.replacen("), lines", ", lines", 1),
        None => value.to_owned(),
    }
}

#[test]
fn bytes_are_seen_as_they_are_decoded_or_refused_by_both() {
    let whole = encode(&Report::default());
    assert!(same::<Report>(&whole));
    assert!((0..whole.len()).all(|length| !same::<Report>(&whole[..length])));
    let mut accepted = 0;
    for place in 0..whole.len() {
        for byte in [0, 1, 2, 3, 4, 0x7f, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[place] = byte;
            accepted += usize::from(same::<Report>(&changed));
        }
    }
    assert!(accepted > whole.len(), "many of these bytes are numbers: {accepted} of {}", 8 * whole.len());
}

#[test]
fn the_index_of_a_variant_that_does_not_exist_is_refused_in_every_place() {
    assert!(Wire::<Vec<Phase>>::checked(vec![0, 1, 0, 0, 2, 0, 0, 0, 0, 1].into()).is_ok());
    let error = Wire::<Vec<Phase>>::checked(vec![0, 1, 0, 0, 2, 0, 0, 0, 0, 2].into()).unwrap_err();
    assert_eq!(error.to_string(), "byte 10: variant 2 does not exist; there are 2");
    assert!(Wire::<Vec<(Phase, f32)>>::checked(encode(&vec![(7_u8, 0.5_f32)]).into()).is_err());
}
