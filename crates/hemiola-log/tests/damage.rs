//! Damaged files: all that stands before the damage is delivered, the error says where it is, and reading goes on where it can.

mod made;

use hemiola_log::{Cause, Doubt};
use made::{KINDS, Kind, MESSAGES, PER_CHUNK, Readable, beginnings, log, message};

/// How many messages end before this byte.
fn before(beginnings: &[(usize, u32)], byte: usize) -> u32 {
    let next = beginnings.iter().skip(1).find(|(begin, _)| *begin > byte);
    // The last chunk ends somewhere before the summary; nothing is asked of its messages.
    let last = beginnings.last().map_or(0, |(_, first)| *first);
    let started = beginnings.iter().rev().find(|(begin, _)| *begin <= byte).map_or(0, |(_, first)| *first);
    if next.is_none() { last } else { started }
}

#[test]
fn a_file_cut_anywhere_gives_what_is_before_the_cut() {
    for kind in KINDS {
        let whole = log(kind);
        let beginnings = beginnings(&whole, kind);
        for cut in 0..whole.len() {
            let readable = Readable::of(&whole[..cut]);
            readable.check(cut);
            assert!(!readable.errors.is_empty(), "{kind:?} cut at {cut}: nothing is said");
            let numbers = readable.numbers();
            assert!(numbers.iter().copied().eq(0..numbers.len() as u32), "{kind:?} cut at {cut}: {numbers:?}");
            let expected = before(&beginnings, cut);
            assert!(numbers.len() as u32 >= expected, "{kind:?} cut at {cut}: {} of {expected}", numbers.len());
        }
        assert!(Readable::of(&whole).errors.is_empty(), "{kind:?}");
    }
}

#[test]
fn a_cut_chunk_gives_its_first_messages() {
    let whole = log(Kind::Chunks);
    let beginnings = beginnings(&whole, Kind::Chunks);
    let (last, first) = beginnings[beginnings.len() - 1];
    let previous = beginnings[beginnings.len() - 2].0;
    // Half a chunk of the length of the one before.
    let readable = Readable::of(&whole[..last + (last - previous) / 2]);
    let numbers = readable.numbers();
    assert!(numbers.len() as u32 > first && numbers.len() < MESSAGES as usize, "{numbers:?}");
    let causes: Vec<_> = readable.errors.iter().filter_map(|error| Some(&error.damage()?.cause)).collect();
    assert!(matches!(causes[0], Cause::CutOff { record: "chunk", .. }), "{causes:?}");
}

#[test]
fn no_flipped_bit_goes_unnoticed_or_takes_more_than_its_chunk() {
    let mut random = Random(7);
    for kind in KINDS {
        let whole = log(kind);
        let beginnings = beginnings(&whole, kind);
        for _ in 0..1000 {
            let bit = random.below(whole.len() * 8);
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let readable = Readable::of(&damaged);
            let numbers = readable.numbers();
            assert!(!readable.errors.is_empty() || numbers.len() == MESSAGES as usize, "{kind:?} bit {bit}");
            let expected = before(&beginnings, bit / 8);
            let intact = readable.messages.iter().take_while(|(number, data)| *data == message(*number)).count();
            assert!(intact as u32 >= expected, "{kind:?} bit {bit}: {numbers:?}");
            if kind != Kind::Plain {
                let right = readable.messages.iter().filter(|(number, data)| *data == message(*number)).count();
                // A message index may have become a message. Then the checksum over all tells.
                assert!(right + 1 >= numbers.len(), "{kind:?} bit {bit}: {numbers:?}");
                assert!(right == numbers.len() || !readable.errors.is_empty(), "{kind:?} bit {bit}: {numbers:?}");
                let lost = MESSAGES as usize - right;
                assert!(lost <= PER_CHUNK as usize, "{kind:?} bit {bit}: {numbers:?}");
            }
        }
    }
}

#[test]
fn zeros_at_the_end_are_told_from_data() {
    for kind in KINDS {
        let whole = log(kind);
        let beginnings = beginnings(&whole, kind);
        for cut in (8..whole.len()).step_by(13) {
            let mut damaged = whole.clone();
            damaged[cut..].fill(0);
            let readable = Readable::of(&damaged);
            let numbers = readable.numbers();
            assert!(numbers.len() as u32 >= before(&beginnings, cut), "{kind:?} {cut}: {numbers:?}");
            assert!(!readable.errors.is_empty(), "{kind:?} {cut}");
        }
        // At the end of a record, zeros are called zeros.
        let mut damaged = whole.clone();
        let begin = beginnings[5].0;
        damaged[begin..].fill(0);
        let readable = Readable::of(&damaged);
        let damage = readable.errors[0].damage().expect("it is damage");
        assert_eq!((damage.offset, &damage.cause), (begin as u64, &Cause::Zeros), "{kind:?}");
    }
}

#[test]
fn a_hole_takes_only_the_chunks_that_it_touches() {
    for kind in [Kind::Chunks, Kind::Zstd, Kind::Lz4] {
        let whole = log(kind);
        let beginnings = beginnings(&whole, kind);
        // From the middle of the third chunk to the middle of the fifth.
        let (begin, end) = ((beginnings[2].0 + beginnings[3].0) / 2, (beginnings[4].0 + beginnings[5].0) / 2);
        let mut damaged = whole.clone();
        damaged[begin..end].fill(0);
        let readable = Readable::of(&damaged);
        readable.check(whole.len());
        let expected: Vec<u32> = (0..MESSAGES).filter(|number| !(8..20).contains(number)).collect();
        assert_eq!(readable.numbers(), expected, "{kind:?}");
        let offsets: Vec<u64> = readable.errors.iter().filter_map(|error| Some(error.damage()?.offset)).collect();
        assert_eq!(offsets[0], beginnings[2].0 as u64, "{kind:?}");
    }
}

#[test]
fn doubtful_messages_are_delivered_on_request() {
    let whole = log(Kind::Chunks);
    let beginnings = beginnings(&whole, Kind::Chunks);
    let mut damaged = whole.clone();
    // In the data of the last message of the second chunk.
    let last = message(7);
    let place = whole.windows(last.len()).position(|window| window == last).expect("it is there");
    assert!((beginnings[1].0..beginnings[2].0).contains(&place));
    damaged[place + 10] ^= 1;
    let skipped = Readable::of(&damaged);
    assert_eq!(skipped.numbers().len(), 36);
    assert!(matches!(skipped.errors[0].damage().expect("it is").cause, Cause::Checksum { of: "chunk", .. }));
    let delivered = Readable::with(&damaged, Doubt::Deliver);
    assert_eq!(delivered.numbers().len(), 40);
    assert_eq!(delivered.errors.len(), skipped.errors.len());
}

#[test]
fn foreign_files_are_told_what_they_are() {
    for (bytes, expected) in [
        (&b""[..], "the file is empty"),
        (b"#ROSBAG V2.0\n", "rosbags-convert"),
        (b"SQLite format 3\0", "ros2 bag convert"),
        (&[0; 100], "zeros"),
        (b"hello world", "it begins with hello wo"),
    ] {
        let text = Readable::of(bytes).errors[0].to_string();
        assert!(text.contains(expected) && text.contains("byte 0"), "{text}");
    }
}

/// SplitMix64 (Steele et al. 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
