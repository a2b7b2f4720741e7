//! Clients see what the robot has, and their changes are applied.

mod common;

use common::{Drive, House, wait_until};
use hemiola_log::{Entry, LogReader};
use hemiola_runtime::{JournalEvent, RobotHandle};
use serde_json::{Value, json};

fn drive(handle: &RobotHandle) -> Drive {
    common::value(handle, Drive::clone)
}

#[test]
fn a_robot_says_what_it_consists_of() {
    let house = House::plain();
    let mut client = house.client(false);
    let all = client.ask(json!({"do": "describe"})).unwrap();
    let task = &all["cycles"][0]["tasks"][0];
    assert_eq!(
        (&task["name"], &task["uses"][0], &task["publishes"][0]),
        (&json!("Pilot.drive"), &json!("Drive"), &json!("Beat"))
    );
    let drive = &all["representations"][0];
    assert_eq!(drive["provider"], "Pilot");
    assert_eq!(drive["candidates"], json!(["Parked", "Pilot"]));
    assert_eq!(all["topics"][0]["name"], "Beat");
    let paths: Vec<_> = client.ask(json!({"do": "fields", "value": "Drive"})).unwrap().as_array().unwrap().clone();
    assert_eq!(paths[1]["path"], "Drive.history[0]");
}

#[test]
fn values_come_as_they_are_in_logs() {
    let house = House::plain();
    let mut client = house.client(false);
    let answer = client.ask(json!({"do": "subscribe", "subscription": 7, "value": "Drive"})).unwrap();
    assert!(answer["schema"].as_str().unwrap().contains("float32[3] history"));
    let mut last = None;
    for _ in 0..20 {
        let bytes = client.next_bytes();
        assert_eq!((bytes[0], u32::from_le_bytes(bytes[4..8].try_into().unwrap())), (1, 7));
        let seen: DriveBytes = DriveBytes::of(&bytes[32..]);
        assert_eq!(seen.history, [1.0, 2.0, 3.0]);
        assert_eq!(seen.metres, f64::from(seen.runs) * 0.5);
        assert!(last.is_none_or(|last| seen.runs > last));
        last = Some(seen.runs);
    }
    assert!(client.ask(json!({"do": "unsubscribe", "subscription": 7})).is_ok());
    // A cycle that a busy machine keeps from running cannot be read.
    let read = || client.ask(json!({"do": "read", "value": "Drive.history[2]"}));
    let value = std::iter::repeat_with(read).find_map(Result::ok).unwrap();
    assert_eq!(value["value"], 3.0);
}

/// The values in the CDR of a `Drive`, decoded by hand: header, float64, three float32, uint32.
struct DriveBytes {
    metres: f64,
    history: [f32; 3],
    runs: u32,
}

impl DriveBytes {
    fn of(bytes: &[u8]) -> Self {
        assert_eq!(bytes[..4], [0, 1, 0, 0]);
        let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        Self {
            metres: f64::from_le_bytes(bytes[4..12].try_into().unwrap()),
            history: [float(12), float(16), float(20)],
            runs: u32::from_le_bytes(bytes[24..28].try_into().unwrap()),
        }
    }
}

#[test]
fn messages_come_too_and_can_be_published() {
    let house = House::plain();
    let mut client = house.client(true);
    client.ask(json!({"do": "subscribe", "subscription": 1, "topic": "Beat"})).unwrap();
    let count = |bytes: &[u8]| u32::from_le_bytes(bytes[36..40].try_into().unwrap());
    let first = count(&client.next_bytes());
    // On a busy machine a client misses some, so this is also published until it comes.
    assert!(count(&client.next_bytes()) > first);
    wait_until(|| {
        client.ask(json!({"do": "publish", "topic": "Beat", "message": {"count": 4_000_000}})).unwrap();
        (0..10).any(|_| count(&client.next_bytes()) == 4_000_000)
    });
    let wrong = client.ask(json!({"do": "publish", "topic": "Beat", "message": {"count": "many"}})).unwrap_err();
    assert!(wrong.contains("count"), "{wrong}");
}

#[test]
fn numbers_and_timing_can_be_plotted() {
    let house = House::plain();
    let mut client = house.client(false);
    let fields = [
        "Drive.metres",
        "topic:Beat.count",
        "timing:motion.response",
        "timing:Pilot.drive",
        "Drve.metres",
        "Drive.metre",
    ];
    let answer = client.ask(json!({"do": "plot", "subscription": 3, "fields": fields, "rate": 20})).unwrap();
    assert!(answer["fields"][0]["error"].is_null());
    assert!(answer["fields"][4]["error"].as_str().unwrap().contains("`Drive`"));
    assert!(answer["fields"][5]["error"].as_str().unwrap().contains("`metres`"));
    let mut points = [0; 6];
    wait_until(|| {
        let bytes = client.next_bytes();
        let (mut at, number) = (8, |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize);
        while at < bytes.len() {
            let (field, count) = (number(at), number(at + 4));
            points[field] += count;
            at += 8 + 24 * count;
        }
        assert_eq!(at, bytes.len());
        points[..4].iter().all(|points| *points > 10)
    });
    assert_eq!(points[4], 0);
}

#[test]
fn events_tell_what_ran() {
    let house = House::plain();
    let mut client = house.client(false);
    let answer = client.ask(json!({"do": "events", "subscription": 9})).unwrap();
    let names = &answer["names"];
    let task = names["tasks"].as_array().unwrap().iter().position(|task| task["name"] == "Pilot.drive").unwrap();
    wait_until(|| {
        let bytes = client.next_bytes();
        assert_eq!((bytes.len() - 8) % 32, 0);
        let now = house.robot.handle().now().nanoseconds();
        let runs = bytes[8..].chunks(32).filter(|record| record[0] == 0 && usize::from(record[4]) == task);
        for record in runs.clone() {
            let time = |at: usize| i64::from_le_bytes(record[at..at + 8].try_into().unwrap());
            assert!(0 <= time(16) && time(16) <= time(24) && time(24) <= now);
        }
        runs.count() > 0
    });
}

#[test]
fn a_change_reaches_the_robot_and_the_journal_says_who_made_it() {
    let house = House::plain();
    let handle = house.robot.handle().clone();
    let mut client = house.client(true);
    client.ask(json!({"do": "watch", "what": "journal"})).unwrap();
    let set = json!({"parameter": {"module": "Pilot", "name": "step", "value": 0.0}});
    client.ask(json!({"do": "change", "change": set})).unwrap();
    // A busy machine may have something to report before.
    let mut events = std::iter::repeat_with(|| client.event("journal"));
    let event = events.find(|event| event["change"].is_object()).unwrap();
    assert_eq!(event["change"]["change"], set);
    assert!(event["change"]["by"].as_str().unwrap().starts_with("127.0.0.1:"));
    let by = handle.journal(0).into_iter().find_map(|entry| match entry.event {
        JournalEvent::Change { by, .. } => by,
        _ => None,
    });
    assert!(by.is_some());
    let listed = client.ask(json!({"do": "parameters", "module": "Pilot"})).unwrap();
    assert_eq!(
        (&listed[0]["value"], &listed[0]["default"], &listed[0]["unit"]),
        (&json!(0.0), &json!(0.5), &json!("m"))
    );
    let still = drive(&handle).metres;
    house.runs_on();
    assert_eq!(drive(&handle).metres, still);

    let out = json!({"parameter": {"module": "Pilot", "name": "step", "value": 7.0}});
    let refused = client.ask(json!({"do": "change", "change": out})).unwrap_err();
    assert!(refused.contains("step") && refused.contains('2'), "{refused}");
}

#[test]
fn a_provider_is_switched_and_an_override_holds() {
    let house = House::plain();
    let handle = house.robot.handle().clone();
    let mut client = house.client(true);
    let change = |change: Value| json!({"do": "change", "change": change});
    client.ask(change(json!({"provider": {"representation": "Drive", "module": "Parked"}}))).unwrap();
    wait_until(|| drive(&handle).metres == -1.0);
    let all = client.ask(json!({"do": "describe"})).unwrap();
    assert_eq!(all["representations"][0]["provider"], "Parked");

    let value = json!({"metres": 42.0, "history": [0.0, 0.0, 0.0], "runs": 1});
    client.ask(change(json!({"override": {"representation": "Drive", "value": value}}))).unwrap();
    house.runs_on();
    assert_eq!(drive(&handle).metres, 42.0);
    client.ask(change(json!({"release": {"representation": "Drive"}}))).unwrap();
    wait_until(|| drive(&handle).metres == -1.0);
}

#[test]
fn figures_and_explanations_are_told() {
    let house = House::plain();
    let mut client = house.client(true);
    client.ask(json!({"do": "watch", "what": "statistics", "period": 50_000_000})).unwrap();
    wait_until(|| client.event("statistics")["report"]["cycles"][0]["execution"]["count"].as_u64() > Some(30));
    let why = client.ask(json!({"do": "why", "subject": "motion"})).unwrap();
    assert!(why["text"].as_str().unwrap().contains("motion, run"), "{why}");
    assert!(why["cycle"] == "motion" && why["runs"][0]["reason"]["kind"].is_string(), "{why}");
    let bounds = client.ask(json!({"do": "bounds"})).unwrap();
    assert_eq!(bounds["rows"][0]["what"], "cycle");
    let captured = client.ask(json!({"do": "capture"})).unwrap();
    assert!(captured["cycles"]["motion"]["Drive"]["runs"].as_u64() > Some(30));
    client.ask(json!({"do": "change", "change": {"safe_state": true}})).unwrap();
    wait_until(|| client.event("statistics")["safe_state"]["cause"].is_string());
    client.ask(json!({"do": "stop"})).unwrap();
    wait_until(|| house.robot.handle().is_stopping());
}

#[test]
fn a_log_can_be_begun_and_ended_from_outside() {
    let house = House::plain();
    let mut client = house.client(true);
    let folder = std::env::temp_dir().join(format!("hemiola-live-{}", std::process::id()));
    let file = folder.join("game.mcap");
    client.ask(json!({"do": "record", "file": file})).unwrap();
    assert!(client.ask(json!({"do": "record"})).unwrap_err().contains("already"));
    client.ask(json!({"do": "mark", "text": "the ball is lost"})).unwrap();
    house.runs_on();
    let stopped = client.ask(json!({"do": "record", "stop": true})).unwrap();
    // On a busy machine the recorder may come too late for some values, and says so.
    let is_lossy = stopped["text"].as_str().is_some_and(|text| text.contains(" lost, because the log was too slow"));
    assert_eq!(stopped["whole"], !is_lossy, "{stopped}");
    assert!(client.ask(json!({"do": "record", "file": file})).unwrap_err().contains("never overwritten"));
    let mut log = LogReader::open(&file).unwrap();
    let mut is_marked = false;
    while let Some(entry) = log.next_entry() {
        if let Ok(Entry::Message(message)) = entry {
            is_marked |= message.data.windows(16).any(|window| window == b"the ball is lost");
        }
    }
    assert!(is_marked);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_modules_show_comes_to_whoever_wants_it() {
    let house = House::plain();
    let mut client = house.client(false);
    client.ask(json!({"do": "watch", "what": "debug"})).unwrap();
    // The names are known once the module has run.
    wait_until(|| client.event("debug")["names"][0]["name"] == "pilot.metres");
    client.ask(json!({"do": "watch", "what": "debug", "names": ["track"]})).unwrap();
    wait_until(|| {
        let records = client.event("debug")["records"].clone();
        let drawn = |record: &Value| record["name"] == "track/cart" && record["draw"]["circle"][1] == 0.0;
        records.as_array().unwrap().iter().any(drawn)
    });
    // The placement of another space is sent with the space; drawings in that space are sent only
    // to clients that watch it.
    let mut records = Vec::new();
    wait_until(|| {
        records.extend(client.event("debug")["records"].as_array().unwrap().clone());
        records.iter().any(|record| record["draw"]["place"] == "vehicle" && record["name"] == "track/pose")
    });
    assert!(records.iter().all(|record| record["name"] != "vehicle/lamp"), "{records:?}");
    client.ask(json!({"do": "watch", "what": "debug", "names": ["track", "vehicle"]})).unwrap();
    wait_until(|| {
        let records = client.event("debug")["records"].clone();
        records.as_array().unwrap().iter().any(|record| record["name"] == "vehicle/lamp")
    });
    client.ask(json!({"do": "plot", "subscription": 1, "fields": ["plot:pilot.metres"]})).unwrap();
    assert!(client.next_bytes().len() > 8);
}

#[test]
fn a_service_that_allows_it_is_called_from_outside() {
    let house = House::plain();
    let bus = house.robot.handle().bus().clone();
    let server = bus
        .server("double", 4)
        .unwrap()
        .spawn(hemiola::realtime::ThreadSettings::new("double"), |number: &u32| 2 * number)
        .unwrap();
    let mut client = house.client(true);
    let call = |service: &str, request: Value| json!({"do": "call", "service": service, "request": request});
    assert!(client.ask(call("double", json!(21))).unwrap_err().contains("allow_calls"));
    bus.allow_calls::<u32, u32>("double");
    assert_eq!(client.ask(call("double", json!(21))).unwrap()["response"], 42);
    assert!(client.ask(call("double", json!("many"))).is_err());
    assert!(client.ask(call("doubel", json!(21))).unwrap_err().contains("`double`"));
    assert!(house.client(false).ask(call("double", json!(1))).unwrap_err().contains("is read-only"));
    drop(server);
}
