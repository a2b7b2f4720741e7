//! A whole robot with a recorder and without, in turn; and how fast its log is replayed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hemiola_log::LogReader;
use hemiola_trace::{CycleReport, Report, Summary};

use crate::contest::discipline::Effort;
use crate::contest::result::quantile;
use crate::error::{BenchError, read};
use crate::report::time;
use crate::robot::{configuration, program};

/// Runs the robot in all ways, and returns a table; or why it cannot be built.
pub fn measure(bench: &Path, folder: &Path, effort: Effort) -> Result<String, BenchError> {
    let program = match program(bench) {
        Ok(program) => program,
        Err(problem) => return Ok(format!("Left out: a whole robot. {problem}\n")),
    };
    let (seconds, rounds) = match effort {
        Effort::Quick => (2, 1),
        Effort::Full => (20, 5),
    };
    let folder = folder.join(format!("hemiola-bench-robot-{}", std::process::id()));
    let failed = |error| BenchError::Write { path: folder.clone(), error };
    fs::create_dir_all(&folder).map_err(failed)?;
    // The robot runs in this folder.
    let folder = fs::canonicalize(&folder).map_err(failed)?;
    let robot = Robot { program, folder: folder.clone(), seconds };
    let measured = live(&robot, rounds).and_then(|text| Ok(text + &replayed(&robot, rounds)?));
    // A folder that is left behind does no harm.
    _ = fs::remove_dir_all(&folder);
    measured
}

struct Robot {
    program: PathBuf,
    folder: PathBuf,
    seconds: u64,
}

/// A run of the robot's program.
struct Run {
    report: Report,
    seconds: f64,
    cpu_seconds: f64,
    peak_bytes: u64,
}

impl Robot {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn run(&self, arguments: &[&str]) -> Result<Run, BenchError> {
        let figures = self.path("run.json");
        let begin = Instant::now();
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .arg("run")
            .args(["--headless", "--no-trace", "--config"])
            .arg(configuration());
        command.arg("--json").arg(&figures).args(["--duration", &format!("{} s", self.seconds)]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let failed = |error| BenchError::Start { program: self.program.display().to_string(), error };
        let mut child = command.spawn().map_err(failed)?;
        let (cpu_seconds, peak_bytes) = watch(&mut child).map_err(failed)?;
        let seconds = begin.elapsed().as_secs_f64();
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
            return Err(failed(std::io::Error::other(complaint)));
        }
        let report = serde_json::from_str(&read(&figures)?);
        let report = report.map_err(|error| BenchError::Report { path: figures, error })?;
        Ok(Run { report, seconds, cpu_seconds, peak_bytes })
    }
}

/// Returns the processor time and the largest memory of a process when it ends, as the kernel
/// reported them last.
fn watch(child: &mut Child) -> std::io::Result<(f64, u64)> {
    let (mut cpu_seconds, mut peak_bytes) = (0.0_f64, 0);
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    while child.try_wait()?.is_none() {
        if let Some((seconds, bytes)) = usage(&process) {
            (cpu_seconds, peak_bytes) = (cpu_seconds.max(seconds), peak_bytes.max(bytes));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok((cpu_seconds, peak_bytes))
}

fn usage(process: &Path) -> Option<(f64, u64)> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    // The name before may have spaces in it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    let status = fs::read_to_string(process.join("status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((ticks as f64 / TICKS_PER_SECOND, 1024 * kilobytes))
}

/// The unit of /proc on Linux, wherever user space sees it.
const TICKS_PER_SECOND: f64 = 100.0;

/// The figures of a cycle that are compared.
#[derive(Clone, Copy)]
enum Figure {
    /// The time from when the thread should be awake to when it is.
    WakeUp,
    /// The time from the trigger of a run to its end.
    Response,
}

impl Figure {
    fn name(self) -> &'static str {
        match self {
            Self::WakeUp => "wake-up",
            Self::Response => "response",
        }
    }

    fn of(self, cycle: &CycleReport) -> &Summary {
        match self {
            Self::WakeUp => &cycle.wake_up,
            Self::Response => &cycle.response,
        }
    }
}

/// Runs the robot on its own threads, at the pace of real time.
fn live(robot: &Robot, rounds: usize) -> Result<String, BenchError> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    let (mut values, mut bytes) = (0, 0);
    for _ in 0..rounds {
        without.push(robot.run(&[])?);
        let log = robot.path("live.mcap");
        with.push(robot.run(&["--log", &log.display().to_string()])?);
        (values, bytes) = contents(&log)?;
        _ = fs::remove_file(&log);
    }
    let mut text = format!("{:44}{:>24}{:>24}\n", "the NAO on its own threads", "not recorded", "all recorded, lz4");
    let mut line = |what: &str, figure: &dyn Fn(&[Run]) -> String| {
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {what:42}{:>24}{:>24}", figure(&without), figure(&with));
    };
    for (cycle, what) in [("motion", Figure::WakeUp), ("motion", Figure::Response), ("cognition", Figure::Response)] {
        line(&format!("{cycle}, {}, mean / p99", what.name()), &|runs| {
            let of = |pick: fn(&Summary) -> u64| {
                let cycles = runs.iter().filter_map(|run| run.report.cycles.iter().find(|found| found.name == cycle));
                time(median(cycles.map(|cycle| pick(what.of(cycle)) as f64)))
            };
            format!("{} / {}", of(|figures| figures.mean), of(|figures| figures.p99))
        });
    }
    line("missed deadlines, all cycles and runs", &|runs| {
        let cycles = runs.iter().flat_map(|run| &run.report.cycles);
        cycles.map(|cycle| cycle.missed_deadlines).sum::<u64>().to_string()
    });
    line("processor seconds per second", &|runs| {
        format!("{:.3}", median(runs.iter().map(|run| run.cpu_seconds / run.seconds)))
    });
    let rate = bytes as f64 / robot.seconds as f64 / 1e6;
    _ = writeln!(
        text,
        "  the last log: {values} values, {rate:.1} MB/s; medians of {rounds} runs of {} s each\n",
        robot.seconds
    );
    Ok(text)
}

/// Runs the robot step by step, as fast as it goes.
fn replayed(robot: &Robot, rounds: usize) -> Result<String, BenchError> {
    let log = robot.path("stepped.mcap");
    let path = log.display().to_string();
    robot.run(&["--fast", "--log", &path])?;
    let (_, bytes) = contents(&log)?;
    let runs: Result<Vec<Run>, _> = (0..rounds).map(|_| robot.run(&["--fast", "--replay", &path])).collect();
    let runs = runs?;
    let pace = median(runs.iter().map(|run| robot.seconds as f64 / run.seconds));
    let cycles = median(runs.iter().map(|run| {
        let count: u64 = run.report.cycles.iter().map(|cycle| cycle.execution.count).sum();
        count as f64 / run.seconds
    }));
    let peak = median(runs.iter().map(|run| run.peak_bytes as f64 / 1e6));
    Ok(format!(
        "the NAO's log replayed: {pace:.2} × real time, {cycles:.0} runs of its cycles per second, {peak:.0} MB of memory at most for a log of {:.0} MB \
         (medians of {rounds} times {} s)\n",
        bytes as f64 / 1e6,
        robot.seconds
    ))
}

/// Returns the number of values and bytes in a log.
fn contents(path: &Path) -> Result<(u64, u64), BenchError> {
    let failed = |error| BenchError::Read { path: path.to_owned(), error };
    let log = LogReader::open(path).map_err(|error| failed(std::io::Error::other(error)))?;
    let statistics = log.summary().and_then(|summary| summary.statistics.as_ref());
    let values = statistics.map_or(0, |statistics| statistics.message_count);
    Ok((values, fs::metadata(path).map_err(failed)?.len()))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5).unwrap_or(f64::NAN)
}
