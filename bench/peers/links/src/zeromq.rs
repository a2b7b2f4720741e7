//! ZeroMQ: a socket that pushes, and one that pulls.

use std::process::Stdio;

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use zmq::{Context, Message, PULL, PUSH, Socket};

use crate::{Outcome, note, write_head};

pub fn run(assignment: &Assignment) -> Outcome {
    if assignment.receives() { receive(assignment) } else { send(assignment) }
}

/// The line with the address at which the receiving process listens.
const READY: &str = "ready";

fn send(assignment: &Assignment) -> Outcome {
    let mut partner = Partner::start(Stdio::null());
    let address = partner.hear(READY);
    let socket = Context::new().socket(PUSH)?;
    socket.set_sndhwm(assignment.number("window") as i32)?;
    socket.connect(&address)?;
    measure(assignment, partner, &mut Pushing { socket, bytes: assignment.number("bytes") as usize });
    Ok(())
}

struct Pushing {
    socket: Socket,
    bytes: usize,
}

impl links::Sender for Pushing {
    fn send(&mut self, number: u64) {
        // A message is filled in place and handed over.
        let mut message = Message::with_size(self.bytes);
        write_head(&mut message, number);
        self.socket.send(message, 0).expect("the partner is there");
    }
}

fn receive(assignment: &Assignment) -> Outcome {
    let socket = Context::new().socket(PULL)?;
    socket.set_rcvhwm(assignment.number("window") as i32)?;
    match assignment.contestant() {
        "zeromq-ipc" => socket.bind("ipc://*")?,
        _ => socket.bind("tcp://127.0.0.1:*")?,
    }
    let address = socket.get_last_endpoint()?.map_err(|_| "an address that is no text")?;
    let mut arrivals = Arrivals::expected(assignment);
    println!("{READY} {address}");
    let mut message = Message::new();
    loop {
        socket.recv(&mut message, 0)?;
        if note(&mut arrivals, &message)? {
            return Ok(());
        }
    }
}
