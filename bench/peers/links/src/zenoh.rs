//! Zenoh: two peers, one of which publishes to a callback of the other one.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Stdio;
use std::sync::mpsc::channel;

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::{Config, Session, Wait};

use crate::{Outcome, note, write_head};

pub fn run(assignment: &Assignment) -> Outcome {
    if assignment.receives() { receive(assignment) } else { send(assignment) }
}

/// The line with the address at which the receiving process listens.
const READY: &str = "ready";
/// The key of the messages.
const KEY: &str = "bench";

fn send(assignment: &Assignment) -> Outcome {
    let mut partner = Partner::start(Stdio::null());
    let session = open("connect", &partner.hear(READY))?;
    // Publishing waits instead of losing messages, and messages are not batched.
    let publisher = session.declare_publisher(KEY).congestion_control(CongestionControl::Block).express(true).wait()?;
    let matching = publisher.matching_listener().wait()?;
    while !publisher.matching_status().wait()?.matching() {
        matching.recv()?;
    }
    let message = vec![0; assignment.number("bytes") as usize];
    measure(assignment, partner, &mut Publishing { publisher, message });
    Ok(())
}

struct Publishing<'s> {
    publisher: Publisher<'s>,
    message: Vec<u8>,
}

impl links::Sender for Publishing<'_> {
    fn send(&mut self, number: u64) {
        write_head(&mut self.message, number);
        self.publisher.put(&self.message[..]).wait().expect("the partner is there");
    }
}

fn receive(assignment: &Assignment) -> Outcome {
    let listens_at = match assignment.contestant() {
        "zenoh-unix" => {
            let name = format!("hemiola-bench-links-{}.sock", std::process::id());
            format!("unixsock-stream/{}", std::env::temp_dir().join(name).display())
        }
        // A free port.
        _ => format!("tcp/{}", TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?),
    };
    let session = open("listen", &listens_at)?;
    let (mut arrivals, (last, end)) = (Arrivals::expected(assignment), channel());
    let _subscriber = session
        .declare_subscriber(KEY)
        .callback_mut(move |sample| match note(&mut arrivals, &sample.payload().to_bytes()) {
            Ok(true) => _ = last.send(()),
            Ok(false) => {}
            Err(problem) => {
                eprintln!("{problem}");
                std::process::exit(1);
            }
        })
        .wait()?;
    println!("{READY} {listens_at}");
    end.recv()?;
    Ok(())
}

/// Opens a session with a single connection to the other process.
fn open(way: &str, address: &str) -> zenoh::Result<Session> {
    let mut config = Config::default();
    config.insert_json5("mode", "\"peer\"")?;
    config.insert_json5("scouting/multicast/enabled", "false")?;
    config.insert_json5("listen/endpoints", "[]")?;
    config.insert_json5(&format!("{way}/endpoints"), &format!("[\"{address}\"]"))?;
    zenoh::open(config).wait()
}
