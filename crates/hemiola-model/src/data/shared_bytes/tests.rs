use proptest::prelude::*;

use super::*;
use crate::Value;
use crate::cdr::{CdrReader, CdrWriter, LEAST_SHARED, MessageSchema, encode};

#[derive(Debug, Default, PartialEq)]
struct Owned(Vec<u8>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[test]
fn outside_of_the_process_it_is_a_vector() {
    let (bytes, vector) = (SharedBytes::from(vec![1, 2, 3]), vec![1_u8, 2, 3]);
    assert_eq!(encode(&bytes), encode(&vector));
    assert_eq!(Value::of(&bytes), Value::of(&vector));
    assert_eq!(Value::of(&vector).read::<SharedBytes>().unwrap(), bytes);
    let schema = |data_type| MessageSchema::of("test/Bytes", &data_type);
    let [shared, own] = [SharedBytes::data_type(), <Vec<u8>>::data_type()].map(schema);
    assert_eq!((shared.text, shared.type_hash), (own.text, own.type_hash));
}

#[test]
fn memory_is_used_again_as_soon_as_nobody_else_refers_to_it() {
    let mut bytes = SharedBytes::from(vec![1; 100]);
    let (place, next) = (bytes.as_ptr(), encode(&vec![2_u8; 100]));
    let read = |bytes: &mut SharedBytes| bytes.read_over(&mut CdrReader::new(&next).unwrap()).unwrap();
    let held = bytes.clone();
    read(&mut bytes);
    assert!(bytes.as_ptr() != place && held[..] == [1; 100] && bytes[..] == [2; 100]);
    bytes = held;
    read(&mut bytes);
    assert_eq!((bytes.as_ptr(), &bytes[..]), (place, &[2; 100][..]));
    bytes.restore(&SharedBytes::default());
    assert!(bytes.is_empty());
    read(&mut bytes);
    assert_eq!(bytes.as_ptr(), place);
}

#[test]
fn an_overwrite_that_panics_leaves_bytes_that_nobody_else_has() {
    offer_memory(Fixed::memory);
    let mut bytes = SharedBytes::default();
    bytes.overwrite(LEAST_SHARED, |bytes| bytes.fill(1));
    let held = bytes.clone();
    let mut panic = |length| {
        let overwritten = std::panic::AssertUnwindSafe(|| bytes.overwrite(length, |_| panic!("as code of users may")));
        assert!(std::panic::catch_unwind(overwritten).is_err());
        bytes.clone()
    };
    assert!(panic(LEAST_SHARED).is_empty() && panic(Fixed::LARGEST + 1).is_empty());
    assert_eq!(held[..], [1; LEAST_SHARED]);
}

#[test]
fn a_refill_that_panics_leaves_no_bytes() {
    let mut bytes = SharedBytes::from(vec![1; 100]);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        bytes.refill(|bytes| {
            bytes.clear();
            bytes.shrink_to_fit();
            panic!("as code of users may");
        })
    }));
    assert!(panicked.is_err() && bytes.is_empty());
}

#[test]
fn what_is_read_from_shared_bytes_is_a_part_of_them_if_it_is_large() {
    let read = |sent: &(Vec<u8>, u16)| {
        let message = SharedBytes::of(Arc::new(Owned(encode(sent))));
        let mut reader = CdrReader::sharing(&message).unwrap();
        let received = <(SharedBytes, u16)>::read(&mut reader).unwrap();
        reader.finish().unwrap();
        assert_eq!((&received.0[..], received.1), (&sent.0[..], sent.1));
        (message, received.0)
    };
    let (message, bytes) = read(&(vec![5; LEAST_SHARED], 7));
    assert_eq!(bytes.as_ptr(), message[8..].as_ptr());
    assert!(!message.is_sole());
    drop(bytes);
    assert!(message.is_sole());
    assert!(read(&(vec![5; LEAST_SHARED - 1], 7)).0.is_sole(), "that is cheaper to copy");
}

/// A block of memory that others could read.
struct Fixed {
    bytes: Box<[u8]>,
    length: usize,
}

impl Fixed {
    const LARGEST: usize = 3 * LEAST_SHARED;

    fn memory(length: usize) -> Option<Arc<dyn BytesBlock>> {
        let block = || Self { bytes: vec![0; Self::LARGEST].into(), length };
        (length <= Self::LARGEST).then(|| Arc::new(block()) as _)
    }
}

impl BytesBlock for Fixed {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }

    fn resize(&mut self, length: usize) -> bool {
        let has_room = length <= self.bytes.len();
        if has_room {
            self.length = length;
        }
        has_room
    }
}

proptest! {
    /// Whatever is written in turn, and whether a clone or a part of it is held meanwhile: each
    /// value has what was written into it, large ones are whole blocks, and a block is used
    /// again if nobody else refers to it.
    #[test]
    fn each_value_has_what_was_written_into_it(
        writes in prop::collection::vec((0..4 * LEAST_SHARED, any::<u8>(), 0_u8..3), 1..20),
    ) {
        offer_memory(Fixed::memory);
        let (mut bytes, mut held) = (SharedBytes::default(), Vec::new());
        for (length, value, hold) in writes {
            let (before, was_sole) = (bytes.as_ptr(), bytes.is_sole() && bytes.block::<Fixed>().is_some());
            bytes.overwrite(length, |bytes| bytes.fill(value));
            prop_assert!(bytes.len() == length && bytes.iter().all(|byte| *byte == value));
            let is_block = (LEAST_SHARED..=Fixed::LARGEST).contains(&length);
            prop_assert_eq!(bytes.block::<Fixed>().is_some(), is_block);
            prop_assert!(!(was_sole && is_block) || bytes.as_ptr() == before);
            match hold {
                0 => {}
                1 => held.push((bytes.clone(), value)),
                _ => {
                    let part = bytes.part(0..length / 2);
                    prop_assert!(length == 0 || part.block::<Fixed>().is_none(), "it is not the whole of it");
                    held.push((part, value));
                }
            }
            prop_assert!(held.iter().all(|(held, value)| held.iter().all(|byte| byte == value)));
        }
        bytes.clear();
        prop_assert!(bytes.is_empty());
    }

    /// A message that is written around its bytes is, with them, the message that is written as
    /// a whole, whatever is before and behind them.
    #[test]
    fn what_is_written_around_bytes_is_the_rest_of_the_message(
        before in prop::collection::vec(any::<u16>(), 0..5),
        length in 0..3 * LEAST_SHARED,
        behind in (any::<u8>(), any::<u64>(), ".{0,9}"),
        other in 0..2 * LEAST_SHARED,
    ) {
        let [bytes, other] = [length, other].map(|length| SharedBytes::from(vec![7; length]));
        let message = ((before, bytes.clone()), behind, other.clone());
        let mut memory = [0; 3 * LEAST_SHARED];
        let mut writer = CdrWriter::around(&mut memory);
        message.write(&mut writer);
        let written = match writer.parts() {
            Some((before, left_out, behind)) => {
                let first = if length >= LEAST_SHARED { &bytes } else { &other };
                prop_assert_eq!(left_out.as_ptr(), first.as_ptr());
                [before, left_out, behind].concat()
            }
            None => writer.bytes().to_vec(),
        };
        prop_assert_eq!(writer.parts().is_some(), length.max(other.len()) >= LEAST_SHARED);
        prop_assert!(!writer.is_full() && writer.is_exact());
        prop_assert_eq!(written, encode(&message));
    }

    #[test]
    fn garbage_is_an_error_or_bytes_that_are_there(garbage in prop::collection::vec(any::<u8>(), 0..40), length in 0_u32..20_000) {
        let mut bytes = [&[0, 1, 0, 0][..], &length.to_le_bytes(), &garbage].concat();
        bytes.resize(bytes.len() + LEAST_SHARED, 3);
        let message = SharedBytes::from(bytes);
        match SharedBytes::read(&mut CdrReader::sharing(&message).unwrap()) {
            Ok(read) => prop_assert_eq!(&read[..], &message[8..8 + length as usize]),
            Err(_) => prop_assert!(length as usize > message.len() - 8),
        }
    }
}
