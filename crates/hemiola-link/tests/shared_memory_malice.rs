//! Peers that misuse shared memory: nobody crashes, hangs or reads outside of it, the peers are
//! counted and reported, and others do not notice them.
#![cfg(target_os = "linux")]

mod common;

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Side, Stranger, connecting, eventually, free_path, listening, next};
use hemiola::prelude::*;
use hemiola_link::wire::{Answer, Frame, Lent, LentMarks, Message, Offer, OfferKind};
use hemiola_model::Data as _;
use hemiola_model::cdr::{MessageSchema, encode};
use hemiola_model::configuration::LinkAddress;
use hemiola_realtime::{MemoryBlock, SharedMemory};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    pixels: Vec<u8>,
}

/// A type for which not all bytes are a value.
#[derive(Representation, Clone, Default, PartialEq)]
struct Scene {
    name: String,
    is_seen: Vec<bool>,
    numbers: Vec<f64>,
}

const NUMBER: u32 = 7;

impl Stranger {
    /// Announces its memory as a well-behaved program does.
    fn share(&mut self, memory: &SharedMemory) {
        self.pass(&Frame::Memory { bytes: memory.bytes() as u64, word: 3 }, memory.descriptor());
    }

    /// Offers scenes, and waits until they are wanted.
    fn offer(&mut self) {
        let schema = MessageSchema::of("Scene", &Scene::data_type());
        self.say(&Frame::Offer(Offer {
            topic: NUMBER,
            kind: OfferKind::Topic,
            name: "Scene",
            schema: &schema.name,
            hash: &schema.type_hash,
            definition: &schema.text,
        }));
        let wanted = |frame: &Frame<'_>| matches!(frame, Frame::Answer { answer: Answer::Wanted, .. }).then_some(());
        self.hear(wanted).expect("scenes are wanted");
    }

    fn lend(&mut self, sequence: u64, (offset, length): (u64, u64)) -> bool {
        let message = Message { topic: NUMBER, sequence, time: 0, stamp: None, cdr: &[] };
        self.say(&Frame::Lent(Lent {
            message,
            offset,
            length,
            marks: LentMarks { wants_notice: sequence.is_multiple_of(2), may_be_kept: false },
        }))
    }
}

/// A robot that listens, with a well-behaved peer, which must be served in any case.
struct Served {
    robot: Side,
    friend: Side,
}

impl Served {
    fn new() -> Self {
        let robot = Side::open("robot", listening(LinkAddress::Shm(free_path()), &["Image"], &["Scene"]));
        let friend = Side::open("friend", connecting(robot.address(), &[], &["Image"]));
        robot.until(|link| link.met == 1);
        Self { robot, friend }
    }

    fn serves_on(&self) {
        let mut images = self.robot.publisher::<Image>("Image");
        let mut seen = self.friend.queue::<Image>("Image");
        self.robot.until_wanted();
        // A stranger that has just gone may still count among those that want it.
        let arrives = eventually(|| {
            images.publish(Image { pixels: vec![0; 100_000] });
            seen.receive().map(drop)
        });
        arrives.expect("the friend is served");
        let before = self.robot.statistics().lent;
        for number in 1..=3 {
            images.publish(Image { pixels: vec![number; 100_000] });
            while next(&mut seen).pixels != [number; 100_000] {}
        }
        self.robot.until(|link| link.lent >= before + 2);
    }

    /// Checks that a peer that does this is refused with this reason, and that the others are
    /// served.
    fn sends_away(&self, why: &str, act: impl FnOnce(&mut Stranger)) {
        let refused = self.robot.statistics().refused;
        let mut stranger = Stranger::at(&self.robot);
        act(&mut stranger);
        let goodbye = |frame: &Frame<'_>| match frame {
            Frame::Goodbye { reason } => Some((*reason).to_owned()),
            _ => None,
        };
        let reason = stranger.hear(goodbye).expect("a reason is said");
        assert!(reason.starts_with("its shared memory cannot be used: ") && reason.contains(why), "{reason}");
        self.robot.until(|link| link.refused == refused + 1);
        self.serves_on();
    }
}

/// Creates memory that contains a scene.
fn memory() -> (Arc<SharedMemory>, MemoryBlock, u64) {
    let memory = SharedMemory::create(1 << 20).unwrap();
    let mut block = memory.block(100_000).unwrap();
    let scene = encode(&Scene { name: "x".repeat(1000), is_seen: vec![true; 1000], numbers: vec![0.5; 1000] });
    block[..scene.len()].copy_from_slice(&scene);
    (memory, block, scene.len() as u64)
}

#[test]
fn memory_that_might_end_who_reads_it_is_refused() {
    let served = Served::new();
    let (good, _block, _) = memory();
    let bytes = good.bytes() as u64;
    served.sends_away("it has passed no file descriptor", |stranger| {
        stranger.say(&Frame::Memory { bytes, word: 0 });
    });
    served.sends_away("it is no memory that stays as long as it is", |stranger| {
        stranger.pass(&Frame::Memory { bytes, word: 0 }, File::open("/dev/zero").unwrap());
    });
    let loose: OwnedFd = rustix::fs::memfd_create("loose", rustix::fs::MemfdFlags::ALLOW_SEALING).unwrap();
    rustix::fs::ftruncate(&loose, bytes).unwrap();
    served.sends_away("it is no memory that stays as long as it is", |stranger| {
        stranger.pass(&Frame::Memory { bytes, word: 0 }, &loose);
    });
    for (bytes, word, why) in [
        (bytes - 4096, 0, "it has another length than was said"),
        (1, 0, "its length is none of whole pages"),
        (4 << 30, 0, "4294967296 bytes, of at most 67108864"),
        (u64::MAX, 0, "of at most 67108864"),
        (bytes, u32::MAX, "with its word 4294967295"),
    ] {
        served.sends_away(why, |stranger| _ = stranger.pass(&Frame::Memory { bytes, word }, good.descriptor()));
    }
    served.sends_away("it has announced its memory twice", |stranger| {
        stranger.share(&good);
        stranger.share(&good);
    });
}

#[test]
fn what_is_not_in_the_memory_is_not_read() {
    let served = Served::new();
    let _seen = served.robot.queue::<Scene>("Scene");
    let (memory, block, length) = memory();
    served.sends_away("it has not announced its memory yet", |stranger| {
        stranger.lend(1, (block.offset(), length));
    });
    let end = memory.bytes() as u64;
    for place in [(end, 1), (end - 1, 2), (0, end + 1), (u64::MAX, 1), (1, u64::MAX), (0, 4 << 30)] {
        served.sends_away("are not in it", |stranger| {
            stranger.share(&memory);
            stranger.lend(1, place);
        });
    }
}

#[test]
fn who_returns_what_it_was_never_lent_is_sent_away() {
    let served = Served::new();
    let (memory, ..) = memory();
    memory.set_word(3, u64::MAX);
    let mut images = served.robot.publisher::<Image>("Image");
    let mut stranger = Stranger::at(&served.robot);
    stranger.share(&memory);
    let offer = |frame: &Frame<'_>| if let Frame::Offer(offer) = frame { Some(offer.topic) } else { None };
    let topic = stranger.hear(offer).expect("images are offered");
    stranger.say(&Frame::Answer { topic, answer: Answer::Wanted, reason: "" });
    served.robot.until(|link| link.sent[0].peers > 0);
    while served.robot.statistics().refused == 0 {
        images.publish(Image { pixels: vec![1; 100_000] });
        std::thread::sleep(Duration::from_millis(1));
    }
    let link = served.robot.statistics();
    assert!(link.problem.is_some_and(|problem| problem.contains("it has read more than was lent")));
    served.serves_on();
}

#[test]
fn what_changes_while_it_is_read_is_some_value_or_is_counted() {
    let served = Served::new();
    let mut seen = served.robot.queue::<Scene>("Scene");
    let (memory, mut block, length) = memory();
    let (place, is_over) = ((block.offset(), length), Arc::new(AtomicBool::new(false)));
    let mut stranger = Stranger::at(&served.robot);
    stranger.share(&memory);
    stranger.offer();
    let over = is_over.clone();
    let scribbler = std::thread::spawn(move || {
        let mut seed = 1_u64;
        while !over.load(Ordering::Relaxed) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            block[(seed >> 33) as usize % length as usize] = (seed >> 24) as u8;
        }
    });
    for sequence in 1..=2000 {
        assert!(stranger.lend(sequence, place));
        // Whatever arrives, its text is valid, and its flag is either true or false.
        while let Some(scene) = seen.receive() {
            assert!(scene.name.is_char_boundary(scene.name.len()));
            _ = scene.is_seen.iter().filter(|is_seen| **is_seen).count();
        }
    }
    let link = served.robot.until(|link| link.received[0].messages + link.received[0].unreadable == 2000);
    is_over.store(true, Ordering::Relaxed);
    scribbler.join().unwrap();
    assert!(link.received[0].unreadable > 0, "{link}");
    served.serves_on();
}

/// An action of a stranger.
#[derive(Clone, Debug)]
enum Deed {
    Share { bytes: Option<u64>, word: u32, passes: bool },
    Lend { offset: u64, length: u64 },
    Notice,
    Garbage(Vec<u8>),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let number = || prop_oneof![Just(0_u64), 0..2_000_000_u64, any::<u64>(), Just(u64::MAX), Just(1 << 32)];
    let deed = prop_oneof![
        2 => (prop_oneof![3 => Just(None), 1 => number().prop_map(Some)], prop_oneof![3 => 0..512_u32, 1 => any::<u32>()], prop::bool::weighted(0.9))
            .prop_map(|(bytes, word, passes)| Deed::Share { bytes, word, passes }),
        6 => (number(), number()).prop_map(|(offset, length)| Deed::Lend { offset, length }),
        4 => (0..900_000_u64, 0..100_000_u64).prop_map(|(offset, length)| Deed::Lend { offset, length }),
        1 => Just(Deed::Notice),
        1 => prop::collection::vec(any::<u8>(), 1..40).prop_map(Deed::Garbage),
    ];
    prop::collection::vec(deed, 1..30)
}

#[test]
fn whatever_a_peer_does_with_its_memory_the_others_are_served() {
    let served = Served::new();
    let _seen = served.robot.queue::<Scene>("Scene");
    let (memory, _block, _) = memory();
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&deeds(), |deeds| {
        let mut stranger = Stranger::at(&served.robot);
        stranger.offer();
        for (deed, sequence) in deeds.into_iter().zip(1..) {
            let goes_on = match deed {
                Deed::Share { bytes, word, passes } => {
                    let frame = Frame::Memory { bytes: bytes.unwrap_or(memory.bytes() as u64), word };
                    if passes { stranger.pass(&frame, memory.descriptor()) } else { stranger.say(&frame) }
                }
                Deed::Lend { offset, length } => stranger.lend(sequence, (offset, length)),
                Deed::Notice => stranger.say(&Frame::Returned),
                Deed::Garbage(bytes) => stranger.stream.write_all(&bytes).is_ok(),
            };
            if !goes_on {
                break;
            }
        }
        drop(stranger);
        Ok(())
    });
    outcome.unwrap();
    served.robot.until(|link| link.peers.len() == 1);
    served.serves_on();
}
