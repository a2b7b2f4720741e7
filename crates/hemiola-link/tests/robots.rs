//! Two robots in one process, each with its own bus, that exchange the topics of their modules: one
//! is stepped, the other one runs in real time.

mod common;

use common::{connecting, eventually, free_unix, listening};
use hemiola::prelude::*;
use hemiola_link::{LinkHost, Links};
use hemiola_model::configuration::{Configuration, CycleConfiguration, LinkConfiguration, Trigger};
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
    // No answer is lost at any pace of the other robot, and a step waits for nobody.
    for step in 1..=20 {
        seer.step();
        let has_come = || here.statistics()[0].received[0].messages == step;
        eventually(|| has_come().then_some(())).expect("an answer comes");
    }
    seer.step();
    assert_eq!(seer.with_value(|heard: &Heard| (heard.count, heard.last)), Some((20, 40.0)));
    // The remark is among the robot's messages.
    let told = seer.handle().messages();
    assert!(told.iter().any(|message| message.to_string().contains("link `here`: `doubler` is there")), "{told:?}");
    drop((here, there));
    doubler.stop();
}
