use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::contest::discipline::{self, Effort};
use crate::contest::{self, entrant, peers};
use crate::error::{BenchError, read, write};
use crate::machine::Machine;
use crate::report::{Report, comparison, terminal};
use crate::{contestant, workload};

/// Hemiola's executor beside its peers: the same work, in the same run, in turn.
#[derive(Parser)]
#[command(name = "hemiola-bench")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs task graphs with all contestants, and tells which bars are met.
    Dispatch(Dispatch),
    /// Puts two reports of the same machine side by side.
    Compare {
        /// The older report, as `dispatch --json` wrote it.
        before: PathBuf,
        /// The newer one.
        after: PathBuf,
    },
    /// Runs as one contestant (the bench starts itself so).
    #[command(hide = true)]
    Contestant {
        name: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench dispatch --json run.json --html run.html
  hemiola-bench dispatch --quick
  hemiola-bench dispatch --workload nao-cognition --contestant hemiola,rayon --rounds 3")]
struct Dispatch {
    /// Everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// How often everybody has a turn; medians are over rounds.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Only these workloads.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    workload: Vec<String>,
    /// Only these contestants.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    contestant: Vec<String>,
    /// Writes all results for `compare` and other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const ROUNDS: usize = 5;

/// Does what the command line says.
pub fn obey() -> Result<(), BenchError> {
    match CommandLine::parse().command {
        Command::Dispatch(options) => dispatch(&options),
        Command::Compare { before, after } => {
            let [before, after] = [before, after].map(|path| -> Result<Report, BenchError> {
                serde_json::from_str(&read(&path)?).map_err(|error| BenchError::Report { path, error })
            });
            println!("{}", comparison::text(&before?, &after?)?);
            Ok(())
        }
        Command::Contestant { name, arguments } => {
            // The contestant reads them itself, from the process' arguments.
            drop(arguments);
            Ok(contestant::run(&name)?)
        }
    }
}

fn dispatch(options: &Dispatch) -> Result<(), BenchError> {
    let machine = Machine::examine();
    println!("{machine}\n");
    let program =
        std::env::current_exe().map_err(|error| BenchError::Start { program: "this program".to_owned(), error })?;
    let folder = program.parent().and_then(|folder| folder.parent()).unwrap_or(&program).join("bench-peers");

    let mut notices = Vec::new();
    let mut workloads = workload::all(&mut notices)?;
    choose("workload", &mut workloads, &options.workload, |workload| workload.name)?;
    let mut entrants = entrant::in_house(program);
    entrants.extend(peers::build(&folder, &mut notices));
    choose("contestant", &mut entrants, &options.contestant, |entrant| entrant.id)?;

    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let rounds = options.rounds.unwrap_or(if options.quick { 1 } else { ROUNDS }).max(1);
    let events = contest::hold(&workloads, &discipline::all(&workloads, effort), &entrants, rounds, &folder)?;
    let report = Report { machine, rounds, quick: options.quick, notices, events };
    print!("{}", terminal::text(&report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    Ok(())
}

/// Keeps those that were asked for, all if none was.
fn choose<T>(
    what: &'static str,
    all: &mut Vec<T>,
    wanted: &[String],
    name: impl Fn(&T) -> &'static str,
) -> Result<(), BenchError> {
    let known: Vec<String> = all.iter().map(|one| name(one).to_owned()).collect();
    if let Some(unknown) = wanted.iter().find(|wanted| !known.contains(wanted)) {
        return Err(BenchError::Unknown { what, name: unknown.clone(), known });
    }
    all.retain(|one| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name(one)));
    Ok(())
}
