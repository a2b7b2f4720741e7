//! A client in another language, written from docs/book/src/link.md.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Side, free_group, free_tcp, listening, next};
use hemiola::prelude::*;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
use hemiola_realtime::ThreadSettings;

#[derive(Representation, Clone, Default)]
struct Odometry {
    x: f64,
    y: f64,
    heading: f64,
}

#[derive(Representation, Clone, Default)]
struct Wish {
    radius: f64,
}

#[derive(Data)]
struct IsRoom {
    radius: f64,
}

#[derive(Representation, Clone, Default)]
struct Picture {
    number: u32,
    pixels: Vec<u8>,
}

/// Returns the command that runs a script in Python, which has not been started yet; `None` if
/// there is no Python.
fn python(script: &str) -> Option<Command> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let runs = |python: &PathBuf| Command::new(python).arg("--version").output().is_ok_and(|it| it.status.success());
    let Some(python) = named.into_iter().chain([PathBuf::from("python3")]).find(runs) else {
        eprintln!("SKIPPED: no Python here; install python3, or name one with HEMIOLA_PYTHON");
        return None;
    };
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(script));
    Some(command)
}

#[test]
fn a_client_in_python_hears_and_answers_and_asks() {
    let Some(mut client) = python("link_client.py") else { return };
    let link = listening(free_tcp(), &["Odometry"], &["Wish"]);
    let robot = Side::open("robot", LinkConfiguration { serve: vec!["IsRoom".to_owned()], ..link });
    robot.bus.allow_calls::<IsRoom, bool>("IsRoom");
    let server = robot.bus.server("IsRoom", 4).unwrap();
    let _server = server.spawn(ThreadSettings::new("room"), |asked: &IsRoom| asked.radius < 2.0).unwrap();
    let (mut driven, mut wishes) = (robot.publisher::<Odometry>("Odometry"), robot.queue::<Wish>("Wish"));
    let LinkAddress::Tcp(address) = robot.address() else { panic!("it is TCP") };
    let client = client.arg(address.to_string()).stdout(Stdio::piped()).spawn().unwrap();
    robot.until(|link| link.sent[0].peers == 1 && link.received[0].peers == 1);
    for number in 1..=10 {
        let x = 0.5 * f64::from(number);
        driven.publish(Odometry { x, y: -x, heading: 1.0 });
        assert_eq!(next(&mut wishes).radius, 2.0 * x);
    }
    let output = client.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("robot: robot\n") && said.contains("\nOdometry 1: x 0.5 y -0.5\n"), "{said}");
    assert!(said.contains("\nanswer to call 1: there is room\n"), "{said}");
    let link = robot.until(|link| link.parted == 1);
    assert_eq!((link.refused, link.served[0].answers, link.problem), (0, 1, None));
    assert!(robot.notes().iter().any(|note| note.ends_with("it has said goodbye: ten are enough")));
}

#[test]
fn a_member_of_a_group_in_python_meets_a_robot_and_puts_fragments_together() {
    let Some(mut member) = python("link_group.py") else { return };
    let Some(group) = free_group() else { return };
    let link = LinkConfiguration { end: LinkEnd::Join(group.clone()), ..listening(free_tcp(), &["Picture"], &[]) };
    let robot = Side::open("robot", link);
    let mut pictures = robot.publisher::<Picture>("Picture");
    let member = member.arg(group.address.to_string()).arg("127.0.0.1").stdout(Stdio::piped());
    let mut member = member.spawn().unwrap();
    robot.until_wanted();
    // Some may be lost on a computer that is busy with other things.
    let mut number = 0;
    while member.try_wait().unwrap().is_none() {
        number += 1;
        pictures.publish(Picture { number, pixels: vec![number as u8; 100_000] });
        robot.until(|link| link.sent[0].messages == u64::from(number) || link.peers.is_empty());
    }
    let output = member.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines.iter().all(|line| line.ends_with(" of 100000 pixels")), "{said}");
    let link = robot.until(|link| link.parted == 1);
    assert_eq!((link.refused, link.met), (0, 1));
    assert!(robot.notes().iter().any(|note| note.ends_with("it has said goodbye: three are enough")));
}
