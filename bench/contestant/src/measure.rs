//! The measurement of contestants.

use std::fmt::Write as _;

use crate::allocations::CountAllocations;
use crate::arguments::{Arguments, Mode};
use crate::completions::Completions;
use crate::graph::Graph;
use crate::system::{monotonic_ns, on_core, process_cpu_ns, sleep_until_ns};
use crate::work::Work;

/// A contestant: it runs the graph. Any closure is one.
///
/// ```
/// use hemiola_bench_contestant::Contestant;
/// let mut count = 0;
/// let mut contestant = || count += 1;
/// contestant.run();
/// contestant.run();
/// assert_eq!(count, 2);
/// ```
pub trait Contestant {
    /// Runs every task once and returns when all are done.
    fn run(&mut self);

    /// Waits until `due`, a time of the monotonic clock in nanoseconds, when the next run is to
    /// begin. `earliness` before it, the thread must be awake and spin, so that no contestant's
    /// first task waits for the timer.
    fn wait(&mut self, due: u64, earliness: u64) {
        sleep_until_ns(due - earliness);
        while monotonic_ns() < due {
            std::hint::spin_loop();
        }
    }

    /// Executes work that belongs between two runs and is not measured, such as planning, which a
    /// robot leaves to another thread. It is called while the contestant warms up, and after every
    /// cold run.
    fn between_runs(&mut self) {}
}

impl<F: FnMut()> Contestant for F {
    fn run(&mut self) {
        self();
    }
}

/// The time before a run at which the thread must be awake: timers are rarely later than that.
const EARLINESS_NS: u64 = 200_000;
/// The number of turns in which the reference is measured between the contestant's runs, so that
/// both see the same state of the machine.
const TURNS: usize = 8;
const WARM_UP_RUNS: usize = 24;
const WARM_UP_NS: u64 = 10_000_000;
const WARM_UP_WAITS: usize = 100;
const WARM_UP_WAIT_NS: u64 = 1_000_000;

pub fn measure(arguments: &Arguments, graph: &Graph, work: &Work, contestant: &mut impl Contestant) {
    let runs = arguments.runs;
    if !matches!(arguments.mode, Mode::Cold | Mode::Varied | Mode::Bare) {
        warm_up(contestant);
    }
    match arguments.mode {
        Mode::Steady => steady(arguments, work, contestant),
        Mode::Cold => {
            let makespan = cold(runs, contestant);
            print_samples("makespan_ns", &makespan);
            print_samples("reference_ns", &reference(TURNS, arguments, work));
        }
        Mode::Varied => varied(arguments, graph, work, contestant),
        Mode::Periodic | Mode::Together => periodic(arguments, work, contestant),
        Mode::Pipeline => {
            let mut completions = Completions::new(runs);
            while !completions.note() {
                contestant.run();
            }
        }
        Mode::Idle => idle(runs, arguments.period_ns, contestant),
        Mode::Allocations => {
            let allocations = CountAllocations::during(|| (0..runs).for_each(|_| contestant.run()));
            println!("allocations {allocations}\nallocation_runs {runs}");
        }
        Mode::Bare => (0..runs).for_each(|_| contestant.run()),
    }
}

fn warm_up(contestant: &mut impl Contestant) {
    let begin = monotonic_ns();
    let mut runs = 0;
    while runs < WARM_UP_RUNS || monotonic_ns() - begin < WARM_UP_NS {
        contestant.run();
        contestant.between_runs();
        runs += 1;
    }
}

fn cold(runs: usize, contestant: &mut impl Contestant) -> Vec<u64> {
    let run = |_| {
        let begin = monotonic_ns();
        contestant.run();
        let makespan = monotonic_ns() - begin;
        contestant.between_runs();
        makespan
    };
    (0..runs).map(run).collect()
}

/// Measures runs with durations of their own. The reference has the graph's own durations, so that
/// it shows how fast the machine is.
fn varied(arguments: &Arguments, graph: &Graph, work: &Work, contestant: &mut impl Contestant) {
    let rows = arguments.durations.as_deref().map_or_else(|| Err("--durations FILE is missing".to_owned()), rows);
    let rows = rows.unwrap_or_else(|message| {
        eprintln!("{message}");
        std::process::exit(2);
    });
    let (mut references, mut makespan) = (Vec::new(), Vec::with_capacity(rows.len()));
    for turn in rows.chunks(rows.len().div_ceil(TURNS).max(1)) {
        work.take((0..graph.len()).map(|task| graph.duration_ns(task)));
        references.extend(reference(2, arguments, work));
        for row in turn {
            work.take(row.iter().copied());
            makespan.extend(cold(1, contestant));
        }
    }
    print_samples("reference_ns", &references);
    print_samples("makespan_ns", &makespan);
}

/// Reads the file with the durations, a line per run.
fn rows(path: &str) -> Result<Vec<Vec<u64>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
    let row = |line: &str| line.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>();
    text.lines()
        .map(row)
        .collect::<Result<_, _>>()
        .map_err(|_| format!("{path} has to hold nanoseconds, a line per run"))
}

fn steady(arguments: &Arguments, work: &Work, contestant: &mut impl Contestant) {
    let runs = arguments.runs;
    let (mut references, mut makespan) = (Vec::with_capacity(runs + TURNS), Vec::with_capacity(runs + TURNS));
    for _ in 0..TURNS {
        references.extend(reference(runs.div_ceil(2 * TURNS), arguments, work));
        makespan.extend(back_to_back(runs.div_ceil(TURNS), || contestant.run()));
    }
    print_samples("reference_ns", &references);
    print_samples("makespan_ns", &makespan);
}

/// Measures the sequential loop on each of the cores that the contestant works on: cores of one
/// machine differ by some percent, as their siblings may belong to another virtual machine. A
/// sample is at the mean of their speeds.
fn reference(runs: usize, arguments: &Arguments, work: &Work) -> Vec<u64> {
    let cores = arguments.workers;
    let by_core: Vec<Vec<u64>> = (0..cores)
        .map(|core| on_core(core, arguments.priority, || back_to_back(runs, || work.run_in_order())))
        .collect();
    let at_mean_speed = |run: usize| {
        let speeds: f64 = by_core.iter().map(|samples| 1.0 / samples[run].max(1) as f64).sum();
        (cores as f64 / speeds) as u64
    };
    (0..runs).map(at_mean_speed).collect()
}

/// Measures how long each run takes. The clock is read once per run, which counts as part of it.
fn back_to_back(runs: usize, mut run: impl FnMut()) -> Vec<u64> {
    let mut samples = Vec::with_capacity(runs);
    // This run fills the caches, in which another activity has left its own code and data.
    run();
    let mut last = monotonic_ns();
    for _ in 0..runs {
        run();
        let now = monotonic_ns();
        samples.push(now - last);
        last = now;
    }
    samples
}

fn periodic(arguments: &Arguments, work: &Work, contestant: &mut impl Contestant) {
    let (runs, period_ns) = (arguments.runs, arguments.period_ns);
    let samples = || Vec::with_capacity(runs);
    let (mut makespan, mut first, mut start) = (samples(), samples(), samples());
    let mut references = reference(TURNS, arguments, work);
    warm_up_waiting(contestant);
    if arguments.mode == Mode::Together {
        await_start();
    }
    let mut due = monotonic_ns() + period_ns;
    for _ in 0..runs {
        contestant.wait(due, EARLINESS_NS);
        let started = monotonic_ns();
        work.watch_first_task();
        contestant.run();
        let ended = monotonic_ns();
        makespan.push(ended - due);
        first.push(work.first_task_ns().saturating_sub(due));
        start.push(started - due);
        due += period_ns;
        while due < ended {
            due += period_ns;
        }
    }
    if arguments.mode != Mode::Together {
        references.extend(reference(TURNS, arguments, work));
    }
    print_samples("reference_ns", &references);
    print_samples("makespan_ns", &makespan);
    print_samples("first_task_ns", &first);
    print_samples("start_ns", &start);
}

/// Lets the contestant measure how punctual the machine's timers are; a robot that has run for a
/// second has done so.
fn warm_up_waiting(contestant: &mut impl Contestant) {
    for _ in 0..WARM_UP_WAITS {
        contestant.wait(monotonic_ns() + WARM_UP_WAIT_NS, EARLINESS_NS);
        contestant.run();
    }
}

/// Waits until all contestants that run together are ready. The bench closes the input if one of
/// them is not.
fn await_start() {
    println!("ready");
    _ = std::io::stdin().read_line(&mut String::new());
}

fn idle(runs: usize, period_ns: u64, contestant: &mut impl Contestant) {
    warm_up_waiting(contestant);
    let (wall, cpu) = (monotonic_ns(), process_cpu_ns());
    let mut due = wall + period_ns;
    for _ in 0..runs {
        contestant.wait(due, 0);
        contestant.run();
        due += period_ns;
    }
    println!("idle_cpu_ns {}\nidle_wall_ns {}", process_cpu_ns() - cpu, monotonic_ns() - wall);
}

pub fn print_samples(key: &str, samples: &[u64]) {
    let mut line = String::from(key);
    for sample in samples {
        // Writing to a string cannot fail.
        _ = write!(line, " {sample}");
    }
    println!("{line}");
}
