//! What clients say at a robot's door, in text and in bytes and in both of its protocols, and at
//! that of a log, is answered or refused; what a door says in bytes or as its address is read or
//! refused by clients. Nothing panics or waits.
#![no_main]

mod patched;
mod robot;

use std::cell::RefCell;

use hemiola::Robot;
use hemiola::configuration::{Catalog, parse};
use hemiola::runtime::Stepper;
use hemiola_live::client::Address;
use hemiola_live::protocol::binary::Frame;
use hemiola_live::{Access, DoorClient, LogSubject, Outbox, RobotFacts, Runner, RunningRobotSubject, Subject};
use libfuzzer_sys::fuzz_target;
use patched::patched;

/// What people ask for, of each kind something.
const REQUESTS: [&str; 24] = [
    r#"{"id": 1, "do": "describe"}"#,
    r#"{"id": 2, "do": "subscribe", "subscription": 1, "value": "Pose", "rate": 20.0, "as": "cdr"}"#,
    r#"{"id": 3, "do": "subscribe", "subscription": 2, "topic": "Remark"}"#,
    r#"{"id": 4, "do": "plot", "subscription": 3, "fields": ["Pose.x", "Step.length", "timing:motion.response"], "rate": 50}"#,
    r#"{"id": 5, "do": "events", "subscription": 4}"#,
    r#"{"id": 6, "do": "watch", "what": "statistics", "period": 500}"#,
    r#"{"id": 7, "do": "watch", "what": "debug", "names": ["ball.*"]}"#,
    r#"{"id": 8, "do": "watch", "what": "journal"}"#,
    r#"{"id": 9, "do": "fields", "value": "Pose"}"#,
    r#"{"id": 10, "do": "parameters", "module": "Decide"}"#,
    r#"{"id": 11, "do": "read", "value": "Pose.x"}"#,
    r#"{"id": 12, "do": "change", "change": {"parameter": {"module": "Decide", "name": "goal", "value": 0.7}}}"#,
    r#"{"id": 13, "do": "change", "change": {"override": {"representation": "Pose", "value": {"x": 0.5}}}}"#,
    r#"{"id": 14, "do": "publish", "topic": "Remark", "message": {"number": 1, "text": "hello"}}"#,
    r#"{"id": 15, "do": "why", "subject": "motion", "worst": 3, "age": true}"#,
    r#"{"id": 16, "do": "unsubscribe", "subscription": 1}"#,
    r#"{"id": 17, "do": "play", "speed": 2.0}"#,
    r#"{"id": 18, "do": "seek", "time": 50000000}"#,
    r#"{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}, {"id": 2, "channelId": 2}]}"#,
    r#"{"op": "unsubscribe", "subscriptionIds": [1]}"#,
    r#"{"op": "advertise", "channels": [{"id": 1, "topic": "Remark", "encoding": "json", "schemaName": ""}]}"#,
    r#"{"op": "getParameters", "parameterNames": ["Decide.goal"], "id": "a"}"#,
    r#"{"op": "setParameters", "parameters": [{"name": "Decide.goal", "value": 0.5}]}"#,
    r#"{"op": "subscribeConnectionGraph"}"#,
];

/// What there is to see: a robot that stands still, in each of its protocols, and a log.
struct Setup {
    subjects: [(&'static str, Box<dyn Subject>); 3],
    stepper: RefCell<Stepper>,
}

thread_local! {
    static SETUP: Setup = {
        let folder = robot::folder("door");
        let log = folder.join("robot.mcap");
        robot::run("60ms", &["--no-trace", "--log", log.to_str().expect("it is text")]);
        let loaded = parse(&robot::configuration(), "robot.toml", &Catalog::linked()).expect("it is right");
        let stepper = Robot::assemble(loaded.configuration).expect("it is right").into_stepper().expect("it is right");
        stepper.handle().bus().allow_calls::<u32, u32>("double");
        let running = || RunningRobotSubject::new(stepper.handle().clone(), RobotFacts::default());
        let subjects: [(_, Box<dyn Subject>); 3] = [
            ("hemiola.v1", Box::new(running())),
            ("foxglove.sdk.v1", Box::new(running())),
            ("hemiola.v1", Box::new(LogSubject::open(&log).expect("it was written"))),
        ];
        Setup { subjects, stepper: stepper.into() }
    };
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    if choice % 4 == 3 {
        _ = Frame::read(rest);
        if let Ok(text) = std::str::from_utf8(rest) {
            _ = Address::tcp(text, None);
        }
        return;
    }
    SETUP.with(|Setup { subjects, stepper }| {
        let (protocol, subject) = &subjects[usize::from(choice % 4)];
        // In its own protocol a robot waits for its cycles where it is to be changed, and these
        // stand still.
        let access = if *protocol == "hemiola.v1" { Access::Look } else { Access::Change };
        let client = DoorClient { access, name: "a fuzzer".into(), runner: Runner::without_door() };
        let (mut session, mut out) = (subject.session(protocol, client), Outbox::default());
        session.begin(&mut out);
        if choice / 4 % 4 == 0 {
            session.bytes(rest, &mut out);
            session.text(&String::from_utf8_lossy(rest), &mut out);
        }
        // Each line changes a request, and is said after the one before.
        for line in rest.split(|&byte| byte == b'\n').take(8) {
            let Some((number, changes)) = line.split_first() else { continue };
            let request = REQUESTS[usize::from(*number) % REQUESTS.len()];
            session.text(&String::from_utf8_lossy(&patched(request.as_bytes(), changes)), &mut out);
            // A message for the channel that was advertised.
            session.bytes(&[&[1, 1, 0, 0, 0], changes].concat(), &mut out);
            // A call of the only service.
            session.bytes(&patched(b"\x02\x01\0\0\0\x07\0\0\0\x04\0\0\0json21", changes), &mut out);
        }
        session.poll(&mut out);
        assert!(!out.take().is_empty());
        drop(session);
        // The robot learns what is observed, and what no more.
        stepper.borrow_mut().attend();
    });
});
