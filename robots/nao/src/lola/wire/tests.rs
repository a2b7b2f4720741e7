//! Tests of the wire: its published form, properties of frames, and bytes that are no frames.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::robot::JOINTS;

/// Values of the form of those that a robot has sent.
fn sensors() -> SensorFrame {
    SensorFrame {
        versions: BodyVersions {
            body: "P0000073A03S83I00011".to_owned(),
            body_version: "6.0.0".to_owned(),
            head: "P0000074A03S84F00006".to_owned(),
            head_version: "6.0.0".to_owned(),
        },
        accelerometer: [8.66997, 0.287402, -5.48939],
        angles: [-0.0239685, 0.990951],
        battery: [0.99, -32552.0, 0.016, 3.6],
        fsr: [0.190524, 1.52253, 0.000270986, 0.654938, 1.86128, 0.130825, 0.692107, 0.000510382],
        gyroscope: [0.00186421, -0.00559264, 0.0],
        position: std::array::from_fn(|index| index as f32 * 0.01),
        sonar: [0.2, 0.2],
        temperature: [38.0; JOINTS],
        ..SensorFrame::default()
    }
}

fn encoded(frame: &SensorFrame) -> Vec<u8> {
    let mut buffer = [0; LARGEST_FRAME];
    let length = frame.encode(&mut buffer).unwrap();
    buffer[..length].to_vec()
}

fn encoded_command(frame: &ActuatorFrame) -> Vec<u8> {
    let mut buffer = [0; LARGEST_FRAME];
    let length = frame.encode(&mut buffer).unwrap();
    buffer[..length].to_vec()
}

fn decode(bytes: &[u8]) -> Result<usize, WireError> {
    SensorFrame::default().decode(bytes)
}

/// Replaces what follows the first occurrence of a key by `value`, which has the same length.
fn with(key: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = encoded(&sensors());
    let begin = bytes.windows(key.len()).position(|window| window == key.as_bytes()).unwrap() + key.len();
    bytes[begin..begin + value.len()].copy_from_slice(value);
    bytes
}

#[test]
fn a_state_has_the_size_and_the_beginning_of_those_of_the_robot() {
    let bytes = encoded(&sensors());
    assert_eq!(bytes.len(), SENSOR_FRAME);
    assert!(bytes.starts_with(b"\x8d\xabRobotConfig\x94\xb4P0000073A03S83I00011\xa56.0.0"), "{bytes:x?}");
}

#[test]
fn the_guards_command_is_understood() {
    let mut bytes = b"\x81\xa9Stiffness\xdc\x00\x19".to_vec();
    (0..JOINTS).for_each(|_| bytes.extend(b"\xca\x00\x00\x00\x00"));
    let mut frame = ActuatorFrame { position: Some([1.0; JOINTS]), ..ActuatorFrame::default() };
    assert_eq!(frame.decode(&bytes), Ok(bytes.len()));
    assert_eq!(frame, ActuatorFrame { stiffness: Some([0.0; JOINTS]), ..ActuatorFrame::default() });
    assert_eq!(encoded_command(&frame), bytes);
}

#[test]
fn a_number_counts_however_it_is_stored_and_unknown_keys_are_passed_over() {
    let mut bytes = encoded(&sensors());
    bytes[0] = 0x8e;
    // A key with a bit of everything that MessagePack has: nil, true, a map, an extension, bytes.
    bytes.extend(b"\xa3New\x96\xc0\xc3\x81\xa1a\xdc\x00\x02\x01\xff\xd4\x05\x06\xc4\x02ab\xd9\x03abc");
    let mut frame = SensorFrame::default();
    assert_eq!(frame.decode(&bytes), Ok(bytes.len()));
    assert_eq!(frame, sensors());

    let whole = with("Angles", b"\x92\x07\xd2\xff\xff\xff\xff\x2a\x2a\x2a\x2a");
    assert_eq!(decode(&whole), Err(WireError::Key { entry: 3 }), "two short numbers leave a rest");
    let mut frame = SensorFrame::default();
    let double = with("Angles", b"\x92\xcb\x3f\xf8\0\0\0\0\0\0\x07");
    assert_eq!(frame.decode(&double), Ok(SENSOR_FRAME));
    assert_eq!(frame.angles, [1.5, 7.0]);
}

#[test]
fn what_is_no_state_is_refused_with_a_reason() {
    let key = "Angles";
    for (bytes, error, text) in [
        (b"HTTP/1.1 400".to_vec(), WireError::NotAMap { found: b'H' }, "not with the byte 0x48"),
        (b"\x81\x01".to_vec(), WireError::Key { entry: 0 }, "entry 0"),
        (b"\x80".to_vec(), WireError::Missing { key: "RobotConfig" }, "no `RobotConfig`"),
        (with(key, b"\x93"), WireError::Length { key, expected: 2, found: 3 }, "3 values instead of 2"),
        (with(key, b"\xc0"), WireError::Type { key, expected: "an array" }, "not an array"),
        (with(key, b"\x92\xc3"), WireError::Type { key, expected: "numbers" }, "not numbers"),
        (with(key, b"\x92\xca\x7f\xc0\0\0"), WireError::NotFinite { key, index: 0 }, "value 0 of `Angles`"),
        (
            with("Gyroscope", b"\x93\xca\0\0\0\0\xca\xff\x80\0\0"),
            WireError::NotFinite { key: "Gyroscope", index: 1 },
            "value 1",
        ),
        (b"\x82\xa6Angles\x92\x01\x02\xa6Angles\x92\x01\x02".to_vec(), WireError::Repeated { key }, "twice"),
        (b"\x81\xa1?\xc1".to_vec(), WireError::Unknown, "not MessagePack"),
        (b"\xdf\xff\xff\xff\xff".to_vec(), WireError::Incomplete, "not complete"),
        (b"\x81\xa1?\xdd\xff\xff\xff\xff\x01".to_vec(), WireError::Incomplete, "not complete"),
    ] {
        assert_eq!(decode(&bytes), Err(error), "{bytes:x?}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let status = with("Status", b"\xdc\0\x19\xc3");
    assert_eq!(decode(&status), Err(WireError::Type { key: "Status", expected: "whole numbers" }));
}

#[test]
fn a_buffer_that_is_too_small_is_an_error() {
    for size in [0, 1, 100, SENSOR_FRAME - 1] {
        assert_eq!(sensors().encode(&mut vec![0; size]), Err(WireError::TooLarge));
    }
    assert_eq!(sensors().encode(&mut [0; SENSOR_FRAME]), Ok(SENSOR_FRAME));
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![any::<f32>().prop_filter("finite", |number| number.is_finite()), -3.0_f32..3.0]
}

fn numbers<const N: usize>() -> impl Strategy<Value = [f32; N]> {
    vec(number(), N).prop_map(|numbers| numbers.try_into().unwrap())
}

prop_compose! {
    fn any_sensors()(
        body in ".{0,40}", head in "[A-Z0-9]{20}",
        accelerometer in numbers(), angles in numbers(), battery in numbers(), current in numbers(), fsr in numbers(),
        gyroscope in numbers(), position in numbers(), stiffness in numbers(), touch in numbers(),
        status in any::<i32>(),
    ) -> SensorFrame {
        SensorFrame {
            versions: BodyVersions { body, head, ..BodyVersions::default() },
            accelerometer, angles, battery, current, fsr, gyroscope, position, stiffness, touch,
            sonar: angles, temperature: position, status: [status; JOINTS],
        }
    }
}

prop_compose! {
    fn any_actuators()(
        position in proptest::option::of(numbers()), stiffness in proptest::option::of(numbers()),
        ear in proptest::option::of(numbers()), chest in proptest::option::of(numbers()),
        eye in proptest::option::of(numbers()), skull in proptest::option::of(numbers()),
        sonar in proptest::option::of(any::<[bool; 2]>()),
    ) -> ActuatorFrame {
        ActuatorFrame {
            position, stiffness, left_ear: ear, chest, right_eye: eye, skull, sonar, ..ActuatorFrame::default()
        }
    }
}

proptest! {
    #[test]
    fn a_state_comes_back_as_it_was_and_no_part_of_it_is_one(
        frame in any_sensors(), cut in 0.0..1.0_f64, rest in vec(any::<u8>(), 0..20),
    ) {
        let mut bytes = encoded(&frame);
        let length = bytes.len();
        let cut = (cut * length as f64) as usize;
        prop_assert_eq!(decode(&bytes[..cut]), Err(WireError::Incomplete));
        bytes.extend(rest);
        let mut read = sensors();
        prop_assert_eq!(read.decode(&bytes), Ok(length));
        prop_assert_eq!(read, frame);
    }

    #[test]
    fn a_command_comes_back_as_it_was(frame in any_actuators()) {
        let bytes = encoded_command(&frame);
        let mut read = ActuatorFrame::default();
        prop_assert_eq!(read.decode(&bytes), Ok(bytes.len()));
        prop_assert_eq!(read, frame);
    }

    #[test]
    fn a_damaged_state_is_either_one_of_finite_numbers_or_none(
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = encoded(&sensors());
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut frame = SensorFrame::default();
        if let Ok(length) = frame.decode(&bytes) {
            prop_assert!(length <= bytes.len());
            prop_assert!(frame.position.iter().chain(&frame.gyroscope).all(|number| number.is_finite()));
        }
        _ = ActuatorFrame::default().decode(&bytes);
    }

    #[test]
    fn any_bytes_are_refused_or_read_within_their_length(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(length) = ActuatorFrame::default().decode(&bytes) {
            prop_assert!(length <= bytes.len());
        }
        prop_assert!(decode(&bytes).is_err());
    }
}
