//! Hemiola's executor beside its peers: the same graphs, the same work, in the same run, in turn.
//!
//! | folder | contents |
//! |---|---|
//! | `workload` | the graphs that are run |
//! | `contest` | who takes part, in which disciplines, round by round, each contestant a process of its own |
//! | `contestant` | our own contestants: the executor, a loop, a static schedule |
//! | `report` | the results: tables, a page with plots, the bars that we set ourselves |
//! | `messages` | topics, queues, actors and executors beside their peers |
//! | `links` | links between processes beside plain sockets and other libraries |
//! | `cut` | a robot that is cut into processes, compared with the same in one |
//! | `thesis` | the experiments of chapter 6 of the thesis that this framework follows |
//! | `robustness` | the effect of varying durations, overload, a lost core and a restricted system on the timing |
//! | `recording` | the cost of handing values over to a recorder, encoding and writing them, and replaying logs |
//! | `live` | the cost of observing a running robot, and the delay with which people see its values |
//! | `stepped` | the time that `--fast`, `--replay` and `log verify` take with more workers than one |
//! | `chains` | chains of callbacks: bounds beside simulation, and the share of random chains that are schedulable |
//! | `choice` | selection by name |
//! | `bar`, `program` | a limit and whether it is met, and a program that a turn starts |
//! | `robot` | the NAO's program, for measurements of a whole robot |
//! | `instructions` | the count that shows a regression without any noise |
//! | `sync` | the atomics |
//!
//! Foreign contestants are in `peers`; the crate `contestant` has what all share.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod bar;
mod chains;
mod choice;
mod command_line;
mod contest;
mod contestant;
mod cut;
mod error;
mod instructions;
mod links;
mod live;
mod machine;
mod messages;
mod program;
mod recording;
mod report;
mod robot;
mod robustness;
mod stepped;
mod sync;
mod thesis;
mod workload;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: hemiola_bench_contestant::CountAllocations = hemiola_bench_contestant::CountAllocations;

fn main() -> ExitCode {
    match command_line::obey() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
