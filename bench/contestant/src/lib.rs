//! The parts that all Rust contestants of the bench share, so that they differ in how they dispatch
//! and in nothing else: the protocol, the calibrated work, the measurement, the threads' policy.
//! `bench/peers/cpp/contestant.hpp` has the same for C++.
//!
//! A contestant is a process of its own. It is started with
//! `--graph FILE --workers N --mode MODE --runs N --period-ns N`, in the varied mode with
//! `--durations FILE`, with `--priority N` for another priority than 80, and prints lines of
//! `key value value ...`:
//!
//! | key | values |
//! |---|---|
//! | `contestant` | name and version |
//! | `granted` | the scheduling policy that the system granted |
//! | `reference_ns` | each run of the sequential loop in this process: the speed that all else is compared with |
//! | `makespan_ns` | each run; in the periodic mode from the trigger on, in a pipeline from the end of the run before |
//! | `first_task_ns` | each run, from the trigger to the begin of the first task |
//! | `start_ns` | each run, from the trigger to when the cycle's thread was there |
//! | `idle_cpu_ns`, `idle_wall_ns` | processor time of the process, and the time that passed |
//! | `allocations`, `allocation_runs` | how many, in how many runs |
//! | `ready` | none: it waits for a line of input before it continues |
//!
//! [`messages`] has the same parts for the bench of messages, and [`links`] for that of links.
//!
//! This crate knows nothing of Hemiola, and depends on nothing but the C library and a serialiser.
//!
//! ```no_run
//! use hemiola_bench_contestant::Contest;
//!
//! let contest = Contest::enter("backwards", "1.0");
//! contest.measure(&mut || (0..contest.graph().len()).rev().for_each(|task| contest.work().run(task)));
//! ```
//!
//! `unsafe` stands in `system` (calls into the C library) and `allocations` (the trait is unsafe).
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod allocations;
mod arguments;
mod completions;
mod graph;
pub mod links;
mod measure;
pub mod messages;
mod sync;
mod system;
mod work;

pub use allocations::{CountAllocations, Memory};
pub use arguments::Mode;
pub use completions::Completions;
pub use graph::{Graph, GraphError};
pub use measure::Contestant;
pub use system::{Granted, Usage, monotonic_ns, request_real_time, sleep_until_ns};
pub use work::{Work, compute_for};

use arguments::Arguments;

/// The entry of one contestant: what it has to run, and how it is measured. It lives as long as the
/// process, so that the threads of any framework can refer to it.
///
/// The example of the [crate] shows its use.
pub struct Contest {
    arguments: Arguments,
    graph: Graph,
    work: Work,
}

impl Contest {
    /// Reads the command line and the graph, asks for real-time priority (inherited by all threads
    /// that are made from now on), calibrates the work, and introduces itself. Ends the process
    /// with a message if it was started wrongly.
    pub fn enter(name: &str, version: &str) -> &'static Contest {
        let fail = |message: String| -> ! {
            eprintln!("{name}: {message}");
            std::process::exit(2);
        };
        let arguments = Arguments::parse(std::env::args()).unwrap_or_else(|message| fail(message));
        let text = std::fs::read_to_string(&arguments.graph)
            .unwrap_or_else(|error| fail(format!("{} cannot be read: {error}", arguments.graph)));
        let graph = Graph::parse(&text).unwrap_or_else(|error| fail(format!("{}: {error}", arguments.graph)));
        println!("contestant {name} {version}");
        println!("granted {}", request_real_time(arguments.workers, arguments.priority));
        let work = Work::calibrated(&graph);
        Box::leak(Box::new(Contest { arguments, graph, work }))
    }

    /// Returns the graph: which task has to run before which.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the work of the tasks.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Returns how many threads may work at the same time, including the one that starts a run if
    /// that works, too.
    pub fn workers(&self) -> usize {
        self.arguments.workers
    }

    /// Returns the mode in which the contestant is measured.
    pub fn mode(&self) -> Mode {
        self.arguments.mode
    }

    /// Returns where contestants whose runs overlap note that a run has ended, instead of being
    /// called for each.
    pub fn completions(&self) -> Completions {
        Completions::new(self.arguments.runs)
    }

    /// Measures the contestant as the command line says, and prints the samples.
    pub fn measure(&self, contestant: &mut impl Contestant) {
        measure::measure(&self.arguments, &self.graph, &self.work, contestant);
    }
}
