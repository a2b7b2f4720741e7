//! Malicious and broken peers: their cost is bounded, they are counted and reported, and others do
//! not notice them.

mod common;

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use common::{PATIENCE, Side, connecting, eventually, framed, free_tcp, free_unix, hear, listening, next, serving};
use hemiola::prelude::*;
use hemiola_bus::{AnswerError, CallError};
use hemiola_link::wire::{Answer, Frame, Incoming, Message, NoAnswer, Offer, OfferKind, Request, Response, VERSION};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    pixels: Vec<u8>,
}

const TOPIC: OfferKind = OfferKind::Topic;

/// A program that sends arbitrary frames.
struct Stranger {
    stream: UnixStream,
    incoming: Incoming,
}

impl Stranger {
    fn at(side: &Side) -> Self {
        let LinkAddress::Unix(path) = side.address() else { panic!("it is a Unix socket") };
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { stream, incoming: Incoming::default() }
    }

    fn say(&mut self, frame: &Frame<'_>) {
        self.stream.write_all(&framed(frame)).unwrap();
    }

    fn hello(&mut self) {
        self.say(&Frame::Hello { version: VERSION, robot: "stranger" });
    }

    /// Receives until `wanted` accepts a frame. Returns `None` at the end of the connection.
    fn hear<T>(&mut self, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> Option<T> {
        hear(&mut self.stream, &mut self.incoming, wanted)
    }

    fn goodbye(&mut self) -> Option<String> {
        self.hear(|frame| if let Frame::Goodbye { reason } = frame { Some((*reason).to_owned()) } else { None })
    }
}

/// A robot that listens, with a well-behaved peer, which must be served in any case.
struct Served {
    robot: Side,
    friend: Side,
}

impl Served {
    fn new(send: Sent) -> Self {
        let topics = LinkConfiguration { send: vec![send], ..listening(free_unix(), &[], &["Wish"]) };
        let robot = Side::open("robot", topics);
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
            images.publish(Image { pixels: vec![7; 3] });
            seen.receive().filter(|image| image.pixels == [7; 3]).map(drop)
        });
        arrives.expect("the friend is served");
    }
}

/// Checks that a peer that sends these bytes is refused with this reason.
fn is_sent_away(bytes: &[u8], why: &str) {
    let served = Served::new(Sent::topic("Image"));
    let mut stranger = Stranger::at(&served.robot);
    stranger.stream.write_all(bytes).unwrap();
    let reason = stranger.goodbye().expect("a reason is said");
    assert!(reason.contains(why), "{reason}");
    let link = served.robot.until(|link| link.refused == 1);
    assert!(link.problem.as_ref().is_some_and(|problem| problem.contains(why)), "{link:?}");
    assert!(served.robot.notes().iter().any(|note| note.contains(why)));
    served.serves_on();
}

#[test]
fn garbage_is_sent_away() {
    is_sent_away(b"GET / HTTP/1.1\r\nHost: robot\r\n\r\n", "there is no frame of kind 47");
}

#[test]
fn a_length_of_four_gigabytes_is_sent_away() {
    is_sent_away(&[0xff, 0xff, 0xff, 0xff, 4, 0, 0], "4294967295 bytes, of at most 67108864");
}

#[test]
fn another_version_is_sent_away() {
    let mut hello = vec![0; 4];
    Frame::Hello { version: 9, robot: "from the future" }.write(&mut hello);
    hello[0] = hello.len() as u8 - 4;
    is_sent_away(&hello, "it speaks version 9 of links, and here is version 1");
}

#[test]
fn who_does_not_say_hello_first_is_sent_away() {
    is_sent_away(&[14, 0, 0, 0, 3, 0, 0, 0, 0, 2, 4, 0, 0, 0, b'w', b'h', b'y', b'?'], "it has not said hello");
}

#[test]
fn the_seventeenth_is_sent_away() {
    let served = Served::new(Sent::topic("Image"));
    let strangers: Vec<_> = (0..15)
        .map(|_| {
            let mut stranger = Stranger::at(&served.robot);
            stranger.hello();
            stranger
        })
        .collect();
    served.robot.until(|link| link.peers.len() == 16);
    let mut late = Stranger::at(&served.robot);
    // The connection is closed, with a reason if there was time to send one.
    assert!(late.goodbye().is_none_or(|reason| reason.contains("as many")));
    served.robot.until(|link| link.refused == 1);
    drop(strangers);
    served.robot.until(|link| link.parted == 15);
    served.serves_on();
}

#[test]
fn a_peer_that_never_reads_holds_nobody_up_and_costs_what_is_kept() {
    let served = Served::new(Sent { keep: Keep::Last(5), ..Sent::topic("Image") });
    let mut images = served.robot.publisher::<Image>("Image");
    let mut stranger = Stranger::at(&served.robot);
    stranger.hello();
    let topic = stranger.hear(|frame| if let Frame::Offer(offer) = frame { Some(offer.topic) } else { None }).unwrap();
    stranger.say(&Frame::Answer { topic, answer: Answer::Wanted, reason: "" });
    let mut seen = served.friend.queue::<Image>("Image");
    served.robot.until(|link| link.sent[0].peers == 2);
    // These 40 MB exceed all buffers of the kernel. The friend receives each message.
    for number in 1..=40_u8 {
        images.publish(Image { pixels: vec![number; 1_000_000] });
        assert_eq!(next(&mut seen).pixels[0], number);
    }
    served.robot.until(|link| link.sent[0].messages >= 40 && link.sent[0].dropped >= 25);
    // The newest messages have been kept for the stranger.
    let last = stranger.hear(|frame| match frame {
        Frame::Message(message) if message.cdr[8] == 40 => Some(message.sequence),
        _ => None,
    });
    assert!(last.unwrap() < 20, "{last:?}");
    drop(stranger);
    served.serves_on();
}

#[test]
fn who_asks_and_takes_no_answers_is_sent_away() {
    let served = Served::new(Sent::topic("Image"));
    let mut stranger = Stranger::at(&served.robot);
    stranger.hello();
    let mut offers = Vec::new();
    for topic in 0..1000 {
        let mut offer = vec![0; 4];
        Frame::Offer(Offer { topic, kind: TOPIC, name: "nothing", schema: "a/b", hash: "", definition: "" })
            .write(&mut offer);
        offer[0] = offer.len() as u8 - 4;
        offers.extend_from_slice(&offer);
    }
    // The stranger writes until its connection is closed.
    while stranger.stream.write_all(&offers).is_ok() {}
    let link = served.robot.until(|link| link.refused == 1);
    assert!(link.problem.as_ref().is_some_and(|problem| problem.contains("does not read the answers")), "{link:?}");
    served.serves_on();
}

#[test]
fn messages_that_are_none_and_that_nobody_asked_for_are_counted() {
    let served = Served::new(Sent::topic("Image"));
    let mut wishes = served.robot.queue::<Image>("Wish");
    let mut stranger = Stranger::at(&served.robot);
    stranger.hello();
    let message = |topic, sequence, cdr| Frame::Message(Message { topic, sequence, time: 0, stamp: None, cdr });
    stranger.say(&message(3, 1, &[0, 1, 0, 0]));
    served.robot.until(|link| link.ignored == 1);
    let offer =
        Offer { topic: 3, kind: TOPIC, name: "Wish", schema: "a/msg/Image", hash: "", definition: "uint8[] pixels\n" };
    stranger.say(&Frame::Offer(offer));
    let answer = stranger.hear(|frame| if let Frame::Answer { answer, .. } = frame { Some(*answer) } else { None });
    assert_eq!(answer, Some(Answer::Wanted));
    // The messages are a sequence of 4 GB, CDR of another kind, nothing, and finally a valid
    // message.
    stranger.say(&message(3, 1, &[0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff]));
    stranger.say(&message(3, 2, &[7; 40]));
    stranger.say(&message(3, 3, &[]));
    stranger.say(&message(3, 7, &[0, 1, 0, 0, 1, 0, 0, 0, 9]));
    stranger.say(&message(3, 6, &[0, 1, 0, 0, 1, 0, 0, 0, 9]));
    assert_eq!(next(&mut wishes).pixels, [9]);
    let link = served.robot.until(|link| link.received[0].late == 1);
    let wish = &link.received[0];
    assert_eq!((wish.messages, wish.unreadable, wish.lost, wish.late), (1, 3, 3, 1));
    assert_eq!(link.refused, 0);
    // A topic has no values, and no representation was offered.
    let value = Message { topic: 3, sequence: 8, time: 0, stamp: Some(0), cdr: &[0, 1, 0, 0, 1, 0, 0, 0, 9] };
    stranger.say(&Frame::Message(value));
    stranger.say(&Frame::Offer(Offer { kind: OfferKind::Representation, ..offer }));
    let answer = stranger.hear(|frame| if let Frame::Answer { answer, .. } = frame { Some(*answer) } else { None });
    assert_eq!(answer, Some(Answer::Unknown));
    served.robot.until(|link| link.ignored == 2);
    served.serves_on();
}

/// A robot that serves `double`, and a stranger that has said hello and may call it under the
/// number 5.
fn served_stranger() -> (Side, Stranger) {
    let robot = Side::open("robot", serving(free_unix(), &["double"]));
    robot.bus.allow_calls::<u32, u32>("double");
    let mut stranger = Stranger::at(&robot);
    stranger.hello();
    (robot, stranger)
}

const DOUBLE: Offer<'_> = Offer {
    topic: 5,
    kind: OfferKind::ServiceRequests,
    name: "double",
    schema: "a/msg/Double",
    hash: "",
    definition: "uint32 data\n",
};

fn request(topic: u32, call: u64, cdr: &[u8]) -> Frame<'_> {
    Frame::Request(Request { topic, call, cdr })
}

/// Returns the number and the reason of the next refused call.
fn refusal(stranger: &mut Stranger) -> (u64, NoAnswer, String) {
    let found = stranger.hear(|frame| match frame {
        Frame::Refusal { call, why, reason } => Some((*call, *why, (*reason).to_owned())),
        _ => None,
    });
    found.expect("it is refused")
}

fn answer_to_offer(stranger: &mut Stranger) -> Option<Answer> {
    stranger.hear(|frame| if let Frame::Answer { answer, .. } = frame { Some(*answer) } else { None })
}

const FOUR: &[u8] = &[0, 1, 0, 0, 4, 0, 0, 0];

#[test]
fn calls_that_are_none_or_that_come_twice_are_refused_or_ignored_and_the_next_one_is_served() {
    let (robot, mut stranger) = served_stranger();
    // The service was not offered, and has no server.
    stranger.say(&request(5, 1, FOUR));
    assert_eq!(refusal(&mut stranger), (1, NoAnswer::Ended, "no such service was offered".to_owned()));
    stranger.say(&Frame::Offer(DOUBLE));
    assert_eq!(answer_to_offer(&mut stranger), Some(Answer::Later));
    stranger.say(&request(5, 2, FOUR));
    assert_eq!(refusal(&mut stranger), (2, NoAnswer::Ended, "nobody serves it".to_owned()));
    let mut server = robot.bus.server::<u32, u32>("double", 4).unwrap();
    assert_eq!(answer_to_offer(&mut stranger), Some(Answer::Wanted));
    // The requests are nothing, CDR of another kind, and a truncated number.
    for (call, cdr) in [(3, &[][..]), (4, &[7; 8]), (5, &[0, 1, 0, 0, 4])] {
        stranger.say(&request(5, call, cdr));
        let (refused, why, reason) = refusal(&mut stranger);
        assert_eq!((refused, why), (call, NoAnswer::Refused), "{reason}");
    }
    // The calls were made before, and the answers and refusals are for calls that were never made.
    stranger.say(&request(5, 4, FOUR));
    stranger.say(&Frame::Response(Response { call: 4, cdr: FOUR }));
    stranger.say(&Frame::Refusal { call: 9, why: NoAnswer::Panicked, reason: "" });
    robot.until(|link| link.ignored == 4);
    stranger.say(&request(5, 6, FOUR));
    stranger.say(&request(5, 6, FOUR));
    robot.until(|link| link.ignored == 5 && link.served[0].in_flight == 1);
    assert_eq!(server.run(8, |number| 2 * number), 1);
    let answer = stranger.hear(|frame| match frame {
        Frame::Response(response) => Some((response.call, response.cdr.to_vec())),
        _ => None,
    });
    assert_eq!(answer, Some((6, vec![0, 1, 0, 0, 8, 0, 0, 0])));
    let served = robot.until(|link| link.served[0].answers == 1).served.remove(0);
    assert_eq!((served.calls, served.refused, served.unanswered), (5, 3, 1));
    assert_eq!(robot.statistics().refused, 0);
}

#[test]
fn who_calls_without_end_and_takes_no_answers_is_sent_away() {
    let (robot, mut stranger) = served_stranger();
    let _server = robot.bus.server::<u32, u32>("double", 1000).unwrap();
    stranger.say(&Frame::Offer(DOUBLE));
    while answer_to_offer(&mut stranger) != Some(Answer::Wanted) {}
    let mut most = 0;
    'calls: for round in 0.. {
        let mut frames = Vec::new();
        for call in 1..=1000 {
            let begin = frames.len();
            frames.extend_from_slice(&[21, 0, 0, 0]);
            request(5, 1000 * round + call, FOUR).write(&mut frames);
            assert_eq!(frames.len() - begin, 25);
        }
        if stranger.stream.write_all(&frames).is_err() {
            break 'calls;
        }
        most = most.max(robot.statistics().served[0].in_flight);
    }
    let link = robot.until(|link| link.refused == 1);
    assert!(link.problem.as_ref().is_some_and(|problem| problem.contains("does not read the answers")), "{link:?}");
    assert!(most <= 64, "{most}");
    let served = &robot.until(|link| link.served[0].in_flight == 0).served[0];
    assert_eq!(served.calls, served.refused + served.unanswered, "{served:?}");
}

#[test]
fn a_peer_that_answers_nonsense_is_told_to_who_has_asked() {
    let robot = Side::open("robot", LinkConfiguration { call: vec!["double".to_owned()], ..serving(free_unix(), &[]) });
    robot.bus.allow_calls::<u32, u32>("double");
    let mut stranger = Stranger::at(&robot);
    stranger.hello();
    let topic = stranger.hear(|frame| match frame {
        Frame::Offer(offer) if offer.kind == OfferKind::ServiceRequests => Some(offer.topic),
        _ => None,
    });
    let topic = topic.expect("it would call");
    stranger.say(&Frame::Answer { topic, answer: Answer::Wanted, reason: "" });
    // A peer that accepts requests and offers no answers gets no requests.
    stranger.say(&Frame::Offer(Offer { kind: OfferKind::ServiceAnswers, name: "other", ..DOUBLE }));
    assert_eq!(answer_to_offer(&mut stranger), Some(Answer::Unknown));
    let mut client = robot.bus.client::<u32, u32>("double").unwrap();
    assert!(client.call_async(1).is_err());
    stranger.say(&Frame::Offer(Offer { kind: OfferKind::ServiceAnswers, ..DOUBLE }));
    robot.until_answered();
    let mut ask = |number: u32, answer: &dyn Fn(u64) -> Vec<Frame<'static>>| {
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| client.call(number, PATIENCE));
            let call = stranger.hear(|frame| if let Frame::Request(it) = frame { Some(it.call) } else { None });
            answer(call.unwrap()).iter().for_each(|frame| stranger.say(frame));
            asked.join().unwrap()
        })
    };
    let response = |call, cdr| Frame::Response(Response { call, cdr });
    let cut = ask(1, &|call| vec![response(call, &[0, 1, 0, 0, 7])]);
    assert!(matches!(cut, Err(CallError::NoAnswer(AnswerError::Refused))), "{cut:?}");
    let panicked = ask(2, &|call| vec![Frame::Refusal { call, why: NoAnswer::Panicked, reason: "\u{1b}[2J" }]);
    assert!(matches!(panicked, Err(CallError::NoAnswer(AnswerError::Panicked))), "{panicked:?}");
    // An answer counts once, and one to no call is not counted.
    let answered = ask(3, &|call| vec![response(call + 1, FOUR), response(call, FOUR), response(call, FOUR)]);
    assert_eq!(answered.unwrap(), 4);
    let link = robot.until(|link| link.ignored == 2);
    let called = &link.called[0];
    assert_eq!((called.calls, called.answers, called.refused, called.unanswered), (3, 1, 1, 1));
    assert!(link.problem.is_some_and(|problem| problem.contains("the answer cannot be read")));
}

#[test]
fn offers_whose_definitions_cannot_be_used_are_refused() {
    let served = Served::new(Sent::topic("Image"));
    let _wishes = served.robot.queue::<Image>("Wish");
    let mut stranger = Stranger::at(&served.robot);
    stranger.hello();
    for (definition, why) in [
        ("uint8[ pixels\n", "definition"),
        ("string pixels\n", "`pixels` has another type"),
        ("float64 other\n", "no field in common"),
    ] {
        stranger.say(&Frame::Offer(Offer {
            topic: 0,
            kind: TOPIC,
            name: "Wish",
            schema: "a/msg/Image",
            hash: "",
            definition,
        }));
        let reason = stranger.hear(|frame| match frame {
            Frame::Answer { answer: Answer::Misfit, reason, .. } => Some((*reason).to_owned()),
            _ => None,
        });
        assert!(reason.as_ref().is_some_and(|reason| reason.contains(why)), "{reason:?}");
    }
    served.serves_on();
}

#[test]
fn who_connects_to_somebody_else_tries_again_and_says_so() {
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = LinkAddress::Tcp(web.local_addr().unwrap());
    let laptop = Side::open("laptop", connecting(address, &[], &["Image"]));
    for _ in 0..3 {
        let (mut stream, _) = web.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n").unwrap();
    }
    let link = laptop.until(|link| link.refused >= 2);
    assert_eq!(link.met, 0);
    let told = laptop.notes();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("what it says is not what links say"), "{told:?}");
}

#[test]
fn a_connection_that_is_torn_is_made_anew() {
    let robot = Side::open("robot", listening(free_tcp(), &["Image"], &[]));
    let mut images = robot.publisher::<Image>("Image");
    let LinkAddress::Tcp(robots) = robot.address() else { panic!("it is TCP") };
    // A proxy between both sides cuts the connection.
    let between = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = LinkAddress::Tcp(between.local_addr().unwrap());
    let laptop = Side::open("laptop", connecting(address, &[], &["Image"]));
    let mut seen = laptop.queue::<Image>("Image");
    for time in 1..=3 {
        let (near, far) = (between.accept().unwrap().0, TcpStream::connect(robots).unwrap());
        let pumps = [(&near, &far), (&far, &near)].map(|(from, to)| {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to))
        });
        robot.until(|link| link.met == time && link.sent[0].peers == 1);
        images.publish(Image { pixels: vec![time as u8] });
        assert_eq!(next(&mut seen).pixels, [time as u8]);
        [&near, &far].iter().for_each(|stream| stream.shutdown(std::net::Shutdown::Both).unwrap());
        pumps.into_iter().for_each(|pump| drop(pump.join()));
        [&robot, &laptop].iter().for_each(|side| drop(side.until(|link| link.parted == time)));
    }
}
