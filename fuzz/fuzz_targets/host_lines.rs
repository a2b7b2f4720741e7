//! Lines that processes and hosts of a robot send each other are read as they were written, or
//! close the connection. Who changes anything in a greeting gets nothing else than what was meant,
//! and whatever a host claims, another one that enters its safe state is in it.
#![no_main]

mod patched;

// The crate `hemiola-cli` shows nobody how processes and hosts talk.
#[path = "../../crates/hemiola-cli/src/processes/entries.rs"]
mod entries;
#[allow(dead_code)]
#[path = "../../crates/hemiola-cli/src/processes/gate.rs"]
mod gate;
#[path = "../../crates/hemiola-cli/src/processes/proof.rs"]
mod proof;
#[allow(dead_code)]
#[path = "../../crates/hemiola-cli/src/processes/words.rs"]
mod words;

use std::cell::RefCell;
use std::fmt::Debug;
use std::io::{self, Read, Write};

use entries::Entries;
use gate::{Pass, Wish};
use libfuzzer_sys::fuzz_target;
use patched::patched;
use serde::Serialize;
use serde::de::DeserializeOwned;
use words::{HostSaid, Lines, Pong, SafeCause, Said, Told, write};

/// Lines of each kind.
const LINES: [&str; 14] = [
    r#"{"begins":{"process":"vision"}}"#,
    r#"{"changed":{"parameter":{"module":"Walk","name":"gain","value":0.7}}}"#,
    r#"{"changed":{"override":{"representation":"Pose","value":{"x":0.5,"names":["a","b"],"is_known":true}}}}"#,
    r#"{"changed":{"safe_state":"enter"}}"#,
    r#"{"safe":{"reason":"cycle `motion` stopped"}}"#,
    r#"{"left":{"heard":3}}"#,
    r#"{"begin":{"changes":[{"restart":{"module":"Walk"}}],"safe":{"process":"main","reason":"it was asked to"},"waits":null}}"#,
    r#"{"waits":"host `head`: it has not been met yet"}"#,
    r#"{"safe":{"process":"main","reason":"it was asked to"}}"#,
    r#"{"left":{"process":"main","heard":1}}"#,
    r#"{"hosts":{"own":"body","others":[{"name":"head","processes":["vision"],"clock":{"ahead_ns":-5,"error_ns":7}}]}}"#,
    r#"{"knows":{"entries":{"body 1":{"entered":2,"cause":{"process":"main","reason":"a"},"left":1,"left_by":"main"}},"begun":["main"]}}"#,
    r#"{"ping":{"left":1234567890123}}"#,
    r#"{"left":1,"arrived":2,"answered":3}"#,
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    match choice % 4 {
        0 => lines(rest),
        1 => {
            // Each line of the input changes a line.
            let changed = rest.split(|&byte| byte == b'\n').filter_map(|line| {
                let (number, changes) = line.split_first()?;
                let mut line = patched(LINES[usize::from(*number) % LINES.len()].as_bytes(), changes);
                line.push(b'\n');
                Some(line)
            });
            lines(&changed.collect::<Vec<_>>().concat());
        }
        2 => knocks(rest),
        _ => is_answered(rest),
    }
});

fn lines(bytes: &[u8]) {
    come_back::<Said>(bytes);
    come_back::<Told>(bytes);
    come_back::<Pong>(bytes);
    come_back::<HostSaid>(bytes);
    let cause = || SafeCause { process: "main".to_owned(), reason: "it was asked to".to_owned() };
    let mut ours = Entries::default();
    ours.enter("body 1", cause());
    // Also lines between which others are not those of a host.
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if let Some(HostSaid::Knows(knows)) = Lines::of(line).next() {
            _ = ours.merge(knows.entries, "body 1");
        }
    }
    ours.leave("main");
    assert_eq!(ours.cause(), None);
    ours.enter("body 1", cause());
    assert_eq!(ours.cause(), Some(&cause()));
}

/// What can be read of the bytes is written, and read as the same.
fn come_back<T: DeserializeOwned + Serialize + PartialEq + Debug>(bytes: &[u8]) {
    let (mut lines, mut read, mut written) = (Lines::of(bytes), Vec::new(), Vec::new());
    while let Some(line) = lines.next::<T>() {
        write(&mut written, &line).expect("it is not longer than what was read");
        read.push(line);
    }
    let mut again = Lines::only(&written[..]);
    for line in read {
        assert_eq!(again.next::<T>(), Some(line));
    }
}

fn pass(host: &str) -> Pass {
    Pass { robot: "cart".to_owned(), host: host.to_owned(), token: "a secret of this cart".to_owned() }
}

/// Whoever knocks is let in with what was meant, or not at all.
fn knocks(changes: &[u8]) {
    let (body, wish) = (pass("body"), Wish::Door { process: "main".to_owned() });
    assert!(body.ask(changes, io::sink()).is_err(), "it knows the token");
    let heard = RefCell::new(Vec::new());
    let knock = || {
        let mut knock = Vec::new();
        _ = pass("head").greet(&heard.borrow()[..], &mut knock, "body", wish.clone());
        patched(&knock, changes)
    };
    match body.ask(Late { make: Some(knock), said: io::Cursor::default() }, Shared(&heard)) {
        Ok((host, wanted, _)) => assert_eq!((host.as_str(), &wanted), ("head", &wish)),
        Err(_) => assert!(!changes.is_empty(), "nothing was changed"),
    }
}

/// Only whoever knows the token answers a knock.
fn is_answered(changes: &[u8]) {
    let (head, nonce) = (pass("head"), "00112233445566778899aabbccddeeff");
    assert!(head.greet(changes, io::sink(), "body", Wish::Tell).is_err(), "it knows the token");
    let (heard, answered) = (RefCell::new(Vec::new()), RefCell::new([String::new(), String::new()]));
    let answer = || {
        let knock: serde_json::Value = serde_json::from_slice(&heard.borrow()).expect("it was written");
        let theirs = knock["nonce"].as_str().expect("each knock has one").to_owned();
        let mut answer = Vec::new();
        pass("body").open_to(&mut answer, &[nonce.to_owned(), theirs]).expect("it is written to memory");
        let changed = patched(&answer, changes);
        *answered.borrow_mut() = [answer, changed.clone()].map(|said| String::from_utf8_lossy(&said).into_owned());
        changed
    };
    let challenge = format!("{{\"nonce\":\"{nonce}\"}}\n");
    let said = challenge.as_bytes().chain(Late { make: Some(answer), said: io::Cursor::default() });
    let is_open = head.greet(said, Shared(&heard), "body", Wish::Tell).is_ok();
    let [meant, said] = answered.into_inner();
    let proof = |text: &str| {
        let line = text.split_inclusive('\n').next()?.to_owned();
        let answer: serde_json::Value = serde_json::from_str(&line).ok()?;
        Some(answer["open"]["proof"].as_str()?.to_lowercase())
    };
    assert!(!is_open || proof(&said) == proof(&meant), "{said}");
    assert!(is_open || !changes.is_empty(), "nothing was changed");
}

/// A buffer that is written while others read it.
struct Shared<'b>(&'b RefCell<Vec<u8>>);

impl Write for Shared<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text that is made when it is read.
struct Late<F> {
    make: Option<F>,
    said: io::Cursor<Vec<u8>>,
}

impl<F: FnOnce() -> Vec<u8>> Read for Late<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(make) = self.make.take() {
            self.said = io::Cursor::new(make());
        }
        self.said.read(buffer)
    }
}
