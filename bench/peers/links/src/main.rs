//! The crates that the bench of links compares Hemiola with: `links CONTESTANT --workload ...`.
//! Each lets its receiver sleep until a message arrives, loses none, and keeps their order.

mod iceoryx2;
mod zenoh;
mod zeromq;

use hemiola_bench_contestant::links::{self, Arrivals};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;

/// The result of a contestant; an error ends the program, which then has no figures.
type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Outcome {
    let assignment = Assignment::parse(std::env::args().skip(1))?;
    if assignment.receives() {
        links::join(&assignment);
    } else {
        assignment.introduce(version(&assignment));
    }
    match assignment.contestant() {
        "iceoryx2" => iceoryx2::run(&assignment),
        "zenoh-tcp" | "zenoh-unix" => zenoh::run(&assignment),
        "zeromq-tcp" | "zeromq-ipc" => zeromq::run(&assignment),
        other => Err(format!("no contestant `{other}` here").into()),
    }
}

/// The first bytes of a message: its number, and when it was sent.
const HEAD: usize = 16;

/// Writes the head of a message that is sent now.
fn write_head(message: &mut [u8], number: u64) {
    message[..8].copy_from_slice(&number.to_le_bytes());
    message[8..HEAD].copy_from_slice(&monotonic_ns().to_le_bytes());
}

/// Records a message that has arrived. Returns whether it was the last.
fn note(arrivals: &mut Arrivals, message: &[u8]) -> Result<bool, String> {
    let [number, stamp] =
        [0, 8].map(|at| message.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    arrivals.note(number, stamp)
}

/// Returns the version of the crate, or of the library below it, that a contestant stands for.
fn version(assignment: &Assignment) -> &'static str {
    const LOCK: &str = include_str!("../Cargo.lock");
    let package = match assignment.contestant() {
        "iceoryx2" => "iceoryx2",
        "zenoh-tcp" | "zenoh-unix" => "zenoh",
        _ => "zeromq-src",
    };
    let name = format!("name = \"{package}\"");
    let mut lines = LOCK.lines().skip_while(|line| **line != *name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    version.map_or("?", |version| version.trim_end_matches('"'))
}
