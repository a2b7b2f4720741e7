//! Two robots in one process, each with its own bus. They exchange the topics of their modules, and
//! one calls a service of the other. One is stepped, the other runs in real time.

mod common;

use common::{address_of, calling, connecting, eventually, free_udp, free_unix, listening, lossy, serving};
use hemiola::prelude::*;
use hemiola_link::{LinkHost, LinkStatistics, Links};
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, Keep, LinkAddress, LinkConfiguration, Sent, Trigger,
};
use hemiola_runtime::{Pace, Robot, RobotHandle};

#[derive(Representation, Clone, Default)]
struct Ball {
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct Answer {
    doubled: f64,
}

#[derive(Representation, Clone, Default)]
struct Heard {
    count: u32,
    last: f64,
}

/// Publishes a rolling ball, and receives answers from the other robot.
#[derive(Module)]
struct Seer {
    x: f64,
}

#[module]
impl Seer {
    #[update]
    fn heard(
        &mut self,
        last: Previous<Heard>,
        answers: &Subscription<Answer>,
        balls: &mut Publisher<Ball>,
        heard: &mut Heard,
    ) {
        *heard = (*last).clone();
        heard.count += answers.len() as u32;
        heard.last = answers.last().map_or(last.last, |answer| answer.doubled);
        self.x += 1.0;
        balls.publish(Ball { x: self.x });
    }
}

/// Answers from another robot.
#[derive(Module)]
struct Doubler {}

#[module]
impl Doubler {
    #[update]
    fn answer(&self, balls: &Subscription<Ball>, answers: &mut Publisher<Answer>) {
        balls.iter().for_each(|ball| answers.publish(Answer { doubled: 2.0 * ball.x }));
    }
}

/// A request for the height of the ground at a place.
#[derive(Representation, Clone, Default)]
struct GroundHeight {
    step: u64,
}

/// The known heights of the ground.
#[derive(Representation, Clone, Default, Debug, PartialEq)]
struct Terrain {
    height: f64,
    answers: u32,
    failed: u32,
    absent: u32,
    waiting: u32,
}

/// Sends a request in each run, and waits for no answer.
#[derive(Module)]
struct Surveyor {}

#[module]
impl Surveyor {
    #[update]
    fn terrain(
        &self,
        clock: &Clock,
        last: Previous<Terrain>,
        heights: &mut Requests<GroundHeight, f64>,
        terrain: &mut Terrain,
    ) {
        *terrain = (*last).clone();
        for answer in heights.answers() {
            match answer {
                Ok(height) => (terrain.height, terrain.answers) = (*height, terrain.answers + 1),
                Err(_) => terrain.failed += 1,
            }
        }
        terrain.absent += u32::from(heights.send(GroundHeight { step: clock.run() }).is_err());
        terrain.waiting = heights.waiting() as u32;
    }
}

/// Knows the height of the ground, which a thread of its robot reads.
#[derive(Module)]
struct Digger {}

#[module]
impl Digger {
    #[update]
    fn ground(&self, clock: &Clock, ground: &mut Ground) {
        ground.height = 0.5 * clock.run() as f64 + 1.0;
    }
}

#[derive(Representation, Clone, Default)]
struct Ground {
    height: f64,
}

fn robot(module: &str) -> Robot {
    let mut configuration = Configuration::default();
    let cycle = CycleConfiguration {
        modules: vec![module.to_owned()],
        ..CycleConfiguration::new("main", Trigger::Rate(200.0))
    };
    configuration.cycles.push(cycle);
    Robot::assemble(configuration).unwrap()
}

fn open(name: &str, handle: &RobotHandle, link: LinkConfiguration) -> Links {
    let told = handle.clone();
    let host = LinkHost::new(name, handle.bus().clone(), handle.clock().clone(), move |note| told.note(note));
    Links::open(&[link], host.with_ticks(handle.tick_scale())).unwrap()
}

#[test]
fn what_modules_publish_is_received_by_modules_of_another_robot() {
    let address = free_unix();
    let mut seer = robot("Seer").into_stepper().unwrap();
    let doubler = robot("Doubler").start(Pace::RealTime).unwrap();
    let here = open("seer", seer.handle(), listening(address.clone(), &["Ball"], &["Answer"]));
    let there = open("doubler", doubler.handle(), connecting(address, &["Answer"], &["Ball"]));
    let is_wanted = |links: &Links| links.statistics()[0].sent[0].peers == 1;
    eventually(|| (is_wanted(&here) && is_wanted(&there)).then_some(())).expect("they meet");
    // No answer is lost at any pace of the other robot, and no step waits for it.
    for step in 1..=20 {
        seer.step();
        let has_come = || here.statistics()[0].received[0].messages == step;
        eventually(|| has_come().then_some(())).expect("an answer comes");
    }
    seer.step();
    assert_eq!(seer.with_value(|heard: &Heard| (heard.count, heard.last)), Some((20, 40.0)));
    // The remark is among the robot's messages.
    let remark = "link `here`: `doubler` has connected";
    let is_told = || seer.handle().messages().iter().any(|message| message.to_string().contains(remark));
    eventually(|| is_told().then_some(())).expect("it is told");
    drop((here, there));
    doubler.stop();
}

/// The cycles of both go on, what comes is right and in order, and the losses are counted.
#[test]
fn two_robots_exchange_topics_over_udp_that_loses_a_fifth_each_way() {
    const STEPS: u64 = 200;
    // A loss is known when a later message comes.
    const UNKNOWN: u64 = 3;
    let mut seer = robot("Seer").into_stepper().unwrap();
    let doubler = robot("Doubler").start(Pace::RealTime).unwrap();
    let here = open("seer", seer.handle(), listening(free_udp(), &["Ball"], &["Answer"]));
    let LinkAddress::Udp(address) = address_of(&here.statistics()[0]) else { panic!("it is UDP") };
    let address = LinkAddress::Udp(lossy(address));
    let there = open("doubler", doubler.handle(), connecting(address, &["Answer"], &["Ball"]));
    let is_wanted = |links: &Links| links.statistics()[0].sent[0].peers == 1;
    eventually(|| (is_wanted(&here) && is_wanted(&there)).then_some(())).expect("they meet");

    let mut before = (0, 0.0);
    for step in 1..=STEPS {
        seer.step();
        // This robot is stepped faster than the other one runs, whose queues have ends.
        let is_answered = || {
            let link = &there.statistics()[0];
            let received = &link.received[0];
            received.messages + received.lost + UNKNOWN >= step && link.sent[0].messages >= received.messages
        };
        eventually(|| is_answered().then_some(())).expect("balls are answered");
        let heard = seer.with_value(|heard: &Heard| (heard.count, heard.last)).unwrap();
        // Answers to what was seen, each to a later ball than the one before.
        assert!(heard.1 % 2.0 == 0.0 && heard.1 <= 2.0 * step as f64, "{heard:?}");
        assert_eq!(heard.0 > before.0, heard.1 > before.1, "{before:?} {heard:?}");
        before = heard;
    }

    let all = |links: &Links, least: u64| {
        let received = || links.statistics()[0].received[0].clone();
        let are_all = || Some(received()).filter(|it| it.messages + it.lost >= least);
        eventually(are_all).expect("all is received or counted as lost")
    };
    let balls = all(&there, STEPS - UNKNOWN);
    let sent = balls.messages;
    let answers = all(&here, sent - UNKNOWN);
    for (received, sent) in [(&balls, STEPS), (&answers, sent)] {
        let fifth = sent / 5;
        assert!((fifth - fifth / 4..=fifth + fifth / 4).contains(&received.lost), "of {sent}: {received:?}");
        assert_eq!((received.late, received.unreadable), (0, 0));
    }
    // All that has come reaches the module. The last answers may still be on their way.
    let come = || here.statistics()[0].received[0].messages;
    let before = come();
    seer.step();
    let count = seer.with_value(|heard: &Heard| u64::from(heard.count)).unwrap();
    assert!((before..=come()).contains(&count), "{before} {count}");
    assert_eq!((here.statistics()[0].met, there.statistics()[0].met), (1, 1));
    drop((here, there));
    doubler.stop();
}

/// The same network, and each message arrives.
#[test]
fn what_is_reliable_arrives_completely_over_udp_that_loses_a_fifth_each_way() {
    const STEPS: u64 = 200;
    let mut seer = robot("Seer").into_stepper().unwrap();
    let doubler = robot("Doubler").start(Pace::RealTime).unwrap();
    let balls = Sent { is_reliable: true, keep: Keep::Last(1000), ..Sent::topic("Ball") };
    let link = LinkConfiguration { send: vec![balls], ..listening(free_udp(), &[], &["Answer"]) };
    let here = open("seer", seer.handle(), link);
    let LinkAddress::Udp(address) = address_of(&here.statistics()[0]) else { panic!("it is UDP") };
    let address = LinkAddress::Udp(lossy(address));
    let there = open("doubler", doubler.handle(), connecting(address, &["Answer"], &["Ball"]));
    eventually(|| (here.statistics()[0].sent[0].peers == 1).then_some(())).expect("they meet");
    for step in 1..=STEPS {
        seer.step();
        // Its queue for the link's thread has an end.
        eventually(|| (here.statistics()[0].sent[0].messages + 100 > step).then_some(())).expect("they leave");
    }
    let received = || Some(there.statistics()[0].received[0].clone()).filter(|it| it.messages == STEPS);
    let received = eventually(received).expect("all arrive");
    assert_eq!((received.lost, received.late, received.unreadable), (0, 0, 0));
    let sent = || Some(here.statistics()[0].sent[0].clone()).filter(|sent| sent.repeated >= STEPS / 10);
    let sent = eventually(sent).expect("a fifth was sent again");
    assert_eq!((sent.messages, sent.dropped), (STEPS, 0));
    drop((here, there));
    doubler.stop();
}

#[test]
fn a_module_asks_what_a_module_of_another_robot_knows_and_waits_for_nobody() {
    let address = free_unix();
    let mut surveyor = robot("Surveyor").into_stepper().unwrap();
    let digger = robot("Digger").start(Pace::RealTime).unwrap();
    let terrain = |surveyor: &mut hemiola_runtime::Stepper| {
        surveyor.step();
        surveyor.with_value(Terrain::clone).unwrap()
    };
    let there = open("surveyor", surveyor.handle(), calling(address.clone(), &["GroundHeight"]));
    surveyor.handle().bus().allow_calls::<GroundHeight, f64>("GroundHeight");
    assert_eq!(terrain(&mut surveyor), Terrain { absent: 1, ..Terrain::default() }, "no peer is connected");

    let here = open("digger", digger.handle(), serving(address, &["GroundHeight"]));
    let (handle, bus) = (digger.handle().clone(), digger.handle().bus());
    bus.allow_calls::<GroundHeight, f64>("GroundHeight");
    let answer = move |_: &GroundHeight| handle.with_value(|ground: &Ground| ground.height).unwrap_or_default();
    let settings = hemiola_realtime::ThreadSettings::new("ground");
    let server = bus.server("GroundHeight", 32).unwrap().spawn(settings, answer).unwrap();
    eventually(|| (there.statistics()[0].called[0].peers == 1).then_some(())).expect("they meet");
    for step in 1..=20 {
        let seen = terrain(&mut surveyor);
        assert_eq!((seen.waiting, seen.absent), (1, 1));
        assert_eq!(seen.answers, step - 1, "each answer comes in a later run");
        eventually(|| (there.statistics()[0].called[0].answers == u64::from(step)).then_some(())).expect("it comes");
    }
    assert!(terrain(&mut surveyor).height >= 1.0);
    eventually(|| (there.statistics()[0].called[0].answers == 21).then_some(())).expect("it comes");

    // What waits when the other robot is gone has failed by the next run, and nobody is there.
    drop(server);
    let _slow = bus.server::<GroundHeight, f64>("GroundHeight", 32).unwrap();
    assert_eq!(terrain(&mut surveyor).waiting, 1);
    eventually(|| (there.statistics()[0].called[0].in_flight == 1).then_some(())).expect("it is on its way");
    drop(here);
    let is_gone = |link: &LinkStatistics| link.peers.is_empty() && link.called[0].peers == 0;
    eventually(|| is_gone(&there.statistics()[0]).then_some(())).expect("it is gone");
    let last = terrain(&mut surveyor);
    assert_eq!((last.answers, last.failed, last.absent, last.waiting), (21, 1, 2, 0));
    drop(there);
    digger.stop();
}
