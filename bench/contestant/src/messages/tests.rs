//! A contestant that cheats has no figures.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;

fn assignment(words: &str) -> Assignment {
    Assignment::parse(words.split(' ').map(str::to_owned)).expect("well-formed")
}

/// A topic that delivers all messages but those of one number.
struct Forgetful {
    forgets: Option<u64>,
    modules: Vec<&'static fan_out::Module>,
}

impl fan_out::Topic for Forgetful {
    fn subscribe(&mut self, module: &'static fan_out::Module) {
        self.modules.push(module);
    }

    fn publish(&mut self, message: fan_out::Message) {
        if self.forgets != Some(message.sequence) {
            self.modules.iter().for_each(|module| module.take(&message));
        }
    }

    fn synchronise(&mut self) {}
}

const FAN_OUT: &str = "forgetful --workload fan-out --modules 3 --messages 10 --repetitions 2";

#[test]
fn a_topic_that_delivers_everything_is_measured() {
    fan_out::measure(&assignment(FAN_OUT), || Forgetful { forgets: None, modules: Vec::new() });
}

#[test]
#[should_panic(expected = "deliveries to a module")]
fn a_topic_that_loses_a_message_is_not() {
    fan_out::measure(&assignment(FAN_OUT), || Forgetful { forgets: Some(7), modules: Vec::new() });
}

/// A topic that modules leave, or not.
struct Sticky {
    sticks: bool,
    modules: Vec<&'static fan_out::Module>,
}

impl come_and_go::Topic for Sticky {
    type Place = &'static fan_out::Module;

    fn subscribe(&mut self, module: &'static fan_out::Module) -> Self::Place {
        self.modules.push(module);
        module
    }

    fn unsubscribe(&mut self, place: Self::Place) {
        self.modules.retain(|module| self.sticks || !std::ptr::eq(*module, place));
    }

    fn publish(&mut self, message: fan_out::Message) {
        self.modules.iter().for_each(|module| module.take(&message));
    }

    fn synchronise(&mut self) {}
}

const COME_AND_GO: &str = "sticky --workload come-and-go --modules 3 --turns 10";

#[test]
fn a_topic_that_modules_can_leave_is_measured() {
    come_and_go::measure(&assignment(COME_AND_GO), Sticky { sticks: false, modules: Vec::new() });
}

#[test]
#[should_panic(expected = "deliveries to a module")]
fn a_topic_that_delivers_to_who_has_left_is_not() {
    come_and_go::measure(&assignment(COME_AND_GO), Sticky { sticks: true, modules: Vec::new() });
}

struct Channel {
    sender: mpsc::Sender<u64>,
    doubles: Option<u64>,
    sent: u64,
}

impl ring::Sender<u64> for Channel {
    fn send(&mut self, fill: impl FnOnce(&mut u64)) {
        let mut value = 0;
        fill(&mut value);
        self.sender.send(value).expect("a receiver");
        if self.doubles == Some(self.sent) {
            self.sender.send(value).expect("a receiver");
        }
        self.sent += 1;
    }
}

impl ring::Receiver<u64> for mpsc::Receiver<u64> {
    fn receive(&mut self, mut take: impl FnMut(&u64)) -> usize {
        self.try_recv().map(|value| take(&value)).is_ok().into()
    }
}

const RING: &str = "channel --workload ring --senders 2 --messages 100 --repetitions 1";

fn channel(doubles: Option<u64>) {
    ring::measure::<u64, _, _>(&assignment(RING), |senders| {
        let (sender, receiver) = mpsc::channel();
        let sender = || Channel { sender: sender.clone(), doubles, sent: 0 };
        ((0..senders).map(|_| sender()).collect(), receiver)
    });
}

#[test]
fn a_ring_that_keeps_the_order_of_each_sender_is_measured() {
    channel(None);
}

#[test]
#[should_panic(expected = "the receiver")]
fn a_ring_that_doubles_a_message_is_not() {
    channel(Some(20));
}

/// A channel whose reading end never receives what is written.
struct Deaf;

impl latest_value::Writer<u64> for Deaf {
    fn write(&mut self, fill: impl FnOnce(&mut u64)) {
        fill(&mut 0);
    }
}

impl latest_value::Reader<u64> for Deaf {
    fn read(&mut self, look: impl FnOnce(&u64)) {
        look(&0);
    }
}

#[test]
#[should_panic(expected = "the value that stays")]
fn a_value_that_never_arrives_has_no_figures() {
    let assignment = assignment("deaf --workload latest-value --period-ns 0 --duration-ns 1000 --repetitions 1");
    latest_value::measure::<u64, _, _>(&assignment, || (Deaf, Deaf));
}

/// The environment variable that says that this process is the child of the test below.
const CHILD: &str = "HEMIOLA_BENCH_CHILD";

/// A queue of two threads: the second one panics while the first one waits for it at a barrier.
struct Broken;

struct BrokenWorker;

impl task_queue::TaskQueue for Broken {
    type Worker<'q> = BrokenWorker;

    fn worker(&self, index: usize) -> BrokenWorker {
        assert_eq!(index, 0, "on purpose");
        BrokenWorker
    }
}

impl task_queue::Worker for BrokenWorker {
    fn add(&mut self, _: usize) {}

    fn run(&mut self, _: usize) -> usize {
        0
    }
}

#[test]
fn a_thread_that_panics_leaves_nobody_waiting_for_it() {
    if std::env::var_os(CHILD).is_some() {
        let assignment = assignment("broken --workload task-queue --threads 2 --rounds 2 --repetitions 1");
        assignment.introduce("1");
        task_queue::measure(&assignment, |_| Broken);
        unreachable!("one of its threads waits for ever");
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "messages::tests::a_thread_that_panics_leaves_nobody_waiting_for_it", "--nocapture"]);
    let mut child = child.env(CHILD, "1").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(child.wait().unwrap().code(), Some(101));
}
