//! The transport of a replay at the door: clients with the token play, pause, step and jump
//! forward; none can go back.

mod common;

use common::{Client, Rerun, wait_until};
use serde_json::{Value, json};

/// The nanoseconds of the robot's clock in a second.
const SECOND: i64 = 1_000_000_000;

/// Returns the first event of the transport that satisfies `is_it`.
fn transport(client: &mut Client, is_it: impl Fn(&Value) -> bool) -> Value {
    let begin = std::time::Instant::now();
    loop {
        let event = client.event("transport");
        if is_it(&event) {
            return event;
        }
        assert!(begin.elapsed() < common::PATIENCE, "this never came; the last one is {event}");
    }
}

/// Returns the time at which the transport pauses once all requests are done.
fn at_rest(client: &mut Client) -> i64 {
    let event = transport(client, |event| event["is_playing"] == false && event["is_stepping"] == false);
    event["time"].as_i64().unwrap()
}

fn ask(client: &mut Client, request: Value) -> Value {
    let answer = client.ask(request).unwrap();
    // Events that arrived before the answer are out of date.
    client.events.retain(|event| event["event"] != "transport");
    answer
}

#[test]
fn a_replay_is_begun_paused_stepped_and_hurried_through_the_door() {
    let rerun = Rerun::open("steps");
    let mut client = rerun.client(true);
    let welcome = client.welcome.clone();
    assert_eq!((&welcome["kind"], &welcome["begin"]), (&json!("robot"), &json!(0)));
    let end = welcome["end"].as_i64().unwrap();
    assert!((19 * SECOND..21 * SECOND).contains(&end), "{end}");
    let begun = client.event("transport");
    assert_eq!((&begun["is_playing"], &begun["time"], &begun["speed"]), (&json!(false), &json!(0), &json!(1.0)));

    // The robot of the log ran every 5 ms, beginning at zero.
    ask(&mut client, json!({"do": "step"}));
    wait_until(|| rerun.runs() == 1);
    for runs in [5, 1, 3] {
        ask(&mut client, json!({"do": "step", "runs": runs, "cycle": "motion"}));
    }
    wait_until(|| rerun.runs() == 10 && rerun.transport.is_at_rest());
    ask(&mut client, json!({"do": "pause"}));
    assert_eq!(transport(&mut client, |event| event["time"] == 45_000_000)["is_stepping"], false);
    assert_eq!(client.ask(json!({"do": "read", "value": "Drive"})).unwrap()["value"]["runs"], 10);

    ask(&mut client, json!({"do": "seek", "time": 2 * SECOND}));
    let there = at_rest(&mut client);
    assert!((2 * SECOND - 5_000_000..2 * SECOND).contains(&there), "everything before that time is done: {there}");

    ask(&mut client, json!({"do": "play", "speed": 50.0}));
    let playing = transport(&mut client, |event| event["is_playing"] == true);
    assert_eq!(playing["speed"], 50.0);
    let later = transport(&mut client, |event| event["time"].as_i64() > Some(there + SECOND / 2));
    ask(&mut client, json!({"do": "pause"}));
    let paused = at_rest(&mut client);
    assert!(paused >= later["time"].as_i64().unwrap());
    let runs = rerun.runs();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(rerun.runs(), runs, "it stands still");
    // The values are the same as in the log, whatever the transport has done.
    let drive = client.ask(json!({"do": "read", "value": "Drive"})).unwrap()["value"].clone();
    assert_eq!((drive["metres"].as_f64().unwrap(), &drive["runs"]), (runs as f64 * 0.5, &json!(runs)));
}

#[test]
fn what_cannot_be_done_is_refused_in_words_and_nothing_moves() {
    let rerun = Rerun::open("refused");
    let mut client = rerun.client(true);
    ask(&mut client, json!({"do": "seek", "time": SECOND}));
    let there = at_rest(&mut client);
    let mut refused = |request: Value, words: &[&str]| {
        let error = client.ask(request.clone()).expect_err(&request.to_string());
        assert!(words.iter().all(|word| error.contains(word)), "{request}: {error}");
    };
    refused(json!({"do": "seek", "time": SECOND / 2}), &["forward only", "0.995 s", "--from 0.500s", "hemiola view"]);
    refused(json!({"do": "play", "speed": 0.0}), &["0.01 to 100 times"]);
    refused(json!({"do": "play", "speed": -2.0}), &["0.01 to 100 times"]);
    refused(json!({"do": "step", "runs": 0}), &["1 to 10000 runs"]);
    refused(json!({"do": "step", "cycle": "vision"}), &["vision", "motion"]);
    refused(json!({"do": "step", "runs": 2, "event": true}), &["`runs`", "`event`"]);
    // A client that is read-only cannot affect what all others see.
    let mut onlooker = rerun.client(false);
    assert_eq!(onlooker.event("transport")["time"], there);
    for request in [
        json!({"do": "play"}),
        json!({"do": "pause"}),
        json!({"do": "step"}),
        json!({"do": "seek", "time": 5 * SECOND}),
    ] {
        let error = onlooker.ask(request.clone()).expect_err(&request.to_string());
        assert!(error.contains("is read-only"), "{request}: {error}");
    }
    assert!(rerun.transport.is_at_rest());
    assert_eq!(rerun.player.handle().now().nanoseconds(), there);
}

#[test]
fn a_robot_that_runs_by_itself_has_no_transport() {
    let house = common::House::plain();
    let mut client = house.client(true);
    assert!(client.welcome["end"].is_null());
    for verb in ["play", "pause", "step", "recorded"] {
        let error = client.ask(json!({ "do": verb })).unwrap_err();
        assert!(error.contains(verb) && error.contains("is running live"), "{error}");
    }
    house.runs_on();
}

#[test]
fn one_goes_from_event_to_event_of_the_recording() {
    let rerun = Rerun::open("events");
    let mut client = rerun.client(true);
    let recorded = client.ask(json!({"do": "recorded"})).unwrap()["entries"].clone();
    let marks: Vec<_> = recorded.as_array().unwrap().iter().filter(|entry| entry["mark"].is_object()).collect();
    assert_eq!(marks.len(), 2, "{recorded}");
    for mark in marks {
        ask(&mut client, json!({"do": "step", "event": true}));
        let (there, at) = (at_rest(&mut client), mark["time"].as_i64().unwrap());
        assert!((at..at + 5_000_000).contains(&there), "the mark is at {at}, it stands at {there}");
    }
    let error = client.ask(json!({"do": "step", "event": true})).unwrap_err();
    assert!(error.contains("nothing was recorded after"), "{error}");
}

#[test]
fn a_replay_comes_to_its_end_and_says_so() {
    let rerun = Rerun::open("end");
    let mut client = rerun.client(true);
    let end = client.welcome["end"].as_i64().unwrap();
    // The replay pauses before the events at the very end.
    ask(&mut client, json!({"do": "seek", "time": i64::MAX}));
    let there = at_rest(&mut client);
    assert!((end - 10_000_000..end).contains(&there), "{there} of {end}");
    ask(&mut client, json!({"do": "play", "speed": 100.0}));
    wait_until(|| rerun.player.has_ended());
    let over = transport(&mut client, |event| event["time"].as_i64() >= Some(end - 5_000_000));
    assert_eq!(over["is_stepping"], false);
}

#[test]
fn events_and_figures_have_times_of_the_robot_however_long_it_stood_still() {
    let rerun = Rerun::open("times");
    let mut client = rerun.client(true);
    let fields = json!(["Drive.runs", "timing:motion.execution", "timing:Pilot.drive"]);
    client.ask(json!({"do": "plot", "subscription": 1, "fields": fields, "rate": 100})).unwrap();
    client.ask(json!({"do": "events", "subscription": 2})).unwrap();
    let mut seen = Seen::default();
    for part in 1..=3 {
        ask(&mut client, json!({"do": "seek", "time": part * SECOND}));
        at_rest(&mut client);
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    wait_until(|| {
        // The request only makes the client read what has arrived.
        client.ask(json!({"do": "read", "value": "Drive"})).unwrap();
        std::mem::take(&mut client.bytes).iter().for_each(|bytes| seen.take(bytes));
        seen.is_whole()
    });
    let Seen { times, points } = seen;
    // A run takes less than a millisecond here unless the machine is busy; the pauses of the replay
    // are not included.
    let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
    assert!((-SECOND / 2..4 * SECOND).contains(first) && (2 * SECOND..4 * SECOND).contains(last), "{first} to {last}");
    for (field, points) in points.iter().enumerate() {
        assert!(points.iter().all(|time| (-0.5..4.0).contains(time)), "{field}: {points:?}");
        assert!(points.is_sorted(), "{field}: {points:?}");
    }
}

/// The times in binary messages.
#[derive(Default)]
struct Seen {
    times: Vec<i64>,
    points: [Vec<f64>; 3],
}

impl Seen {
    fn take(&mut self, bytes: &[u8]) {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        match bytes[0] {
            2 => {
                let mut at = 8;
                while at < bytes.len() {
                    let (field, count) = (word(at), word(at + 4));
                    at += 8;
                    for _ in 0..count {
                        self.points[field].push(f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()));
                        at += 24;
                    }
                }
            }
            3 => self.times.extend(
                bytes[8..]
                    .chunks_exact(32)
                    .flat_map(|record| [16, 24].map(|at| i64::from_le_bytes(record[at..at + 8].try_into().unwrap()))),
            ),
            _ => {}
        }
    }

    /// Returns whether values of the last second have arrived.
    fn is_whole(&self) -> bool {
        let reaches = |points: &Vec<f64>| points.last().is_some_and(|time| *time > 2.9);
        self.points.iter().all(reaches) && self.times.iter().any(|time| *time > 2_900_000_000)
    }
}

#[test]
fn who_looks_at_a_replay_that_stands_still_sees_the_present_values() {
    let rerun = Rerun::open("present");
    let mut client = rerun.client(true);
    ask(&mut client, json!({"do": "step", "runs": 3}));
    at_rest(&mut client);
    // At one value per second, none is due after each of the steps; still the newest value is sent,
    // even to a client that connects later.
    client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive", "rate": 1})).unwrap();
    let run = |client: &mut Client| u32::from_le_bytes(client.next_bytes()[12..16].try_into().unwrap());
    assert_eq!(run(&mut client), 2);
    for next in 3..6 {
        ask(&mut client, json!({"do": "step"}));
        assert_eq!(run(&mut client), next);
    }
    // The client cannot receive all these values, but it receives the newest one.
    ask(&mut client, json!({"do": "seek", "time": 15 * SECOND}));
    let end = 15 * SECOND / 5_000_000 - 1;
    while i64::from(run(&mut client)) < end {}
}
