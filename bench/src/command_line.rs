use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::choice::choose;
use crate::contest::discipline::{self, Effort};
use crate::contest::result::Spread;
use crate::contest::{self, cyclictest, entrant, peers};
use crate::error::{BenchError, read, write};
use crate::machine::Machine;
use crate::report::{Report, comparison, page, terminal};
use crate::{
    chains, contestant, cut, instructions, links, live, messages, recording, robustness, stepped, thesis, workload,
};

/// Hemiola's executor beside its peers: the same work, in the same run, in turn.
#[derive(Parser)]
#[command(name = "hemiola-bench")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs task graphs with all contestants, and reports which bars are met.
    Dispatch(Dispatch),
    /// Topics, queues, actors and executors beside their peers.
    #[command(after_help = "Examples:
  hemiola-bench messages --json messages.json --html messages.html
  hemiola-bench messages --only fan-out,task-queue
  hemiola-bench messages --quick")]
    Messages(messages::Options),
    /// Links between two processes beside plain sockets: latency, throughput, images, idle
    /// connections.
    #[command(after_help = "Examples:
  hemiola-bench links --json links.json --html links.html
  hemiola-bench links --only one-way,image
  hemiola-bench links --count
  hemiola-bench links --quick")]
    Links {
        /// Counts system calls (by strace), wake-ups and instructions (by valgrind) for each
        /// message instead: figures without noise.
        #[arg(long)]
        count: bool,
        #[command(flatten)]
        options: messages::Options,
    },
    /// Repeats the experiments of the thesis's evaluation: workers, priorities, orders, stress,
    /// pinning.
    Thesis(thesis::Options),
    /// Disturbs the timing: durations that vary, an overloaded cognition, a worker that is held up,
    /// a restricted system.
    Robustness(robustness::Options),
    /// Measures the cost of recording: handing over a value, and writing it.
    Recording(recording::Options),
    /// Measures runs that are not in real time with more workers than one.
    Stepped(stepped::Options),
    /// Compares a robot that is cut into processes with the same in one.
    Cut(cut::Options),
    /// Measures the cost of observing a running robot, and the delay of what people see.
    Live(live::Options),
    /// Chains of callbacks: bounds beside simulation, and the share of random chains that are
    /// schedulable.
    Chains(chains::Options),
    /// Counts the instructions of a run on one worker, and fails if they have risen by more than 5
    /// %.
    Instructions {
        /// Stores the new counts as those to compare with.
        #[arg(long)]
        store: bool,
    },
    /// Shows a report again.
    Show {
        /// A report that `dispatch --json`, `messages --json` or `links --json` wrote.
        report: PathBuf,
        /// Writes a page with plots.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Puts two reports of the same machine side by side.
    Compare {
        /// The older report, as `dispatch --json`, `messages --json` or `links --json` wrote it.
        before: PathBuf,
        /// The newer one.
        after: PathBuf,
    },
    /// Requests real-time priority, and prints the result (the bench starts itself with this where
    /// less is granted).
    #[command(hide = true)]
    AskForRealTime,
    /// Runs as one contestant (the bench starts itself with this).
    #[command(hide = true)]
    Contestant {
        name: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs as one contestant of the bench of messages.
    #[command(hide = true)]
    MessagesContestant {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs as one contestant of the bench of links.
    #[command(hide = true)]
    LinksContestant {
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
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of rounds, in each of which everybody has a turn; medians are over rounds.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Runs only these workloads.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    workload: Vec<String>,
    /// Runs only these contestants.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    contestant: Vec<String>,
    /// Writes all results for `compare` and other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page with plots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const ROUNDS: usize = 5;
/// The measured wake-ups of cyclictest per round.
const CYCLICTEST_LOOPS: usize = 100;

/// Executes the command that was typed.
pub fn obey() -> Result<(), BenchError> {
    match CommandLine::parse().command {
        Command::Dispatch(options) => dispatch(&options),
        Command::Robustness(options) => {
            let (program, folder) = places()?;
            robustness::run(&options, program, &folder)
        }
        Command::Recording(options) => recording::run(&options, &places()?.0),
        Command::Stepped(options) => stepped::run(&options, &places()?.0),
        Command::Cut(options) => {
            let (program, folder) = places()?;
            cut::run(&options, &program, &folder)
        }
        Command::Live(options) => {
            let (program, folder) = places()?;
            live::run(&options, &program, &folder)
        }
        Command::Chains(options) => chains::run(&options),
        Command::Messages(options) => measure_area(&messages::MESSAGES, &options),
        Command::Links { count: true, .. } => links::count::run(&places()?.0),
        Command::Links { options, .. } => measure_area(&links::LINKS, &options),
        Command::Compare { before, after } => {
            let text = match (load(&before)?, load(&after)?) {
                (AnyReport::Dispatch(before), AnyReport::Dispatch(after)) => comparison::text(&before, &after)?,
                (AnyReport::Messages(before), AnyReport::Messages(after)) if before.area == after.area => {
                    messages::compare(area_of(&before), &before, &after)?
                }
                _ => return Err(BenchError::OtherBench { before, after }),
            };
            println!("{text}");
            Ok(())
        }
        Command::Thesis(options) => {
            let (program, folder) = places()?;
            thesis::run(&options, &program, &folder)
        }
        Command::Instructions { store } => count_instructions(store),
        Command::Show { report, html } => {
            let (text, page) = match load(&report)? {
                AnyReport::Dispatch(report) => (terminal::text(&report), page::html(&report)),
                AnyReport::Messages(report) => {
                    let area = area_of(&report);
                    (messages::text(area, &report), messages::html(area, &report))
                }
            };
            print!("{text}");
            html.map_or(Ok(()), |path| write(&path, &page))
        }
        Command::AskForRealTime => {
            println!("{}", robustness::ask_for_real_time()?);
            Ok(())
        }
        Command::Contestant { name, arguments } => {
            // The contestant reads the arguments itself, from those of the process.
            drop(arguments);
            Ok(contestant::run(&name)?)
        }
        Command::MessagesContestant { arguments } => messages::contestant::run(arguments),
        Command::LinksContestant { arguments } => links::contestant::run(arguments),
    }
}

fn dispatch(options: &Dispatch) -> Result<(), BenchError> {
    let machine = Machine::examine();
    println!("{machine}\n");
    let (program, folder) = places()?;

    let mut notices = Vec::new();
    let mut workloads = workload::all(&mut notices)?;
    choose("workload", &mut workloads, &options.workload, |workload| workload.name)?;
    let mut entrants = entrant::in_house(program);
    entrants.extend(peers::build(&folder, &mut notices));
    choose("contestant", &mut entrants, &options.contestant, |entrant| entrant.id)?;

    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let rounds = options.rounds.unwrap_or(if options.quick { 1 } else { ROUNDS }).max(1);
    let (events, mut host) =
        contest::hold(&workloads, &discipline::all(&workloads, effort), &entrants, rounds, &folder)?;
    let period = Duration::from_secs_f64(1.0 / discipline::MOTION_RATE);
    let punctuality: Vec<Vec<f64>> =
        (0..rounds).filter_map(|_| host.hold(|| cyclictest::run(period, CYCLICTEST_LOOPS).ok_or(())).ok()).collect();
    if punctuality.is_empty() {
        notices.push("Left out: cyclictest. On Debian: apt install rt-tests".to_owned());
    }
    let cyclictest = Spread::of(&punctuality);
    let report = Report { machine, host, rounds, quick: options.quick, notices, events, cyclictest };
    print!("{}", terminal::text(&report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    options.html.as_ref().map_or(Ok(()), |path| write(path, &page::html(&report)))
}

fn measure_area(area: &messages::Area, options: &messages::Options) -> Result<(), BenchError> {
    let (program, folder) = places()?;
    messages::run(area, options, &program, &folder)
}

/// Returns the area that a report is about.
fn area_of(report: &messages::Report) -> &'static messages::Area {
    let all = [&links::LINKS, &messages::MESSAGES];
    all.into_iter().find(|area| area.name == report.area).unwrap_or(&messages::MESSAGES)
}

fn count_instructions(store: bool) -> Result<(), BenchError> {
    let (program, folder) = places()?;
    let counted = instructions::count(&program, &workload::all(&mut Vec::new())?, &folder)?;
    let path = instructions::stored();
    if store {
        return instructions::store(&path, &counted);
    }
    print!("{}", instructions::compare(&instructions::load(&path)?, &counted)?);
    Ok(())
}

/// Returns the path of this program, and the folder in which graphs and peers are built.
fn places() -> Result<(PathBuf, PathBuf), BenchError> {
    let program =
        std::env::current_exe().map_err(|error| BenchError::Start { program: "this program".to_owned(), error })?;
    let folder = program.parent().and_then(Path::parent).unwrap_or(&program).join("bench-peers");
    Ok((program, folder))
}

/// A report of one of the kinds that can be shown and compared.
enum AnyReport {
    Dispatch(Report),
    Messages(messages::Report),
}

fn load(path: &Path) -> Result<AnyReport, BenchError> {
    let text = read(path)?;
    if let Ok(report) = serde_json::from_str(&text) {
        return Ok(AnyReport::Messages(report));
    }
    let report = serde_json::from_str(&text).map_err(|error| BenchError::Report { path: path.to_owned(), error })?;
    Ok(AnyReport::Dispatch(report))
}
