//! Programs on one host whose frames go through a pipe in shared memory, written from
//! `docs/book/src/link.md`: one that behaves, and others that do not.
#![cfg(target_os = "linux")]

mod common;

use std::collections::VecDeque;
use std::io::{IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use common::{Side, Stranger, connecting, eventually, framed, free_path, listening, next};
use hemiola::prelude::*;
use hemiola_link::wire::{Answer, Frame, Incoming, Message, Offer, OfferKind, PipeAt};
use hemiola_model::Data as _;
use hemiola_model::cdr::{MessageSchema, encode};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};
use hemiola_realtime::{ForeignMemory, MemoryBlock, MemoryPipe, PipePlace, SharedMemory};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

#[derive(Representation, Clone, Default, PartialEq)]
struct Text {
    text: String,
}

fn text(length: usize) -> Text {
    Text { text: "x".repeat(length) }
}

/// The number by which the stranger offers texts.
const NUMBER: u32 = 7;
/// The first of the stranger's words.
const WORD: u32 = 24;
const RING: u64 = 4096;

/// A robot that sends `Said` and receives `Heard`.
fn robot() -> Side {
    let send = vec![Sent { keep: Keep::Last(1000), ..Sent::topic("Said") }];
    let link = LinkConfiguration { send, ..listening(LinkAddress::Shm(free_path()), &[], &["Heard"]) };
    Side::open("robot", link)
}

/// A program that has memory, and a place for a pipe in it.
struct Piping {
    stranger: Stranger,
    memory: Arc<SharedMemory>,
    ring: MemoryBlock,
    at: PipeAt,
}

impl Piping {
    fn at(side: &Side) -> Self {
        let memory = SharedMemory::create(2 << 20).unwrap();
        let ring = memory.block(RING as usize).unwrap();
        let at = PipeAt { offset: ring.offset(), length: RING, word: WORD };
        Self { stranger: Stranger::at(side), memory, ring, at }
    }

    fn share(&mut self) {
        let frame = Frame::Memory { bytes: self.memory.bytes() as u64, word: 0 };
        self.stranger.pass(&frame, self.memory.descriptor());
    }

    fn announce(&mut self) {
        self.stranger.say(&Frame::Pipe(self.at));
    }

    fn set(&self, word: u32, value: u64) {
        self.memory.set_word((WORD + word) as usize, value);
    }

    /// Hears the robot up to such a frame. Returns its memory, the place of its pipe, and the
    /// number of what it has offered.
    fn theirs(&mut self, is_last: impl Fn(&Frame<'_>) -> bool) -> ((Arc<ForeignMemory>, PipePlace), Option<u32>) {
        let (mut foreign, mut place, mut descriptor, mut topic) = (None, None, None, None);
        let mut bytes = [0; 4096];
        let mut is_over = false;
        while !is_over {
            let count = receive(&self.stranger, &mut bytes, &mut descriptor);
            self.stranger.incoming.push(&bytes[..count]);
            while !is_over && let Some(frame) = self.stranger.incoming.next().unwrap() {
                is_over = is_last(&frame);
                match frame {
                    Frame::Memory { bytes, .. } => {
                        let passed: OwnedFd = descriptor.take().expect("it is passed");
                        foreign = Some(Arc::new(ForeignMemory::open(&passed, bytes as usize).unwrap()));
                    }
                    Frame::Pipe(PipeAt { offset, length, word }) => {
                        place = Some(PipePlace { word: word as usize, offset, length });
                    }
                    Frame::Offer(offer) => topic = Some(offer.topic),
                    Frame::Piped | Frame::Hello { .. } | Frame::Answer { .. } | Frame::Keeps { .. } => {}
                    other => panic!("{other:?}"),
                }
            }
        }
        ((foreign.unwrap(), place.unwrap()), topic)
    }

    /// Announces memory and pipe, waits until the robot's frames go through its pipe, and lets its
    /// own do so.
    fn connected(mut self) -> Connected {
        self.share();
        self.announce();
        let (theirs, offered) = self.theirs(|frame| *frame == Frame::Piped);
        let Self { mut stranger, memory, ring, .. } = self;
        let pipe = MemoryPipe::new((memory, ring, WORD as usize), theirs).unwrap();
        stranger.say(&Frame::Piped);
        Connected { stranger, pipe, incoming: Incoming::default(), offered, waiting: VecDeque::new() }
    }
}

/// Reads bytes, and a descriptor that comes with them.
fn receive(stranger: &Stranger, bytes: &mut [u8], descriptor: &mut Option<OwnedFd>) -> usize {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let received = recvmsg(&stranger.stream, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC);
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            descriptors.for_each(|passed| *descriptor = Some(passed));
        }
    }
    let count = received.unwrap().bytes;
    assert!(count > 0, "the robot has closed the connection");
    count
}

/// A program that speaks through a pipe.
struct Connected {
    stranger: Stranger,
    pipe: MemoryPipe,
    incoming: Incoming,
    /// The number of what the robot has offered.
    offered: Option<u32>,
    waiting: VecDeque<Vec<u8>>,
}

impl Connected {
    fn say(&mut self, frame: &Frame<'_>) {
        self.write(&framed(frame));
    }

    /// Writes bytes in as many pieces as there is room for.
    fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let count = self.pipe.write(bytes).unwrap();
            bytes = &bytes[count..];
            self.notify();
            if count == 0 && !self.pipe.want_room().unwrap() {
                self.sleep();
            }
        }
    }

    fn notify(&mut self) {
        if self.pipe.send() {
            self.stranger.stream.write_all(&[0]).unwrap();
        }
    }

    /// Sleeps until the robot rings.
    fn sleep(&mut self) {
        assert!(self.stranger.stream.read(&mut [0; 16]).unwrap() > 0, "the robot has closed the connection");
    }

    /// Returns the next frame of the robot.
    fn hear(&mut self) -> Vec<u8> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return frame;
            }
            let mut bytes = [0; 100];
            let count = self.pipe.read(&mut bytes).unwrap();
            if count == 0 && self.pipe.prepare_to_sleep().unwrap() {
                self.sleep();
            }
            if self.pipe.give_back() {
                self.stranger.stream.write_all(&[0]).unwrap();
            }
            self.incoming.push(&bytes[..count]);
            while let Some(frame) = self.incoming.next().unwrap() {
                if let Frame::Offer(offer) = frame {
                    self.offered = Some(offer.topic);
                }
                let mut bytes = Vec::new();
                frame.write(&mut bytes);
                self.waiting.push_back(bytes);
            }
        }
    }

    /// Hears frames until one is wanted.
    fn hear_until<T>(&mut self, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> T {
        loop {
            let frame = self.hear();
            if let Some(found) = wanted(&Frame::read(&frame).unwrap()) {
                return found;
            }
        }
    }

    /// Offers texts, and waits until they are wanted.
    fn offer(&mut self) {
        let schema = MessageSchema::of("Text", &Text::data_type());
        self.say(&Frame::Offer(Offer {
            topic: NUMBER,
            kind: OfferKind::Topic,
            name: "Heard",
            schema: &schema.name,
            hash: &schema.type_hash,
            definition: &schema.text,
        }));
        self.hear_until(|frame| matches!(frame, Frame::Answer { answer: Answer::Wanted, .. }).then_some(()));
    }

    fn publish(&mut self, sequence: u64, text: &Text) {
        let cdr = &encode(text);
        self.say(&Frame::Message(Message { topic: NUMBER, sequence, time: 0, stamp: None, cdr }));
    }

    /// Asks for what the robot sends.
    fn want(&mut self, robot: &Side) {
        let topic = loop {
            match self.offered {
                Some(topic) => break topic,
                None => _ = self.hear(),
            }
        };
        self.say(&Frame::Answer { topic, answer: Answer::Wanted, reason: "" });
        robot.until_wanted();
    }
}

/// The robot reads from a full pipe before its own frames go through one: what says that there is
/// room again must not come between those.
#[test]
fn notices_come_behind_the_last_frame_on_the_socket() {
    let robot = robot();
    let mut piping = Piping::at(&robot);
    let (theirs, _) = piping.theirs(|frame| matches!(frame, Frame::Pipe(_)));
    let Piping { mut stranger, memory, ring, at } = piping;
    let mut pipe = MemoryPipe::new((memory.clone(), ring, WORD as usize), theirs).unwrap();
    let ping = framed(&Frame::Ping { left: 0 });
    while pipe.write(&ping).unwrap() == ping.len() {}
    assert!(!pipe.send(), "the robot does not sleep yet");
    assert!(!pipe.want_room().unwrap(), "the pipe is full");
    stranger.pass(&Frame::Memory { bytes: memory.bytes() as u64, word: 0 }, memory.descriptor());
    // Both at once, so that the robot reads from the pipe before it has said the same.
    stranger.stream.write_all(&[framed(&Frame::Pipe(at)), framed(&Frame::Piped)].concat()).unwrap();

    let (mut bytes, mut incoming) = ([0; 4096], Incoming::default());
    loop {
        let count = stranger.stream.read(&mut bytes).unwrap();
        incoming.push(&bytes[..count]);
        while let Some(frame) = incoming.next().unwrap() {
            if frame == Frame::Piped {
                eventually(|| pipe.has_news().unwrap().then_some(())).expect("pings are answered");
                return;
            }
        }
    }
}

#[test]
fn all_frames_go_through_the_pipes_whatever_their_lengths() {
    let robot = robot();
    let (mut said, mut heard) = (robot.publisher::<Text>("Said"), robot.queue::<Text>("Heard"));
    let mut other = Piping::at(&robot).connected();
    other.offer();
    other.want(&robot);
    // The longest ones do not fit into a ring.
    for (length, sequence) in [1, 100, 3_000, 5, 200_000, 7].into_iter().zip(1..) {
        other.publish(sequence, &text(length));
        assert!(next(&mut heard) == text(length), "{length}");
    }
    // A long one behind a short one is not lent, as nobody knows its length.
    for length in [1, 100, 3_000, 200_000] {
        said.publish(text(length));
        let is_it = |frame: &Frame<'_>| match frame {
            Frame::Message(message) => Some(message.cdr == encode(&text(length))),
            _ => None,
        };
        assert!(other.hear_until(is_it), "{length}");
    }
    robot.links.close("it is late");
    let goodbye = |frame: &Frame<'_>| match frame {
        Frame::Goodbye { reason } => Some((*reason).to_owned()),
        _ => None,
    };
    assert_eq!(other.hear_until(goodbye), "it is late");
}

#[test]
fn who_reads_nothing_holds_nobody_up_and_gets_what_there_was_room_for() {
    let robot = robot();
    let mut said = robot.publisher::<Text>("Said");
    let friend = Side::open("friend", connecting(robot.address(), &[], &["Said"]));
    let mut seen = friend.queue::<Text>("Said");
    let mut other = Piping::at(&robot).connected();
    other.want(&robot);
    robot.until(|link| link.sent[0].peers == 2);
    for number in 0..400 {
        said.publish(text(1000 + number));
        assert!(next(&mut seen) == text(1000 + number));
    }
    // From here on it reads again.
    for number in 0..400 {
        let is_it = |frame: &Frame<'_>| match frame {
            Frame::Message(message) => Some(message.cdr == encode(&text(1000 + number))),
            _ => None,
        };
        assert!(other.hear_until(is_it), "{number}");
    }
}

#[test]
fn what_was_said_last_is_heard_although_the_socket_has_ended() {
    let robot = robot();
    let mut heard = robot.queue::<Text>("Heard");
    for _ in 0..20 {
        let mut other = Piping::at(&robot).connected();
        other.offer();
        for sequence in 1..=3 {
            let cdr = &encode(&text(10));
            let frame = framed(&Frame::Message(Message { topic: NUMBER, sequence, time: 0, stamp: None, cdr }));
            other.pipe.write(&frame).unwrap();
        }
        _ = other.pipe.send(); // and it does not ring
        drop(other);
        (0..3).for_each(|_| assert!(next(&mut heard) == text(10)));
        robot.until(|link| link.peers.is_empty());
    }
}

/// Checks that a peer that does this is refused with this reason, and that others are served.
fn is_sent_away(robot: &Side, why: &str, act: impl FnOnce(Piping)) {
    let refused = robot.statistics().refused;
    act(Piping::at(robot));
    let link = robot.until(|link| link.refused == refused + 1);
    let problem = link.problem.expect("a reason is shown");
    assert!(problem.contains(why), "{problem}");
}

#[test]
fn pipes_that_cannot_be_are_refused() {
    let robot = robot();
    // A refused program waits for the end, so that what it has said is read.
    let end = |mut stranger: Stranger| _ = stranger.stream.read_to_end(&mut Vec::new());
    is_sent_away(&robot, "it has not announced its memory yet", |mut piping| {
        piping.announce();
        end(piping.stranger);
    });
    is_sent_away(&robot, "it has announced its pipe twice", |mut piping| {
        piping.share();
        piping.announce();
        piping.announce();
        end(piping.stranger);
    });
    is_sent_away(&robot, "it has not announced its pipe yet", |mut piping| {
        piping.share();
        piping.stranger.say(&Frame::Piped);
        end(piping.stranger);
    });
    let (at, bytes) = (PipeAt { offset: 8192, length: RING, word: WORD }, 2 << 20);
    for at in [
        PipeAt { length: 0, ..at },
        PipeAt { length: u64::MAX, ..at },
        PipeAt { length: bytes, ..at },
        PipeAt { length: (1 << 20) + 1, ..at },
        PipeAt { offset: bytes, ..at },
        PipeAt { offset: u64::MAX, ..at },
        PipeAt { word: 489, ..at },
        PipeAt { word: u32::MAX, ..at },
    ] {
        is_sent_away(&robot, "a pipe of", |mut piping| {
            piping.share();
            piping.at = at;
            piping.announce();
            end(piping.stranger);
        });
    }
}

#[test]
fn numbers_that_cannot_be_end_the_conversation() {
    let robot = robot();
    let mut said = robot.publisher::<Text>("Said");
    for written in [RING + 1, u64::MAX] {
        is_sent_away(
            &robot,
            &format!("its memory counts {written} bytes, which can only be 0 to 4096"),
            |mut piping| {
                piping.share();
                piping.announce();
                piping.set(8, written);
                piping.stranger.say(&Frame::Piped);
                _ = piping.stranger.stream.read_to_end(&mut Vec::new());
            },
        );
    }
    is_sent_away(&robot, "its memory counts 18446744073709551615 bytes", |piping| {
        let memory = piping.memory.clone();
        let mut other = piping.connected();
        other.want(&robot);
        memory.set_word(WORD as usize + 1, u64::MAX);
        // The robot looks at the number when there is no more room.
        let refused = robot.statistics().refused;
        let is_refused = || {
            said.publish(text(3000));
            (robot.statistics().refused > refused).then_some(())
        };
        eventually(is_refused).expect("it is noticed");
    });
    is_sent_away(&robot, "what it says is not what links say", |piping| {
        let mut other = piping.connected();
        other.write(b"GET / HTTP/1.1");
        _ = other.stranger.stream.read_to_end(&mut Vec::new());
    });
}

/// An action of a program that has a pipe.
#[derive(Clone, Debug)]
enum Deed {
    Write(Vec<u8>),
    Publish(usize),
    SetWord { word: usize, value: u64 },
    Notify,
    Read,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let values = prop_oneof![0..5000_u64, any::<u64>(), Just(u64::MAX)];
    let deed = prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 1..40).prop_map(Deed::Write),
        6 => (0..3000_usize).prop_map(Deed::Publish),
        2 => (WORD as usize..WORD as usize + 24, values).prop_map(|(word, value)| Deed::SetWord { word, value }),
        2 => Just(Deed::Notify),
        2 => Just(Deed::Read),
    ];
    prop::collection::vec(deed, 1..20)
}

#[test]
fn whatever_a_peer_does_with_its_pipe_the_others_are_served() {
    let robot = robot();
    let mut said = robot.publisher::<Text>("Said");
    let _heard = robot.queue::<Text>("Heard");
    let friend = Side::open("friend", connecting(robot.address(), &[], &["Said"]));
    let mut seen = friend.queue::<Text>("Said");
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&deeds(), |deeds| {
        let piping = Piping::at(&robot);
        let memory = piping.memory.clone();
        let mut other = piping.connected();
        other.offer();
        for (deed, sequence) in deeds.into_iter().zip(1..) {
            // It stops as soon as the robot has sent it away, or there is no room.
            let is_done = match deed {
                Deed::Write(bytes) => other.pipe.write(&bytes).is_ok(),
                Deed::Publish(length) => {
                    let cdr = &encode(&text(length));
                    let frame = Frame::Message(Message { topic: NUMBER, sequence, time: 0, stamp: None, cdr });
                    let bytes = framed(&frame);
                    other.pipe.write(&bytes).is_ok_and(|count| count == bytes.len())
                }
                Deed::SetWord { word, value } => {
                    memory.set_word(word, value);
                    true
                }
                Deed::Notify => {
                    _ = other.pipe.send();
                    other.stranger.stream.write_all(&[0]).is_ok()
                }
                Deed::Read => other.pipe.read(&mut [0; 1000]).is_ok(),
            };
            if !is_done {
                break;
            }
        }
        Ok(())
    });
    outcome.unwrap();
    let is_served = || {
        said.publish(text(5));
        seen.receive().map(drop)
    };
    eventually(is_served).expect("the friend is served");
    robot.until(|link| link.peers.len() == 1);
}
