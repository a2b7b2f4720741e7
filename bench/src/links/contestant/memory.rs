//! Memory that both processes share, in which the receiver looks for a message: the limit of what a
//! message can take.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;
use hemiola_realtime::{ForeignMemory, SharedMemory};

pub fn run(assignment: &Assignment) -> io::Result<()> {
    let words = (assignment.number("bytes") as usize).div_ceil(size_of::<u64>());
    if assignment.receives() {
        return receive(assignment, words);
    }
    let memory = SharedMemory::create(BYTES)?;
    let theirs = memory.descriptor().try_clone_to_owned()?;
    measure(assignment, Partner::start(theirs), &mut Writing { memory, words });
    Ok(())
}

/// The length of the memory.
const BYTES: usize = 64 * 1024;
/// The word with the number of the newest message, on a cache line of its own. The message follows.
const NUMBER: usize = 8;
const MESSAGE: usize = 16;

struct Writing {
    memory: Arc<SharedMemory>,
    /// The length of a message.
    words: usize,
}

impl links::Sender for Writing {
    fn send(&mut self, number: u64) {
        self.memory.set_word(MESSAGE, monotonic_ns());
        (1..self.words).for_each(|word| self.memory.set_word(MESSAGE + word, number));
        self.memory.set_word(NUMBER, number);
    }
}

fn receive(assignment: &Assignment, words: usize) -> io::Result<()> {
    let memory = ForeignMemory::open(&io::stdin().as_fd().try_clone_to_owned()?, BYTES)?;
    let read = |word| memory.word(word).ok_or(io::ErrorKind::UnexpectedEof);
    let (mut arrivals, mut newest) = (Arrivals::expected(assignment), 0);
    let mut message = vec![0; words];
    loop {
        let number = read(NUMBER)?;
        if number == newest {
            std::hint::spin_loop();
            continue;
        }
        newest = number;
        for (word, into) in message.iter_mut().enumerate() {
            *into = read(MESSAGE + word)?;
        }
        if arrivals.note(number, std::hint::black_box(&message)[0]).map_err(io::Error::other)? {
            return Ok(());
        }
    }
}
