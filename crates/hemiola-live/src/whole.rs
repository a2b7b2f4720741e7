//! A robot of several processes, treated as one: by programs that connect to each process
//! ([`client::WholeRobot`](crate::client::WholeRobot)), and by the door that gives a client access
//! to all of them (`door/whole.rs`). Nothing in this module reads or writes a socket.
//!
//! | file | what |
//! |---|---|
//! | `process` | one process, and the conversion of its messages to those of the whole |
//! | `holdings` | the modules, topics and other things that each process has |
//! | `routes` | the processes that a request is for, and how their answers are combined |
//! | `joined` | the combined answers of all processes |
//! | `clock` | the conversion of times between the clocks of processes, also of several hosts |

pub mod clock;
pub mod holdings;
mod joined;
pub mod process;
pub mod routes;

use serde_json::Value;

use process::Process;

/// Stores the newest statistics of a process. Returns the statistics of the whole robot; `None` if
/// those of other processes are still missing.
pub fn statistics<C>(processes: &mut [Process<C>], index: usize, content: Value) -> Option<Value> {
    let process = &mut processes[index];
    process.statistics = Some(content);
    process.fresh += 1;
    let is_enough = process.fresh >= 2;
    // A process that has sent none while another has sent two is not waited for.
    if !is_enough && processes.iter().any(|process| process.fresh == 0) {
        return None;
    }
    processes.iter_mut().for_each(|process| process.fresh = 0);
    let known = processes.iter().filter_map(|process| Some(process.said(process.statistics.as_ref()?)));
    Some(joined::statistics(&known.collect::<Vec<_>>()))
}
