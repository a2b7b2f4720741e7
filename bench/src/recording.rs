//! The cost of recording: handing a value over, encoding it, and writing it to the disk.
//!
//! | file | what |
//! |---|---|
//! | `hand_over` | the cost per value for a cycle, when a recorder records all |
//! | `encoding` | a value to bytes and back, beside other encodings |
//! | `robot` | the NAO with a recorder and without, and its log replayed |
//! | `writing` | bytes per second and processor time per gigabyte: files as they are, the `mcap` crate, our writer |

mod encoding;
mod hand_over;
mod robot;
mod writing;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::error::BenchError;
use crate::machine::Machine;
use crate::report::time;

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench recording --folder /mnt/ssd
  hemiola-bench recording --no-robot
  hemiola-bench recording --quick")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// Leaves out the whole robot, which is built for it.
    #[arg(long)]
    no_robot: bool,
    /// The folder in which files are written and removed: on the disk to be measured.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

/// Runs the measurements, and prints the results.
pub fn run(options: &Options, bench: &Path) -> Result<(), BenchError> {
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let machine = Machine::examine();
    println!("{machine}\n");
    let hand_over = hand_over::measure(effort)?;
    println!(
        "handing a value over to a recorder: {} (median of {} rounds; our bar: 100 ns)\n",
        time(hand_over.ns_per_value),
        hand_over.rounds
    );
    let mut host = Host::default();
    for encoded in encoding::measure(effort, &mut host)? {
        println!("{}", encodings(&encoded));
    }
    for size in [24, 1000, 614_400] {
        println!("{}", table(size, &writing::measure(&options.folder, size, effort, &mut host)?));
    }
    println!("{host}\n");
    if !options.no_robot {
        println!("{}", robot::measure(bench, &options.folder, effort)?);
    }
    if options.quick {
        println!("note: a quick run shows that everything works; its figures mean nothing.");
    }
    Ok(())
}

fn encodings(table: &encoding::Table) -> String {
    let encoding::Table { title, content_bytes, rows } = table;
    let mut text = format!(
        "{:40}{:>10}{:>10}{:>12}{:>10}{:>10}\n",
        format!("{title} ({content_bytes} bytes)"),
        "to bytes",
        "MB/s",
        "and back",
        "MB/s",
        "bytes"
    );
    let rate = |ns: f64| *content_bytes as f64 / ns * 1e3;
    for encoding::Row { label, encode_ns, decode_ns, bytes } in rows {
        let (encode, decode) = (time(*encode_ns), time(*decode_ns));
        let (encode_rate, decode_rate) = (rate(*encode_ns), rate(*decode_ns));
        _ = writeln!(text, "  {label:38}{encode:>10}{encode_rate:>10.0}{decode:>12}{decode_rate:>10.0}{bytes:>10}");
    }
    text
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
