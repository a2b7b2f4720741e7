//! What is read and written in one piece is what is read and written field by field.

use std::fmt::Debug;
use std::time::Duration;

use proptest::prelude::*;

use super::Restless;
use crate::Time;
use crate::cdr::{CdrReader, CdrWriter, decode};
use crate::data::{Data, FixedLength, Items, ReadError, VariantHead, Writer};

/// A writer that has no place for values in one piece.
struct FieldByField<'w>(&'w mut CdrWriter);

impl Writer for FieldByField<'_> {
    fn boolean(&mut self, value: bool) {
        self.0.boolean(value);
    }

    fn signed(&mut self, value: i64, bits: u32) {
        self.0.signed(value, bits);
    }

    fn unsigned(&mut self, value: u64, bits: u32) {
        self.0.unsigned(value, bits);
    }

    fn float32(&mut self, value: f32) {
        self.0.float32(value);
    }

    fn float64(&mut self, value: f64) {
        self.0.float64(value);
    }

    fn string(&mut self, value: &str) {
        self.0.string(value);
    }

    fn time(&mut self, nanoseconds: i64) {
        self.0.time(nanoseconds);
    }

    fn duration(&mut self, value: Duration) {
        self.0.duration(value);
    }

    fn items(&mut self, items: Items<'_>) {
        self.0.items(items);
    }

    fn begin_sequence(&mut self, length: usize, fixed: FixedLength) {
        self.0.begin_sequence(length, fixed);
    }

    fn end_sequence(&mut self) {
        self.0.end_sequence();
    }

    fn begin_structure(&mut self, name: &str) {
        self.0.begin_structure(name);
    }

    fn field(&mut self, name: &str) {
        self.0.field(name);
    }

    fn end_structure(&mut self) {
        self.0.end_structure();
    }

    fn none(&mut self) {
        self.0.none();
    }

    fn some(&mut self) {
        self.0.some();
    }

    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        self.0.begin_variant(variants, index);
    }

    fn end_variant(&mut self) {
        self.0.end_variant();
    }
}

/// A value with numbers of each alignment, a part that need not be a value, and a run of parts.
type Mixed = (u8, ([i16; 3], Part, bool), (Time, [Part; 2], u64));
type Part = (f32, (u8, Duration), [(i8, usize); 2]);
/// The bytes before it make it begin anywhere.
type Shifted = (Vec<u8>, Mixed, (Vec<Part>, u8));

fn part() -> impl Strategy<Value = Part> {
    let span = (0..1_u64 << 33, 0..1_000_000_000_u32);
    let span = span.prop_map(|(seconds, nanoseconds)| Duration::new(seconds, nanoseconds));
    let pair = (any::<i8>(), any::<usize>());
    (-1e9_f32..1e9, (any::<u8>(), span), [pair, pair])
}

fn shifted() -> impl Strategy<Value = Shifted> {
    let time = any::<i64>().prop_map(Time::from_nanoseconds);
    let mixed = (any::<u8>(), (any::<[i16; 3]>(), part(), any::<bool>()), (time, [part(), part()], any::<u64>()));
    (prop::collection::vec(any::<u8>(), 0..9), mixed, (prop::collection::vec(part(), 0..4), any::<u8>()))
}

/// Reads bytes as they are, and as bytes that cannot be borrowed, which are read field by field.
fn in_both_ways<T: Data + Debug>(bytes: &[u8]) -> (Result<T, ReadError>, Result<T, ReadError>) {
    let cells = Restless(bytes.iter().copied().map(std::cell::Cell::new).collect());
    let fields = CdrReader::copying(&cells).and_then(|mut reader| {
        let value = T::read(&mut reader)?;
        reader.finish().map(|()| value)
    });
    (decode(bytes), fields)
}

proptest! {
    #[test]
    fn values_in_one_piece_are_written_as_field_by_field(value in shifted(), room in 0..400_usize) {
        let (mut whole, mut fields) = (CdrWriter::default(), CdrWriter::default());
        value.write(&mut whole);
        value.write(&mut FieldByField(&mut fields));
        prop_assert_eq!(whole.bytes(), fields.bytes());
        prop_assert_eq!(whole.is_exact(), fields.is_exact());

        let (mut bounded, mut fields) = (CdrWriter::bounded(room), CdrWriter::bounded(room));
        value.write(&mut bounded);
        value.write(&mut FieldByField(&mut fields));
        prop_assert_eq!((bounded.bytes(), bounded.needed()), (fields.bytes(), fields.needed()));
    }

    #[test]
    fn values_in_one_piece_are_read_as_field_by_field(
        value in shifted(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![0..3_u8, any::<u8>()]), 0..3),
        cut in prop::option::of(any::<prop::sample::Index>()),
        more in 0..6_usize,
    ) {
        let mut writer = CdrWriter::default();
        value.write(&mut writer);
        let mut bytes = writer.finish();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        bytes.resize(bytes.len() + more, 0);
        let (whole, fields) = in_both_ways::<Shifted>(&bytes);
        prop_assert_eq!(format!("{whole:?}"), format!("{fields:?}"));

        // The same without anything that is not plain.
        let mut writer = CdrWriter::default();
        value.1.write(&mut writer);
        let mut bytes = writer.finish();
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.resize(bytes.len() + more, 1);
        let (whole, fields) = in_both_ways::<Mixed>(&bytes);
        prop_assert_eq!(format!("{whole:?}"), format!("{fields:?}"));
    }
}

#[test]
fn what_takes_as_many_bytes_whatever_it_is_is_plain_and_nothing_else() {
    let taken = |plain: Option<crate::data::Plain>| plain.map(|plain| [0, 1, 4].map(|offset| plain.taken(offset)));
    assert_eq!(taken(u8::PLAIN), Some([1, 1, 1]));
    assert_eq!(taken(f64::PLAIN), Some([8, 15, 12]));
    assert_eq!(taken(<(u8, f64)>::PLAIN), Some([16, 15, 12]));
    // A structure in a structure is not aligned by itself.
    assert_eq!(taken(<(u8, (u8, f64))>::PLAIN), Some([16, 15, 12]));
    assert_eq!(taken(<[(u8, u16); 2]>::PLAIN), Some([8, 7, 8]));
    assert_eq!(taken(Time::PLAIN), Some([8, 11, 8]));
    assert_eq!((<Vec<u8>>::PLAIN, String::PLAIN, <Option<u8>>::PLAIN), (None, None, None));
    assert_eq!((<(u8, String)>::PLAIN, <[String; 2]>::PLAIN), (None, None));
}
