//! Two sides that exchange frames over a network that loses, delays and repeats them.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
use hemiola_model::data::{DataType, ReadError, Reader, Writer};
use hemiola_model::{Data, Form, Representation};
use hemiola_realtime::Wakeup;
use proptest::prelude::*;

use super::*;
use crate::ends::{Ends, Services, Topics};
use crate::statistics::LinkStatistics;
use crate::wire::{
    Fragment, LONGEST_IN_DATAGRAM, Message, NoAnswer, PIECE, Reliable, Request, Response, VERSION,
    VERSION_WITH_ACKNOWLEDGEMENTS, VERSION_WITH_FRAGMENTS,
};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count(pub u32);

impl Data for Count {
    fn data_type() -> DataType {
        u32::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        u32::read(reader).map(Self)
    }
}

impl Representation for Count {
    const NAME: &'static str = "Count";

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// A message that is longer than a datagram: bytes that count on from the first.
#[derive(Debug, PartialEq)]
struct Long(Vec<u8>);

impl Default for Long {
    fn default() -> Self {
        Self::of(0, 0)
    }
}

impl Long {
    fn of(first: u8, length: usize) -> Self {
        Self((0..length).map(|place| (place % 256) as u8).map(|place| place.wrapping_add(first)).collect())
    }
}

impl Data for Long {
    fn data_type() -> DataType {
        Vec::<u8>::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self)
    }
}

impl Representation for Long {
    const NAME: &'static str = "Long";

    fn form() -> Form<Self> {
        Form::data()
    }
}

pub fn nothing() -> LinkConfiguration {
    LinkConfiguration::new("link", LinkEnd::Listen(LinkAddress::Unix("/nowhere".into())))
}

pub struct Side {
    pub desk: Desk,
    pub session: Session,
    pub bus: Bus,
    pub now: Instant,
}

impl Side {
    fn new(send: &[&str], receive: &[&str]) -> Self {
        Self::of(&LinkConfiguration {
            send: send.iter().copied().map(Sent::topic).collect(),
            receive: receive.iter().map(|&topic| Received::new(Subject::topic(topic))).collect(),
            ..nothing()
        })
    }

    /// Creates a side that speaks these versions, with datagrams.
    fn over_udp(versions: RangeInclusive<u32>, send: &[&str], receive: &[&str]) -> Self {
        let mut side = Self::new(send, receive);
        (side.desk.longest_frame, side.desk.versions) = (LONGEST_IN_DATAGRAM, versions);
        side.session = Session::new(&side.desk);
        side
    }

    pub fn of(link: &LinkConfiguration) -> Self {
        let bus = Bus::new();
        let clock = Arc::new(RobotClock::stepped());
        let ends = Ends { bus: bus.clone(), clock, scale: None, robot: None };
        let wakeup = Arc::new(Wakeup::new());
        let services = Services::new(&link.serve, &link.call, bus.clone(), wakeup.clone());
        let topics = Topics::of_link(link, ends, &vec![wakeup; link.send.len()]);
        let desk = Desk::new("robot".into(), topics, services, LinkStatistics::of(link), Arc::new(|_| {}));
        let session = Session::new(&desk);
        Self { desk, session, bus, now: Instant::now() }
    }

    /// Creates the topic, which the side notices.
    fn make<T: Representation>(&mut self) -> Queue<T> {
        let queue = self.bus.readable_topic(T::NAME).unwrap().queue(1000, WhenFull::DropOldest);
        self.desk.topics.look();
        self.session.look(&mut self.desk);
        queue
    }

    /// Publishes a message of what is sent first.
    fn publish(&mut self, message: &impl Data) {
        let cdr = hemiola_model::cdr::encode(message).into();
        self.session.publish(0, Waiting { time: 0, stamp: None, cdr }, self.now, &mut self.desk);
    }

    fn says(&mut self) -> Option<Vec<u8>> {
        let mut frame = Vec::new();
        let cdr = self.session.next(self.now, &mut self.desk, &mut frame)?;
        frame.extend_from_slice(&cdr);
        Some(frame)
    }

    /// Receives a frame as over UDP: frames that arrive before the first hello are ignored.
    fn hears(&mut self, frame: &[u8]) {
        let frame = Frame::read(frame).unwrap();
        if self.session.robot().is_some() || matches!(frame, Frame::Hello { .. }) {
            self.session.hear(frame, &mut self.desk).unwrap();
        }
    }
}

/// The fate of a frame in the network.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Arrives,
    IsLost,
    ComesTwice,
    /// The frame arrives after the next one.
    IsLate,
}

/// Carries the frames of one side to the other.
pub fn bring(from: &mut Side, to: &mut Side, fates: &mut impl Iterator<Item = Fate>) {
    let mut late = VecDeque::new();
    while let Some(frame) = from.says() {
        match fates.next().unwrap_or(Fate::Arrives) {
            Fate::Arrives => to.hears(&frame),
            Fate::IsLost => {}
            Fate::ComesTwice => (0..2).for_each(|_| to.hears(&frame)),
            Fate::IsLate => {
                late.push_back(frame);
                continue;
            }
        }
        late.drain(..).for_each(|frame| to.hears(&frame));
    }
    late.drain(..).for_each(|frame| to.hears(&frame));
}

/// Has both sides agree about what is sent.
fn meet(near: &mut Side, far: &mut Side) {
    for _ in 0..3 {
        bring(near, far, &mut std::iter::empty());
        bring(far, near, &mut std::iter::empty());
    }
    assert!(near.session.wants(0));
}

/// Carries the frames of one side to the other, until the last one is due.
fn bring_all(from: &mut Side, to: &mut Side, fates: &mut impl Iterator<Item = Fate>) {
    bring(from, to, fates);
    while let Some(due) = from.session.due() {
        from.now = from.now.max(due);
        bring(from, to, fates);
    }
}

pub fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fates = vec![Fate::Arrives, Fate::Arrives, Fate::IsLost, Fate::ComesTwice, Fate::IsLate];
    prop::collection::vec(prop::sample::select(fates), 0..60)
}

proptest! {
    #[test]
    fn whatever_the_network_does_they_agree_and_nothing_comes_twice_or_out_of_order(
        fates in fates(),
        receiver_is_late in 0_usize..6,
    ) {
        let (mut near, mut far) = (Side::new(&["Count"], &[]), Side::new(&[], &["Count"]));
        let mut fates = fates.into_iter();
        let _sent = near.make::<Count>();
        let mut received = None;
        let mut rounds = 0;
        while !near.session.wants(0) {
            if rounds == receiver_is_late {
                received = Some(far.make::<Count>());
            }
            near.session.repeat(&mut near.desk);
            far.session.repeat(&mut far.desk);
            bring(&mut near, &mut far, &mut fates);
            bring(&mut far, &mut near, &mut fates);
            rounds += 1;
            prop_assert!(rounds < 60, "they do not agree");
        }
        let mut numbers = Vec::new();
        for number in 1..=50_u32 {
            let cdr = Arc::new(hemiola_model::cdr::encode(&number));
            near.session.publish(0, Waiting { time: 0, stamp: None, cdr: cdr.into() }, near.now, &mut near.desk);
            if number % 3 == 0 {
                bring(&mut near, &mut far, &mut fates);
            }
        }
        bring(&mut near, &mut far, &mut std::iter::empty());
        let queue = received.as_mut().expect("it is wanted");
        while let Some(count) = queue.receive() {
            numbers.push(count.0);
        }
        prop_assert!(numbers.is_sorted_by(|one, other| one < other), "{:?}", numbers);
        let count = &far.desk.statistics.received[0];
        prop_assert_eq!(count.messages, numbers.len() as u64);
        prop_assert_eq!(count.messages + count.lost, u64::from(*numbers.last().unwrap()));
    }

    #[test]
    fn whatever_is_said_is_heard_or_ends_the_conversation(
        sayings in prop::collection::vec(
            (0_u8..17, 0_u32..4, 0_u32..5, any::<u64>(), prop::collection::vec(any::<u8>(), 0..12), ".{0,6}"), 0..40),
    ) {
        let services = |name: &str| vec![name.to_owned()];
        let mut side = Side::of(&LinkConfiguration {
            send: vec![Sent::topic("Count")],
            receive: vec![Received::new(Subject::topic("Wish"))],
            serve: services("Wish"),
            call: services("Ask"),
            ..nothing()
        });
        side.desk.versions = VERSION..=VERSION_WITH_ACKNOWLEDGEMENTS;
        side.session = Session::new(&side.desk);
        side.bus.allow_calls::<Count, Count>("Wish");
        side.bus.allow_calls::<Count, Count>("Ask");
        let _server = side.bus.server::<Count, Count>("Wish", 4).unwrap();
        side.desk.services.look();
        let _count = side.make::<Count>();
        let _wish = side.bus.readable_topic::<Count>("Wish").unwrap().queue(4, WhenFull::DropOldest);
        for (kind, topic, choice, sequence, cdr, text) in &sayings {
            let answers = [Answer::Unknown, Answer::Later, Answer::Wanted, Answer::Misfit];
            let definitions = ["uint32 data\n", "string data\n", "[", "", "float64 data\nuint8 more\n"];
            let name = ["Wish", "Wish", "Ask", text.as_str(), text.as_str()][*choice as usize];
            let kinds = [OfferKind::Topic, OfferKind::Representation, OfferKind::ServiceRequests, OfferKind::ServiceAnswers];
            let whys = [NoAnswer::Ended, NoAnswer::Panicked, NoAnswer::TimedOut, NoAnswer::Refused];
            let frame = match kind {
                0 | 1 => Frame::Hello { version: VERSION + 2 * u32::from(*kind), robot: text },
                15 => Frame::Acknowledgement { next: *sequence % 10, later: *sequence },
                16 => Frame::Reliable(Reliable { number: *sequence % 100, frame: cdr }),
                2 => Frame::Offer(Offer {
                    topic: *topic,
                    kind: kinds[*sequence as usize % 4],
                    name,
                    schema: text,
                    hash: "",
                    definition: definitions[*choice as usize],
                }),
                3 => Frame::Answer { topic: *topic, answer: answers[*choice as usize % 4], reason: text },
                4 => Frame::Ping { left: *sequence as i64 },
                5 => Frame::Pong { left: 0, arrived: *sequence as i64, answered: i64::MIN },
                7 => Frame::Request(Request { topic: *topic, call: *sequence % 100, cdr }),
                8 => Frame::Response(Response { call: *sequence % 100, cdr }),
                9 => Frame::Refusal { call: *sequence % 100, why: whys[*choice as usize % 4], reason: text },
                6 => Frame::Message(Message { topic: *topic, sequence: *sequence, time: 0, stamp: Some(1), cdr }),
                13 | 14 if !cdr.is_empty() => Frame::Fragment(Fragment {
                    topic: *topic,
                    sequence: *sequence % 10,
                    length: PIECE as u32 * choice + cdr.len() as u32,
                    index: *choice,
                    bytes: cdr,
                }),
                _ => Frame::Message(Message { topic: *topic, sequence: *sequence, time: 0, stamp: None, cdr }),
            };
            if side.session.hear(frame, &mut side.desk).is_err() {
                return Ok(());
            }
            prop_assert!(side.session.taken.len() <= 3 && side.session.calls_open(0) <= 4);
        }
        let served = &side.desk.statistics.served[0];
        let in_flight = side.session.calls_open(0) as u64;
        prop_assert_eq!(served.calls, served.unanswered + served.refused + in_flight);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn long_messages_come_exactly_or_not_at_all_whatever_the_network_does(
        fates in fates(),
        lengths in prop::collection::vec(60_000..200_000_usize, 1..6),
    ) {
        let versions = VERSION..=VERSION_WITH_FRAGMENTS;
        let (mut near, mut far) = (
            Side::over_udp(versions.clone(), &["Long"], &[]),
            Side::over_udp(versions, &[], &["Long"]),
        );
        let (_sent, mut received) = (near.make::<Long>(), far.make::<Long>());
        meet(&mut near, &mut far);
        let mut fates = fates.into_iter();
        for (number, length) in lengths.iter().enumerate() {
            near.publish(&Long::of(number as u8, *length));
            bring_all(&mut near, &mut far, &mut fates);
        }
        // The network has become a good one, and what comes shows what was lost.
        near.publish(&Long::of(99, 100_000));
        bring_all(&mut near, &mut far, &mut std::iter::empty());
        let mut whole = lengths.iter().zip(0..).map(|(length, number)| Long::of(number, *length));
        let mut count = 0;
        while let Some(message) = received.receive() {
            count += 1;
            prop_assert!(*message == Long::of(99, 100_000) || whole.any(|sent| sent == *message));
        }
        let statistics = &far.desk.statistics.received[0];
        prop_assert_eq!(statistics.messages, count);
        prop_assert_eq!(statistics.messages + statistics.lost, lengths.len() as u64 + 1);
        prop_assert_eq!((near.desk.statistics.sent[0].messages, statistics.unreadable), (lengths.len() as u64 + 1, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_reliable_comes_once_and_in_order_whatever_the_network_does(
        fates in fates(),
        lengths in prop::collection::vec(prop_oneof![20 => 0..300_usize, 1 => 60_000..200_000_usize], 1..120),
    ) {
        let (mut near, mut far) = reliable();
        let (_sent, mut received) = (near.make::<Long>(), far.make::<Long>());
        meet(&mut near, &mut far);
        let mut fates = fates.into_iter();
        for (number, length) in lengths.iter().enumerate() {
            near.publish(&Long::of(number as u8, *length));
            bring(&mut near, &mut far, &mut fates);
            bring(&mut far, &mut near, &mut fates);
        }
        // What an acknowledgement has let through is sent at once; it is not due at some time.
        while near.session.has_frames() || near.session.due().is_some() {
            near.now = near.session.due().map_or(near.now, |due| near.now.max(due));
            bring(&mut near, &mut far, &mut fates);
            bring(&mut far, &mut near, &mut fates);
        }
        for (number, length) in lengths.iter().enumerate() {
            let message = received.receive();
            prop_assert!(message.is_some_and(|message| *message == Long::of(number as u8, *length)));
        }
        prop_assert!(received.receive().is_none());
        let statistics = &far.desk.statistics.received[0];
        prop_assert_eq!((statistics.lost, statistics.late, statistics.unreadable), (0, 0, 0));
        near.session.end(std::iter::empty(), &mut near.desk);
        prop_assert_eq!(near.desk.statistics.sent[0].unacknowledged, 0);
    }
}

/// Returns two sides over UDP, of which one sends `Long` reliably.
fn reliable() -> (Side, Side) {
    let versions = VERSION..=VERSION_WITH_ACKNOWLEDGEMENTS;
    let mut near = Side::over_udp(versions.clone(), &["Long"], &[]);
    let sent = &mut near.desk.topics.sent[0].configuration;
    (sent.is_reliable, sent.keep) = (true, Keep::Last(1000));
    near.desk.answer_patience = Some(std::time::Duration::from_secs(5));
    near.session = Session::new(&near.desk);
    (near, Side::over_udp(versions, &[], &["Long"]))
}

#[test]
fn messages_that_nobody_acknowledges_stop_at_the_window_and_are_counted_at_the_end() {
    let (mut near, mut far) = reliable();
    let (_sent, mut received) = (near.make::<Long>(), far.make::<Long>());
    meet(&mut near, &mut far);
    (0..100).for_each(|number| near.publish(&Long::of(number, 1)));
    bring(&mut near, &mut far, &mut std::iter::empty());
    assert_eq!((0..100).filter(|_| received.receive().is_some()).count(), 64);
    // What waits for an acknowledgement is due, and nothing else.
    assert!(near.session.due().is_some_and(|due| due > near.now));
    near.session.end(std::iter::empty(), &mut near.desk);
    assert_eq!((near.desk.statistics.sent[0].unacknowledged, near.desk.statistics.sent[0].messages), (64, 64));
}

#[test]
fn a_peer_that_acknowledges_nothing_is_sent_what_is_reliable_once_and_that_is_told() {
    let (mut near, _) = reliable();
    let mut far = Side::over_udp(1..=2, &[], &["Long"]);
    near.session.note_version(2, &near.desk);
    let (_sent, mut received) = (near.make::<Long>(), far.make::<Long>());
    meet(&mut near, &mut far);
    near.publish(&Long::of(1, 10));
    bring_all(&mut near, &mut far, &mut std::iter::empty());
    assert!(received.receive().is_some());
    let problem = near.desk.statistics.problem.as_deref().unwrap_or_default();
    assert!(problem.contains("`Long` is not sent reliably to `robot`, which acknowledges nothing"), "{problem}");
    let reliable = Frame::Reliable(Reliable { number: 1, frame: &[4] });
    let refused = far.session.hear(reliable, &mut far.desk);
    assert!(refused.is_err_and(|parting| parting.to_string().ends_with("there is no frame of kind 17")));
}

#[test]
fn a_long_message_leaves_turns_to_others_and_holds_back_what_follows_of_its_topic() {
    let (mut near, mut far) =
        (Side::over_udp(1..=2, &["Long", "Count"], &[]), Side::over_udp(1..=2, &[], &["Long", "Count"]));
    let (_sent, mut long, _counts, mut count) =
        (near.make::<Long>(), far.make::<Long>(), near.make::<Count>(), far.make::<Count>());
    meet(&mut near, &mut far);
    near.publish(&Long::of(1, 500_000));
    near.publish(&Long::of(2, 10));
    bring(&mut near, &mut far, &mut std::iter::empty());
    assert!(long.receive().is_none(), "the rest is held back");
    let cdr = hemiola_model::cdr::encode(&7_u32).into();
    near.session.publish(1, Waiting { time: 0, stamp: None, cdr }, near.now, &mut near.desk);
    bring(&mut near, &mut far, &mut std::iter::empty());
    assert_eq!((long.receive().is_none(), count.receive().map(|count| count.0)), (true, Some(7)));
    bring_all(&mut near, &mut far, &mut std::iter::empty());
    let received = [(); 3].map(|()| long.receive().map(|message| message.0.len()));
    assert_eq!(received, [Some(500_000), Some(10), None]);
    assert_eq!(far.desk.statistics.received[0].lost, 0);
}

#[test]
fn a_peer_of_the_version_without_fragments_is_sent_none_and_that_is_told() {
    let (mut near, mut far) = (Side::over_udp(1..=2, &["Long"], &[]), Side::over_udp(1..=1, &[], &["Long"]));
    near.session.note_version(1, &near.desk);
    let (_sent, mut long) = (near.make::<Long>(), far.make::<Long>());
    meet(&mut near, &mut far);
    near.publish(&Long::of(1, 70_000));
    near.publish(&Long::of(2, 60_000));
    bring_all(&mut near, &mut far, &mut std::iter::empty());
    assert_eq!([(); 2].map(|()| long.receive().map(|message| message.0.len())), [Some(60_000), None]);
    let statistics = &near.desk.statistics;
    assert_eq!((statistics.sent[0].unsendable, statistics.sent[0].messages), (1, 1));
    let problem = statistics.problem.as_deref().unwrap_or_default();
    assert!(problem.contains("`robot` takes datagrams of 65491 bytes only: update it"), "{problem}");
    // Nor may it send any.
    let fragment = Fragment { topic: 0, sequence: 1, length: 1, index: 0, bytes: &[4] };
    let refused = near.session.hear(Frame::Fragment(fragment), &mut near.desk);
    assert!(refused.is_err_and(|parting| parting.to_string().ends_with("there is no frame of kind 16")));
}

#[test]
fn fragments_that_are_no_message_end_the_conversation_and_unwanted_ones_are_ignored() {
    let (mut near, mut far) = (Side::over_udp(1..=2, &["Long"], &[]), Side::over_udp(1..=2, &[], &["Long"]));
    let (_sent, mut long) = (near.make::<Long>(), far.make::<Long>());
    meet(&mut near, &mut far);
    let cdr = hemiola_model::cdr::encode(&vec![1_u8, 2]);
    let mut hear = |frame: &Frame<'_>, topic, sequence| {
        let mut whole = Vec::new();
        frame.write(&mut whole);
        let fragment = Fragment { topic, sequence, length: whole.len() as u32, index: 0, bytes: &whole };
        let heard = far.session.hear(Frame::Fragment(fragment), &mut far.desk);
        heard.map_err(|parting| parting.to_string())
    };
    let message = |topic, sequence| Frame::Message(Message { topic, sequence, time: 0, stamp: None, cdr: &cdr });
    assert_eq!(hear(&message(5, 1), 5, 1), Ok(()));
    assert_eq!(hear(&message(0, 1), 0, 1), Ok(()));
    assert_eq!(hear(&message(0, 1), 0, 1), Ok(()), "it comes twice");
    for (frame, sequence) in [(message(1, 2), 2), (message(0, 3), 2), (Frame::Returned, 4)] {
        assert!(hear(&frame, 0, sequence).unwrap_err().ends_with("fragments make up no message, or another one"));
    }
    assert!(hear(&Frame::Goodbye { reason: "" }, 0, 5).is_err());
    assert_eq!(far.desk.statistics.ignored, 1);
    assert_eq!([(); 2].map(|()| long.receive().map(|message| message.0.clone())), [Some(vec![1, 2]), None]);
}

#[test]
fn values_of_one_provider_are_announced_and_sent_together_and_a_single_one_is_not() {
    let sent = |name: &str, provider: &str| {
        let keep = if name == "Samples" { Keep::Last(10) } else { Keep::Newest };
        Sent { provider: Some(provider.to_owned()), ..Sent::new(Subject::representation(name), keep) }
    };
    let send = vec![sent("Pose", "motion"), sent("Scan", "lidar"), sent("Ball", "motion"), sent("Samples", "motion")];
    let Side { mut desk, now, .. } = Side::of(&LinkConfiguration { send, ..nothing() });
    let mut lanes = Lanes::new(&desk);
    let mut say = |publish: &[(usize, u8)], count: usize| {
        for &(topic, value) in publish {
            let message = Waiting { time: 0, stamp: Some(0), cdr: vec![0, 1, 0, 0, value].into() };
            lanes.publish(topic, message, now, &mut desk);
        }
        let said = (0..count).map(|_| {
            let mut frame = Vec::new();
            let cdr = lanes.next(now, &mut desk, &mut frame)?;
            Some(match Frame::read(&frame).unwrap() {
                Frame::Together { values } => format!("{values}:"),
                Frame::Message(message) => format!("{}={}", message.topic, cdr[4]),
                other => format!("{other:?}"),
            })
        });
        let said: Vec<_> = said.map(|said| said.unwrap_or_default()).collect();
        said.join(" ")
    };
    assert_eq!(say(&[(0, 1), (2, 1)], 4), "2: 0=1 2=1 ");
    assert_eq!(say(&[(0, 2)], 2), "0=2 ", "what is alone is whole");
    // What has been announced is not replaced by what is newer, and what is not is.
    assert_eq!(say(&[(2, 3), (0, 3), (1, 1)], 2), "2: 0=3");
    assert_eq!(say(&[(0, 4), (2, 4)], 1), "2=3");
    assert_eq!(say(&[(0, 5), (2, 5)], 5), "1=1 2: 0=5 2=5 ");
    // Where more than the newest is kept, they go one by one.
    assert_eq!(say(&[(0, 6), (3, 6), (2, 7), (3, 7)], 6), "2: 0=6 2=7 3=6 3=7 ");
}

#[test]
fn a_side_that_announces_more_than_it_sends_or_nothing_at_all_does_no_harm() {
    let (mut near, mut far) = (Side::new(&["Count"], &[]), Side::new(&[], &["Count"]));
    let mut received = far.make::<Count>();
    near.make::<Count>();
    meet(&mut near, &mut far);
    for values in [0, 1, u32::MAX, 7] {
        let mut frame = Vec::new();
        Frame::Together { values }.write(&mut frame);
        far.hears(&frame);
        near.publish(&Count(values));
        bring(&mut near, &mut far, &mut std::iter::empty());
    }
    let seen: Vec<_> = std::iter::repeat_with(|| received.receive().map(|count| count.0)).map_while(|it| it).collect();
    assert_eq!(seen, [0, 1, u32::MAX, 7]);
}
