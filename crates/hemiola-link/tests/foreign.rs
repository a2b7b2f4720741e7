//! A client in another language, written from docs/book/src/link.md.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Side, address_of, eventually, free_group, free_tcp, listening, next, open};
use hemiola::prelude::*;
use hemiola_link::LinkHost;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, LinkAddress, LinkConfiguration, LinkEnd, Sent, Trigger,
};
use hemiola_realtime::ThreadSettings;
use hemiola_runtime::{Pace, Robot};

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
struct Drive {
    radius: f64,
}

/// Drives in the same circle for ever.
#[derive(Module)]
struct Pilot {}

#[module]
impl Pilot {
    #[update]
    fn drive(&self, drive: &mut Drive) {
        drive.radius = 0.75;
    }
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
fn a_client_in_python_receives_messages_and_answers_them() {
    let Some(mut client) = python("link_client.py") else { return };
    let robot = Side::open("robot", listening(free_tcp(), &["Odometry"], &["Wish"]));
    let (mut driven, mut wishes) = (robot.publisher::<Odometry>("Odometry"), robot.queue::<Wish>("Wish"));
    let client = client.arg(tcp(&robot.address())).stdout(Stdio::piped()).spawn().unwrap();
    robot.until(|link| link.sent[0].peers == 1 && link.received[0].peers == 1);
    for number in 1..=10 {
        let x = 0.5 * f64::from(number);
        driven.publish(Odometry { x, y: -x, heading: 1.0 });
        assert_eq!(next(&mut wishes).radius, 2.0 * x);
    }
    let said = output(client);
    assert!(
        said.starts_with("Odometry 1: x 0.5 y -0.5\n") && said.ends_with("\nOdometry 10: x 5.0 y -5.0\n"),
        "{said}"
    );
    let link = robot.until(|link| link.parted == 1);
    assert_eq!((link.refused, link.problem), (0, None));
    assert!(robot.notes().iter().any(|note| note.ends_with("it has said goodbye: ten are enough")));
}

#[test]
fn a_client_in_python_reads_a_representation_and_calls_a_service() {
    let Some(mut client) = python("link_caller.py") else { return };
    let send = vec![Sent::representation("Drive")];
    let link = LinkConfiguration { send, serve: vec!["IsRoom".to_owned()], ..listening(free_tcp(), &[], &[]) };
    let cycle =
        CycleConfiguration { modules: vec!["Pilot".into()], ..CycleConfiguration::new("main", Trigger::Rate(100.0)) };
    let configuration = Configuration { cycles: vec![cycle], ..Configuration::default() };
    let running = Robot::assemble(configuration).unwrap().start(Pace::RealTime).unwrap();
    let bus = running.handle().bus();
    bus.allow_calls::<IsRoom, bool>("IsRoom");
    let server = bus.server("IsRoom", 4).unwrap();
    let server = server.spawn(ThreadSettings::new("room"), |asked: &IsRoom| asked.radius < 2.0).unwrap();
    let links = open(&[link], &LinkHost::of("robot", running.handle()));
    let address = address_of(&links.statistics()[0]);
    let client = client.arg(tcp(&address)).stdout(Stdio::piped()).spawn().unwrap();
    let said = output(client);
    assert!(said.starts_with("robot: robot\n") && said.contains("\nanswer to call 1: there is room\n"), "{said}");
    assert!(said.contains("\nDrive 1: radius 0.75, of "), "{said}");
    eventually(|| (links.statistics()[0].parted == 1).then_some(())).expect("the client leaves");
    let link = links.statistics().remove(0);
    assert_eq!((link.refused, link.served[0].answers, link.problem), (0, 1, None));
    drop((links, server));
    running.stop();
}

/// Returns what is after `tcp:` in an address.
fn tcp(address: &LinkAddress) -> String {
    let LinkAddress::Tcp(address) = address else { panic!("it is TCP") };
    address.to_string()
}

/// Waits until a client has ended without an error, and returns what it printed.
fn output(client: Child) -> String {
    let output = client.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
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
