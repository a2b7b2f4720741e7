//! What recording costs: handing a value over, and writing it to the disk.
//!
//! | file | what |
//! |---|---|
//! | `hand_over` | what a cycle pays per value, when a recorder takes all |
//! | `writing` | bytes per second and processor time per gigabyte: files as they are, the `mcap` crate, our writer |

mod hand_over;
mod writing;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::error::BenchError;
use crate::machine::Machine;
use crate::report::time;

/// What can be asked for.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench recording --folder /mnt/ssd
  hemiola-bench recording --quick")]
pub struct Options {
    /// Everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// Where files are written, and removed: on the disk that is to be measured.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

/// Measures and tells.
pub fn run(options: &Options) -> Result<(), BenchError> {
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let machine = Machine::examine();
    println!("{machine}\n");
    let hand_over = hand_over::measure(effort)?;
    println!(
        "handing a value over to a recorder: {} (median of {} rounds; bar: 100 ns)\n",
        time(hand_over.ns_per_value),
        hand_over.rounds
    );
    let mut host = Host::default();
    for size in [24, 1000, 614_400] {
        println!("{}", table(size, &writing::measure(&options.folder, size, effort, &mut host)?));
    }
    println!("{host}");
    if options.quick {
        println!("note: a quick run shows that everything works; its figures mean nothing.");
    }
    Ok(())
}

fn table(size: usize, rows: &[writing::Row]) -> String {
    let mut text = format!(
        "messages of {size} bytes           MB/s, synchronised   processor seconds per GB   bytes of the file per byte\n"
    );
    for row in rows {
        let (rate, cost, share) = (row.bytes_per_second / 1e6, row.cpu_seconds_per_gigabyte, row.file_share);
        _ = writeln!(text, "  {:32}{rate:>20.0}{cost:>27.3}{share:>29.2}", row.label);
    }
    text
}
