//! The cost of observing a running robot, and the delay with which people see its values: the NAO
//! in simulation, and a robot with more numbers and larger images.
//!
//! | file | what |
//! |---|---|
//! | `response` | the response of motion beside observers: clients and pages, or commands |
//! | `plain`, `requests` | clients that ask for what a page asks for, without a browser |
//! | `door` | processor time of the door's threads |
//! | `foxglove`, `viewer` | the same by Foxglove's protocol, beside the server of Foxglove's SDK |
//! | `socket` | WebSockets to servers |
//! | `pixels` | from a value to the frame that has it, frames a second, a page that slept |
//! | `browser` | Chromium, driven by `tests/foreign/measure_page.cjs` |
//! | `robot`, `threads` | robots that are started and end, and what threads use |

mod browser;
mod door;
mod foxglove;
mod pixels;
mod plain;
mod requests;
mod response;
mod robot;
mod socket;
mod threads;
mod viewer;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::choice::choose;
use crate::contest::result::quantile;
use crate::error::{BenchError, write};
use crate::machine::Machine;
use crate::robot as nao;
use browser::Browser;
use robot::RobotProgram;

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench live --text live.txt
  hemiola-bench live --quick
  hemiola-bench live --only door,foxglove --rounds 1")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of rounds, in each of which everybody has a turn; figures are medians over
    /// rounds.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Runs only these of response, commands, door, foxglove, pixels.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<String>,
    /// Stores the requests of pages, for `response` on computers without a browser.
    #[arg(long)]
    store_requests: bool,
    /// Also writes the output to a file.
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
}

const ROUNDS: usize = 5;

/// The measurements that can be made on their own.
const PARTS: [&str; 5] = ["response", "commands", "door", "foxglove", "pixels"];

/// Runs the measurements, and prints the results.
pub fn run(options: &Options, bench: &Path, folder: &Path) -> Result<(), BenchError> {
    let mut parts = PARTS.to_vec();
    choose("part", &mut parts, &options.only, |part| part)?;
    let machine = Machine::examine();
    println!("{machine}\n");
    let built = nao::program(bench).and_then(|robot| Ok((robot, nao::build(bench, "hemiola-bench", "waves")?)));
    let (nao_program, waves_program) = match built {
        Ok(programs) => programs,
        Err(problem) => {
            println!("Left out: everything. {problem}");
            return Ok(());
        }
    };
    let home = Home::make()?;
    let arguments = ["--config".into(), nao::configuration().into(), "--set".into(), GO_ON.into()];
    let robot = |label, program, arguments: &[std::ffi::OsString]| RobotProgram {
        label,
        program,
        arguments: arguments.to_vec(),
        folder: home.0.clone(),
    };
    let (robot, waves) = (robot("the NAO", nao_program, &arguments), robot("waves", waves_program, &[]));
    let (length, sleep, rounds) = match options.quick {
        true => (Duration::from_secs(8), Duration::from_secs(5), 1),
        false => (Duration::from_secs(30), Duration::from_secs(60), ROUNDS),
    };
    let rounds = options.rounds.unwrap_or(rounds).max(1);
    let mut told = format!("{machine}\n\n");
    let mut tell = |text: String| {
        println!("{text}");
        told += &text;
        told.push('\n');
    };
    let needs_browser = parts.iter().any(|part| matches!(*part, "response" | "pixels"));
    let mut browser = needs_browser.then(Browser::start).transpose().unwrap_or_else(|error| {
        tell(format!("Left out: pages. {error}\n"));
        None
    });
    if let Some(browser) = &browser {
        tell(format!("browser    {}\n", browser.version));
    }
    for part in parts {
        match (part, &mut browser) {
            ("response", browser) => {
                let requests = response::requests(&robot, browser.as_mut(), length)?;
                if options.store_requests {
                    requests.store()?;
                }
                tell(response::of_viewers(&robot, browser.as_mut(), length, rounds, &requests)?);
            }
            ("commands", _) => tell(response::of_commands(&robot, length, rounds)?),
            ("door", _) => tell(door::measure(&robot, &waves, length / 2, rounds)?),
            ("foxglove", _) => tell(foxglove::measure(&robot, folder, length / 2, rounds)?),
            (_, Some(browser)) => tell(pixels::measure(&robot, &waves, browser, length / 2, sleep, rounds)?),
            (_, None) => {}
        }
    }
    if options.quick {
        tell("note: a quick run shows that everything works; its figures mean nothing.".to_owned());
    }
    options.text.as_ref().map_or(Ok(()), |path| write(path, &told))
}

/// The setting with which the game does not end with a goal.
const GO_ON: &str = "source.SimulatedBody.parameters.repeat=true";

/// The folder in which robots run. It is removed when the bench ends.
struct Home(PathBuf);

impl Home {
    fn make() -> Result<Self, BenchError> {
        let folder = std::env::temp_dir().join(format!("hemiola-bench-live-{}", std::process::id()));
        let failed = |error| BenchError::Write { path: folder.clone(), error };
        fs::create_dir_all(&folder).map_err(failed)?;
        fs::canonicalize(&folder).map(Self).map_err(failed)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A folder that is left behind does no harm.
        _ = fs::remove_dir_all(&self.0);
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5).unwrap_or(f64::NAN)
}
