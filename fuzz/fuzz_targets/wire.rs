//! Any bytes are seen in place as the value that is decoded from them, or refused by both.
#![no_main]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use hemiola::cdr::decode;
use hemiola::prelude::*;
use hemiola::wire::InPlace;
use libfuzzer_sys::fuzz_target;

#[derive(Data, InPlace, Clone, Copy, Debug)]
enum Phase {
    KickOff,
    Playing,
    Over,
}

#[derive(Data, InPlace, Debug)]
struct Point {
    quality: u8,
    x: f64,
    is_seen: bool,
}

#[derive(Data, InPlace, Debug)]
enum Action {
    Stand,
    Kick { angle: f32, foot: Option<String> },
    Walk(f64, [u16; 3]),
}

#[derive(Data, InPlace, Debug)]
struct Report {
    phase: Phase,
    points: Vec<Point>,
    numbers: Vec<(u8, f64)>,
    names: Vec<String>,
    actions: Vec<Action>,
    stamp: Time,
    age: Option<Duration>,
    nested: Vec<Vec<[i16; 2]>>,
    pixels: SharedBytes,
}

fn same<T: InPlace + Debug>(bytes: &[u8]) {
    match (Wire::<T>::checked(bytes.into()), decode::<T>(bytes)) {
        (Ok(wire), Ok(value)) => {
            let value = format!("{value:?}");
            assert_eq!(format!("{:?}", wire.decode()), value);
            let seen = format!("{:?}", wire.view());
            // A text may contain the word that the names of views end with.
            assert_eq!(seen.replace("View", ""), value.replace("View", ""));
        }
        (Err(error), Err(_)) => assert!(error.path.starts_with("byte "), "{error}"),
        (seen, decoded) => panic!("{seen:?} in place, {decoded:?} decoded"),
    }
}

fuzz_target!(|input: &[u8]| {
    same::<Report>(input);
    same::<Vec<Report>>(input);
    same::<(Vec<Action>, Result<Box<Point>, String>)>(input);
    if let Ok(map) = Wire::<BTreeMap<u16, Vec<Phase>>>::checked(input.into()) {
        // A key may be there twice.
        assert!(map.view().len() >= map.decode().len());
    }
});
