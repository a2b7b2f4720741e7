//! Any bytes are either a message, which is written as bytes that are the same message again, or an
//! error; nothing panics, and no claim of a length takes memory.
#![no_main]

use hemiola::cdr::{decode, encode};
use hemiola::data::Data;
use hemiola_ros::visualization_msgs::Marker;
use libfuzzer_sys::fuzz_target;

/// What standard messages have not: options, enums, sequences in sequences.
#[derive(Data)]
struct Mixed {
    names: Option<Vec<String>>,
    steps: Vec<Vec<Step>>,
    times: [hemiola::Time; 2],
}

#[derive(Data)]
enum Step {
    Stand,
    Kick { angle: f32, strong: bool },
    Walk(Vec<f64>),
}

fuzz_target!(|bytes: &[u8]| {
    comes_back::<Marker>(bytes);
    comes_back::<Mixed>(bytes);
    comes_back::<Vec<u8>>(bytes);
});

fn comes_back<T: Data>(bytes: &[u8]) {
    match decode::<T>(bytes) {
        Ok(value) => {
            let written = encode(&value);
            let again = decode::<T>(&written).expect("what was written can be read");
            assert_eq!(encode(&again), written);
        }
        Err(error) => assert!(error.path.starts_with("byte ") && !error.message.is_empty()),
    }
}
