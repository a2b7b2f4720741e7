//! Damaged files: all messages before the damage are delivered, the error contains its place, and
//! reading goes on where it can.

mod made;

use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom};
use std::rc::Rc;

use hemiola_log::{Cause, Doubt};
use made::{KINDS, Kind, MESSAGES, PER_CHUNK, Readable, beginnings, log, message};

/// Returns how many messages end before this byte.
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
    // Half a chunk of the length of the one before is left.
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
                // A message index may have become a message. Then the checksum over everything
                // shows it.
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
        // At the end of a record, zeros are reported as zeros.
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
        // The zeros reach from the middle of the third chunk to the middle of the fifth.
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
    // The damage is in the data of the last message of the second chunk.
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
        (b"#ROSBAG V2.0\n", "log import IN.bag"),
        (b"SQLite format 3\0", "ros2 bag convert"),
        (b"ULog\x01\x12\x35\x01\0\0", "log import IN.ulg"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gunzip"),
        (b"FLASER 180 1.0 1.1", "CARMEN"),
        (b"# message_name [message contents] ipc_timestamp", "CARMEN"),
        (&[0; 100], "zeros"),
        (b"hello world", "it begins with hello wo"),
    ] {
        let text = Readable::of(bytes).errors[0].to_string();
        assert!(text.contains(expected) && text.contains("byte 0"), "{text}");
    }
}

/// A writer that goes back to fill in a chunk's lengths leaves them open when it is killed.
#[test]
fn a_writer_killed_inside_a_chunk_leaves_what_it_had_written() {
    for compression in [None, Some(mcap::Compression::Zstd), Some(mcap::Compression::Lz4)] {
        let path = std::env::temp_dir().join(format!("hemiola-log-killed-{}.mcap", std::process::id()));
        let file = std::fs::File::create(&path).expect("the folder for temporary files can be written");
        let options =
            mcap::WriteOptions::new().compression(compression).compression_threads(0).chunk_size(Some(300_000));
        let mut writer = options.create(file).expect("as before");
        let channel = writer.add_channel(0, "/raw", "none", &Default::default()).expect("as before");
        let mut random = Random(1);
        for number in 0..50 {
            let header =
                mcap::records::MessageHeader { channel_id: channel, sequence: number, log_time: 0, publish_time: 0 };
            let data: Vec<u8> = (0..20_000).map(|_| random.below(256) as u8).collect();
            writer.write_to_known_channel(&header, &data).expect("as before");
        }
        // The writer is killed before anything is finished.
        std::mem::forget(writer);
        let bytes = std::fs::read(&path).expect("as before");
        std::fs::remove_file(&path).expect("as before");
        let readable = Readable::of(&bytes);
        let numbers = readable.numbers();
        // Three chunks of fifteen or sixteen messages are whole, and the beginning of the last one
        // is there, except for what the compressor held.
        assert!(
            numbers.iter().copied().eq(0..numbers.len() as u32) && numbers.len() >= 45,
            "{compression:?}: {numbers:?}"
        );
        let causes: Vec<_> = readable.errors.iter().filter_map(|error| Some(&error.damage()?.cause)).collect();
        assert!(matches!(causes[0], Cause::CutOff { record: "chunk", .. }), "{compression:?}: {causes:?}");
    }
}

#[test]
fn a_chunk_that_grows_without_end_is_refused() {
    let mut bytes = Vec::new();
    let options = mcap::WriteOptions::new().compression_threads(0).compression(Some(mcap::Compression::Zstd));
    let mut writer = options.create(std::io::Cursor::new(&mut bytes)).expect("memory can be written");
    let channel = writer.add_channel(0, "/raw", "none", &Default::default()).expect("as before");
    for number in 0..2 {
        let header =
            mcap::records::MessageHeader { channel_id: channel, sequence: number, log_time: 0, publish_time: 0 };
        // The first message is two megabytes of zeros in some hundred bytes; the others are short.
        writer.write_to_known_channel(&header, &vec![0; if number == 0 { 2 << 20 } else { 9 }]).expect("as before");
        writer.flush().expect("as before");
    }
    writer.finish().expect("as before");
    drop(writer);
    let readable = Readable::of(&bytes);
    assert_eq!(readable.numbers(), [1]);
    let cause = &readable.errors[0].damage().expect("it is damage").cause;
    assert_eq!(cause, &Cause::TooLarge { record: "chunk", limit: 1 << 20 });
}

/// Whatever length a chunk claims, the records behind it are found.
#[test]
fn a_chunk_that_is_shorter_than_its_header_takes_nothing_with_it() {
    let whole = log(Kind::Zstd);
    let beginnings = beginnings(&whole, Kind::Zstd);
    for length in 0..80_u64 {
        let mut damaged = whole.clone();
        let begin = beginnings[4].0;
        damaged[begin + 1..begin + 9].copy_from_slice(&length.to_le_bytes());
        let readable = Readable::of(&damaged);
        readable.check(whole.len());
        let others = readable.numbers().into_iter().filter(|number| !(16..20).contains(number));
        assert!(others.eq((0..MESSAGES).filter(|number| !(16..20).contains(number))), "{length}: {readable:?}");
        assert!(!readable.errors.is_empty(), "{length}");
    }
}

/// A file in which every place looks like a chunk that ends nowhere.
#[test]
fn a_file_of_false_chunks_is_read_in_linear_time() {
    let mut head = vec![6_u8];
    head.extend(40_u64.to_le_bytes());
    head.extend([0; 32]);
    head.extend(0_u64.to_le_bytes());
    head.push(0);
    let mut bytes = mcap::MAGIC.to_vec();
    (0..100_000).for_each(|_| bytes.extend(&head));
    let read = Rc::new(Cell::new(0));
    let input = Counted { input: std::io::Cursor::new(&bytes), read: Rc::clone(&read) };
    let mut log = hemiola_log::LogReader::new(input, "made.mcap").expect("it is a log");
    let mut steps = 0_u32;
    while log.next_entry().is_some() {
        steps += 1;
    }
    assert!(steps >= 100_000, "{steps}");
    let times = read.get() / bytes.len();
    assert!(times <= 10, "every byte was read {times} times");
}

/// A reader that counts what is read.
struct Counted<'b> {
    input: std::io::Cursor<&'b Vec<u8>>,
    read: Rc<Cell<usize>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(into)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.input.seek(to)
    }
}

/// The random numbers of SplitMix64 (Steele et al. 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
