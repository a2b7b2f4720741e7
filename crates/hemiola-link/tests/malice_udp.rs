//! Peers over UDP that are malicious, broken or of an earlier version.

mod common;

use common::{PATIENCE, Side, free_udp, listening, next};
use hemiola::prelude::*;
use hemiola_link::wire::{
    Answer, Fragment, Frame, LONGEST_FRAME, Message, Offer, OfferKind, PIECE, Reliable, VERSION,
    VERSION_WITH_ACKNOWLEDGEMENTS, VERSION_WITH_FRAGMENTS,
};
use hemiola_model::configuration::LinkAddress;
use std::net::{SocketAddr, UdpSocket};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    pixels: Vec<u8>,
}

/// A program that sends what it likes over UDP.
struct UdpStranger {
    socket: UdpSocket,
    robot: SocketAddr,
}

impl UdpStranger {
    /// Meets the robot, and offers it the topic `Wish` as number 3. Returns the robot's number when
    /// it receives that topic.
    fn offer_wish(&self, robot: &Side, version: u32) -> u64 {
        let number = self.meet(robot, version);
        let offer = Offer {
            topic: 3,
            kind: OfferKind::Topic,
            name: "Wish",
            schema: "a/msg/Image",
            hash: "",
            definition: "uint8[] pixels\n",
        };
        self.say(7, number, &Frame::Offer(offer));
        robot.until(|link| link.received[0].peers == 1);
        number
    }

    fn at(side: &Side) -> Self {
        let LinkAddress::Udp(robot) = side.address() else { panic!("it is UDP") };
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, robot }
    }

    fn say(&self, from: u64, to: u64, frame: &Frame<'_>) {
        let mut datagram = [from.to_le_bytes(), to.to_le_bytes()].concat();
        frame.write(&mut datagram);
        self.socket.send_to(&datagram, self.robot).unwrap();
    }

    /// Says hello as number 7 until the robot knows it. Returns the robot's number.
    fn meet(&self, robot: &Side, version: u32) -> u64 {
        let (hello, met) = (Frame::Hello { version, robot: "stranger" }, robot.statistics().met);
        self.say(7, 0, &hello);
        let (number, _) = self.hear();
        self.say(7, number, &hello);
        robot.until(|link| link.met == met + 1);
        number
    }

    /// Returns the version that the other side says.
    fn version(&self) -> u32 {
        let mut datagram = [0; 65_536];
        let length = self.socket.recv(&mut datagram).unwrap();
        match Frame::read(&datagram[16..length]) {
            Ok(Frame::Hello { version, .. }) => version,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the number of the other side, and whether it has sent a hello.
    fn hear(&self) -> (u64, bool) {
        let mut datagram = [0; 65_536];
        let length = self.socket.recv(&mut datagram).unwrap();
        let from = u64::from_le_bytes(datagram[..8].try_into().unwrap());
        (from, matches!(Frame::read(&datagram[16..length]), Ok(Frame::Hello { .. })))
    }
}

#[test]
fn datagrams_that_belong_to_no_conversation_are_ignored() {
    let robot = Side::open("robot", listening(free_udp(), &["Image"], &["Wish"]));
    let _images = robot.publisher::<Image>("Image");
    let stranger = UdpStranger::at(&robot);
    let hello = Frame::Hello { version: VERSION, robot: "stranger" };
    stranger.socket.send_to(b"short", stranger.robot).unwrap();
    stranger.socket.send_to(&[0xff; 100], stranger.robot).unwrap();
    stranger.say(7, 12345, &hello);
    stranger.say(0, 0, &hello);
    stranger.say(7, 0, &Frame::Goodbye { reason: "before hello" });
    robot.until(|link| link.ignored == 5);
    // An address that is not proven gets one hello for a hello, and no offers.
    stranger.say(7, 0, &hello);
    let (number, is_hello) = stranger.hear();
    assert!(is_hello && number != 0);
    stranger.say(7, 0, &hello);
    assert_eq!(stranger.hear(), (number, true));
    assert_eq!(robot.statistics().met, 0);
    stranger.say(7, number, &hello);
    robot.until(|link| link.met == 1);
    while stranger.hear().1 {}
    // A known peer may not send garbage either.
    let garbage = [&7_u64.to_le_bytes()[..], &number.to_le_bytes(), &[99; 20]].concat();
    stranger.socket.send_to(&garbage, stranger.robot).unwrap();
    robot.until(|link| link.refused == 1 && link.parted == 1);
}

#[test]
fn who_begins_anew_at_the_same_address_is_met_anew() {
    let robot = Side::open("robot", listening(free_udp(), &[], &[]));
    let stranger = UdpStranger::at(&robot);
    let hello = Frame::Hello { version: VERSION, robot: "stranger" };
    let mut before = 0;
    for time in 1..=3 {
        stranger.say(time, 0, &hello);
        // Datagrams to the stranger's previous conversation may still arrive.
        let number = std::iter::repeat_with(|| stranger.hear().0).find(|number| *number != before).unwrap();
        stranger.say(time, number, &hello);
        before = number;
        robot.until(|link| link.met == time);
    }
    assert_eq!(robot.statistics().parted, 2);
}

#[test]
fn fragments_of_a_peer_that_makes_them_up_are_bounded_and_its_messages_come() {
    let robot = Side::open("robot", listening(free_udp(), &[], &["Wish"]));
    let mut wishes = robot.queue::<Image>("Wish");
    let stranger = UdpStranger::at(&robot);
    let number = stranger.offer_wish(&robot, VERSION_WITH_FRAGMENTS);
    let fragment =
        |topic, sequence, length, index, bytes| Frame::Fragment(Fragment { topic, sequence, length, index, bytes });
    // Claims of 64 MB each, of which a byte comes, and messages that nobody wants.
    let longest = LONGEST_FRAME as u32 - PIECE as u32 + 1;
    (1..=200).for_each(|sequence| stranger.say(7, number, &fragment(3, sequence, longest, 2047, &[1])));
    stranger.say(7, number, &fragment(4, 1, 1, 0, &[1]));
    robot.until(|link| link.ignored == 1);
    // A message that comes backwards and twice is one message.
    let (mut pixels, mut whole) = (vec![0, 1, 0, 0, 0xa0, 0x86, 1, 0], Vec::new());
    pixels.resize(8 + 100_000, 9);
    Frame::Message(Message { topic: 3, sequence: 201, time: 0, stamp: None, cdr: &pixels }).write(&mut whole);
    for (index, bytes) in whole.chunks(PIECE).enumerate().rev() {
        (0..2).for_each(|_| stranger.say(7, number, &fragment(3, 201, whole.len() as u32, index as u32, bytes)));
    }
    assert_eq!(next(&mut wishes).pixels, vec![9; 100_000]);
    let received = robot.until(|link| link.received[0].messages > 0).received.remove(0);
    assert_eq!((received.messages, received.lost, received.unreadable), (1, 200, 0));
    stranger.say(7, number, &fragment(3, 202, 1, 0, &[99]));
    let link = robot.until(|link| link.refused == 1);
    assert!(link.problem.is_some_and(|problem| problem.contains("there is no frame of kind 99")));
}

#[test]
fn a_peer_says_the_version_that_both_know_and_fragments_are_of_the_later_one() {
    let robot = Side::open("robot", listening(free_udp(), &["Image"], &[]));
    let mut images = robot.publisher::<Image>("Image");
    let hello = |version| Frame::Hello { version, robot: "stranger" };
    for (there, here) in [(VERSION, VERSION), (2, 2), (3, 3), (9, VERSION_WITH_ACKNOWLEDGEMENTS)] {
        let stranger = UdpStranger::at(&robot);
        stranger.say(7, 0, &hello(there));
        assert_eq!(stranger.version(), here);
    }
    // Nobody is disturbed by what it does not know: long messages are not sent, and that is told.
    let stranger = UdpStranger::at(&robot);
    let number = stranger.meet(&robot, VERSION);
    stranger.say(7, number, &Frame::Answer { topic: 0, answer: Answer::Wanted, reason: "" });
    robot.until_wanted();
    images.publish(Image { pixels: vec![1; 70_000] });
    let link = robot.until(|link| link.sent[0].unsendable == 1);
    assert!(link.problem.is_some_and(|problem| problem.contains("`stranger` takes datagrams of 65491 bytes only")));
    // A later version that is not negotiated is refused, as is a fragment.
    stranger.say(7, number, &Frame::Fragment(Fragment { topic: 0, sequence: 1, length: 1, index: 0, bytes: &[1] }));
    let link = robot.until(|link| link.refused == 1);
    assert!(link.problem.is_some_and(|problem| problem.contains("there is no frame of kind 16")));
    let stranger = UdpStranger::at(&robot);
    let number = stranger.meet(&robot, VERSION_WITH_FRAGMENTS);
    stranger.say(7, number, &Frame::Reliable(Reliable { number: 1, frame: &[4] }));
    let link = robot.until(|link| link.refused == 2);
    assert!(link.problem.is_some_and(|problem| problem.contains("there is no frame of kind 17")));
    let stranger = UdpStranger::at(&robot);
    stranger.say(7, 0, &hello(9));
    let (number, _) = stranger.hear();
    stranger.say(7, number, &hello(9));
    let link = robot.until(|link| link.refused == 3);
    assert!(link.problem.is_some_and(|problem| problem.contains("version 9 of links, and here is version 3")));
}

#[test]
fn who_acknowledges_what_was_never_sent_or_hides_garbage_in_what_is_reliable_disturbs_nobody() {
    let robot = Side::open("robot", listening(free_udp(), &[], &["Wish"]));
    let mut wishes = robot.queue::<Image>("Wish");
    let stranger = UdpStranger::at(&robot);
    let number = stranger.offer_wish(&robot, VERSION_WITH_ACKNOWLEDGEMENTS);
    for (next, later) in [(0, 0), (2, 0), (1, 1), (u64::MAX, u64::MAX), (1, 1 << 63)] {
        stranger.say(7, number, &Frame::Acknowledgement { next, later });
    }
    robot.until(|link| link.ignored == 5);
    let message = |sequence| {
        let (mut frame, cdr) = (Vec::new(), [0, 1, 0, 0, 1, 0, 0, 0, sequence as u8]);
        Frame::Message(Message { topic: 3, sequence, time: 0, stamp: None, cdr: &cdr }).write(&mut frame);
        frame
    };
    let reliable = |number, sequence| (number, message(sequence));
    // Those that are too far ahead, or of no number, are ignored; the others come in their order.
    for (at, frame) in
        [reliable(0, 9), reliable(66, 9), reliable(u64::MAX, 9), reliable(2, 2), reliable(2, 7), reliable(1, 1)]
    {
        stranger.say(7, number, &Frame::Reliable(Reliable { number: at, frame: &frame }));
    }
    assert_eq!([(); 2].map(|()| next(&mut wishes).pixels), [[1], [2]]);
    assert_eq!(robot.until(|link| link.received[0].messages == 2).ignored, 8);
    stranger.say(7, number, &Frame::Reliable(Reliable { number: 3, frame: &[4, 1, 2] }));
    let link = robot.until(|link| link.refused == 1);
    assert!(link.problem.is_some_and(|problem| problem.contains("a frame ends too early")));
}
