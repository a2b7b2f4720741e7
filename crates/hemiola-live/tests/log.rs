//! A log is shown as it is: clients receive the same as a reader of logs.

mod common;

use std::path::{Path, PathBuf};

use common::{Client, settings, wait_until};
use hemiola::cdr::{self, MessageSchema};
use hemiola::data::Data;
use hemiola_live::{Door, LogSubject};
use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Origin, Selection};
use hemiola_model::Time;
use hemiola_model::module::{Color, DebugContent, DebugRecord, Shape, ShortText};
use hemiola_recording::shown::Gathered;
use serde_json::{Value, json};

/// A log with output of modules, which is removed at the end.
struct Shown(PathBuf);

impl Shown {
    fn record(name: &str, seconds: f64) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.mcap", std::process::id()));
        _ = std::fs::remove_file(&log);
        common::record(&log, seconds, &["*"]);
        Self(log)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.0);
    }
}

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs").join(name)
}

fn open(path: &Path) -> (Door, Client) {
    let door = Door::open("log", settings(), Box::new(LogSubject::open(path).unwrap())).unwrap();
    let client = Client::of(door.address().unwrap(), true);
    (door, client)
}

/// Returns the messages of a topic with their times.
fn messages(path: &Path, topic: &str) -> Vec<(i64, Vec<u8>)> {
    let mut log = LogReader::open(path).unwrap().select(Selection::all().topic(topic));
    let mut found = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            found.push((message.log_time.nanoseconds() as i64, message.data.to_vec()));
        }
    }
    found
}

/// Returns the time and the content of a binary message of kind 1.
fn value(bytes: &[u8]) -> (i64, Vec<u8>) {
    assert_eq!(bytes[0], 1);
    (i64::from_le_bytes(bytes[16..24].try_into().unwrap()), bytes[32..].to_vec())
}

/// Returns the points of each field in a plot's message.
fn points(bytes: &[u8], fields: usize) -> Vec<Vec<[f64; 3]>> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let float = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let (mut found, mut at) = (vec![Vec::new(); fields], 8);
    while at < bytes.len() {
        let (field, count) = (number(at), number(at + 4));
        at += 8;
        for _ in 0..count {
            found[field].push([float(at), float(at + 8), float(at + 16)]);
            at += 24;
        }
    }
    found
}

#[test]
fn a_log_says_what_it_has() {
    let (_door, mut client) = open(&recorded("game.mcap"));
    assert_eq!((&client.welcome["kind"], &client.welcome["may_change"]), (&json!("log"), &json!(false)));
    assert_eq!(client.welcome["damage"], json!([]));
    let all = client.ask(json!({"do": "describe"})).unwrap();
    let ball = all["representations"].as_array().unwrap().iter().find(|it| it["name"] == "BallModel").unwrap();
    assert_eq!((&ball["owner"], &ball["schema_name"]), (&json!("cognition"), &json!("nao/msg/BallModel")));
    assert!(ball["provider"].is_string());
    let topics: Vec<_> = all["topics"].as_array().unwrap().iter().map(|topic| topic["name"].clone()).collect();
    assert!(topics.contains(&json!("Remark")) && topics.contains(&json!("/hemiola/log")), "{topics:?}");
    assert!(topics.iter().all(|topic| !topic.as_str().unwrap().contains("_state")));
    let fields = client.ask(json!({"do": "fields", "value": "ImuSample"})).unwrap();
    assert!(fields[0]["path"].as_str().unwrap().starts_with("ImuSample."), "{fields}");
}

#[test]
fn played_values_are_those_of_the_log_each_once_and_in_order() {
    let path = recorded("game.mcap");
    let (_door, mut client) = open(&path);
    client.ask(json!({"do": "subscribe", "subscription": 7, "value": "ImuSample"})).unwrap();
    client.ask(json!({"do": "play", "speed": 100})).unwrap();
    let expected = messages(&path, "/SimulatedBody/ImuSample");
    let seen: Vec<_> = expected.iter().map(|_| value(&client.next_bytes())).collect();
    assert!(seen == expected);
    let end = client.welcome["end"].clone();
    wait_until(|| {
        let told = client.event("transport");
        told["time"] == end && told["is_playing"] == false
    });
}

#[test]
fn a_rate_is_kept_in_the_time_of_the_viewer() {
    let path = recorded("game.mcap");
    let (_door, mut client) = open(&path);
    client.ask(json!({"do": "subscribe", "subscription": 7, "value": "ImuSample", "rate": 10})).unwrap();
    client.ask(json!({"do": "play", "speed": 10})).unwrap();
    // The first value is the one at the beginning, before the log plays. Then one follows after
    // each second of the log, which is a tenth of a second of the viewer.
    let mut times = vec![value(&client.next_bytes()).0];
    while times[times.len() - 1] < 3_000_000_000 {
        times.push(value(&client.next_bytes()).0);
    }
    let steps: Vec<_> = times.windows(2).skip(1).map(|two| two[1] - two[0]).collect();
    assert!(steps.len() >= 2 && steps.iter().all(|step| (1_000_000_000..1_020_000_000).contains(step)), "{times:?}");
}

#[test]
fn after_a_seek_the_newest_value_before_it_holds() {
    let path = recorded("game.mcap");
    let (_door, mut client) = open(&path);
    let (fast, slow) = (messages(&path, "/SimulatedBody/ImuSample"), messages(&path, "/topic/WhistleHeard"));
    let whistle = slow[0].0;
    let begin = client.welcome["begin"].as_i64().unwrap();
    let at = |all: &[(i64, Vec<u8>)], time: i64| all.iter().rfind(|(logged, _)| *logged <= time).cloned();
    client.ask(json!({"do": "subscribe", "subscription": 1, "value": "ImuSample"})).unwrap();
    for time in [fast[200].0, fast[100].0 - 1, begin, whistle, i64::MAX] {
        client.ask(json!({"do": "seek", "time": time})).unwrap();
        let Some(expected) = at(&fast, time) else { continue };
        wait_until(|| value(&client.next_bytes()) == expected);
        let read = client.ask(json!({"do": "read", "value": "ImuSample"})).unwrap();
        assert_eq!(read["time"], expected.0);
    }
    // A message that is the only one of its topic, long before, is found, too.
    client.ask(json!({"do": "unsubscribe", "subscription": 1})).unwrap();
    client.bytes.clear();
    client.ask(json!({"do": "subscribe", "subscription": 2, "topic": "WhistleHeard"})).unwrap();
    assert_eq!(value(&client.next_bytes()), slow[0]);
    client.ask(json!({"do": "seek", "time": whistle - 1})).unwrap();
    assert!(client.ask(json!({"do": "read", "value": "topic:WhistleHeard"})).unwrap_err().contains("no value yet"));
}

#[test]
fn a_plot_has_the_whole_log_and_its_extremes() {
    let path = recorded("steered.mcap");
    let (_door, mut client) = open(&path);
    let fields = client.ask(json!({"do": "fields", "value": "Drive"})).unwrap();
    let field = fields[0]["path"].as_str().unwrap().to_owned();
    let asked = [field.as_str(), "Drve.metres", "Drive.nothing", "timing:motion.response"];
    let answer = client.ask(json!({"do": "plot", "subscription": 3, "fields": asked})).unwrap();
    assert!(answer["fields"][0]["error"].is_null());
    for (number, part) in [(1, "`Drive`"), (2, "no number"), (3, "timing")] {
        let error = answer["fields"][number]["error"].as_str().unwrap();
        assert!(error.contains(part), "{error}");
    }
    let found = &points(&client.next_bytes(), 4)[0];
    let mut log = LogReader::open(&path).unwrap().select(Selection::all().topic("/motion/Drive"));
    let mut expected = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            let value = message.decode().unwrap();
            let number = value.get(field.strip_prefix("Drive.").unwrap()).unwrap().number().unwrap();
            expected.push([message.log_time.nanoseconds() as f64 * 1e-9, number, number]);
        }
    }
    assert!(!expected.is_empty() && *found == expected);
}

#[test]
fn the_journal_tells_what_was_changed_and_said() {
    let path = recorded("steered.mcap");
    let (_door, mut client) = open(&path);
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    let (changes, said) = (messages(&path, "/hemiola/changes").len(), messages(&path, "/hemiola/log").len());
    let entries: Vec<Value> = (0..changes + said).map(|_| client.event("journal")).collect();
    assert_eq!(entries.iter().filter(|entry| entry["change"].is_object()).count(), changes);
    assert_eq!(entries.iter().filter(|entry| entry["message"].is_object()).count(), said);
    let first = entries.iter().find(|entry| entry["change"].is_object()).unwrap();
    assert_eq!(first["change"]["change"], json!({"parameter": {"module": "Pilot", "name": "gain", "value": 0.5}}));
    let ordered = |key: &str| entries.is_sorted_by_key(|entry| entry[key].as_i64().unwrap());
    assert!(ordered("time") && ordered("number"));
}

/// A message for people, as logs have it.
#[derive(Data)]
#[data(name = "rcl_interfaces/Log")]
struct LogMessage {
    stamp: Time,
    level: u8,
    name: String,
    msg: String,
    file: String,
    function: String,
    line: u32,
}

#[test]
fn a_long_journal_comes_as_fast_as_its_client_takes_it() {
    const ENTRIES: u64 = 20_000;
    let path = std::env::temp_dir().join(format!("hemiola-live-long-{}.mcap", std::process::id()));
    _ = std::fs::remove_file(&path);
    let mut log = LogWriter::create(&path, LogCompression::Lz4).unwrap();
    let channel = log.channel("/hemiola/log", &MessageSchema::of("Log", &LogMessage::data_type())).unwrap();
    // All entries together exceed what may wait for a client.
    let text = "It rains. ".repeat(200);
    for number in 0..ENTRIES {
        let stamp = Time::from_nanoseconds(number as i64 * 1_000_000);
        let (name, msg) = ("weather".to_owned(), format!("{number}: {text}"));
        let (file, function) = (String::new(), String::new());
        let message = LogMessage { stamp, level: 20, name, msg, file, function, line: 0 };
        let origin = Origin { sequence: number as u32, logged: stamp, published: stamp };
        log.write(channel, origin, &cdr::encode(&message)).unwrap();
    }
    log.finish().unwrap();

    let (_door, mut client) = open(&path);
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    for number in 0..ENTRIES {
        if number % 2_000 == 0 {
            // The client is slow now and then, but never for long.
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let entry = client.event("journal");
        assert_eq!(entry["number"], number);
        assert!(entry["message"]["text"].as_str().unwrap().starts_with(&format!("{number}: It rains.")), "{entry}");
        if number == ENTRIES / 2 {
            // A request is answered at once, although the client has not read the whole journal.
            assert!(client.ask(json!({"do": "describe"})).is_ok());
        }
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn nothing_of_a_log_can_be_changed() {
    let (_door, mut client) = open(&recorded("arm.mcap"));
    let requests = [
        json!({"do": "change", "change": {"safe_state": true}}),
        json!({"do": "stop"}),
        json!({"do": "mark", "text": "here"}),
        json!({"do": "record"}),
        json!({"do": "publish", "topic": "x", "message": 1}),
        json!({"do": "watch", "what": "statistics"}),
    ];
    for request in requests {
        let error = client.ask(request.clone()).unwrap_err();
        assert!(error.contains("this is a log"), "{request}: {error}");
    }
    for (request, part) in [
        (json!({"do": "play", "speed": 0}), "times as fast"),
        (json!({"do": "seek"}), "time"),
        (json!({"do": "subscribe", "subscription": 1, "value": "Nothing"}), "Nothing"),
        (json!({"do": "dance"}), "dance"),
    ] {
        let error = client.ask(request.clone()).unwrap_err();
        assert!(error.contains(part), "{request}: {error}");
    }
}

#[test]
fn a_damaged_log_is_shown_as_far_as_it_goes_and_says_so() {
    let folder = std::env::temp_dir().join(format!("hemiola-live-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let whole = std::fs::read(recorded("steered.mcap")).unwrap();
    // The log was cut off in the middle.
    let cut = folder.join("cut.mcap");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let (_door, mut client) = open(&cut);
    assert!(client.welcome["damage"][0].as_str().unwrap().contains("cut.mcap"), "{}", client.welcome);
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    wait_until(|| client.event("journal")["message"]["text"].as_str().is_some_and(|text| text.contains("cut.mcap")));
    client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive"})).unwrap();
    client.ask(json!({"do": "seek", "time": client.welcome["end"]})).unwrap();
    assert!(value(&client.next_bytes()).1.len() > 4);

    // A byte in the middle of a chunk is changed, which is reported to every client that plays it.
    let bent = folder.join("bent.mcap");
    let chunk = LogReader::open(&recorded("steered.mcap")).unwrap().summary().unwrap().chunks[4].clone();
    let mut bytes = whole;
    bytes[(chunk.chunk_start_offset + chunk.chunk_length / 2) as usize] ^= 0x40;
    std::fs::write(&bent, &bytes).unwrap();
    let (_door, mut client) = open(&bent);
    assert_eq!(client.welcome["damage"], json!([]));
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    client.ask(json!({"do": "subscribe", "subscription": 1, "value": "Drive"})).unwrap();
    client.ask(json!({"do": "play", "speed": 100})).unwrap();
    wait_until(|| client.event("journal")["message"]["severity"] == "error");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(LogSubject::open(&folder.join("cut.mcap")).is_err());
}

#[test]
fn a_log_says_which_cycles_its_robot_had() {
    let log = Shown::record("cycles", 0.1);
    let (_door, mut client) = open(&log.0);
    let cycles = client.ask(json!({"do": "describe"})).unwrap()["cycles"].clone();
    let motion = json!({
        "name": "motion", "trigger": {"rate": 200.0}, "period": 5_000_000, "deadline": 4_000_000, "priority": 30,
        "workers": null, "tasks": [],
    });
    assert_eq!(cycles, json!([motion]));
    let (_door, mut client) = open(&recorded("game.mcap"));
    let cycles = client.ask(json!({"do": "describe"})).unwrap()["cycles"].clone();
    let cognition = cycles.as_array().unwrap().iter().find(|cycle| cycle["name"] == "cognition").unwrap();
    assert_eq!(
        (&cognition["deadline"], &cognition["trigger"]["source"]),
        (&json!(33_000_000), &json!("SimulatedCameras"))
    );
}

#[test]
fn solids_and_words_come_back_from_a_log_as_they_were() {
    let shapes = [
        Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.25 },
        Shape::Cuboid { center: [1.0, 2.0, 3.0], size: [0.5, 1.0, 2.0], rotation: [0.0, 0.0, 1.0, 0.0] },
        Shape::Capsule { from: [0.0; 3], to: [3.0, 0.0, 4.0], radius: 0.5 },
        // Straight down, and without a direction.
        Shape::Capsule { from: [1.0, 0.0, 2.0], to: [1.0, 0.0, -2.0], radius: 0.5 },
        Shape::Capsule { from: [1.0; 3], to: [1.0; 3], radius: 0.5 },
    ];
    let drawn =
        shapes.map(|shape| ("scene/robot", DebugContent::Draw { shape, color: Color::RED, is_background: false }));
    let words = [
        ("scene/score", DebugContent::Text(ShortText::of("1 : 0"))),
        ("scene/said", DebugContent::Annotation(ShortText::of("I have the ball"))),
        ("other/said", DebugContent::Annotation(ShortText::of("nobody looks here"))),
    ];
    let path = std::env::temp_dir().join(format!("hemiola-live-solids-{}.mcap", std::process::id()));
    _ = std::fs::remove_file(&path);
    let mut log = LogWriter::create(&path, LogCompression::None).unwrap();
    let (time, mut gathered) = (Time::from_nanoseconds(1), Gathered::over(Default::default()));
    let records = words.into_iter().chain(drawn).zip(0..).map(|((name, content), sequence)| DebugRecord {
        time,
        run: 1,
        update: "Body.draw".into(),
        sequence,
        name,
        content,
    });
    let mut messages: Vec<_> = records.flat_map(|record| gathered.add(&record)).collect();
    messages.extend(gathered.take_all());
    // One after the other, as of each topic only the newest message is sent at first.
    for (number, message) in (0..).zip(messages) {
        let channel = log.channel(&message.topic, message.schema).unwrap();
        let at = Time::from_nanoseconds(1 + number * 20_000_000);
        log.write(channel, Origin { sequence: 1, logged: at, published: at }, &message.bytes).unwrap();
    }
    log.finish().unwrap();

    let (_door, mut client) = open(&path);
    client.ask(json!({"do": "watch", "what": "debug", "names": ["scene"]})).unwrap();
    client.ask(json!({"do": "play", "speed": 1.0})).unwrap();
    let mut records = Vec::new();
    wait_until(|| {
        client.ask(json!({"do": "describe"})).unwrap();
        let (mine, rest) = std::mem::take(&mut client.events).into_iter().partition(|event| event["event"] == "debug");
        client.events = rest;
        let mine: Vec<Value> = mine;
        records.extend(mine.iter().flat_map(|event| event["records"].as_array().unwrap().clone()));
        records.iter().filter(|record| record["draw"].is_object()).count() >= 5
            && records.iter().any(|record| record["annotation"].is_string())
    });
    assert!(records.iter().all(|record| record["name"] != "other/said"), "{records:?}");
    let said: Vec<_> = records.iter().filter(|record| record["annotation"].is_string()).collect();
    assert_eq!((&said[0]["name"], &said[0]["annotation"]), (&json!("scene/said"), &json!("I have the ball")));
    for shape in shapes {
        let expected = serde_json::to_value(shape).unwrap();
        let is_near = |drawn: &Value| nearly(drawn, &expected);
        assert!(records.iter().any(|record| is_near(&record["draw"])), "{expected} is not among {records:?}");
    }
    std::fs::remove_file(path).unwrap();
}

/// Returns whether two values are the same but for rounding.
fn nearly(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| nearly(value, other)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| nearly(one, other))
        }
        _ => one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| (one - other).abs() < 1e-6),
    }
}

#[test]
fn what_modules_have_shown_is_shown_again() {
    let log = Shown::record("shown", 3.0);
    let (_door, mut client) = open(&log.0);
    client.ask(json!({"do": "watch", "what": "debug"})).unwrap();
    let named = client.event("debug");
    let mut names: Vec<_> =
        named["names"].as_array().unwrap().iter().map(|it| (it["name"].as_str(), it["kind"].as_str())).collect();
    names.sort();
    let known = [
        ("pilot.metres", "plot"),
        ("pilot.view", "image"),
        ("pilot.view/middle", "drawing"),
        ("track/cart", "drawing"),
        ("track/pose", "drawing"),
        ("track/vehicle", "drawing"),
        ("vehicle/lamp", "drawing"),
    ];
    assert_eq!(names, known.map(|(name, kind)| (Some(name), Some(kind))));
    // Nothing is sent that no client watches.
    client.ask(json!({"do": "seek", "time": 2_000_000_000})).unwrap();
    client.ask(json!({"do": "watch", "what": "debug", "names": ["track", "pilot.view", "pilot.metres"]})).unwrap();
    let mut records = Vec::new();
    wait_until(|| {
        client.ask(json!({"do": "read", "value": "Drive"})).unwrap();
        let (mine, rest) = std::mem::take(&mut client.events).into_iter().partition(|event| event["event"] == "debug");
        client.events = rest;
        let mine: Vec<Value> = mine;
        records.extend(mine.iter().flat_map(|event| event["records"].as_array().unwrap().clone()));
        records.len() >= 4 && !client.bytes.is_empty()
    });
    // The newest drawings at that time: the circle around the cart has become a line, the one over
    // the image is still a circle.
    let of = |name: &str| records.iter().filter(|record| record["name"] == name).collect::<Vec<_>>();
    let [cart, middle] = ["track/cart", "pilot.view/middle"].map(|name| match *of(name) {
        [record] => record.clone(),
        ref others => panic!("{name}: {others:?}"),
    });
    let line = cart["draw"]["line"].as_array().unwrap();
    let (time, metres) = (cart["time"].as_i64().unwrap(), line[8][0].as_f64().unwrap());
    assert!((1_990_000_000..=2_000_000_000).contains(&time), "{cart}");
    assert!((metres - time as f64 / 1e7).abs() < 0.01, "the cart was elsewhere at {time}: {cart}");
    assert_eq!((&cart["update"], &cart["color"]), (&json!("Pilot.drive"), &middle["color"]));
    assert_eq!(middle["draw"], json!({"circle": [3.5, 1.5], "radius": 1.0}));
    // The placement of the vehicle is part of the track: it is turned by 90 degrees.
    let places = of("track/vehicle");
    let [vehicle] = *places else { panic!("{places:?}") };
    assert_eq!((&vehicle["draw"]["place"], &vehicle["time"]), (&json!("vehicle"), &cart["time"]));
    let numbers = |list: &Value| list.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect::<Vec<_>>();
    let (at, turn) = (numbers(&vehicle["draw"]["at"]), numbers(&vehicle["draw"]["rotation"]));
    assert!((at[0] - metres + 0.1).abs() < 0.2 && at[1] == 0.0, "{vehicle} beside {cart}");
    assert!((turn[2] - 0.5_f64.sqrt()).abs() < 1e-6 && (turn[3] - 0.5_f64.sqrt()).abs() < 1e-6, "{vehicle}");
    let image = client.bytes.remove(0);
    let length = u32::from_le_bytes(image[4..8].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&image[8..8 + length]).unwrap();
    assert_eq!((image[0], &head["image"]), (4, &json!({"width": 8, "height": 4, "encoding": "mono8"})));
    assert_eq!(image[8 + length..], [200; 32]);
    // While it plays, drawings are sent one after the other.
    client.ask(json!({"do": "play", "speed": 1.0})).unwrap();
    let next = std::iter::from_fn(|| Some(client.event("debug"))).find(|event| event["records"] != json!([])).unwrap();
    assert!(next["records"][0]["time"].as_i64().unwrap() > 2_000_000_000, "{next}");
    client.ask(json!({"do": "unwatch", "what": "debug"})).unwrap();
    // A recorded plot can be plotted like any other number.
    let answer = client.ask(json!({"do": "plot", "subscription": 1, "fields": ["plot:pilot.metres"]})).unwrap();
    assert_eq!(answer["fields"], json!([{"unit": ""}]));
}

#[test]
fn a_plot_is_found_by_the_name_that_the_module_gave_it() {
    #[derive(Data, Default)]
    struct Plotted {
        value: f64,
    }
    let path = std::env::temp_dir().join(format!("hemiola-live-plotted-{}.mcap", std::process::id()));
    _ = std::fs::remove_file(&path);
    let mut log = LogWriter::create(&path, LogCompression::None).unwrap();
    // Topics have no spaces and signs.
    let name = "ball.score in %";
    let topic = hemiola_recording::shown::topic(name);
    let channel = log.channel(&topic, &MessageSchema::of("Plotted", &Plotted::data_type())).unwrap();
    let stamp = Time::from_nanoseconds(1);
    log.write(channel, Origin { sequence: 0, logged: stamp, published: stamp }, &cdr::encode(&Plotted { value: 7.0 }))
        .unwrap();
    log.finish().unwrap();

    let (_door, mut client) = open(&path);
    let fields = [format!("plot:{name}"), "plot:ball.score_in__".to_owned()];
    let answer = client.ask(json!({"do": "plot", "subscription": 1, "fields": fields})).unwrap();
    assert_eq!(answer["fields"], json!([{"unit": ""}, {"unit": ""}]));
    let unknown = client.ask(json!({"do": "plot", "subscription": 2, "fields": ["plot:ball.scores"]})).unwrap();
    let error = unknown["fields"][0]["error"].as_str().unwrap();
    assert!(error.contains("did you mean `/debug/ball/score_in__`"), "{error}");
    std::fs::remove_file(path).unwrap();
}
