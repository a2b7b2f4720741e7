//! What a subscription receives in a replay: what it is asked for, whatever else is published.
#![forbid(unsafe_code)]

use hemiola_bus::{Bus, Subscription};
use hemiola_model::cdr::{self, CdrReader};
use hemiola_model::data::{DataType, ReadError, Reader, Writer};
use hemiola_model::module::{Inlet, Place, Port, UntypedPublisher};
use hemiola_model::{Data, Form, Representation};

#[derive(Default)]
struct Goal(u32);

impl Data for Goal {
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

impl Representation for Goal {
    const NAME: &'static str = "Goal";

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// A robot's bus in a replay, with one subscription.
struct Replay {
    bus: Bus,
    goals: Subscription<Goal>,
}

impl Replay {
    fn new() -> Self {
        let bus = Bus::new();
        let goals = Subscription::new(&bus.readable_topic("Goal").unwrap());
        Self { bus, goals }
    }

    fn stand_in(&self, place: Place) -> Box<dyn UntypedPublisher> {
        self.bus.stand_in("Goal", place).unwrap().unwrap()
    }

    /// Returns whether all were there, and what was received.
    fn repeat(&mut self, wanted: &[(Place, u64, u32)]) -> (bool, Vec<u32>) {
        let wanted: Vec<_> = wanted.iter().map(|&(place, first, count)| Inlet { place, first, count }).collect();
        let are_there = self.goals.record_mut().unwrap().repeat_run(&wanted);
        let mut told = Vec::new();
        self.goals.record().unwrap().received(&mut |inlet| told.push(inlet.count));
        let received: Vec<u32> = self.goals.iter().map(|goal| goal.0).collect();
        assert_eq!(told.iter().sum::<u32>() as usize, received.len());
        (are_there, received)
    }
}

/// Publishes messages of these numbers, whose contents are their numbers, too.
fn publish(stand_in: &mut dyn UntypedPublisher, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        stand_in.record_mut().unwrap().continue_at(number);
        let bytes = cdr::encode(&Goal(number as u32));
        stand_in.publish(&mut CdrReader::new(&bytes).unwrap()).unwrap();
    }
}

const LINK: Place = Place::Outside(0);
const SOURCE: Place = Place::Source(3);

#[test]
fn a_stand_in_is_received_from_by_its_numbers_and_nobody_else_outside_is() {
    let mut replay = Replay::new();
    let mut outside = replay.bus.readable_topic::<Goal>("Goal").unwrap().publisher();
    let mut link = replay.stand_in(LINK);
    outside.publish(Goal(1000));
    publish(&mut *link, [40, 41, 42, 45]);
    assert_eq!(replay.repeat(&[]), (true, vec![]));
    assert_eq!(replay.repeat(&[(LINK, 41, 2)]), (true, vec![41, 42]), "number 40 came before the run's first");
    outside.publish(Goal(1001));
    assert_eq!(replay.repeat(&[(LINK, 43, 1)]), (false, vec![45]), "43 is not there");
    assert_eq!(replay.repeat(&[(LINK, 46, 1)]), (false, vec![]));
    publish(&mut *link, 46..100);
    assert_eq!(replay.repeat(&[(LINK, 47, 30)]), (true, (47..77).collect()));
    assert_eq!(replay.repeat(&[(LINK, 77, 23)]), (true, (77..100).collect()), "more waited than a lane has room for");
}

#[test]
fn the_order_of_publishers_is_the_recorded_one() {
    let mut replay = Replay::new();
    let [mut link, mut source] = [LINK, SOURCE].map(|place| replay.stand_in(place));
    publish(&mut *link, 0..2);
    publish(&mut *source, 10..12);
    assert_eq!(replay.repeat(&[(SOURCE, 10, 1), (LINK, 0, 2)]), (true, vec![10, 0, 1]));
    // A log that says that one publisher comes twice is damaged.
    publish(&mut *link, 2..4);
    assert_eq!(replay.repeat(&[(LINK, 2, 1), (SOURCE, 11, 1), (LINK, 3, 1)]), (false, vec![2, 11]));
    assert_eq!(replay.repeat(&[(LINK, 3, u32::MAX)]), (false, vec![3]));
}

#[test]
fn the_next_messages_of_cycles_are_received_whatever_their_numbers() {
    let mut replay = Replay::new();
    let ends = replay.bus.ends_of_cycles();
    let end = <&mut hemiola_bus::Publisher<Goal> as hemiola_model::module::Argument>::describe();
    let mut cycle = end.port().unwrap().connect(&ends).unwrap();
    assert_eq!(cycle.place(), Some(Place::Cycle(0)));
    let publisher: &mut dyn std::any::Any = &mut *cycle;
    let publisher = publisher.downcast_mut::<hemiola_bus::Publisher<Goal>>().unwrap();
    (0..3).for_each(|number| publisher.publish(Goal(number)));
    assert_eq!(replay.repeat(&[(Place::Cycle(0), 70, 2)]), (true, vec![0, 1]));
    assert_eq!(replay.repeat(&[(Place::Cycle(0), 72, 2)]), (false, vec![2]));
    // After the replay all is received again.
    replay.bus.readable_topic::<Goal>("Goal").unwrap().publisher().publish(Goal(7));
    replay.goals.begin_run();
    assert_eq!(replay.goals.iter().map(|goal| goal.0).collect::<Vec<_>>(), [7]);
}
