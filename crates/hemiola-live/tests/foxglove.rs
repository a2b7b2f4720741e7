//! What Foxglove and its kin get: `tests/foreign` has their own clients.

mod common;

use std::net::TcpStream;

use common::{Drive, House, PATIENCE, TOKEN, wait_until};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

struct Viewer(WebSocket<TcpStream>);

impl Viewer {
    fn come(house: &House, query: &str) -> Self {
        let address = house.address();
        let mut request = format!("ws://{address}/{query}").into_client_request().unwrap();
        request.headers_mut().insert("Sec-WebSocket-Protocol", "foxglove.sdk.v1".parse().unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(tungstenite::client(request, stream).unwrap().0)
    }

    fn say(&mut self, request: Value) {
        self.0.send(Message::text(request.to_string())).unwrap();
    }

    /// The next text with this `op`.
    fn hear(&mut self, op: &str) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let said: Value = serde_json::from_str(&text).unwrap();
                if said["op"] == op {
                    return said;
                }
            }
        }
    }

    /// The next bytes with this opcode.
    fn bytes(&mut self, opcode: u8) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.0.read().unwrap()
                && bytes[0] == opcode
            {
                return bytes.to_vec();
            }
        }
    }
}

#[test]
fn a_viewer_gets_channels_values_and_the_time() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let info = viewer.hear("serverInfo");
    assert_eq!((&info["name"], info["capabilities"].to_string().contains("clientPublish")), (&json!("cart"), false));
    let channels = viewer.hear("advertise")["channels"].as_array().unwrap().clone();
    let drive = channels.iter().find(|channel| channel["topic"] == "Drive").unwrap();
    assert_eq!((&drive["encoding"], &drive["schemaEncoding"]), (&json!("cdr"), &json!("ros2msg")));
    viewer.say(json!({"op": "subscribe", "subscriptions": [{"id": 5, "channelId": drive["id"]}]}));
    let message = viewer.bytes(1);
    assert_eq!(u32::from_le_bytes(message[1..5].try_into().unwrap()), 5);
    assert_eq!(message[13..17], [0, 1, 0, 0]);
    assert_eq!(message.len(), 13 + 28);
    assert_eq!(viewer.bytes(2).len(), 9);
    viewer.say(json!({"op": "subscribeConnectionGraph"}));
    let graph = viewer.hear("connectionGraphUpdate");
    assert_eq!(graph["publishedTopics"][1], json!({"name": "Drive", "publisherIds": ["Pilot"]}));
}

#[test]
fn a_viewer_with_the_token_sets_parameters_and_publishes() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, &format!("?token={TOKEN}"));
    viewer.say(json!({"op": "subscribeParameterUpdates", "parameterNames": []}));
    viewer.say(json!({"op": "setParameters", "id": "a", "parameters": [{"name": "Pilot.step", "value": 1.5}]}));
    let values = viewer.hear("parameterValues");
    assert_eq!(
        (&values["parameters"][0]["name"], &values["parameters"][0]["value"]),
        (&json!("Pilot.step"), &json!(1.5))
    );
    viewer.say(json!({"op": "setParameters", "id": "b", "parameters": [{"name": "Pilot.step", "value": 9.0}]}));
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("step"));

    let goals = house.robot.handle().bus().readable_topic::<common::Beat>("Beat").unwrap();
    let mut beats = goals.queue(64, hemiola_bus::WhenFull::DropOldest);
    viewer.say(json!({"op": "advertise", "channels": [
        {"id": 1, "topic": "Beat", "encoding": "json", "schemaName": ""},
        {"id": 2, "topic": "Beat", "encoding": "cdr", "schemaName": ""},
    ]}));
    let message = |channel: u8, payload: &[u8]| Message::binary([&[1, channel, 0, 0, 0], payload].concat());
    viewer.0.send(message(1, br#"{"count": 777000}"#)).unwrap();
    viewer.0.send(message(2, &[0, 1, 0, 0, 0x10, 0xdf, 0x0b, 0])).unwrap();
    let (mut json, mut cdr) = (false, false);
    wait_until(|| {
        while let Some(beat) = beats.receive() {
            json |= beat.value().count == 777_000;
            cdr |= beat.value().count == 0x000b_df10;
        }
        json && cdr
    });
}

#[test]
fn a_viewer_with_the_token_calls_services_in_json_and_in_cdr() {
    let house = House::plain();
    let server = house.doubling();
    let mut viewer = Viewer::come(&house, &format!("?token={TOKEN}"));
    let service = viewer.hear("advertiseServices")["services"][0].clone();
    assert_eq!((&service["name"], &service["type"]), (&json!("double"), &json!("hemiola/srv/Double")));
    assert_eq!(service["request"]["schema"], "uint32 data\n");
    let call = |encoding: &[u8], request: &[u8]| {
        let numbers = [service["id"].as_u64().unwrap() as u32, 7, encoding.len() as u32];
        let head: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [head.as_slice(), encoding, request].concat()
    };
    for (encoding, request, response) in [
        (&b"json"[..], &b"21"[..], &b"42"[..]),
        (&b"cdr"[..], &[0, 1, 0, 0, 4, 0, 0, 0][..], &[0, 1, 0, 0, 8, 0, 0, 0][..]),
    ] {
        viewer.0.send(Message::binary([&[2], call(encoding, request).as_slice()].concat())).unwrap();
        assert_eq!(viewer.bytes(3), [&[3], call(encoding, response).as_slice()].concat());
    }
    for (encoding, request, why) in
        [(&b"json"[..], &b"no"[..], "JSON"), (b"cdr", b"", "CDR"), (b"ros1", b"", "ros1"), (b"json", b"-1", "double")]
    {
        viewer.0.send(Message::binary([&[2], call(encoding, request).as_slice()].concat())).unwrap();
        let failure = viewer.hear("serviceCallFailure");
        assert_eq!((&failure["serviceId"], &failure["callId"]), (&service["id"], &json!(7)));
        assert!(failure["message"].as_str().unwrap().contains(why), "{failure}");
    }
    drop(server);
}

#[test]
fn a_viewer_without_the_token_changes_nothing() {
    let house = House::plain();
    let server = house.doubling();
    let mut viewer = Viewer::come(&house, "");
    for request in [
        json!({"op": "setParameters", "parameters": [{"name": "Pilot.step", "value": 0.0}]}),
        json!({"op": "advertise", "channels": [{"id": 1, "topic": "Beat", "encoding": "json", "schemaName": ""}]}),
        json!({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]}),
        json!({"op": "dance"}),
    ] {
        viewer.say(request);
        assert_eq!(viewer.hear("status")["level"], 2);
    }
    viewer.0.send(Message::binary(vec![1, 1, 0, 0, 0, 1])).unwrap();
    assert_eq!(viewer.hear("status")["level"], 2);
    viewer.0.send(Message::binary(Vec::new())).unwrap();
    assert_eq!(viewer.hear("status")["level"], 2);
    viewer.0.send(Message::binary(vec![2, 1, 0, 0, 0])).unwrap();
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("too short"));
    viewer.0.send(Message::binary(b"\x02\x01\0\0\0\x01\0\0\0\x04\0\0\0json1".to_vec())).unwrap();
    assert!(viewer.hear("serviceCallFailure")["message"].as_str().unwrap().contains("token"));
    drop(server);
    let before = house.robot.handle().with_value(Drive::clone).unwrap().metres;
    wait_until(|| house.robot.handle().with_value(Drive::clone).unwrap().metres > before);
}
