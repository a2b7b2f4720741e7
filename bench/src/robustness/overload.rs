//! Motion and cognition at once: the effect of cognition's load on motion's response.
//!
//! Two executors share two cores; motion's threads have the higher priority. Rounds alternate
//! between the companies, so that the state of the machine meets all alike. Too much cognition is
//! measured twice: with what Hemiola does about it, and with nothing but the kernel's limit, which
//! then stops motion as well.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bench_contestant::monotonic_ns;
use hemiola_realtime::{Denial, Policy, Priority, Respite, ThreadSettings, monotonic_now, sleep_until, spawn};
use hemiola_runtime::RunningRobot;
use serde::{Deserialize, Serialize};

use super::cycle::{Cycle, responses};
use super::{Tail, endless};
use crate::contest::discipline::{COGNITION_RATE, Effort, MOTION_RATE};
use crate::contest::host::Host;
use crate::contestant::ContestantError;
use crate::error::BenchError;
use crate::sync::{AtomicBool, Ordering};
use crate::workload::Workload;

/// Motion's response in some company.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    pub cognition: String,
    /// The time from the trigger to the end.
    pub ns: Tail,
    /// The number of runs that ended only after the next one should have begun.
    pub missed: usize,
}

/// The load of cognition, the calmest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    Idle,
    Loaded,
    /// Cognition is overloaded, and rests as a cycle of a robot does.
    Overloaded,
    OverloadedWithoutRests,
    /// Two modules of a robot never return; the robot has a watchdog.
    Endless,
    EndlessWithoutWatchdog,
}

const COMPANIES: [Company; 6] = [
    Company::Idle,
    Company::Loaded,
    Company::Overloaded,
    Company::OverloadedWithoutRests,
    Company::Endless,
    Company::EndlessWithoutWatchdog,
];

impl Company {
    fn text(self) -> &'static str {
        match self {
            Company::Idle => "idle",
            Company::Loaded => "loaded: 30 Hz",
            Company::Overloaded => "overloaded: back to back",
            Company::OverloadedWithoutRests => "overloaded, without rests",
            Company::Endless => "endless: modules that never return",
            Company::EndlessWithoutWatchdog => "endless, without watchdog",
        }
    }
}

/// The time for which the kernel counts what real-time threads use: a company is not to pay for
/// what another one used up.
const ACCOUNTING: Duration = Duration::from_secs(1);

const CONDUCTOR: u8 = 90;
const MOTION: u8 = 85;
const COGNITION: u8 = 80;

pub fn measure(
    motion: &Workload,
    cognition: &Workload,
    effort: Effort,
    host: &mut Host,
    notices: &mut Vec<String>,
) -> Result<Vec<Response>, BenchError> {
    let (motion, cognition, mut observed) = (motion.clone(), cognition.clone(), std::mem::take(host));
    // The conductor, which starts and stops the others, has to preempt them.
    let settings = ThreadSettings::new("conductor").policy(Policy::Fifo(Priority::new(CONDUCTOR)?));
    let conductor = spawn(settings, move || {
        conduct(&motion, &cognition, effort, &mut observed).map(|outcome| (outcome, observed))
    })?;
    let ((responses, refused), observed) =
        conductor.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    *host = observed;
    let refused: BTreeSet<String> = refused.iter().map(|denial| format!("motion beside cognition: {denial}")).collect();
    notices.extend(refused);
    Ok(responses)
}

fn conduct(
    motion: &Workload,
    cognition: &Workload,
    effort: Effort,
    host: &mut Host,
) -> Result<(Vec<Response>, Vec<Denial>), ContestantError> {
    let (runs, rounds) = match effort {
        // All rounds together have enough runs for one of a thousand to be seen a few times.
        Effort::Full => (250, 12),
        Effort::Quick => (12, 1),
    };
    let period = Duration::from_secs_f64(1.0 / MOTION_RATE);
    let mut samples = vec![Vec::new(); COMPANIES.len()];
    let mut denials = Vec::new();
    for _ in 0..rounds {
        for (company, samples) in COMPANIES.into_iter().zip(&mut samples) {
            samples.extend(host.hold(|| {
                sleep_until(monotonic_now() + ACCOUNTING);
                let companion = Companion::start(cognition, company, &mut denials)?;
                let responses = motion_responses(motion, period, runs, &mut denials);
                companion.stop();
                responses
            })?);
        }
    }
    let period_ns = period.as_nanos() as f64;
    let responses = COMPANIES.into_iter().zip(samples).filter_map(|(company, samples)| {
        let missed = samples.iter().filter(|&&response| response > period_ns).count();
        Some(Response { cognition: company.text().to_owned(), ns: Tail::of(samples)?, missed })
    });
    Ok((responses.collect(), denials))
}

fn motion_responses(
    workload: &Workload,
    period: Duration,
    runs: usize,
    denials: &mut Vec<Denial>,
) -> Result<Vec<f64>, ContestantError> {
    let policy = Policy::Fifo(Priority::new(MOTION)?);
    let workload = workload.clone();
    let settings = ThreadSettings::new("motion").policy(policy);
    let spawned = spawn(settings, move || -> Result<_, ContestantError> {
        let mut cycle = Cycle::new(&workload, vec![ThreadSettings::new("motion-1").policy(policy)])?;
        (0..WARM_UP).for_each(|_| cycle.run());
        let responses = responses(&mut cycle, period, runs);
        Ok((responses, std::mem::take(&mut cycle.denials)))
    })?;
    denials.extend(spawned.report.denials().cloned());
    let (responses, refused) = spawned.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    denials.extend(refused);
    Ok(responses)
}

const WARM_UP: usize = 24;

/// The thing that keeps cognition going, until it is stopped.
enum Companion {
    Nobody,
    Threads { stop: Arc<AtomicBool>, threads: Vec<std::thread::JoinHandle<()>> },
    Robot(RunningRobot),
}

impl Companion {
    fn start(workload: &Workload, company: Company, denials: &mut Vec<Denial>) -> Result<Self, ContestantError> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        match company {
            Company::Idle => return Ok(Companion::Nobody),
            Company::Endless => return endless::start(COGNITION).map(Companion::Robot),
            Company::EndlessWithoutWatchdog => {
                for worker in 0..2 {
                    let stop = stop.clone();
                    let spawned = spawn(cognition_thread(&format!("cognition-{worker}"))?, move || spin_until(&stop))?;
                    denials.extend(spawned.report.denials().cloned());
                    threads.push(spawned.thread);
                }
            }
            Company::Loaded | Company::Overloaded | Company::OverloadedWithoutRests => {
                let mut cycle = Cycle::new(workload, vec![cognition_thread("cognition-1")?])?;
                let stop = stop.clone();
                let spawned = spawn(cognition_thread("cognition")?, move || work(&mut cycle, company, &stop))?;
                denials.extend(spawned.report.denials().cloned());
                threads.push(spawned.thread);
            }
        }
        Ok(Companion::Threads { stop, threads })
    }

    fn stop(self) {
        match self {
            Companion::Nobody => {}
            Companion::Robot(robot) => endless::stop(robot),
            Companion::Threads { stop, threads } => {
                stop.store(true, Ordering::Relaxed);
                for thread in threads {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                }
            }
        }
    }
}

fn cognition_thread(name: &str) -> Result<ThreadSettings, ContestantError> {
    Ok(ThreadSettings::new(name).policy(Policy::Fifo(Priority::new(COGNITION)?)))
}

/// Runs cognition at its pace until it is stopped.
fn work(cycle: &mut Cycle, company: Company, stop: &AtomicBool) {
    let period = Duration::from_secs_f64(1.0 / COGNITION_RATE).as_nanos() as u64;
    let (mut due, mut respite) = (monotonic_ns(), Respite::default());
    while !stop.load(Ordering::Relaxed) {
        if company == Company::Loaded {
            due += period;
            _ = cycle.run_at(due);
            continue;
        }
        let begin = monotonic_now();
        cycle.run();
        if company == Company::Overloaded
            && let Some(end) = respite.after_work(begin, monotonic_now())
        {
            sleep_until(end);
        }
    }
}

/// Runs as a module does whose loop does not end.
fn spin_until(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}
