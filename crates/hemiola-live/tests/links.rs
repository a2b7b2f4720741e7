//! The statistics of a robot's links are visible at its door while it runs.

mod common;

use common::{Beat, Client, House, receiving, sending, wait_until};
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Keep, LinkConfiguration, Trigger};
use hemiola_realtime::ThreadSettings;
use serde_json::{Value, json};

/// How often another robot's heart has beaten.
#[derive(Representation, Clone, Default)]
struct Pulse {
    beats: u32,
}

/// Counts the beats of another robot.
#[derive(Module)]
struct Nurse {}

#[module]
impl Nurse {
    #[update]
    fn pulse(&self, last: Previous<Pulse>, beats: &Subscription<Beat>, pulse: &mut Pulse) {
        pulse.beats = last.beats + beats.len() as u32;
    }
}

/// Returns a configuration with one cycle of this module.
fn only(module: &str) -> Configuration {
    let mut configuration = Configuration::default();
    let cycle = CycleConfiguration::new("motion", Trigger::Rate(200.0));
    configuration.cycles.push(CycleConfiguration { modules: vec![module.to_owned()], ..cycle });
    configuration
}

/// Subscribes to statistics, and returns the client that receives them.
fn watching(house: &House) -> Client {
    let mut client = house.client(false);
    client.ask(json!({"do": "watch", "what": "statistics", "period": 50_000_000})).unwrap();
    client
}

/// Waits until the first link satisfies `is_so`.
fn until(client: &mut Client, mut is_so: impl FnMut(&Value) -> bool) -> Value {
    let mut link = Value::Null;
    wait_until(|| {
        link = client.event("statistics")["links"][0].clone();
        is_so(&link)
    });
    link
}

#[test]
fn the_door_of_each_robot_shows_its_end_of_a_link() {
    let (cart, links) = House::linked("cart", only("Pilot"), sending("nurse", Keep::default()));
    let (nurse, _links) = House::linked("nurse", only("Nurse"), receiving("patient", &links));

    let mut of_cart = watching(&cart);
    let seen = until(&mut of_cart, |link| link["sent"][0]["messages"].as_u64() > Some(10));
    assert_eq!((&seen["name"], &seen["listens"], &seen["problem"]), (&json!("nurse"), &json!(true), &Value::Null));
    assert_eq!(seen["address"], json!(links.statistics()[0].address));
    let peers = seen["peers"].as_array().unwrap();
    assert_eq!((peers.len(), &peers[0]["name"]), (1, &json!("nurse")));
    let now = cart.robot.handle().now().nanoseconds();
    assert!(peers[0]["since"].as_i64().is_some_and(|since| 0 < since && since < now), "{seen}");
    assert_eq!((&seen["sent"][0]["name"], &seen["sent"][0]["dropped"]), (&json!("Beat"), &json!(0)));
    assert!(seen["sent"][0]["bytes"].as_u64() > Some(10), "{seen}");

    let mut of_nurse = watching(&nurse);
    let seen = until(&mut of_nurse, |link| link["received"][0]["messages"].as_u64() > Some(10));
    assert_eq!((&seen["listens"], &seen["peers"][0]["name"]), (&json!(false), &json!("cart")));
    let beats = &seen["received"][0];
    assert_eq!((&beats["name"], &beats["lost"], &beats["late"]), (&json!("Beat"), &json!(0), &json!(0)));
    wait_until(|| common::value(nurse.robot.handle(), |pulse: &Pulse| pulse.beats > 10));

    // A peer that has disconnected is no longer listed, and the link reports its problem.
    links.close("it is evening");
    let seen = until(&mut of_nurse, |link| link["problem"].is_string());
    assert!(seen["problem"].as_str().unwrap().starts_with("no peer has been reached at tcp:127.0.0.1:"), "{seen}");
    assert_eq!((&seen["peers"], &seen["parted"]), (&json!([]), &json!(1)));
}

#[test]
fn the_door_of_each_robot_shows_the_calls_that_go_over_a_link() {
    let services = || vec!["double".to_owned()];
    let link = LinkConfiguration { serve: services(), ..sending("nurse", Keep::default()) };
    let (cart, links) = House::linked("cart", only("Pilot"), link);
    let link = LinkConfiguration { call: services(), ..receiving("patient", &links) };
    let (nurse, _links) = House::linked("nurse", only("Nurse"), link);
    let [served, called] = [&cart, &nurse].map(|house| house.robot.handle().bus());
    [served, called].iter().for_each(|bus| bus.allow_calls::<u32, u32>("double"));
    let server = served.server("double", 4).unwrap();
    let _server = server.spawn(ThreadSettings::new("double"), |number: &u32| 2 * number).unwrap();
    let mut of_nurse = watching(&nurse);
    until(&mut of_nurse, |link| link["called"][0]["peers"] == 1);
    // A tool at the nurse's door calls a service of the cart.
    let answer = nurse.client(true).ask(json!({"do": "call", "service": "double", "request": 21})).unwrap();
    assert_eq!(answer["response"], 42);
    let seen = until(&mut of_nurse, |link| link["called"][0]["answers"] == 1);
    let expected = json!({
        "name": "double", "is_there": true, "peers": 1, "calls": 1, "answers": 1, "unanswered": 0, "refused": 0,
        "in_flight": 0,
    });
    assert_eq!((&seen["called"][0], &seen["served"]), (&expected, &json!([])));
    let seen = until(&mut watching(&cart), |link| link["served"][0]["answers"] == 1);
    assert_eq!(seen["served"][0], expected);
}

#[test]
fn a_robot_without_links_says_so() {
    let house = House::plain();
    assert_eq!(watching(&house).event("statistics")["links"], json!([]));
}
