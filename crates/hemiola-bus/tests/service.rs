//! The promises of services.

use hemiola_bus::{AnswerError, Bus, BusError, CallError, SendError, Signal, Waited};
use hemiola_model::cdr::{CdrReader, CdrWriter};
use hemiola_realtime::{ThreadSettings, Wakeup};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Far enough that what should not time out fails the test instead of hanging it.
const LONG: Duration = Duration::from_secs(60);

fn settings() -> ThreadSettings {
    ThreadSettings::new("server")
}

#[test]
fn many_clients_get_their_own_answers() {
    let bus = Bus::new();
    let _server = bus.server("square", 4).unwrap().spawn(settings(), |number: &u64| number * number).unwrap();
    thread::scope(|scope| {
        for start in 0..8 {
            let mut client = bus.client::<u64, u64>("square").unwrap();
            scope.spawn(move || {
                for number in start * 1_000..start * 1_000 + 500 {
                    assert_eq!(client.call(number, LONG).unwrap(), number * number);
                }
            });
        }
    });
}

#[test]
fn a_request_that_nobody_serves_comes_back() {
    let bus = Bus::new();
    let mut client = bus.client::<String, ()>("nobody").unwrap();
    let Err(CallError::NotSent(SendError::NoReceiver(request))) = client.call("please".into(), LONG) else {
        panic!("nobody serves");
    };
    assert_eq!(request, "please");
    assert_eq!(client.call_async(request).err().unwrap().to_string(), "not sent: there is no receiver");
}

#[test]
fn a_client_goes_on_with_the_next_server() {
    let bus = Bus::new();
    let mut client = bus.client::<(), u8>("which").unwrap();
    for which in 1..=3 {
        let server = bus.server("which", 4).unwrap().spawn(settings(), move |()| which).unwrap();
        assert_eq!(client.call((), LONG).unwrap(), which);
        drop(server);
        assert!(matches!(client.call((), LONG), Err(CallError::NotSent(SendError::NoReceiver(())))));
    }
}

#[test]
fn a_name_has_one_server_and_one_signature() {
    let bus = Bus::new();
    let server = bus.server::<u8, u8>("name", 4).unwrap();
    assert_eq!(bus.server::<u8, u8>("name", 4).err(), Some(BusError::AlreadyServed { name: "name".into() }));
    let other = bus.client::<u8, u16>("name").err().unwrap();
    assert_eq!(
        other.to_string(),
        "`name` carries `fn(u8) -> u8`, not `fn(u8) -> u16`: choose another name or the same type"
    );
    drop(server);
    assert!(bus.client::<u8, u16>("name").is_ok());
}

#[test]
fn a_handler_that_panics_fails_that_request_only() {
    let bus = Bus::new();
    let mut server = bus.server("checked", 4).unwrap();
    let mut client = bus.client::<u8, u8>("checked").unwrap();
    let thread = thread::spawn(move || {
        let answers = [1, 2, 3].map(|number| client.call(number, LONG));
        assert!(matches!(answers, [Ok(1), Err(CallError::NoAnswer(AnswerError::Panicked)), Ok(3)]), "{answers:?}");
    });
    while !thread.is_finished() {
        server.wait(Duration::from_millis(10));
        server.run(8, |number: &u8| {
            assert!(*number != 2, "on purpose");
            *number
        });
    }
    thread.join().unwrap();
    assert_eq!(server.panics(), 1);
    assert!(server.last_panic().unwrap().ends_with("on purpose"));
}

#[test]
fn a_request_whose_client_gave_up_is_not_served_and_disturbs_no_other() {
    let bus = Bus::new();
    let mut server = bus.server("late", 4).unwrap();
    let mut client = bus.client::<u8, u8>("late").unwrap();
    let late = client.call(1, Duration::from_micros(10));
    assert!(matches!(late, Err(CallError::NoAnswer(AnswerError::TimedOut))));
    let thread = thread::spawn(move || assert_eq!(client.call(2, LONG).unwrap(), 2));
    let mut served = Vec::new();
    while !thread.is_finished() {
        server.wait(Duration::from_millis(10));
        server.run(8, |number: &u8| {
            served.push(*number);
            *number
        });
    }
    thread.join().unwrap();
    assert_eq!((served, server.abandoned()), (vec![2], 1));
}

#[test]
fn a_server_that_hangs_costs_its_clients_their_timeout_and_no_more() {
    let bus = Bus::new();
    let (go_on, gate) = mpsc::channel::<()>();
    let server = bus
        .server("hang", 2)
        .unwrap()
        .spawn(settings(), move |number: &u8| {
            gate.recv().unwrap();
            *number
        })
        .unwrap();
    let mut client = bus.client::<u8, u8>("hang").unwrap();
    let mut full = 0;
    for number in 0..10 {
        match client.call(number, Duration::from_millis(1)) {
            Err(CallError::NoAnswer(AnswerError::TimedOut)) => (),
            Err(CallError::NotSent(SendError::Full(request))) => {
                assert_eq!(request, number);
                full += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(full >= 7, "one in work, two waiting at most");
    drop(go_on); // the handler panics from here on
    drop(server);
}

#[test]
fn requests_that_wait_when_the_server_goes_are_answered_with_that() {
    let bus = Bus::new();
    let mut server = bus.server::<u8, u8>("going", 4).unwrap();
    let mut client = bus.client::<u8, u8>("going").unwrap();
    let thread = thread::spawn(move || client.call(1, LONG));
    assert_eq!(server.wait(LONG), Waited::Ready);
    drop(server);
    let answer = thread.join().unwrap();
    assert!(matches!(answer, Err(CallError::NoAnswer(AnswerError::Ended))), "{answer:?}");
}

#[test]
fn a_report_tells_what_became_of_every_request() {
    let bus = Bus::with_timing();
    let mut server = bus.server("half", 3).unwrap();
    let mut client = bus.client::<u32, u32>("half").unwrap();
    let (kept, given_up) = (client.call_async(2).unwrap(), client.call_async(4).unwrap());
    let unlucky = client.call_async(5).unwrap();
    assert!(client.call_async(6).is_err(), "three may wait");
    drop(given_up);
    let waiting = &bus.services()[0];
    assert_eq!((waiting.requests, waiting.refused, waiting.depth, waiting.answered), (3, 1, 3, 0));

    server.run(8, |number: &u32| {
        assert!(number.is_multiple_of(2), "{number} is odd");
        number / 2
    });
    let idle = &bus.services()[0];
    assert_eq!((idle.depth, idle.deepest, idle.answered, idle.abandoned, idle.panics), (0, 3, 1, 1, 1));
    assert_eq!((idle.is_served, idle.clients), (true, 1));
    let latency = idle.latency.unwrap();
    assert_eq!(latency.count, 1, "of the one that was answered");
    drop((kept, unlucky, client, server));
    assert!(bus.services().is_empty());
}

#[test]
fn what_a_server_leaves_behind_does_not_wait_for_the_next() {
    let bus = Bus::new();
    let mut client = bus.client::<(), ()>("fickle").unwrap();
    let server = bus.server::<(), ()>("fickle", 4).unwrap();
    let answer = client.call_async(()).unwrap();
    drop(server);
    assert_eq!(bus.services()[0].depth, 0);
    let _next = bus.server::<(), ()>("fickle", 4).unwrap();
    assert_eq!((bus.services()[0].depth, bus.services()[0].requests), (0, 1));
    drop(answer);
}

/// A request and an answer in CDR.
fn cdr(number: u8) -> [u8; 5] {
    [0, 1, 0, 0, number]
}

#[test]
fn data_is_asked_and_answered_as_types_are() {
    let bus = Bus::new();
    bus.allow_calls::<u8, bool>("even");
    let rung = Arc::new(Wakeup::new());
    let mut client = bus.any_client("even", rung.clone().into()).unwrap().unwrap();
    let mut ask = |bytes: &[u8]| client.ask(&mut CdrReader::new(bytes).unwrap());
    assert!(matches!(ask(&cdr(4)), Ok(Err(SendError::NoReceiver(())))));
    let mut server = bus.any_server("even", 2, rung.clone().into()).unwrap().unwrap();
    assert!(ask(&[0, 1, 0, 0]).is_err(), "this is no request");
    let mut answers: Vec<_> = (1..=2).map(|number| ask(&cdr(number)).unwrap().unwrap()).collect();
    assert!(matches!(ask(&cdr(3)), Ok(Err(SendError::Full(())))));

    let mut request = CdrWriter::default();
    let mut open = Vec::new();
    while let Some(next) = server.receive(&mut request) {
        open.push(next);
    }
    assert_eq!(request.bytes(), [0, 1, 0, 0, 1, 2]);
    let mut response = CdrWriter::default();
    assert!(answers.iter_mut().all(|answer| answer.take(&mut response).is_none()));
    // Answers are given in any order, and raise the signal.
    let seen = rung.generation();
    let (first, second) = (open.remove(0), open.remove(0));
    second.answer(&mut CdrReader::new(&cdr(1)).unwrap()).unwrap();
    assert_ne!(rung.generation(), seen);
    assert_eq!(answers[1].take(&mut response), Some(Ok(())));
    assert_eq!(response.bytes(), cdr(1));
    first.refuse(AnswerError::TimedOut);
    assert_eq!(answers[0].take(&mut response), Some(Err(AnswerError::TimedOut)));
    assert_eq!(bus.services()[0].answered, 1);
}

#[test]
fn an_answer_that_is_none_and_a_request_that_is_dropped_are_told_to_who_has_asked() {
    let bus = Bus::new();
    bus.allow_calls::<u8, bool>("even");
    let mut server = bus.any_server("even", 2, Signal::Nothing).unwrap().unwrap();
    assert!(matches!(bus.any_server("even", 2, Signal::Nothing), Some(Err(BusError::AlreadyServed { .. }))));
    assert!(bus.any_server("odd", 2, Signal::Nothing).is_none() && bus.any_client("odd", Signal::Nothing).is_none());
    let mut client = bus.any_client("even", Signal::Nothing).unwrap().unwrap();
    let mut answers = [1, 2].map(|number| client.ask(&mut CdrReader::new(&cdr(number)).unwrap()).unwrap().unwrap());
    let mut next = || server.receive(&mut CdrWriter::default()).unwrap();
    let (first, second) = (next(), next());
    assert!(first.answer(&mut CdrReader::new(&cdr(7)).unwrap()).is_err(), "7 is no truth value");
    drop(second);
    let mut taken = || answers.each_mut().map(|answer| answer.take(&mut CdrWriter::default()));
    assert_eq!(taken(), [Some(Err(AnswerError::Refused)), Some(Err(AnswerError::Ended))]);
    // Whoever gives up is not served.
    drop(client.ask(&mut CdrReader::new(&cdr(3)).unwrap()));
    assert!(server.receive(&mut CdrWriter::default()).is_none());
    assert_eq!(bus.services()[0].abandoned, 1);
}
