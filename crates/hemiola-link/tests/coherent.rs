//! Two robots in one process, one of which reads several representations of one cycle of the other:
//! as within a process, it never sees those of two different runs side by side.

mod common;

use common::{address_of, connecting, eventually, free_path, free_tcp, free_unix, listening, open};
use hemiola::prelude::*;
use hemiola_link::{LinkHost, Links};
use hemiola_model::cdr;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, LinkAddress, LinkConfiguration, Received, Sent, Subject, Trigger,
};
use hemiola_model::module::registry;
use hemiola_runtime::{Pace, Robot, RunningRobot};

#[derive(Representation, Clone, Default)]
struct First {
    run: u64,
}

#[derive(Representation, Clone, Default)]
struct Second {
    run: u64,
    /// So many bytes that it takes a while until they have arrived.
    bytes: Vec<u8>,
}

#[derive(Representation, Clone, Default)]
struct Third {
    run: u64,
}

/// Provides one number in three representations.
#[derive(Module)]
struct Counter {}

#[module]
impl Counter {
    #[update]
    fn first(&self, clock: &Clock, first: &mut First) {
        first.run = clock.run() + 1;
    }

    #[update]
    fn second(&self, clock: &Clock, second: &mut Second) {
        second.run = clock.run() + 1;
        second.bytes.resize(100_000, 7);
    }

    #[update]
    fn third(&self, clock: &Clock, third: &mut Third) {
        third.run = clock.run() + 1;
    }
}

#[derive(Representation, Clone, Debug, Default)]
struct Verdict {
    /// The number of runs that saw something new.
    new: u32,
    /// The number of runs that saw nothing new.
    old: u32,
    /// What was seen of different runs.
    torn: Vec<[u64; 3]>,
}

/// Compares the three of them.
#[derive(Module, Default)]
struct Judge {
    verdict: Verdict,
    last: u64,
}

#[module]
impl Judge {
    #[update]
    fn verdict(&mut self, first: &First, second: &Second, third: &Third, verdict: &mut Verdict) {
        let runs = [first.run, second.run, third.run];
        // Nothing has been received of some of them yet.
        if !runs.contains(&0) {
            let is_new = std::mem::replace(&mut self.last, runs[0]) != runs[0];
            self.verdict.new += u32::from(is_new);
            self.verdict.old += u32::from(!is_new);
            self.verdict.torn.extend((runs != [runs[0]; 3]).then_some(runs));
        }
        verdict.clone_from(&self.verdict);
    }
}

const NAMES: [&str; 3] = ["First", "Second", "Third"];

/// A robot that runs, with its link.
struct Run {
    running: RunningRobot,
    links: Links,
}

fn robot(module: &str, trigger: Trigger, link: LinkConfiguration) -> Robot {
    let cycle = CycleConfiguration { modules: vec![module.to_owned()], ..CycleConfiguration::new("main", trigger) };
    let configuration = Configuration { cycles: vec![cycle], links: vec![link], ..Configuration::default() };
    Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap()
}

impl Run {
    fn start(name: &str, module: &str, trigger: Trigger, link: LinkConfiguration) -> Self {
        let running = robot(module, trigger, link.clone()).start(Pace::RealTime).unwrap();
        let links = open(&[link], &LinkHost::of(name, running.handle()));
        Self { running, links }
    }

    fn verdict(&self) -> Verdict {
        self.running.handle().with_value(|verdict: &Verdict| verdict.clone()).unwrap_or_default()
    }
}

/// Returns what receives all of them.
fn receiving(address: LinkAddress) -> LinkConfiguration {
    let received =
        |name| Received { provider: Some("main".to_owned()), ..Received::new(Subject::representation(name)) };
    LinkConfiguration { receive: NAMES.map(received).to_vec(), ..connecting(address, &[], &[]) }
}

/// Returns the verdict about that many runs of a robot that this triggers.
fn judged(address: LinkAddress, trigger: Trigger, runs: u32) -> Verdict {
    let sent = |name| Sent { provider: Some("main".to_owned()), ..Sent::representation(name) };
    let send = LinkConfiguration { send: NAMES.map(sent).to_vec(), ..listening(address, &[], &[]) };
    let counting = Run::start("counting", "Counter", Trigger::Rate(400.0), send);
    let address = address_of(&counting.links.statistics()[0]);
    let judging = Run::start("judging", "Judge", trigger, receiving(address));
    let verdict = eventually(|| Some(judging.verdict()).filter(|verdict| verdict.new >= runs)).expect("values come");
    judging.running.stop();
    counting.running.stop();
    verdict
}

#[test]
fn values_of_one_run_are_seen_together_over_any_stream() {
    for address in [free_unix(), LinkAddress::Shm(free_path()), free_tcp()] {
        let verdict = judged(address, Trigger::Rate(1500.0), 150);
        assert_eq!(verdict.torn, [] as [[u64; 3]; 0]);
    }
}

#[test]
fn a_cycle_that_waits_for_one_of_them_runs_when_all_are_there_and_once_only() {
    for name in NAMES {
        let verdict = judged(free_unix(), Trigger::Source(format!("link.there.{name}")), 100);
        assert_eq!((verdict.old, &verdict.torn[..]), (0, &[][..]));
    }
}

#[test]
fn a_robot_that_is_stepped_reads_them_as_they_come() {
    let robot = robot("Judge", Trigger::Rate(100.0), receiving(free_unix()));
    let mut stepper = robot.into_stepper().unwrap();
    for run in 1..=3_u64 {
        let values =
            [cdr::encode(&First { run }), cdr::encode(&Second { run, bytes: Vec::new() }), cdr::encode(&Third { run })];
        for (name, value) in NAMES.iter().zip(values) {
            let inlet = stepper.handle().inlet(&format!("link.there.{name}")).unwrap();
            let together = inlet.together();
            inlet.deliver(stepper.now(), &value);
            drop(together);
        }
        (0..8).for_each(|_| _ = stepper.step());
    }
    let verdict = stepper.with_value(|verdict: &Verdict| verdict.clone()).unwrap();
    assert_eq!((verdict.new, &verdict.torn[..]), (3, &[][..]));
}
