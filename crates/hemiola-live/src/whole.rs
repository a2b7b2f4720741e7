//! A robot of several processes as one, for whoever reaches them all: programs that connect to each
//! ([`client::WholeRobot`](crate::client::WholeRobot)), and the door that lets a client through to
//! all (`door/whole.rs`). Nothing in here reads or writes a socket.
//!
//! | file | what |
//! |---|---|
//! | `process` | one process, and its messages as those of the whole |
//! | `holdings` | what each process has |
//! | `routes` | whom a request is for, and how the answers become one |
//! | `joined` | the answers of all processes as one |
//! | `clock` | times of one process on the clock of another |

pub mod clock;
pub mod holdings;
mod joined;
pub mod process;
pub mod routes;

use serde_json::Value;

use process::Process;

/// Notes the newest statistics of a process. Returns those of the whole robot; `None` if they have
/// to wait for those of other processes.
pub fn statistics<C>(processes: &mut [Process<C>], index: usize, content: Value) -> Option<Value> {
    let process = &mut processes[index];
    process.statistics = Some(content);
    process.fresh += 1;
    let is_enough = process.fresh >= 2;
    // One that has sent none while another one sent two is not waited for.
    if !is_enough && processes.iter().any(|process| process.fresh == 0) {
        return None;
    }
    processes.iter_mut().for_each(|process| process.fresh = 0);
    let known = processes.iter().filter_map(|process| Some(process.said(process.statistics.as_ref()?)));
    Some(joined::statistics(&known.collect::<Vec<_>>()))
}
