//! Clients that are refused or disconnected, without any effect on the robot.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;

use common::{House, PATIENCE, TOKEN};
use hemiola_model::Value;
use serde_json::json;
use tungstenite::Message;

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: hemiola.v1\r\n";

#[test]
fn a_page_of_another_site_cannot_open_a_socket() {
    let house = House::plain();
    let host = house.address();
    for origin in ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1"] {
        let answer =
            house.http(&format!("GET /?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n{UPGRADE}\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403"), "{origin}: {answer}");
    }
    let own =
        house.http(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\r\n"));
    assert!(own.starts_with("HTTP/1.1 200"), "{own}");
    house.runs_on();
}

#[test]
fn a_name_that_was_rebound_is_refused() {
    let house = House::plain();
    let port = house.address().port();
    for host in ["evil.example", "127.0.0.1.evil.example", ""] {
        let answer = house.http(&format!("GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    assert!(house.http("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403"));
}

#[test]
fn without_the_token_everything_can_be_seen_and_nothing_changed() {
    let house = House::plain();
    let mut client = house.client(false);
    assert!(client.ask(json!({"do": "describe"})).is_ok());
    for request in [
        json!({"do": "change", "change": {"safe_state": true}}),
        json!({"do": "change", "change": {"workers": {"cycle": "motion", "workers": 1}}}),
        json!({"do": "stop"}),
        json!({"do": "mark", "text": "x"}),
        json!({"do": "record"}),
        json!({"do": "publish", "topic": "x", "message": 1}),
        json!({"do": "save"}),
        json!({"do": "layouts", "remove": "x"}),
    ] {
        let refused = client.ask(request.clone()).unwrap_err();
        assert!(refused.contains("is read-only"), "{request}: {refused}");
    }
    assert!(!house.robot.handle().is_in_safe_state() && !house.robot.handle().is_stopping());
    assert!(house.client(true).ask(json!({"do": "change", "change": {"safe_state": true}})).is_ok());
    assert!(house.robot.handle().is_in_safe_state());
}

#[test]
fn the_token_becomes_a_cookie_that_other_sites_do_not_get() {
    let house = House::plain();
    let host = house.address();
    let entered = house.http(&format!("GET /?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    assert!(entered.contains("HttpOnly; SameSite=Strict"), "{entered}");
    let wrong = house.http(&format!("GET /?token=wrong HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(wrong.starts_with("HTTP/1.1 403"), "{wrong}");
}

#[test]
fn every_answer_forbids_scripts_of_others() {
    let house = House::plain();
    let host = house.address();
    for path in ["/", "/nothing", "/?token=wrong"] {
        let answer = house.http(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert!(answer.contains("Content-Security-Policy: default-src 'self'"), "{answer}");
        assert!(answer.contains("frame-ancestors 'none'") && !answer.contains("Access-Control"), "{answer}");
    }
}

#[test]
fn a_frame_of_a_gigabyte_ends_the_connection() {
    let house = House::plain();
    let mut client = house.client(true);
    let stream = client.socket.get_mut();
    // This masked text frame claims a length of 1 GiB.
    let mut head = vec![0x81, 0x80 | 127];
    head.extend_from_slice(&(1_u64 << 30).to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    stream.write_all(&head).unwrap();
    _ = stream.write_all(&[0; 4096]);
    let mut rest = Vec::new();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The connection ends with a close frame or a reset.
    _ = stream.read_to_end(&mut rest);
    house.runs_on();
}

#[test]
fn a_flood_of_subscriptions_is_bounded() {
    let house = House::plain();
    let mut client = house.client(true);
    let mut granted = 0;
    for subscription in 0..400 {
        let request = json!({"do": "subscribe", "subscription": subscription, "value": "Drive", "rate": 1.0});
        granted += usize::from(client.ask(request).is_ok());
    }
    assert!((1..=256).contains(&granted), "{granted}");
    house.runs_on();
}

#[test]
fn too_many_requests_are_refused_and_then_cut_off() {
    let house = House::plain();
    let mut client = house.client(true);
    for _ in 0..5_000 {
        if client.socket.write(Message::text(r#"{"id": 1, "do": "describe"}"#)).is_err() {
            break;
        }
    }
    _ = client.socket.flush();
    // A client that sends this much is soon disconnected.
    while client.read().is_some() {}
    house.runs_on();
}

#[test]
fn whoever_never_says_what_they_want_keeps_nobody_out() {
    let house = House::plain();
    let idle: Vec<_> = (0..80).filter_map(|_| TcpStream::connect(house.address()).ok()).collect();
    house.runs_on();
    drop(idle);
    common::wait_until(|| {
        house.http(&format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", house.address())).starts_with("HTTP/1.1 200")
    });
}

#[test]
fn nonsense_is_answered_in_words() {
    let house = House::plain();
    let mut client = house.client(true);
    for (text, hint) in [
        ("{", "not valid JSON"),
        ("[]", "docs/book/src/door.md"),
        (r#"{"id": 7}"#, "do"),
        (r#"{"do": "dance"}"#, "dance"),
    ] {
        client.socket.send(Message::text(text)).unwrap();
        let answer = client.read().unwrap();
        assert!(answer["error"].as_str().unwrap().contains(hint), "{text}: {answer}");
    }
    client.socket.send(Message::binary(vec![1, 2, 3])).unwrap();
    assert!(client.read().unwrap()["error"].is_string());
    let answer =
        client.ask(json!({"do": "change", "change": {"parameter": {"module": "Wlk", "name": "x", "value": 1}}}));
    assert!(answer.unwrap_err().contains("Wlk"));
    let list = Value::List(Vec::new());
    assert!(client.ask(json!({"do": "publish", "topic": "nothing", "message": list})).unwrap_err().contains("nothing"));
}

#[test]
fn the_door_closes_with_a_reason() {
    let house = House::plain();
    let mut client = house.client(false);
    let socket = house.door.socket().map(|socket| socket.path.clone());
    house.door.close("the game is over");
    assert_eq!(client.event("ended")["reason"], "the game is over");
    assert!(client.read().is_none());
    assert!(socket.is_none_or(|path| !path.exists()));
}
