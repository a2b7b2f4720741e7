//! Messages that no cycle publishes: those of a source, of a thread beside the cycles, and of a
//! callback. They are in the log with their senders, and `log verify` repeats what came of them.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;
use hemiola::{Application, RobotHandle, cdr};
use hemiola_test_robots::logs::{self, copied, folder, values};

#[derive(Representation, Clone, Default)]
struct Turn {
    angle: f64,
}

/// Published by the source, with every third sample.
#[derive(Representation, Clone, Default)]
struct Click {
    number: u64,
}

/// Published beside the cycles: by a thread, and by a callback.
#[derive(Representation, Clone, Default)]
struct Order {
    is_answer: bool,
    number: u64,
}

/// Published by a cycle, for the callback.
#[derive(Representation, Clone, Default)]
struct Question {
    run: u64,
}

/// What came of all messages: another number if one came in another run.
#[derive(Representation, Clone, Default)]
struct Work {
    runs: u64,
    clicks: u64,
    orders: u64,
    answers: u64,
    trace: u64,
}

/// The same of a cycle that is too slow for all messages.
#[derive(Representation, Clone, Default)]
struct Survey {
    received: u64,
    trace: u64,
}

#[derive(Source)]
struct Encoder {
    samples: u64,
}

#[source]
impl Encoder {
    #[sample(rate = 50.0)]
    fn turn(&mut self, turn: &mut Turn, clicks: &mut Publisher<Click>) {
        self.samples += 1;
        turn.angle = self.samples as f64 * 0.1;
        if self.samples.is_multiple_of(3) {
            clicks.publish(Click { number: self.samples });
        }
    }
}

fn mixed(trace: u64, number: u64) -> u64 {
    (trace ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
}

#[derive(Module)]
struct Worker {
    work: Work,
}

#[module]
impl Worker {
    #[update]
    fn work(
        &mut self,
        turn: &Turn,
        clicks: &Subscription<Click>,
        orders: &Subscription<Order>,
        questions: &mut Publisher<Question>,
        work: &mut Work,
    ) {
        let now = &mut self.work;
        now.runs += 1;
        now.trace = mixed(now.trace, turn.angle.to_bits());
        for click in clicks.iter() {
            now.clicks += 1;
            now.trace = mixed(now.trace, click.number);
        }
        for order in orders.iter() {
            *(if order.is_answer { &mut now.answers } else { &mut now.orders }) += 1;
            now.trace = mixed(now.trace, order.number);
        }
        if now.runs.is_multiple_of(7) {
            questions.publish(Question { run: now.runs });
        }
        *work = now.clone();
    }
}

#[derive(Module)]
struct Surveyor {
    survey: Survey,
}

#[module]
impl Surveyor {
    #[update]
    fn survey(&mut self, orders: &Subscription<Order>, questions: &Subscription<Question>, survey: &mut Survey) {
        let now = &mut self.survey;
        now.received += orders.iter().count() as u64;
        let numbers = orders.iter().map(|order| order.number).chain(questions.iter().map(|question| question.run));
        now.trace = numbers.fold(now.trace, mixed);
        *survey = now.clone();
    }
}

const ROBOT: &str = r#"
[cycle.working]
rate = 100.0
modules = ["Worker"]
[cycle.surveying]
rate = 4.0
modules = ["Surveyor"]
[source]
Camera = { enabled = false }
Gyroscope = { enabled = false }
[log]
snapshot = "200 ms"
"#;

/// Runs the robot, with a thread and a callback beside the cycles.
fn robot(arguments: &[&str]) -> ExitCode {
    let clerks: RefCell<Vec<RunningExecutor>> = RefCell::default();
    let robot = Application::embedded(ROBOT).started(move |robot: &RobotHandle| {
        let (handle, bus) = (robot.clone(), robot.bus());
        let orders = bus.readable_topic::<Order>(Order::NAME).unwrap();
        let mut ordering = orders.publisher();
        thread::spawn(move || {
            let mut number = 0;
            while !handle.is_stopping() {
                ordering.publish(Order { is_answer: false, number });
                number += 1;
                thread::sleep(Duration::from_millis(4));
            }
        });
        let mut clerk = robot.executor("clerk").unwrap();
        let (questions, mut answering) = (bus.topic::<Question>(Question::NAME).unwrap(), orders.publisher());
        let answer = move |question: &Question| {
            answering.publish(Order { is_answer: true, number: 1_000_000 + question.run });
        };
        clerk.subscribe(&questions, Priority(1), 16, WhenFull::DropOldest, answer).unwrap();
        clerks.borrow_mut().push(clerk.spawn(ThreadSettings::new("clerk")).unwrap());
    });
    robot.run_with([&["robot"], arguments].concat())
}

/// Runs the robot on its own threads.
fn record(log: &Path) {
    logs::record(log, |log, pace| {
        let run = ["run", "--headless", "--no-trace", "--speed", pace, "--duration", "4s", "--log", log];
        // 3: something is lost, and it is recorded again.
        let code = robot(&run);
        assert!(code == ExitCode::SUCCESS || code == ExitCode::from(3));
        code == ExitCode::SUCCESS
    });
}

fn verify(log: &Path, arguments: &[&str]) -> ExitCode {
    robot(&[&["log", "verify", log.to_str().unwrap()], arguments].concat())
}

/// Returns what came of all messages, at the end.
fn work(log: &Path) -> Work {
    cdr::decode(values(log, "/working/Work").last().unwrap()).unwrap()
}

#[test]
fn what_sources_threads_and_callbacks_publish_is_repeated_to_the_bit() {
    let folder = folder("senders");
    let [log, again, end] = ["live.mcap", "again.mcap", "end.mcap"].map(|name| folder.join(name));
    record(&log);
    let Work { clicks, orders, answers, .. } = work(&log);
    assert!(clicks > 50 && orders > 100 && answers > 40, "{clicks} {orders} {answers}");
    let survey: Survey = cdr::decode(values(&log, "/surveying/Survey").last().unwrap()).unwrap();
    assert!(survey.received > 100, "{}", survey.received);
    for workers in ["1", "3"] {
        assert_eq!(verify(&log, &["--workers", workers]), ExitCode::SUCCESS, "{workers} workers");
    }
    for from in ["700ms", "1.5s", "3.1s"] {
        assert_eq!(verify(&log, &["--from", from]), ExitCode::SUCCESS, "from {from}");
    }
    // The thread and the callback run beside a replay, too, and are not listened to. What was
    // replayed is a log like any other.
    let [from, to] = [&log, &again].map(|path| path.to_str().unwrap());
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", from, "--log", to];
    assert_eq!(robot(&replay), ExitCode::SUCCESS);
    assert_eq!(values(&log, "/working/Work"), values(&again, "/working/Work"));
    assert_eq!(verify(&again, &[]), ExitCode::SUCCESS);
    // Nor does it need the beginning, if it has what runs received a little later.
    let end = end.to_str().unwrap();
    assert_eq!(robot(&["log", "filter", from, end, "--from", "2.1s"]), ExitCode::SUCCESS);
    assert_eq!(verify(end.as_ref(), &["--from", "3.1s"]), ExitCode::SUCCESS);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Returns the output of the verification of a log, and its exit code.
fn verdict(log: &Path) -> (String, i32) {
    logs::verdict("verifies", [(PATH, log.as_os_str())])
}

/// The variable with what the child verifies; set for the child only.
const PATH: &str = "HEMIOLA_SENDERS_PATH";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn verifies() {
    let Ok(path) = std::env::var(PATH) else { return };
    logs::tell(verify(path.as_ref(), &[]));
}

#[test]
fn a_message_that_was_tampered_with_or_left_out_makes_a_difference_that_is_named() {
    let folder = folder("senders-tampered");
    let [log, tampered, without] = ["live.mcap", "tampered.mcap", "without.mcap"].map(|name| folder.join(name));
    record(&log);
    const ORDERS: &str = "/topic/Order";
    copied(&log, &tampered, |message| match (message.channel.topic.as_str(), message.sequence) {
        (ORDERS, 100) => {
            let order: Order = cdr::decode(message.data).unwrap();
            Some(cdr::encode(&Order { number: order.number + 1, ..order }))
        }
        _ => Some(message.data.to_vec()),
    });
    let (told, code) = verdict(&tampered);
    assert_eq!(code, 1, "{told}");
    // Both cycles receive it, in either order.
    let is_of = |value: &str| told.contains(&format!(": {value}.trace\n  recorded "));
    assert!(told.contains("the first difference: run ") && (is_of("Work") || is_of("Survey")), "{told}");

    copied(&log, &without, |message| {
        let is_left_out = message.channel.topic == ORDERS && message.sequence == 100;
        (!is_left_out).then(|| message.data.to_vec())
    });
    let (told, code) = verdict(&without);
    assert_eq!(code, 1, "{told}");
    assert!(
        told.contains(" received what cannot be published again: messages of Order: number ")
            && told.contains(" is not in the log"),
        "{told}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
