//! A robot that is not in real time: the time of `run --fast`, `run --replay` and `log verify` with
//! more workers than one, relative to one, with the permission for real-time priorities and
//! without, on a quiet machine and beside two busy loops.
//!
//! All cases have a turn in each round, so that the state of the machine meets all alike; ratios
//! are of turns of the same round.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use clap::Args;

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::contest::result::quantile;
use crate::error::BenchError;
use crate::machine::Machine;
use crate::robot::{configuration, program};
use crate::sync::{AtomicBool, Ordering};

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench stepped
  hemiola-bench stepped --rounds 9 --seconds 15 --only busy
  hemiola-bench stepped --quick")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of rounds, in each of which everybody has a turn; medians are over rounds.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Measures only the cases whose name contains this, such as `busy` or `verify`.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    only: String,
    /// The length of a turn on the robot's clock.
    #[arg(long, value_name = "S", default_value_t = 5)]
    seconds: u64,
    /// The folder in which logs are written and removed.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

/// The bar: the time with more workers, as a multiple of that with one.
const BAR: f64 = 1.1;
const MOST_WORKERS: usize = 3;
const CYCLES: [&str; 3] = ["motion", "cognition", "audio"];
/// The command that starts a program without permission for real-time priorities.
const WITHOUT_PERMISSION: [&str; 4] = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", "--"];

/// The task of the robot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Fast,
    Replay,
    Verify,
}

/// The permission for real-time priorities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Permission {
    Granted,
    Refused,
}

/// The other threads that want the cores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Nobody,
    TwoLoops,
}

/// A case that is measured with each number of workers.
struct Case {
    task: Task,
    permission: Permission,
    company: Company,
    /// The seconds of the world's clock: per number of workers, one per round.
    seconds: [Vec<f64>; MOST_WORKERS],
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = match self.task {
            Task::Fast => "run --fast",
            Task::Replay => "run --replay --fast",
            Task::Verify => "log verify",
        };
        let permission = match self.permission {
            Permission::Granted => "permitted",
            Permission::Refused => "not permitted",
        };
        let company = match self.company {
            Company::Nobody => "quiet",
            Company::TwoLoops => "two busy loops",
        };
        formatter.pad(&format!("{task}, {permission}, {company}"))
    }
}

impl Case {
    /// Returns the median time with that many workers.
    fn median(&self, workers: usize) -> f64 {
        median(self.seconds[workers - 1].clone())
    }

    /// Returns the median of the times relative to those with one worker, round by round.
    fn ratio(&self, workers: usize) -> f64 {
        let rounds = self.seconds[workers - 1].iter().zip(&self.seconds[0]);
        median(rounds.map(|(many, one)| many / one).collect())
    }
}

/// Runs the measurements, and prints the results.
pub fn run(options: &Options, bench: &Path) -> Result<(), BenchError> {
    let effort = if options.quick { Effort::Quick } else { Effort::Full };
    let machine = Machine::examine();
    println!("{machine}\n");
    let program = match program(bench) {
        Ok(program) => program,
        Err(problem) => {
            println!("Left out: a whole robot. {problem}");
            return Ok(());
        }
    };
    let folder = options.folder.join(format!("hemiola-bench-stepped-{}", std::process::id()));
    let failed = |error| BenchError::Write { path: folder.clone(), error };
    fs::create_dir_all(&folder).map_err(failed)?;
    // The robot runs in this folder.
    let folder = fs::canonicalize(&folder).map_err(failed)?;
    let (seconds, rounds) = match effort {
        Effort::Quick => (1, 1),
        Effort::Full => (options.seconds.max(1), options.rounds.max(1)),
    };
    let robot = Robot { program, folder, seconds };
    let measured = measure(&robot, bench, rounds, &options.only);
    // A folder that is left behind does no harm.
    _ = fs::remove_dir_all(&robot.folder);
    let (cases, host, notices) = measured?;
    print(&cases, seconds, rounds);
    println!("{host}");
    notices.iter().for_each(|notice| println!("note: {notice}"));
    if options.quick {
        println!("note: a quick run shows that everything works; its figures mean nothing.");
    }
    Ok(())
}

fn measure(
    robot: &Robot,
    bench: &Path,
    rounds: usize,
    only: &str,
) -> Result<(Vec<Case>, Host, Vec<String>), BenchError> {
    let (mut host, mut notices, mut cases) = (Host::default(), Vec::new(), Vec::new());
    for permission in [Permission::Granted, Permission::Refused] {
        let answer = answer(bench, permission);
        if answer.starts_with("granted") != (permission == Permission::Granted) {
            let wanted = if permission == Permission::Granted { "with" } else { "without" };
            let first = answer.lines().next().unwrap_or_default();
            notices.push(format!("left out: everything {wanted} permission, because a robot here gets: {first}"));
            continue;
        }
        for company in [Company::Nobody, Company::TwoLoops] {
            for task in [Task::Fast, Task::Replay, Task::Verify] {
                cases.push(Case { task, permission, company, seconds: Default::default() });
            }
        }
    }
    cases.retain(|case| case.to_string().contains(only));
    if cases.is_empty() {
        notices.push(format!("nothing was measured: no case that can be tried here contains `{only}` in its name"));
        return Ok((cases, host, notices));
    }
    robot.record()?;
    for round in 0..rounds {
        for case in &mut cases {
            let _busy = Busy::start(case.company);
            for turn in 0..MOST_WORKERS {
                // Another number of workers comes first each time.
                let workers = (round + turn) % MOST_WORKERS + 1;
                case.seconds[workers - 1].push(host.hold(|| robot.run(case, workers))?);
            }
        }
        eprintln!("measured: round {} of {rounds}", round + 1);
    }
    Ok((cases, host, notices))
}

/// Returns the message that a robot gets here when it asks for real-time priority.
fn answer(bench: &Path, permission: Permission) -> String {
    let output = command(bench, permission).arg("ask-for-real-time").stderr(Stdio::null()).output();
    output.map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn command(program: &Path, permission: Permission) -> Command {
    match permission {
        Permission::Granted => Command::new(program),
        Permission::Refused => {
            let mut command = Command::new(WITHOUT_PERMISSION[0]);
            command.args(&WITHOUT_PERMISSION[1..]).arg(program);
            command
        }
    }
}

/// The program of the NAO, and its folder.
struct Robot {
    program: PathBuf,
    folder: PathBuf,
    seconds: u64,
}

impl Robot {
    fn log(&self) -> PathBuf {
        self.folder.join("game.mcap")
    }

    /// Records the log that is replayed and verified later.
    fn record(&self) -> Result<(), BenchError> {
        let mut command = self.run_command(Permission::Granted, 1);
        command.args(["--fast", "--duration", &format!("{} s", self.seconds), "--log"]).arg(self.log());
        self.finish(command).map(drop)
    }

    /// Returns how many seconds a turn takes.
    fn run(&self, case: &Case, workers: usize) -> Result<f64, BenchError> {
        let command = match case.task {
            Task::Fast => {
                let mut command = self.run_command(case.permission, workers);
                command.args(["--no-log", "--fast", "--duration", &format!("{} s", self.seconds)]);
                command
            }
            Task::Replay => {
                let mut command = self.run_command(case.permission, workers);
                command.args(["--no-log", "--fast", "--replay"]).arg(self.log());
                command
            }
            Task::Verify => {
                let mut command = command(&self.program, case.permission);
                command.args(["log", "verify"]).arg(self.log()).arg("--config").arg(configuration());
                command.args(["--workers", &workers.to_string()]);
                command
            }
        };
        self.finish(command)
    }

    /// Makes the command for a headless run with that many workers in every cycle.
    fn run_command(&self, permission: Permission, workers: usize) -> Command {
        let mut command = command(&self.program, permission);
        command.args(["run", "--headless", "--no-trace", "--config"]).arg(configuration());
        command.args(CYCLES.iter().flat_map(|cycle| ["--set".to_owned(), format!("cycle.{cycle}.workers={workers}")]));
        command
    }

    /// Runs a command to its end, and returns how long it takes, in seconds.
    fn finish(&self, mut command: Command) -> Result<f64, BenchError> {
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let failed = |error| BenchError::Start { program: self.program.display().to_string(), error };
        let begin = Instant::now();
        let output = command.output().map_err(failed)?;
        let seconds = begin.elapsed().as_secs_f64();
        if output.status.success() {
            return Ok(seconds);
        }
        Err(failed(std::io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())))
    }
}

/// Threads that each keep a core busy until this is dropped, and share time as programs do.
struct Busy {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Busy {
    fn start(company: Company) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let count = match company {
            Company::Nobody => 0,
            Company::TwoLoops => 2,
        };
        let body = |stop: Arc<AtomicBool>| {
            move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            }
        };
        let threads = (0..count).map(|_| std::thread::spawn(body(stop.clone()))).collect();
        Self { stop, threads }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // The thread does nothing that could panic.
            _ = thread.join();
        }
    }
}

fn print(cases: &[Case], seconds: u64, rounds: usize) {
    println!(
        "the NAO, {seconds} s of a game: seconds of real time, and relative to one worker (medians of {rounds} rounds)"
    );
    println!("  {:52}{:>10}{:>18}{:>18}", "", "1 worker", "2 workers", "3 workers");
    for case in cases {
        let more = |workers| format!("{:.2} ({:.2} x)", case.median(workers), case.ratio(workers));
        println!("  {case:52}{:>10.2}{:>18}{:>18}", case.median(1), more(2), more(3));
    }
    let all = cases.iter().flat_map(|case| (2..=MOST_WORKERS).map(move |workers| (case, workers)));
    let Some((worst, workers)) = all.max_by(|(a, m), (b, n)| a.ratio(*m).total_cmp(&b.ratio(*n))) else { return };
    let verdict = if worst.ratio(workers) <= BAR { "met" } else { "MISSED" };
    println!(
        "  bar: at most {BAR} x: {verdict}; the worst is {worst} with {workers} workers, {:.2} x\n",
        worst.ratio(workers)
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_turns_of_the_same_round() {
        let seconds = [vec![1.0, 10.0, 2.0], vec![1.1, 9.0, 2.0], vec![3.0, 30.0, 6.0]];
        let case = Case { task: Task::Fast, permission: Permission::Granted, company: Company::Nobody, seconds };
        assert_eq!((case.median(1), case.ratio(2), case.ratio(3)), (2.0, 1.0, 3.0));
        assert_eq!(case.to_string(), "run --fast, permitted, quiet");
    }

    #[test]
    fn busy_loops_end_with_their_turn() {
        let busy = Busy::start(Company::TwoLoops);
        let stop = busy.stop.clone();
        assert_eq!((busy.threads.len(), Arc::strong_count(&stop)), (2, 4));
        drop(busy);
        assert_eq!(Arc::strong_count(&stop), 1);
    }
}
