//! Sony's ipc-bench, of which the slides on aibo have figures: messages that are answered, and
//! messages that are written as fast as possible, over a plain socket or a pipe.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use hemiola_bench_contestant::links::Partner;
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;
use rustix::net::sockopt::set_tcp_nodelay;

use super::{plain, system};
use crate::error::BenchError;

/// The workload whose contestants are here.
pub const WORKLOAD: &str = "slides";
/// The number of messages that precede those that count.
const WARM_UP: u64 = 300;
/// The line that says that all messages so far have arrived.
const ARRIVED: &str = "arrived";

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.receives() {
        return receive(assignment).map_err(system);
    }
    let (ours, theirs) = plain::ends(assignment)?;
    if assignment.contestant() == "tcp" {
        // As in the original, TCP may gather messages.
        set_tcp_nodelay(&ours, false).map_err(|error| system(error.into()))?;
    }
    let partner = Partner::start(theirs);
    send(assignment, File::from(ours), partner).map_err(system)
}

fn send(assignment: &Assignment, mut end: File, mut partner: Partner) -> io::Result<()> {
    let (bytes, count, replies) = (assignment.number("bytes"), assignment.number("messages"), replies(assignment));
    let mut message = vec![0; bytes as usize];
    let mut pass = |times: u64| {
        for _ in 0..times {
            end.write_all(&message)?;
            if replies {
                end.read_exact(&mut message)?;
            }
        }
        io::Result::Ok(())
    };
    pass(WARM_UP)?;
    partner.hear(ARRIVED);
    let begin_ns = monotonic_ns();
    pass(count)?;
    let written_ns = monotonic_ns() - begin_ns;
    partner.hear(ARRIVED);
    let arrived_ns = monotonic_ns() - begin_ns;
    if replies {
        println!("half_round_trip_ns {}", written_ns / (2 * count));
    } else {
        let megabits = |ns: u64| 8_000 * bytes * count / ns.max(1);
        println!("written_ns {}", written_ns / count);
        println!("written_megabits_per_s {}", megabits(written_ns));
        println!("arrived_megabits_per_s {}", megabits(arrived_ns));
    }
    Ok(())
}

fn receive(assignment: &Assignment) -> io::Result<()> {
    let mut end = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let replies = replies(assignment);
    let mut message = vec![0; assignment.number("bytes") as usize];
    for times in [WARM_UP, assignment.number("messages")] {
        for _ in 0..times {
            end.read_exact(&mut message)?;
            if replies {
                end.write_all(&message)?;
            }
        }
        println!("{ARRIVED}");
    }
    Ok(())
}

/// Returns whether each message is answered before the next one.
fn replies(assignment: &Assignment) -> bool {
    assignment.number("replies") == 1
}
