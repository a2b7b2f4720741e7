//! Strangers in the network who say anything, as `docs/book/src/link.md` describes it or not: they
//! are refused or ignored, which is counted, and nobody else is affected.

mod common;

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use common::{FREE, Goal, PATIENCE, Side, connecting, eventually, listening, next, session};
use hemiola_link::wire::{Frame, Incoming, VERSION};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::qos::CongestionControl;
use zenoh::{Session, Wait};

const BEGIN: u8 = 0;
const BYTES: u8 = 1;
const ROOM: u8 = 2;
const END: u8 = 3;

/// The id of a member that begins conversations with all others, and of one that never does.
const FIRST: &str = "0000000000000000.1";
const LAST: &str = "ffffffffffffffff.1";

/// A stranger in the network of a robot.
struct Stranger {
    session: Session,
    /// The key of what it says to the robot.
    key: String,
    heard: Receiver<Vec<u8>>,
    _token: LivelinessToken,
    _subscriber: Subscriber<()>,
}

fn piece(kind: u8, conversation: u64, number: u64, bytes: &[u8]) -> Vec<u8> {
    [&[kind][..], &conversation.to_le_bytes(), &number.to_le_bytes(), bytes].concat()
}

/// Returns a frame of a stream, with its length.
fn framed(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    frame.write(&mut bytes);
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn hello() -> Vec<u8> {
    framed(&Frame::Hello { version: VERSION, robot: "stranger" })
}

impl Stranger {
    fn at(robot: &Side, id: &str) -> Self {
        let session = session("peer", &[], &[&robot.address()]);
        let own = format!("hemiola/stranger/here/{id}");
        let robot = eventually(|| {
            let replies = session.liveliness().get("hemiola/robot/*/*").wait().unwrap();
            replies.recv().ok().map(|reply| reply.result().unwrap().key_expr().to_string())
        });
        let robot = robot.expect("the robot is there");
        let (hears, heard) = channel();
        let hear = move |sample: zenoh::sample::Sample| _ = hears.send(sample.payload().to_bytes().into_owned());
        // Others say something to it, too.
        let told = format!("{own}/{}", robot.rsplit('/').next().unwrap());
        let subscriber = session.declare_subscriber(told).callback(hear).wait().unwrap();
        let token = session.liveliness().declare_token(own).wait().unwrap();
        let key = format!("{robot}/{id}");
        Self { session, key, heard, _token: token, _subscriber: subscriber }
    }

    fn say(&self, payload: Vec<u8>) {
        self.session.put(&self.key, payload).congestion_control(CongestionControl::Block).wait().unwrap();
    }

    fn hear(&self) -> Vec<u8> {
        self.heard.recv_timeout(PATIENCE).expect("something is said")
    }

    /// Returns the next piece that is no notice of room.
    fn hear_next(&self) -> Vec<u8> {
        loop {
            let heard = self.hear();
            if heard[0] != ROOM {
                return heard;
            }
        }
    }
}

/// A robot, with a well-behaved peer, which must be served in any case.
struct Served {
    robot: Side,
    friend: Side,
}

impl Served {
    fn new() -> Self {
        let robot = Side::open("robot", listening(FREE, &["Goal"], &[]));
        let friend = Side::open("friend", connecting(&robot.address(), &[], &["Goal"]));
        robot.until(|link| link.met == 1);
        Self { robot, friend }
    }

    fn serves_on(&self) {
        let (mut goals, mut seen) = (self.robot.publisher("Goal"), self.friend.queue::<Goal>("Goal"));
        self.robot.until_wanted();
        goals.publish(Goal { x: 0.5, number: 7 });
        assert_eq!(next(&mut seen), Goal { x: 0.5, number: 7 });
        let friend = self.friend.statistics();
        assert_eq!((friend.met, friend.parted, friend.received[0].lost), (1, 0, 0), "{:?}", self.friend.notes());
    }
}

#[test]
fn who_does_as_the_page_says_is_met() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, FIRST);
    stranger.say(piece(BEGIN, 5, 0, &[]));
    assert_eq!(stranger.hear(), piece(ROOM, 5, 524_288, &[]));
    // Who has not heard the answer asks again.
    stranger.say(piece(BEGIN, 5, 0, &[]));
    assert_eq!(stranger.hear(), piece(ROOM, 5, 524_288, &[]));
    stranger.say(piece(ROOM, 5, 524_288, &[]));
    // A stream may be cut anywhere.
    let hello = hello();
    stranger.say(piece(BYTES, 5, 0, &hello[..3]));
    stranger.say(piece(BYTES, 5, 3, &hello[3..]));
    served.robot.until(|link| link.met == 2);
    let (mut incoming, mut position) = (Incoming::default(), 0);
    let robot = loop {
        let heard = stranger.hear();
        assert_eq!(heard[..17], piece(BYTES, 5, position, &[]));
        position += heard.len() as u64 - 17;
        incoming.push(&heard[17..]);
        if let Some(frame) = incoming.next().unwrap() {
            let Frame::Hello { version: VERSION, robot } = frame else { panic!("{frame:?}") };
            break robot.to_owned();
        }
    };
    assert_eq!(robot, "robot");
    // The end of a conversation is that of a peer.
    stranger.say(piece(END, 5, 0, &[]));
    served.robot.until(|link| link.parted == 1);
    assert_eq!(served.robot.statistics().refused, 0);
    served.serves_on();
}

#[test]
fn who_begins_no_conversation_is_begun_with_and_again_after_garbage() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, LAST);
    let begun = stranger.hear();
    let number = |piece: &[u8]| u64::from_le_bytes(piece[1..9].try_into().unwrap());
    assert_eq!(begun, piece(BEGIN, number(&begun), 0, &[]));
    // It says so again until it is answered.
    assert_eq!(stranger.hear(), begun);
    stranger.say(piece(ROOM, number(&begun), 524_288, &[]));
    stranger.say(piece(BYTES, number(&begun), 0, b"GET / HTTP/1.1\r\nHost: robot\r\n\r\n"));
    let refused = served.robot.until(|link| link.refused == 1).problem.unwrap();
    assert!(refused.contains("there is no frame of kind 47"), "{refused}");
    while stranger.hear_next() != piece(END, number(&begun), 0, &[]) {}
    let again = stranger.hear_next();
    assert_eq!(again, piece(BEGIN, number(&again), 0, &[]));
    assert!(number(&again) > number(&begun));
    stranger.say(piece(ROOM, number(&again), 524_288, &[]));
    stranger.say(piece(BYTES, number(&again), 0, &hello()));
    served.robot.until(|link| link.met == 2);
    served.serves_on();
}

#[test]
fn a_conversation_of_which_a_part_is_lost_ends() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, FIRST);
    stranger.say(piece(BEGIN, 1, 0, &[]));
    stranger.say(piece(BYTES, 1, 0, &hello()));
    served.robot.until(|link| link.met == 2);
    stranger.say(piece(BYTES, 1, hello().len() as u64 + 1, &[0; 100]));
    let link = served.robot.until(|link| link.parted == 1);
    let problem = "a conversation begins anew: a part of it was lost on the way";
    assert_eq!((link.problem.as_deref(), link.refused), (Some(problem), 0));
    while stranger.hear_next() != piece(END, 1, 0, &[]) {}
    // Whoever speaks in a conversation that is not there is told so.
    stranger.say(piece(BYTES, 7, 0, &[0; 100]));
    assert_eq!(stranger.hear_next(), piece(END, 7, 0, &[]));
    stranger.say(piece(BEGIN, 2, 0, &[]));
    stranger.say(piece(BYTES, 2, 0, &hello()));
    served.robot.until(|link| link.met == 3);
    served.serves_on();
}

#[test]
fn who_speaks_before_it_is_known_to_be_there_is_answered_when_it_is() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, FIRST);
    let (own, robot) = stranger.key.rsplit_once('/').map(|(robot, _)| ("hemiola/stranger/here/", robot)).unwrap();
    let id = "0000000000000000.2";
    let (hears, heard) = channel();
    let hear = move |sample: zenoh::sample::Sample| _ = hears.send(sample.payload().to_bytes().into_owned());
    let told = format!("{own}{id}/{}", robot.rsplit('/').next().unwrap());
    let _subscriber = stranger.session.declare_subscriber(told).callback(hear).wait().unwrap();
    stranger.session.put(format!("{robot}/{id}"), piece(BEGIN, 3, 0, &[])).wait().unwrap();
    let _token = stranger.session.liveliness().declare_token(format!("{own}{id}")).wait().unwrap();
    let answer = heard.recv_timeout(Duration::from_secs(30)).expect("it is answered");
    assert_eq!(answer, piece(ROOM, 3, 524_288, &[]));
    assert_eq!(served.robot.statistics().ignored, 0);
    served.serves_on();
}

#[test]
fn what_is_no_piece_or_from_nobody_is_ignored_and_counted() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, FIRST);
    let garbage = [
        vec![],
        b"GET / HTTP/1.1".to_vec(),
        piece(9, 1, 0, &[]),
        piece(BEGIN, 1, 1, &[]),
        piece(BYTES, 1, 0, &[0; 49_153]),
        piece(ROOM, 1, 1, b"more"),
    ];
    garbage.iter().for_each(|payload| stranger.say(payload.clone()));
    served.robot.until(|link| link.ignored == garbage.len() as u64);
    // Nobody of these names is there, and they are no names.
    let own = stranger.key.rsplit_once('/').unwrap().0;
    for name in [LAST, "stranger", "1.1"] {
        stranger.session.put(format!("{own}/{name}"), piece(BEGIN, 1, 0, &[])).wait().unwrap();
    }
    served.robot.until(|link| link.ignored == garbage.len() as u64 + 3);
    let token = stranger.session.liveliness().declare_token("hemiola/stranger/here/1.1").wait().unwrap();
    served.robot.until(|link| link.ignored == garbage.len() as u64 + 4);
    drop(token);
    let link = served.robot.statistics();
    assert_eq!((link.met, link.refused, link.problem), (1, 0, None));
    served.serves_on();
}

#[test]
fn who_is_to_wait_for_a_conversation_does_not_begin_one() {
    let served = Served::new();
    let stranger = Stranger::at(&served.robot, LAST);
    assert_eq!(stranger.hear()[0], BEGIN);
    stranger.say(piece(BEGIN, 1_000_000, 0, &[]));
    let link = served.robot.until(|link| link.ignored == 1);
    assert_eq!((link.met, link.parted), (1, 0));
    served.serves_on();
}

#[test]
fn there_are_sixteen_peers_at_most_and_others_come_when_one_has_gone() {
    let robot = Side::open("robot", listening(FREE, &[], &[]));
    let stranger = Stranger::at(&robot, FIRST);
    let declare = |number: u64| {
        let id = format!("0000000000000000.{}", number + 2);
        let token = stranger.session.liveliness().declare_token(format!("hemiola/stranger/here/{id}")).wait().unwrap();
        let key = format!("{}/{id}", stranger.key.rsplit_once('/').unwrap().0);
        let say = |payload: Vec<u8>| stranger.session.put(&key, payload).wait().unwrap();
        say(piece(BEGIN, 1, 0, &[]));
        say(piece(BYTES, 1, 0, &hello()));
        token
    };
    let mut tokens: Vec<_> = (0..16).map(declare).collect();
    robot.until(|link| link.peers.len() == 16);
    tokens.push(declare(16));
    let link = robot.until(|link| link.problem.is_some());
    assert_eq!(link.problem.as_deref(), Some("as many peers are connected as may be"));
    assert_eq!(link.met, 16);
    drop(tokens.remove(3));
    robot.until(|link| link.peers.len() == 15 && link.parted == 1);
    // It is met as soon as the threads of the one that has gone have ended.
    for number in 17..1000 {
        tokens.push(declare(number));
        if robot.statistics().met == 17 {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("nobody is met any more: {}", robot.statistics());
}
