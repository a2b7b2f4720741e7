mod plain;

use std::time::Duration;

use proptest::prelude::*;

use super::{CdrReader, CdrWriter, CopiedBytes, MessageSchema, decode, encode};
use crate::Time;
use crate::data::{Data, DataType, Field, ReadError, Reader, Variant, VariantContent, VariantHead, Writer};

/// An enum with data, with what the derive writes for it.
#[derive(Clone, Debug, PartialEq)]
enum Action {
    Stand,
    Kick { angle: f32, names: Vec<String> },
    Walk(f64),
}

const VARIANTS: &[VariantHead] = &[
    VariantHead { name: "Stand", content: VariantContent::Empty },
    VariantHead { name: "Kick", content: VariantContent::Fields },
    VariantHead { name: "Walk", content: VariantContent::Fields },
];

impl Data for Action {
    fn data_type() -> DataType {
        let kick = vec![
            Field::new("angle", f32::data_type(), "In radians."),
            Field::new("names", <Vec<String>>::data_type(), ""),
        ];
        let variants = vec![
            Variant::new("Stand", Vec::new()),
            Variant::new("Kick", kick),
            Variant::new("Walk", vec![Field::new("0", f64::data_type(), "")]),
        ];
        DataType::enumeration("soccer/Action", variants)
    }

    fn write(&self, writer: &mut dyn Writer) {
        match self {
            Self::Stand => writer.begin_variant(VARIANTS, 0),
            Self::Kick { angle, names } => {
                writer.begin_variant(VARIANTS, 1);
                writer.begin_structure("Kick");
                writer.field("angle");
                angle.write(writer);
                writer.field("names");
                names.write(writer);
                writer.end_structure();
            }
            Self::Walk(speed) => {
                writer.begin_variant(VARIANTS, 2);
                writer.begin_structure("Walk");
                writer.field("0");
                speed.write(writer);
                writer.end_structure();
            }
        }
        writer.end_variant();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let value = match reader.begin_variant(VARIANTS)? {
            0 => Self::Stand,
            1 => {
                reader.begin_structure("Kick")?;
                reader.field("angle")?;
                let angle = Data::read(reader)?;
                reader.field("names")?;
                let names = Data::read(reader)?;
                reader.end_structure()?;
                Self::Kick { angle, names }
            }
            _ => {
                reader.begin_structure("Walk")?;
                reader.field("0")?;
                let speed = Data::read(reader)?;
                reader.end_structure()?;
                Self::Walk(speed)
            }
        };
        reader.end_variant()?;
        Ok(value)
    }
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Stand),
        (any::<f32>(), proptest::collection::vec(any::<String>(), 0..4))
            .prop_map(|(angle, names)| Action::Kick { angle, names }),
        any::<f64>().prop_map(Action::Walk),
    ]
}

/// Checks that a value is read back as it was written, bit for bit, so that NaN equals itself.
fn comes_back<T: Data>(value: &T) -> Result<(), TestCaseError> {
    let bytes = encode(value);
    let back = decode::<T>(&bytes);
    prop_assert!(back.is_ok(), "{:?}", back.err());
    prop_assert_eq!(encode(&back.expect("just seen")), bytes);
    Ok(())
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_again(
        mixed in (any::<u8>(), any::<i64>(), any::<u16>()),
        floats in proptest::collection::vec(any::<f32>(), 0..20),
        nested in proptest::collection::vec(proptest::collection::vec(any::<i16>(), 0..5), 0..5),
        texts in any::<[Option<String>; 3]>(),
        actions in proptest::collection::vec(action(), 0..6),
        nanoseconds in -(1_i64 << 60)..1 << 60,
    ) {
        comes_back(&mixed)?;
        comes_back(&floats)?;
        comes_back(&(nested, texts))?;
        comes_back(&(true, actions))?;
        let time = Time::from_nanoseconds(nanoseconds);
        prop_assert_eq!(decode::<(u8, Time)>(&encode(&(7_u8, time))), Ok((7, time)));
        let duration = Duration::from_nanos(nanoseconds.unsigned_abs());
        prop_assert_eq!(decode::<Duration>(&encode(&duration)), Ok(duration));
    }

    #[test]
    fn twice_what_is_needed_is_room_for_what_found_none(
        room in 0_usize..64,
        padded in proptest::collection::vec((any::<u8>(), any::<f64>()), 0..20),
        actions in proptest::collection::vec(action(), 0..6),
    ) {
        let value = (padded, actions);
        let mut writer = CdrWriter::bounded(room);
        value.write(&mut writer);
        let mut writer = CdrWriter::bounded(2 * writer.needed());
        value.write(&mut writer);
        prop_assert!(!writer.is_full());
        prop_assert_eq!(writer.bytes(), encode(&value));
    }

    #[test]
    fn hostile_bytes_are_an_error_or_a_value(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0_usize..40) {
        let mut bytes = bytes;
        _ = decode::<Vec<Action>>(&bytes);
        if let Some(header) = bytes.get_mut(..4) {
            header.copy_from_slice(&[0, 1, 0, 0]);
        }
        _ = decode::<(Vec<Action>, Option<Vec<[f64; 3]>>)>(&bytes);
        // A message that is cut off is an error.
        let whole = encode(&vec![Action::Kick { angle: 1.0, names: vec!["left".to_owned()] }; 2]);
        prop_assert!(decode::<Vec<Action>>(&whole[..whole.len() - 1 - cut % (whole.len() - 1)]).is_err());
    }

    #[test]
    fn big_endian_is_read_as_well(numbers in proptest::collection::vec(any::<u32>(), 0..9), time in any::<i32>()) {
        let mut bytes = vec![0, 0, 0, 0];
        bytes.extend((numbers.len() as u32).to_be_bytes());
        numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
        bytes.extend(time.to_be_bytes());
        prop_assert_eq!(decode::<(Vec<u32>, i32)>(&bytes), Ok((numbers, time)));
    }
}

#[test]
fn a_huge_length_takes_no_memory() {
    let mut bytes = vec![0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff];
    let error = decode::<Vec<f64>>(&bytes).unwrap_err().to_string();
    assert_eq!(error, "byte 8: a sequence of 4294967295 items, but only 0 bytes are left");
    bytes.truncate(7);
    assert_eq!(decode::<u32>(&bytes).unwrap_err().to_string(), "byte 7: the message ends here, 1 bytes too early");
}

#[test]
fn what_follows_is_refused_and_padding_is_not() {
    assert_eq!(decode::<u8>(&[0, 1, 0, 0, 5, 0, 0, 0]), Ok(5));
    let error = decode::<u8>(&[0, 1, 0, 0, 5, 0, 0, 0, 0]).unwrap_err().to_string();
    assert_eq!(error, "byte 5: 4 bytes follow, for which the schema has no place");
    assert!(decode::<u8>(&[0, 3, 0, 0, 5]).unwrap_err().to_string().contains("0x00 0x03"));
}

#[test]
fn alignment_counts_from_after_the_header() {
    let bytes = encode(&(1_u8, 2.0_f64, String::from("ab")));
    let mut expected = vec![0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    expected.extend(2.0_f64.to_le_bytes());
    expected.extend([3, 0, 0, 0, b'a', b'b', 0]);
    assert_eq!(bytes, expected);
}

#[test]
fn schemas_follow_the_rules_of_ros_2() {
    let schema = MessageSchema::of("Game", &<(Vec<Action>, Option<Vec<Option<u8>>>)>::data_type());
    let rule = "=".repeat(80);
    let line = |text: &str| schema.text.lines().any(|line| line == text);
    for text in [
        "soccer/Action[] item_0",
        "hemiola/OptionalUint8Sequence[<=1] item_1",
        rule.as_str(),
        "uint8 KIND_STAND=0",
        "uint8 KIND_WALK=2",
        "uint8 kind",
        "soccer/ActionKick[<=1] kick",
        "# In radians.",
        "float32 angle",
        "string[] names",
        "MSG: soccer/ActionWalk",
        "float64 item_0",
        "hemiola/OptionalUint8[] items",
        "uint8[<=1] value",
    ] {
        assert!(line(text), "`{text}` is not in\n{}", schema.text);
    }
}

#[test]
fn an_enum_without_data_is_a_byte_with_names() {
    let phase = DataType::enumeration(
        "soccer/Phase",
        vec![Variant::new("KickOff", Vec::new()), Variant::new("Playing", Vec::new())],
    );
    let schema = MessageSchema::of("State", &DataType::structure("soccer/State", vec![Field::new("phase", phase, "")]));
    assert_eq!(schema.text, "uint8 PHASE_KICK_OFF=0\nuint8 PHASE_PLAYING=1\nuint8 phase\n");
}

#[test]
fn two_types_of_one_name_stay_two() {
    let of = |field: &str| DataType::structure("soccer/Ball", vec![Field::new(field, f32::data_type(), "")]);
    let both = DataType::structure(
        "soccer/Both",
        vec![Field::new("seen", of("angle"), ""), Field::new("known", of("distance"), "")],
    );
    let text = MessageSchema::of("Both", &both).text;
    assert!(text.starts_with("soccer/Ball seen\nsoccer/Ball2 known\n"), "{text}");
}

/// Hashes that ROS 2 Jazzy has for its own messages.
#[test]
fn hashes_are_those_of_ros_2() {
    let part = |name: &str, data_type| Field::new(name, data_type, "");
    let empty = DataType::structure("std_msgs/Empty", Vec::new());
    assert_eq!(
        MessageSchema::of("Empty", &empty).type_hash,
        "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"
    );
    let header = DataType::structure(
        "std_msgs/Header",
        vec![part("stamp", Time::data_type()), part("frame_id", String::data_type())],
    );
    assert_eq!(
        MessageSchema::of("Header", &header).type_hash,
        "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01"
    );
}

proptest! {
    #[test]
    fn memory_that_is_there_gets_the_same_bytes_if_there_is_room_and_else_is_full(
        numbers in prop::collection::vec(any::<u16>(), 0..20),
        text in ".{0,20}",
        last in any::<f64>(),
        room in 0_usize..120,
    ) {
        let expected = encode(&(numbers.clone(), text.clone(), last));
        let mut memory = vec![0xff; room];
        let mut writer = CdrWriter::within(&mut memory);
        (numbers, text, last).write(&mut writer);
        prop_assert_eq!(writer.is_full(), room < expected.len());
        if !writer.is_full() {
            prop_assert_eq!(writer.bytes(), &expected[..]);
        }
        prop_assert!(2 * writer.needed() >= expected.len());
    }
}

/// Bytes that differ each time that they are looked at.
#[derive(Debug)]
struct Restless(Vec<std::cell::Cell<u8>>);

impl CopiedBytes for Restless {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn copy_to(&self, begin: usize, into: &mut [u8]) {
        for (byte, cell) in into.iter_mut().zip(&self.0[begin..]) {
            *byte = cell.replace(cell.get().wrapping_add(1));
        }
    }
}

type Mixture = (Vec<u16>, (String, Vec<bool>), ((Vec<f64>, Vec<u8>), Option<i32>));

proptest! {
    #[test]
    fn each_byte_is_looked_at_once_so_that_it_may_change_behind_it(
        numbers in prop::collection::vec(any::<u16>(), 0..5000),
        texts in (".{0,20}", prop::collection::vec(any::<bool>(), 0..10)),
        floats in prop::collection::vec(-1e9..1e9, 0..2000),
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        option in any::<Option<i32>>(),
    ) {
        let mixture: Mixture = (numbers, texts, ((floats, bytes), option));
        let written = Restless(encode(&mixture).into_iter().map(std::cell::Cell::new).collect());
        let mut reader = CdrReader::copying(&written).unwrap();
        prop_assert_eq!(Mixture::read(&mut reader).unwrap(), mixture);
        prop_assert!(reader.finish().is_ok());
    }

    #[test]
    fn copied_bytes_are_the_same_value_or_error_as_borrowed_ones(
        bytes in prop::collection::vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..300),
        is_plain in any::<bool>(),
    ) {
        let bytes = if is_plain { [&[0, 1, 0, 0][..], &bytes].concat() } else { bytes };
        let copied = Restless(bytes.iter().copied().map(std::cell::Cell::new).collect());
        let borrowed = CdrReader::new(&bytes).and_then(|mut reader| Mixture::read(&mut reader));
        let copied = CdrReader::copying(&copied).and_then(|mut reader| Mixture::read(&mut reader));
        // What is no number equals nothing.
        prop_assert_eq!(format!("{borrowed:?}"), format!("{copied:?}"));
    }
}
