//! Topics, queues, actors and executors beside their peers: the same workloads, in the same run, in
//! turn.
//!
//! | file | what |
//! |---|---|
//! | `fan_out`, `come_and_go`, `task_queue`, `matrix_to_json`, `ring`, `latest_value`, `hand_over`, `flood`, `idle` | a workload each: its cases, who takes part, our bars |
//! | `contestant` | our own contestants |
//! | `peers` | how the peers are built |
//! | `contest` | runs them in turn, and determines the distance of the two cores |
//! | `result`, `bars` | the results, and the bars |
//! | `area` | the subject of a report: links between processes are measured in the same way |
//! | `terminal`, `page`, `comparison` | the results for people |
//!
//! The requirements of each workload, and its measurement and checks, are in the crate
//! `contestant`, in `messages`.

mod area;
mod bars;
mod come_and_go;
mod comparison;
mod contest;
pub mod contestant;
mod fan_out;
mod flood;
mod hand_over;
mod idle;
mod latest_value;
mod matrix_to_json;
mod page;
mod peers;
mod result;
mod ring;
mod task_queue;
mod terminal;
pub mod workload;

pub use area::{Area, MESSAGES};
pub use comparison::text as compare;
pub use page::html;
pub use result::Report;
pub use terminal::text;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::contest::discipline::Effort;
use crate::error::{BenchError, write};
use crate::machine::Machine;
use workload::Workload;

/// The options of the command.
#[derive(Args)]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of rounds, in each of which everybody has a turn; medians are over rounds.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Runs only these workloads.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Writes all results for `compare` and other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page with plots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const ROUNDS: usize = 3;

/// Runs the workloads of an area, and prints the results. `program` is this one, `folder` where
/// peers are built.
pub fn run(area: &Area, options: &Options, program: &Path, folder: &Path) -> Result<(), BenchError> {
    let machine = Machine::examine();
    println!("{machine}\n");
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let mut workloads = (area.workloads)(effort);
    crate::choice::choose("workload", &mut workloads, &options.only, |workload| workload.name)?;
    let mut notices = Vec::new();
    let programs = peers::build(program, folder, &workloads, &mut notices);
    let rounds = options.rounds.unwrap_or(if options.quick { 1 } else { ROUNDS }).max(1);
    let (contests, host) = contest::hold(&workloads, &programs, rounds);
    let report = Report { area: area.name.to_owned(), machine, host, rounds, quick: options.quick, notices, contests };
    print!("{}", text(area, &report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    options.html.as_ref().map_or(Ok(()), |path| write(path, &html(area, &report)))
}

/// Returns all workloads, in the order of the report.
fn all(effort: Effort) -> Vec<Workload> {
    vec![
        fan_out::workload(effort),
        come_and_go::workload(effort),
        task_queue::workload(effort),
        matrix_to_json::workload(effort),
        ring::workload(effort),
        latest_value::workload(effort),
        hand_over::workload(effort),
        flood::workload(effort),
        idle::workload(effort),
    ]
}
