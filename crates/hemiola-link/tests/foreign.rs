//! A client in another language, written from docs/book/src/link.md.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Side, free_tcp, listening, next};
use hemiola::prelude::*;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration};
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

#[test]
fn a_client_in_python_hears_and_answers_and_asks() {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let runs = |python: &PathBuf| Command::new(python).arg("--version").output().is_ok_and(|it| it.status.success());
    let Some(python) = named.into_iter().chain([PathBuf::from("python3")]).find(runs) else {
        return eprintln!("SKIPPED: no Python here; install python3, or name one with HEMIOLA_PYTHON");
    };
    let link = listening(free_tcp(), &["Odometry"], &["Wish"]);
    let robot = Side::open("robot", LinkConfiguration { serve: vec!["IsRoom".to_owned()], ..link });
    robot.bus.allow_calls::<IsRoom, bool>("IsRoom");
    let server = robot.bus.server("IsRoom", 4).unwrap();
    let _server = server.spawn(ThreadSettings::new("room"), |asked: &IsRoom| asked.radius < 2.0).unwrap();
    let (mut driven, mut wishes) = (robot.publisher::<Odometry>("Odometry"), robot.queue::<Wish>("Wish"));
    let LinkAddress::Tcp(address) = robot.address() else { panic!("it is TCP") };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign/link_client.py");
    let client = Command::new(python).arg(script).arg(address.to_string()).stdout(Stdio::piped()).spawn().unwrap();
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
