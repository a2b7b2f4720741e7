use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Time;
use crate::cdr::{CopiedBytes, decode, encode};
use crate::data::{FixedLength, Value, VariantContent, VariantHead};

type Point = (u8, f64);
type Mixture =
    (Vec<Point>, (String, Vec<bool>, Option<Vec<String>>), (Result<[u16; 3], String>, [Option<i64>; 2], Vec<u8>));

/// Writes CDR in the byte order of other machines.
struct BigEndian {
    bytes: Vec<u8>,
    /// The indices of the variants that have begun, all of which are of results.
    begun: Vec<usize>,
}

impl BigEndian {
    fn encode<T: Data>(value: &T) -> Vec<u8> {
        let mut writer = Self { bytes: vec![0, 0, 0, 0], begun: Vec::new() };
        value.write(&mut writer);
        writer.bytes
    }

    fn number(&mut self, bytes: &[u8]) {
        let aligned = (self.bytes.len() - HEADER.len()).next_multiple_of(bytes.len()) + HEADER.len();
        self.bytes.resize(aligned, 0);
        self.bytes.extend_from_slice(bytes);
    }

    fn length(&mut self, length: usize) {
        self.number(&(length as u32).to_be_bytes());
    }
}

impl Writer for BigEndian {
    fn boolean(&mut self, value: bool) {
        self.bytes.push(value.into());
    }
    fn signed(&mut self, value: i64, bits: u32) {
        self.unsigned(value as u64, bits);
    }
    fn unsigned(&mut self, value: u64, bits: u32) {
        self.number(&value.to_be_bytes()[8 - bits as usize / 8..]);
    }
    fn float32(&mut self, value: f32) {
        self.number(&value.to_be_bytes());
    }
    fn float64(&mut self, value: f64) {
        self.number(&value.to_be_bytes());
    }
    fn string(&mut self, value: &str) {
        self.length(value.len() + 1);
        self.bytes.extend_from_slice(value.as_bytes());
        self.bytes.push(0);
    }
    fn begin_sequence(&mut self, length: usize, fixed: FixedLength) {
        if fixed == FixedLength::No {
            self.length(length);
        }
    }
    fn end_sequence(&mut self) {}
    fn begin_structure(&mut self, _: &str) {}
    fn field(&mut self, _: &str) {}
    fn end_structure(&mut self) {}
    fn none(&mut self) {
        self.length(0);
    }
    fn some(&mut self) {
        self.length(1);
    }
    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        assert!(variants.len() == 2 && variants.iter().all(|variant| variant.content == VariantContent::Fields));
        self.bytes.push(index as u8);
        (0..=index).for_each(|before| self.length(usize::from(before == index)));
        self.begun.push(index);
    }
    fn end_variant(&mut self) {
        if self.begun.pop() == Some(0) {
            self.length(0);
        }
    }
}

/// The views of standard types look like their values.
fn agrees<T: InPlace + Debug>(value: &T) -> Result<(), TestCaseError> {
    let wire = Wire::encode(value);
    let shown = format!("{value:?}");
    prop_assert_eq!(&wire.message()[..], encode(value));
    prop_assert_eq!(format!("{:?}", wire.view()), &shown[..]);
    prop_assert_eq!(format!("{:?}", wire.decode()), &shown[..]);
    let foreign = Wire::<T>::checked(BigEndian::encode(value).into());
    prop_assert!(foreign.is_ok(), "{:?}", foreign.err());
    let foreign = foreign.expect("just seen");
    prop_assert_eq!(format!("{:?}", foreign.view()), &shown[..]);
    prop_assert_eq!(format!("{:?}", foreign.decode()), &shown[..]);
    // To others it is written in the order of bytes that everything has.
    prop_assert_eq!(encode(&foreign), encode(value));
    prop_assert_eq!(Value::of(&foreign).to_string(), Value::of(value).to_string());
    Ok(())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(".{0,5}", 0..4)
}

/// Returns a value of a type of many parts.
fn mixture() -> impl Strategy<Value = Mixture> {
    (
        proptest::collection::vec(any::<Point>(), 0..9),
        (".{0,9}", proptest::collection::vec(any::<bool>(), 0..5), proptest::option::of(texts())),
        (
            prop_oneof![any::<[u16; 3]>().prop_map(Ok), ".{0,9}".prop_map(Err)],
            any::<[Option<i64>; 2]>(),
            proptest::collection::vec(any::<u8>(), 0..20),
        ),
    )
}

proptest! {
    #[test]
    fn a_view_agrees_with_the_value_in_both_byte_orders(
        mixtures in proptest::collection::vec(mixture(), 0..4),
        numbers in any::<(u8, i64, f32)>(),
        nested in proptest::collection::vec(proptest::collection::vec(any::<[i16; 3]>(), 0..4), 0..4),
    ) {
        agrees(&mixtures)?;
        agrees(&numbers)?;
        agrees(&(true, nested))?;
    }

    #[test]
    fn times_sets_and_maps_are_seen_as_they_were_written(
        nanoseconds in -(1_i64 << 60)..1 << 60,
        texts in texts(),
        map in proptest::collection::btree_map(any::<u16>(), ".{0,5}", 0..5),
        bytes in proptest::collection::vec(any::<u8>(), 0..9),
    ) {
        let times = (Time::from_nanoseconds(nanoseconds), Duration::from_nanos(nanoseconds.unsigned_abs()));
        prop_assert_eq!(Wire::encode(&(7_u8, times)).view(), (7, times));
        let set = BTreeSet::from_iter(texts);
        let wire = Wire::encode(&(set.clone(), map.clone(), SharedBytes::from(bytes.clone())));
        let (set_seen, map_seen, bytes_seen) = wire.view();
        prop_assert!(set_seen.iter().eq(set.iter().map(String::as_str)));
        prop_assert!(map_seen.iter().eq(map.iter().map(|(key, value)| (*key, value.as_str()))));
        prop_assert_eq!(bytes_seen, bytes);
        prop_assert_eq!(wire.decode().1, map);
    }

    #[test]
    fn items_are_found_wherever_their_sequence_begins(
        points in proptest::collection::vec(any::<(u8, (f32, u16))>(), 0..9),
        large in proptest::collection::vec(any::<(u16, f64)>(), 0..9),
        text in ".{0,9}",
    ) {
        let wire = Wire::encode(&(text.clone(), (points.clone(), text, large.clone())));
        let (_, (seen, _, large_seen)) = wire.view();
        prop_assert!(seen.iter().eq(points.iter().copied()) && large_seen.iter().eq(large.iter().copied()));
        prop_assert!((0..=points.len()).all(|index| seen.get(index) == points.get(index).copied()));
        prop_assert!((0..=large.len()).all(|index| large_seen.get(index) == large.get(index).copied()));
        prop_assert_eq!((seen.to_vec(), large_seen.to_vec()), (points, large));
    }

    /// `checked` accepts what `decode` does, and sees the same in it.
    #[test]
    fn hostile_bytes_are_an_error_or_the_value_that_is_decoded(
        bytes in proptest::collection::vec(prop_oneof![Just(0), Just(1), 0_u8..9, any::<u8>()], 0..200),
        is_little in any::<bool>(),
    ) {
        let bytes = [&[0, is_little.into(), 0, 0], &bytes[..]].concat();
        same::<Mixture>(&bytes)?;
        same::<Vec<Mixture>>(&bytes)?;
        same::<(bool, Time, [Option<Duration>; 2])>(&bytes)?;
        same::<Vec<(String, ())>>(&bytes)?;
        same::<Vec<Box<[(u8, u64); 2]>>>(&bytes)?;
    }

    #[test]
    fn a_message_that_is_cut_off_or_changed_never_panics(
        mixture in mixture(),
        cut in any::<prop::sample::Index>(),
        changed in any::<(prop::sample::Index, u8)>(),
    ) {
        let whole = encode(&mixture);
        let cut = cut.index(whole.len());
        prop_assert!(Wire::<Mixture>::checked(whole[..cut].into()).is_err());
        let mut bytes = whole;
        let (place, byte) = changed;
        *place.get_mut(&mut bytes) = byte;
        same::<Mixture>(&bytes)?;
    }
}

/// Checks that bytes are seen as they are decoded.
fn same<T: InPlace + Debug>(bytes: &[u8]) -> Result<(), TestCaseError> {
    let seen = Wire::<T>::checked(bytes.into());
    match (seen, decode::<T>(bytes)) {
        (Ok(wire), Ok(value)) => {
            prop_assert_eq!(format!("{:?}", wire.view()), format!("{value:?}"));
            prop_assert_eq!(format!("{:?}", wire.decode()), format!("{value:?}"));
        }
        (Err(error), Err(_)) => prop_assert!(error.path.starts_with("byte "), "{error}"),
        (seen, decoded) => prop_assert!(false, "{seen:?} in place, {decoded:?} decoded"),
    }
    Ok(())
}

#[test]
fn errors_name_the_byte() {
    let error = |bytes: &[u8]| Wire::<(String, Vec<f64>)>::checked(bytes.into()).unwrap_err().to_string();
    assert_eq!(error(&[0, 1, 0, 0, 9, 0, 0, 0, b'a']), "byte 9: the message ends here, 8 bytes too early");
    assert_eq!(error(&[0, 1, 0, 0, 2, 0, 0, 0, b'a', b'b']), "byte 10: the text does not end with a zero");
    assert_eq!(error(&[0, 1, 0, 0, 2, 0, 0, 0, 0xff, 0]), "byte 8: the text is not UTF-8");
    let huge = [&[0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], &[0xff; 4][..]].concat();
    assert_eq!(error(&huge), "byte 16: a sequence of 4294967295 items, but only 0 bytes are left");
    let short = [&[0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0], &[0; 15][..]].concat();
    assert_eq!(error(&short), "byte 27: the message ends here, 1 bytes too early");
    let more = Wire::<u8>::checked(vec![0, 1, 0, 0, 7, 0, 0, 0, 0].into()).unwrap_err().to_string();
    assert_eq!(more, "byte 5: 4 bytes follow, for which the schema has no place");
}

#[test]
fn a_message_is_read_from_the_buffer_in_which_it_comes() {
    let value = (7_u8, vec![1_u8; 10_000]);
    let arrived = SharedBytes::from(encode(&value));
    let wire = Wire::<(u8, Vec<u8>)>::read(&mut CdrReader::sharing(&arrived).unwrap()).unwrap();
    assert_eq!((wire.message().as_ptr(), wire.decode()), (arrived.as_ptr(), value.clone()));
    // What a reader lends for a moment is copied into the buffer that there is.
    let mut kept = Wire::encode(&value);
    let place = kept.message().as_ptr();
    kept.read_over(&mut CdrReader::new(&encode(&(8_u8, vec![2_u8; 9_000]))).unwrap()).unwrap();
    assert_eq!((kept.message().as_ptr(), kept.decode()), (place, (8, vec![2; 9_000])));
    // After an error it is what it was.
    assert!(kept.read_over(&mut CdrReader::new(&encode(&8_u8)).unwrap()).is_err());
    assert_eq!(kept.view().0, 8);
}

/// Memory that another process writes.
#[derive(Debug)]
struct Foreign(Vec<u8>);

impl CopiedBytes for Foreign {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn copy_to(&self, begin: usize, into: &mut [u8]) {
        into.copy_from_slice(&self.0[begin..begin + into.len()]);
    }
}

#[test]
fn a_message_in_another_one_is_read_and_written_as_its_value() {
    type Inner = (u8, f64);
    let (first, second) = ((1_u8, 2.0_f64), (3_u8, 4.0_f64));
    let values = (first, (5_u16, second));
    let bytes = encode(&values);
    let wires: (Wire<Inner>, (u16, Wire<Inner>)) = decode(&bytes).unwrap();
    assert_eq!((wires.0.decode(), wires.1.1.decode()), (first, second));
    assert_eq!(encode(&wires), bytes);
    assert_eq!(Wire::encode(&wires).view(), values);
    let foreign = Foreign(bytes);
    let copied = <(Wire<Inner>, (u16, Wire<Inner>))>::read(&mut CdrReader::copying(&foreign).unwrap()).unwrap();
    assert_eq!(copied, wires);
    let of_text = Value::of(&values).read::<(Wire<Inner>, (u16, Wire<Inner>))>().unwrap();
    assert_eq!(of_text, wires);
    assert_eq!(<Wire<Inner>>::data_type(), Inner::data_type());
    // The other byte order is not mixed with this one.
    let big = Wire::<Inner>::checked(BigEndian::encode(&first).into()).unwrap();
    assert_eq!(encode(&(big, 6_u32)), encode(&(first, 6_u32)));
}

#[test]
fn a_map_with_a_key_twice_is_seen_as_it_was_sent() {
    let twice = Wire::<BTreeMap<u8, u8>>::checked(encode(&vec![(1_u8, 2_u8), (1, 3)]).into()).unwrap();
    assert_eq!(twice.view().to_vec(), [(1, 2), (1, 3)]);
    assert_eq!(twice.decode(), BTreeMap::from([(1, 3)]));
}
