//! Code of users and files that hang delay only the clients that have requested them.

mod common;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::gate::Gate;
use common::{Client, Drive, House, configuration, wait_until};
use hemiola::prelude::*;
use hemiola_live::protocol::binary::Frame;
use hemiola_model::configuration::FailurePolicy;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use serde_json::{Value, json};

static CONSTRUCTORS: Gate = Gate::new();
static DEFAULTS: Gate = Gate::new();
static SERVICES: Gate = Gate::new();

struct Hesitation;

impl Default for Hesitation {
    fn default() -> Self {
        CONSTRUCTORS.pass();
        Self
    }
}

/// A module whose constructor waits while the gate is closed.
#[derive(Module)]
struct Hesitant {
    #[stateless]
    hesitation: Hesitation,
}

#[module]
impl Hesitant {
    #[update]
    fn drive(&self, last: Previous<Drive>, drive: &mut Drive) {
        _ = &self.hesitation;
        drive.runs = last.runs + 1;
    }
}

/// A representation none of whose values is created while the gate is closed, except those that its
/// cycle needs.
#[derive(Representation, Clone)]
struct Reluctant {
    number: u32,
}

impl Default for Reluctant {
    fn default() -> Self {
        if thread::current().name().is_some_and(|name| name.starts_with("hemiola ")) {
            DEFAULTS.pass();
        }
        Self { number: 0 }
    }
}

#[derive(Module)]
struct Persuade {}

#[module]
impl Persuade {
    #[update]
    fn reluctant(&self, reluctant: &mut Reluctant) {
        reluctant.number = 1;
    }
}

fn provider(client: &mut Client) -> Value {
    let described = client.ask(json!({"do": "describe"})).unwrap();
    let all = described["representations"].as_array().unwrap();
    all.iter().find(|representation| representation["name"] == "Drive").unwrap()["provider"].clone()
}

/// Sends every kind of request except subscriptions, and enters and leaves the safe state.
fn look_around(house: &House, client: &mut Client) {
    assert!(client.ask(json!({"do": "parameters"})).is_ok());
    assert!(client.ask(json!({"do": "fields", "value": "Drive"})).is_ok());
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    client.ask(json!({"do": "watch", "what": "statistics", "period": 50_000_000})).unwrap();
    assert!(client.event("statistics")["report"].is_object());
    client.ask(json!({"do": "change", "change": {"safe_state": true}})).unwrap();
    assert!(house.robot.handle().is_in_safe_state());
    client.ask(json!({"do": "change", "change": {"safe_state": false}})).unwrap();
    assert!(!house.robot.handle().is_in_safe_state());
    client.ask(json!({"do": "mark", "text": "it hangs"})).unwrap();
}

#[test]
fn a_constructor_that_hangs_keeps_nobody_at_the_door_from_looking_and_from_the_safe_state() {
    let house = House::plain();
    let (mut changing, mut looking) = (house.client(true), house.client(true));
    let closed = CONSTRUCTORS.close();
    let switch = json!({"do": "change", "change": {"provider": {"representation": "Drive", "module": "Hesitant"}}});
    let asked = changing.say(switch).unwrap();
    wait_until(|| CONSTRUCTORS.is_holding());

    for client in [&mut looking, &mut changing, &mut house.client(true)] {
        assert_eq!(provider(client), "Pilot");
        client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive", "rate": 50.0})).unwrap();
        assert_eq!(client.next_bytes()[0], 1);
        let plotted = client.ask(json!({"do": "plot", "subscription": 2, "fields": ["Drive.metres"]})).unwrap();
        assert!(plotted["fields"][0]["error"].is_null(), "{plotted}");
        look_around(&house, client);
    }
    assert!(CONSTRUCTORS.is_holding(), "nobody has waited for the constructor");
    drop(closed);
    changing.answer(asked).unwrap();
    assert_eq!(provider(&mut looking), "Hesitant");
}

#[test]
fn a_default_that_hangs_at_a_subscription_keeps_nobody_else_waiting() {
    let house = House::plain();
    let (mut subscribing, mut looking) = (house.client(true), house.client(true));
    let closed = DEFAULTS.close();
    let subscribe = json!({"do": "subscribe", "subscription": 7, "value": "Reluctant", "rate": 50.0});
    let asked = subscribing.say(subscribe.clone()).unwrap();
    wait_until(|| DEFAULTS.is_holding());

    for client in [&mut looking, &mut subscribing] {
        assert_eq!(provider(client), "Pilot");
        client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive", "rate": 50.0})).unwrap();
        client.ask(json!({"do": "unsubscribe", "subscription": 1})).unwrap();
        look_around(&house, client);
    }
    let again = subscribing.ask(subscribe.clone()).unwrap_err();
    assert!(again.contains("7 exists already"), "{again}");
    // A client that has cancelled a subscription does not receive it, and may use its number again.
    subscribing.ask(json!({"do": "unsubscribe", "subscription": 7})).unwrap();
    let once_more = subscribing.ask(json!({"do": "subscribe", "subscription": 7, "value": "Drive"})).unwrap();
    assert_eq!(once_more["schema_name"], "hemiola_live/msg/Drive");
    assert!(DEFAULTS.is_holding(), "nobody has waited for the default");
    drop(closed);
    assert_eq!(subscribing.answer(asked).unwrap()["schema_name"], "hemiola_live/msg/Reluctant");
    let seventh =
        std::iter::repeat_with(|| subscribing.next_bytes()).find(|bytes| bytes[4..8] == [7, 0, 0, 0]).unwrap();
    assert!(seventh.len() > 36, "a value of `Drive` is longer than one of `Reluctant`");
}

#[test]
fn a_file_that_hangs_holds_nobody_up() {
    let folder = std::env::temp_dir().join(format!("hemiola-hung-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("page.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let house = House::with_file(configuration(), Some(folder.join("robot.toml")));
    let (mut waiting, mut looking) = (house.client(true), house.client(true));

    let refused = waiting.ask(json!({"do": "change", "change": {"trace": {"file": pipe}}})).unwrap_err();
    assert!(refused.contains("it is a pipe"), "{refused}");
    let refused = waiting.ask(json!({"do": "record", "file": pipe})).unwrap_err();
    assert!(refused.contains("exists"), "{refused}");

    // Reading the pipe waits for a writer.
    let asked = waiting.say(json!({"do": "layouts"})).unwrap();
    for client in [&mut looking, &mut waiting] {
        assert_eq!(provider(client), "Pilot");
        look_around(&house, client);
    }
    wait_until(|| open(&pipe, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).is_ok());
    let damaged = waiting.answer(asked).unwrap_err();
    assert!(damaged.contains("page.json is damaged"), "{damaged}");
    fs::remove_dir_all(&folder).unwrap();
}

static REPAIRS: Gate = Gate::new();
static BREAKS: AtomicBool = AtomicBool::new(false);

struct Wire;

impl Default for Wire {
    fn default() -> Self {
        REPAIRS.pass();
        Self
    }
}

/// A module that fails on request, and whose constructor waits while the gate is closed.
#[derive(Module)]
struct Brittle {
    #[stateless]
    wire: Wire,
}

#[module]
impl Brittle {
    #[update]
    fn drive(&self, last: Previous<Drive>, drive: &mut Drive) -> Result<(), &'static str> {
        _ = &self.wire;
        if BREAKS.swap(false, Ordering::Relaxed) {
            return Err("a wire is loose");
        }
        drive.runs = last.runs + 1;
        Ok(())
    }
}

/// Subscribes to values, events, statistics and the journal.
fn watch(client: &mut Client) {
    client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive", "rate": 50.0})).unwrap();
    client.ask(json!({"do": "events", "subscription": 2})).unwrap();
    client.ask(json!({"do": "watch", "what": "statistics", "period": 50_000_000})).unwrap();
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
}

/// Waits until a value and events have arrived that are newer than `since`, in nanoseconds of the
/// robot's clock.
fn see_what_is_new(client: &mut Client, since: i64) {
    let (mut values, mut events) = (false, false);
    while !values || !events {
        match Frame::read(&client.next_bytes()).unwrap() {
            Frame::Value(value) => values |= value.head.time > since,
            Frame::Events { records, .. } => events |= records.iter().any(|record| record.end > since),
            Frame::Points { .. } => panic!("nobody has asked for points"),
        }
    }
    let mut runs = || {
        let mut figures = std::iter::repeat_with(|| client.event("statistics"));
        let newer = figures.find(|figures| figures["time"].as_i64() > Some(since)).unwrap();
        // The report has no cycle before the first events have been gathered.
        newer["report"]["cycles"][0]["response"]["count"].as_u64().unwrap_or_default()
    };
    let before = runs();
    while runs() <= before {}
    while !client.event("journal").to_string().contains("a wire is loose") {}
}

#[test]
fn a_module_whose_remake_hangs_holds_up_nothing_that_can_be_seen_nor_the_end() {
    let mut configuration = configuration();
    configuration.providers.insert("Drive".into(), "Brittle".into());
    configuration.modules.entry("Brittle".into()).or_default().on_failure = FailurePolicy::Restart;
    let house = House::open(configuration);
    let mut watching = house.client(true);
    watch(&mut watching);
    let closed = REPAIRS.close();
    BREAKS.store(true, Ordering::Relaxed);
    wait_until(|| REPAIRS.is_holding());

    let since = house.robot.handle().now().nanoseconds();
    see_what_is_new(&mut watching, since);
    let mut newcomer = house.client(true);
    watch(&mut newcomer);
    see_what_is_new(&mut newcomer, since);
    look_around(&house, &mut newcomer);
    let ended = house.robot.stop();
    assert!(REPAIRS.is_holding(), "nobody has waited for the constructor");
    drop(closed);
    let told = ended.messages();
    assert!(told.iter().any(|message| message.text.contains("`hemiola upkeep` does not end")), "{told:?}");
}

#[test]
fn a_service_that_does_not_answer_holds_up_no_other_call_nor_message() {
    let house = House::plain();
    let doubling = house.doubling();
    let bus = house.robot.handle().bus();
    bus.allow_calls::<u32, u32>("hesitate");
    let server = bus.server("hesitate", 4).unwrap();
    let hesitate = |number: &u32| {
        SERVICES.pass();
        *number
    };
    let hesitating = server.spawn(hemiola::realtime::ThreadSettings::new("hesitate"), hesitate).unwrap();
    let (mut waiting, mut looking) = (house.client(true), house.client(true));
    let closed = SERVICES.close();
    let hesitate = json!({"do": "call", "service": "hesitate", "request": 3});
    let asked: [u64; 3] = std::array::from_fn(|_| waiting.say(hesitate.clone()).unwrap());
    wait_until(|| SERVICES.is_holding());

    for client in [&mut looking, &mut waiting] {
        let doubled = client.ask(json!({"do": "call", "service": "double", "request": 21})).unwrap();
        assert_eq!(doubled["response"], 42);
        client.ask(json!({"do": "publish", "topic": "Beat", "message": {"count": 1}})).unwrap();
        look_around(&house, client);
    }
    drop(closed);
    // If anything had waited for these calls, they would have timed out before they were answered.
    for number in asked {
        assert_eq!(waiting.answer(number).unwrap()["response"], 3);
    }
    drop((hesitating, doubling));
}
