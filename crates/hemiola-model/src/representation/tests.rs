//! Checks that values whose type is known at run time look from outside like those of a Rust type
//! of the same schema.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::cdr::{self, CdrReader, CdrWriter};
use crate::data::{Data, Field};
use crate::{Name, Time};

/// A type with plain parts, texts, sequences, and sequences in sequences.
type Message = ((Vec<u16>, String, bool), (([f64; 3], i8, u64), Vec<(bool, String, Vec<[f32; 2]>)>), (Time, Duration));

#[derive(Default)]
struct Typed(Message);

impl Representation for Typed {
    const NAME: &'static str = "Typed";

    fn form() -> Form<Self> {
        Form::data()
    }
}

impl Data for Typed {
    fn data_type() -> DataType {
        Message::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Message::read(reader).map(Self)
    }
}

fn dynamic() -> &'static RepresentationDescriptor {
    RepresentationDescriptor::dynamic(Name::intern("Typed"), &Message::data_type()).unwrap()
}

fn encoded(value: &AnyRepresentation) -> Vec<u8> {
    let mut writer = CdrWriter::default();
    assert!(value.write(&mut writer));
    writer.finish()
}

fn read(value: &mut AnyRepresentation, bytes: &[u8]) -> Result<bool, ReadError> {
    value.read(&mut CdrReader::new(bytes)?)
}

prop_compose! {
    fn messages()(
        head in any::<(Vec<u16>, String, bool)>(),
        plain in any::<([f64; 3], i8, u64)>(),
        list in prop::collection::vec(any::<(bool, String, Vec<[f32; 2]>)>(), 0..6),
        nanoseconds in 0..4_000_000_000_000_000_000_i64,
        seconds in 0..1_000_000_u64,
    ) -> Message {
        (head, (plain, list), (Time::from_nanoseconds(nanoseconds), Duration::from_secs(seconds)))
    }
}

proptest! {
    #[test]
    fn bytes_and_fingerprints_are_those_of_the_rust_type(messages in prop::collection::vec(messages(), 1..4)) {
        let mut typed = RepresentationDescriptor::of::<Typed>().create();
        let mut untyped = dynamic().create();
        for message in messages {
            let bytes = cdr::encode(&message);
            prop_assert_eq!(read(&mut typed, &bytes), Ok(true));
            prop_assert_eq!(read(&mut untyped, &bytes), Ok(true));
            prop_assert_eq!(encoded(&untyped), &bytes[..]);
            prop_assert_eq!(untyped.fingerprint(), typed.fingerprint());
        }
        typed.reset();
        untyped.reset();
        prop_assert_eq!(encoded(&untyped), encoded(&typed));
        prop_assert_eq!(encoded(&untyped), encoded(&dynamic().create()));
    }

    #[test]
    fn what_cannot_be_read_changes_nothing(message in messages(), cut in 0..64_usize, garbage in any::<Vec<u8>>()) {
        let mut value = dynamic().create();
        let bytes = cdr::encode(&message);
        read(&mut value, &bytes).unwrap();
        let cut = &bytes[..bytes.len().saturating_sub(cut + 1)];
        for wrong in [cut, &garbage] {
            match read(&mut value, wrong) {
                Ok(_) => read(&mut value, &bytes).map(drop).unwrap(),
                Err(_) => prop_assert_eq!(encoded(&value), &bytes[..]),
            }
        }
    }
}

#[test]
fn there_is_one_description_of_a_name_and_schema() {
    assert!(std::ptr::eq(dynamic(), dynamic()));
    let renamed = RepresentationDescriptor::dynamic(Name::intern("Other"), &Message::data_type()).unwrap();
    let changed = RepresentationDescriptor::dynamic(Name::intern("Typed"), &<(u8, u8)>::data_type()).unwrap();
    assert!(dynamic() != renamed && dynamic() != changed && !dynamic().is_like(changed));
    let typed = RepresentationDescriptor::of::<Typed>();
    assert!(dynamic() != typed && dynamic().is_like(typed));
    assert!(dynamic().create().downcast_ref::<Typed>().is_none());
}

#[test]
fn values_lie_as_structures_of_c() {
    #[repr(C)]
    struct InC {
        seen: bool,
        radius: f32,
        name: SequenceHeader,
        ids: [u16; 3],
    }
    let fields = vec![
        Field::new("seen", bool::data_type(), ""),
        Field::new("radius", f32::data_type(), ""),
        Field::new("name", String::data_type(), ""),
        Field::new("ids", <[u16; 3]>::data_type(), ""),
    ];
    let schema = DataType::structure("soccer/Ball", fields);
    let ball = RepresentationDescriptor::dynamic(Name::intern("BallInC"), &schema).unwrap();
    let layout = ball.layout().unwrap();
    assert_eq!((layout.size(), layout.align()), (size_of::<InC>(), align_of::<InC>()));
    let offsets: Vec<_> = layout.members().iter().map(Member::offset).collect();
    let in_c = [
        std::mem::offset_of!(InC, seen),
        std::mem::offset_of!(InC, radius),
        std::mem::offset_of!(InC, name),
        std::mem::offset_of!(InC, ids),
    ];
    assert_eq!(offsets, in_c);
}

#[test]
fn schemas_without_a_layout_are_refused() {
    let refused = |schema: &DataType| Layout::of(schema).unwrap_err().reason;
    assert!(refused(&DataType::Signed(24)).contains("8, 16, 32 or 64"));
    assert!(refused(&DataType::Array(Box::new(DataType::Float64), usize::MAX)).contains("larger than 1 GiB"));
    assert!(refused(&DataType::Array(Box::new(DataType::Boolean), 0)).contains("without items"));
    let mut deep = DataType::Boolean;
    (0..100).for_each(|_| deep = DataType::Sequence(Box::new(deep.clone())));
    assert!(refused(&deep).contains("too deeply"));
}
