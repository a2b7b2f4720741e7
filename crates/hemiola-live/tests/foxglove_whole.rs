//! A client of Foxglove's protocol sees a robot of several processes as one robot.

mod common;

use std::collections::BTreeSet;

use common::viewer::Viewer;
use common::{House, TOKEN, value, wait_until};
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, ProcessConfiguration, Trigger};
use serde_json::{Value, json};
use tungstenite::Message;

/// What the eyes see, in the process `vision`.
#[derive(Representation, Clone, Default)]
struct Sight {
    /// The time on the clock of that process, in nanoseconds.
    now: i64,
    threshold: f64,
    horns: u32,
}

/// What the feet do, in the process `main`.
#[derive(Representation, Clone, Default)]
struct Step {
    threshold: f64,
    horns: u32,
}

/// Published by the eyes, read by the feet.
#[derive(Representation, Clone, Default)]
struct Glance {
    count: u32,
}

/// Comes from outside, to both.
#[derive(Representation, Clone, Default)]
struct Horn {
    loudness: f64,
}

#[derive(Parameters)]
struct EyesParameters {
    /// The least contrast that is seen.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    threshold: f64,
}

/// Sees.
#[derive(Module)]
struct Eyes {
    #[parameters]
    parameters: EyesParameters,
    horns: u32,
}

#[module]
impl Eyes {
    #[update]
    fn see(
        &mut self,
        clock: &Clock,
        horns: &Subscription<Horn>,
        glances: &mut Publisher<Glance>,
        sight: &mut Sight,
        debug: &Debug,
    ) {
        self.horns += horns.iter().count() as u32;
        glances.publish(Glance { count: 1 });
        *sight = Sight { now: clock.now().nanoseconds(), threshold: self.parameters.threshold, horns: self.horns };
        debug.text("eyes.state", "open");
    }
}

/// Walks.
#[derive(Module)]
struct Feet {
    horns: u32,
}

#[module]
impl Feet {
    #[update]
    fn walk(
        &mut self,
        sight: &Sight,
        glances: &Subscription<Glance>,
        horns: &Subscription<Horn>,
        step: &mut Step,
        debug: &Debug,
    ) {
        _ = glances.iter().count();
        self.horns += horns.iter().count() as u32;
        *step = Step { threshold: sight.threshold, horns: self.horns };
        debug.text("feet.state", "steady");
    }
}

fn configuration() -> Configuration {
    let mut configuration = Configuration::default();
    for (name, module) in [("walking", "Feet"), ("seeing", "Eyes")] {
        let cycle = CycleConfiguration::new(name, Trigger::Rate(100.0));
        configuration.cycles.push(CycleConfiguration { modules: vec![module.to_owned()], ..cycle });
    }
    configuration.processes.push(ProcessConfiguration::new("vision", vec!["seeing".to_owned()]));
    configuration
}

/// Starts both processes of a robot of this name.
fn robot(name: &str) -> [House; 2] {
    let configuration = configuration();
    ["main", "vision"].map(|process| House::part(name, &configuration, process))
}

const SIGHT: (&str, &str) = ("Sight", "hemiola_live/msg/Sight");
const LOG: (&str, &str) = ("/debug/log", "foxglove_msgs/msg/Log");

/// Returns the topics that were advertised until all of these were, with repetitions.
fn topics(viewer: &mut Viewer, until: &[&str]) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    while !until.iter().all(|wanted| topics.iter().any(|topic| topic == wanted)) {
        let advertised = viewer.hear("advertise");
        let channels = advertised["channels"].as_array().unwrap();
        topics.extend(channels.iter().map(|channel| channel["topic"].as_str().unwrap().to_owned()));
    }
    topics
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn a_viewer_sees_what_all_processes_have_once() {
    let [main, vision] = robot("once");
    for house in [&main, &vision] {
        let mut viewer = Viewer::come(house, "");
        assert_eq!(viewer.hear("serverInfo")["name"], "once");
        let mut topics = topics(&mut viewer, &["Step", "Sight", "Glance", "Horn", "/debug/log"]);
        topics.sort_unstable();
        let all = topics.len();
        topics.dedup();
        assert_eq!(all, topics.len(), "what crosses is shown where it is provided: {topics:?}");

        viewer.say(json!({"op": "getParameters", "id": "all", "parameterNames": []}));
        let values = viewer.hear("parameterValues");
        assert_eq!(values["id"], "all");
        assert_eq!(names(&values["parameters"]).iter().filter(|name| **name == "Eyes.threshold").count(), 1);

        viewer.say(json!({"op": "subscribeConnectionGraph"}));
        let graph = loop {
            let graph = viewer.hear("connectionGraphUpdate");
            if names(&graph["publishedTopics"]).len() == 3 {
                break graph;
            }
        };
        let expected = json!([
            {"name": "Glance", "publisherIds": ["Eyes"]}, {"name": "Sight", "publisherIds": ["Eyes"]},
            {"name": "Step", "publisherIds": ["Feet"]},
        ]);
        assert_eq!(graph["publishedTopics"], expected);
    }

    // One process alone shows what it has, and what it receives.
    for process in ["main", "vision"] {
        let mut viewer = Viewer::come(&main, &format!("?process={process}"));
        assert_eq!(viewer.hear("serverInfo")["name"], format!("once-{process}"));
        let topics = topics(&mut viewer, &["Sight"]);
        assert_eq!(topics.contains(&"Step".to_owned()), process == "main", "{topics:?}");
    }
}

#[test]
fn values_and_texts_of_all_processes_come_on_one_clock() {
    let [main, vision] = robot("clock");
    let mut viewer = Viewer::come(&main, "");
    let [sight, log] = viewer.channels([SIGHT, LOG]);
    viewer.subscribe(1, &sight);
    let origins = [&main, &vision].map(|house| house.robot.handle().clock_origin().unwrap().as_nanoseconds());
    let later = i64::try_from(origins[1] - origins[0]).unwrap();
    assert!(later > 0, "vision began later");
    let message = viewer.bytes(1);
    let [shown, own] = [&message[5..13], &message[17..25]].map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap()));
    assert_eq!(shown - own, later);

    viewer.subscribe(2, &log);
    let mut lacking = BTreeSet::from(["open", "steady"]);
    while !lacking.is_empty() {
        lacking.remove(viewer.message(2, &log)["message"].as_str().unwrap());
    }
}

#[test]
fn what_a_viewer_changes_goes_to_the_process_that_has_it() {
    let [main, vision] = robot("change");
    let server = vision.doubling();
    let mut viewer = Viewer::come(&main, &format!("?token={TOKEN}"));
    let service = viewer.hear("advertiseServices")["services"][0].clone();
    let call = |request: &[u8]| {
        let numbers = [service["id"].as_u64().unwrap() as u32, 7, 4];
        let head: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [head.as_slice(), b"json", request].concat()
    };
    viewer.0.send(Message::binary([&[2], call(b"21").as_slice()].concat())).unwrap();
    assert_eq!(viewer.bytes(3), [&[3], call(b"42").as_slice()].concat());
    viewer.0.send(Message::binary([&[2], call(b"-1").as_slice()].concat())).unwrap();
    assert_eq!(viewer.hear("serviceCallFailure")["serviceId"], service["id"]);
    drop(server);

    viewer.say(json!({"op": "subscribeParameterUpdates", "parameterNames": []}));
    viewer.say(json!({"op": "setParameters", "id": "a", "parameters": [{"name": "Eyes.threshold", "value": 0.75}]}));
    while viewer.hear("parameterValues")["parameters"] != json!([{"name": "Eyes.threshold", "value": 0.75}]) {}
    wait_until(|| value(vision.robot.handle(), |sight: &Sight| sight.threshold) == 0.75);
    viewer.say(json!({"op": "setParameters", "parameters": [{"name": "Eyes.threshold", "value": 7.0}]}));
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("threshold"));

    viewer.say(json!({"op": "advertise", "channels": [
        {"id": 1, "topic": "Horn", "encoding": "json", "schemaName": ""},
    ]}));
    viewer.0.send(Message::binary([&[1, 1, 0, 0, 0], &br#"{"loudness": 1.0}"#[..]].concat())).unwrap();
    wait_until(|| value(vision.robot.handle(), |sight: &Sight| sight.horns) == 1);
    wait_until(|| value(main.robot.handle(), |step: &Step| step.horns) == 1);

    // Who may only look at one process may only look at all.
    let mut viewer = Viewer::come(&main, "");
    viewer.say(json!({"op": "setParameters", "parameters": [{"name": "Eyes.threshold", "value": 0.25}]}));
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("token"));
}

#[test]
fn the_subscriptions_to_a_process_go_on_when_it_is_started_again() {
    let [main, vision] = robot("again");
    let mut viewer = Viewer::come(&main, &format!("?token={TOKEN}"));
    let [sight] = viewer.channels([SIGHT]);
    viewer.subscribe(1, &sight);
    viewer.message(1, &sight);
    drop(vision);
    let status = viewer.hear("status");
    assert!(status["message"].as_str().unwrap().contains("process `vision` cannot be reached"), "{status}");
    viewer.say(json!({"op": "setParameters", "parameters": [{"name": "Eyes.threshold", "value": 0.25}]}));
    let refused = viewer.hear("status");
    assert!(refused["message"].as_str().unwrap().contains("`Eyes.threshold` belongs to process `vision`"), "{refused}");

    let vision = House::part("again", &configuration(), "vision");
    assert_eq!(viewer.hear("removeStatus")["statusIds"], json!([status["id"]]));
    viewer.message(1, &sight);
    drop(vision);
}
