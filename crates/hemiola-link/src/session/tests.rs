//! Two sides that exchange frames over a network that loses, delays and repeats them.

use std::collections::VecDeque;
use std::sync::Arc;

use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
use hemiola_model::data::{DataType, ReadError, Reader, Writer};
use hemiola_model::{Data, Form, Representation};
use hemiola_realtime::Wakeup;
use proptest::prelude::*;

use super::*;
use crate::ends::{Ends, Services, Topics};
use crate::statistics::LinkStatistics;
use crate::wire::{NoAnswer, Request, Response, VERSION};

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
    fn make(&mut self) -> Queue<Count> {
        let queue = self.bus.readable_topic("Count").unwrap().queue(1000, WhenFull::DropOldest);
        self.desk.topics.look();
        self.session.look(&mut self.desk);
        queue
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
        let _sent = near.make();
        let mut received = None;
        let mut rounds = 0;
        while !near.session.wants(0) {
            if rounds == receiver_is_late {
                received = Some(far.make());
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
            (0_u8..13, 0_u32..4, 0_u32..5, any::<u64>(), prop::collection::vec(any::<u8>(), 0..12), ".{0,6}"), 0..40),
    ) {
        let services = |name: &str| vec![name.to_owned()];
        let mut side = Side::of(&LinkConfiguration {
            send: vec![Sent::topic("Count")],
            receive: vec![Received::new(Subject::topic("Wish"))],
            serve: services("Wish"),
            call: services("Ask"),
            ..nothing()
        });
        side.bus.allow_calls::<Count, Count>("Wish");
        side.bus.allow_calls::<Count, Count>("Ask");
        let _server = side.bus.server::<Count, Count>("Wish", 4).unwrap();
        side.desk.services.look();
        let _count = side.make();
        let _wish = side.bus.readable_topic::<Count>("Wish").unwrap().queue(4, WhenFull::DropOldest);
        for (kind, topic, choice, sequence, cdr, text) in &sayings {
            let answers = [Answer::Unknown, Answer::Later, Answer::Wanted, Answer::Misfit];
            let definitions = ["uint32 data\n", "string data\n", "[", "", "float64 data\nuint8 more\n"];
            let name = ["Wish", "Wish", "Ask", text.as_str(), text.as_str()][*choice as usize];
            let kinds = [OfferKind::Topic, OfferKind::Representation, OfferKind::ServiceRequests, OfferKind::ServiceAnswers];
            let whys = [NoAnswer::Ended, NoAnswer::Panicked, NoAnswer::TimedOut, NoAnswer::Refused];
            let frame = match kind {
                0 | 1 => Frame::Hello { version: VERSION, robot: text },
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
