//! Messages in their wire form: encoded once, for links, logs and subscribers, and where the other
//! side has that form as well, decoded by nobody.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{Side, connecting, free_path, free_tcp, free_unix, listening, next};
use hemiola::data::{Data, DataType, ReadError, Reader, Writer};
use hemiola::prelude::*;
use hemiola::wire::{InPlace, ViewReader};
use hemiola_bus::WhenFull;
use hemiola_link::ends::{Ends, Topics};
use hemiola_model::configuration::{Configuration, CycleConfiguration, LinkAddress, Sent, Trigger};
use hemiola_realtime::Wakeup;
use hemiola_runtime::{Observation, Robot};

/// How often a [`Number`] was encoded, and decoded.
static ENCODED: AtomicU32 = AtomicU32::new(0);
static DECODED: AtomicU32 = AtomicU32::new(0);

/// A number that counts what is done with it.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Number(u32);

impl Data for Number {
    fn data_type() -> DataType {
        u32::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        ENCODED.fetch_add(1, Ordering::Relaxed);
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        DECODED.fetch_add(1, Ordering::Relaxed);
        u32::read(reader).map(Self)
    }
}

impl InPlace for Number {
    type View<'w> = u32;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<u32, ReadError> {
        reader.value()
    }
}

#[derive(Representation, InPlace, Clone, Default, PartialEq, Debug)]
struct Counted {
    number: Number,
    frame: String,
    ranges: Vec<f32>,
}

/// The same without counting, for other tests of this program.
#[derive(Representation, InPlace, Clone, Default, PartialEq, Debug)]
struct Scan {
    number: u32,
    frame: String,
    ranges: Vec<f32>,
}

fn counted(number: u32, length: usize) -> Counted {
    Counted { number: Number(number), frame: "front".to_owned(), ranges: vec![number as f32; length] }
}

/// Returns how often something was encoded and decoded during a call.
fn counts(act: impl FnOnce()) -> (u32, u32) {
    let count = || [&ENCODED, &DECODED].map(|count| count.load(Ordering::Relaxed));
    let [encoded, decoded] = count();
    act();
    (count()[0] - encoded, count()[1] - decoded)
}

#[test]
fn a_message_is_encoded_once_for_all_and_not_decoded_by_a_peer_that_has_its_wire_form() {
    shares_one_buffer_with_link_log_and_subscribers();
    for address in [free_unix(), free_tcp(), LinkAddress::Shm(free_path())] {
        crosses_a_link_as_it_is(address);
    }
}

fn shares_one_buffer_with_link_log_and_subscribers() {
    let mut configuration = Configuration::default();
    configuration.cycles.push(CycleConfiguration::new("main", Trigger::Rate(100.0)));
    let running = Robot::assemble(configuration).unwrap().start(Default::default()).unwrap();
    let handle = running.handle().clone();
    let scans = handle.bus().readable_topic::<Wire<Counted>>("Counted").unwrap();
    let mut queues = [(); 3].map(|()| scans.queue(4, WhenFull::DropOldest));
    // This is what a recorder writes into its log.
    let mut log = handle.observe(Observation::default().with_topics_named(|name| name == "Counted")).unwrap();
    let ends =
        Ends { bus: handle.bus().clone(), clock: handle.clock().clone(), scale: None, robot: Some(handle.clone()) };
    let mut link = Topics::new([(Sent::topic("Counted"), Arc::new(Wakeup::new()))], [], ends);
    link.look();
    link.subscribe(0, true).unwrap();
    let mut publisher = scans.publisher();
    let counts = counts(|| {
        let scan = Wire::encode(&counted(7, 20_000));
        let place = scan.message().as_ptr();
        publisher.publish(scan);
        for queue in &mut queues {
            let scan = queue.receive().unwrap().value();
            let view = scan.view();
            assert_eq!((view.number, view.frame, view.ranges.get(19_999)), (7, "front", Some(7.0)));
            assert_eq!(scan.message().as_ptr(), place);
        }
        assert_eq!(link.next(0).unwrap().unwrap().cdr.as_ptr(), place);
        assert_eq!(log.next_message().unwrap().in_cdr().unwrap().as_ptr(), place);
    });
    assert_eq!(counts, (1, 0));
    running.stop();
}

fn crosses_a_link_as_it_is(address: LinkAddress) {
    let robot = Side::open("robot", listening(address, &["Counted"], &[]));
    let laptop = Side::open("laptop", connecting(robot.address(), &[], &["Counted"]));
    let mut scans = robot.publisher::<Wire<Counted>>("Counted");
    let mut seen = laptop.queue::<Wire<Counted>>("Counted");
    robot.until_wanted();
    // The slots of both publishers are made for the first message, with default ones.
    scans.publish(Wire::default());
    next(&mut seen);
    // Small ones are written into the frame, large ones go in parts, or through shared memory.
    for length in [3, 3, 20_000, 20_000, 200_000] {
        let scan = Wire::encode(&counted(length as u32, length));
        let counts = counts(|| {
            scans.publish(scan.clone());
            let arrived = next(&mut seen);
            assert_eq!(arrived, scan);
            assert_eq!(arrived.view().number, length as u32);
        });
        assert_eq!(counts, (0, 0), "{length} ranges");
        let mut whole = None;
        assert_eq!(counts_of_decoding(&scan, &mut whole), (0, 1));
        assert_eq!(whole, Some(counted(length as u32, length)));
    }
}

fn counts_of_decoding(scan: &Wire<Counted>, whole: &mut Option<Counted>) -> (u32, u32) {
    counts(|| *whole = Some(scan.decode()))
}

#[test]
fn either_side_may_have_the_wire_form_and_the_other_the_value() {
    let scan = |number: u32| Scan { number, frame: "front".to_owned(), ranges: vec![0.5; number as usize] };
    for address in [free_unix(), LinkAddress::Shm(free_path())] {
        let robot = Side::open("robot", listening(address, &["Out"], &["Back"]));
        let laptop = Side::open("laptop", connecting(robot.address(), &["Back"], &["Out"]));
        let (mut out, mut back) = (robot.publisher::<Wire<Scan>>("Out"), robot.queue::<Wire<Scan>>("Back"));
        let (mut answers, mut seen) = (laptop.publisher::<Scan>("Back"), laptop.queue::<Scan>("Out"));
        [&robot, &laptop].iter().for_each(|side| side.until_wanted());
        for number in [1, 5_000, 60_000] {
            out.publish(Wire::encode(&scan(number)));
            assert_eq!(next(&mut seen), scan(number));
            answers.publish(scan(number));
            let answer = next(&mut back);
            assert_eq!((answer.decode(), answer.view().ranges.len()), (scan(number), number as usize));
        }
    }
}
