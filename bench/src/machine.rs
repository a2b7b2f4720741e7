//! The machine that the bench ran on, with the facts that explain the figures.

use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::error::BenchError;

/// The facts about the machine that are printed with every report. Reports are compared only where
/// [`Machine::identity`] is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub kernel: String,
    pub preemption: String,
    pub governor: String,
    pub hypervisor: String,
    /// The share of a second that real-time threads may use, in percent.
    pub real_time_percent: f64,
    /// The time of a hand-over from core to core, both spinning.
    pub hand_over_ns: Option<f64>,
    /// The time of a hand-over to a thread that sleeps.
    #[serde(default)]
    pub wake_up_ns: Option<f64>,
    /// The load of the last minute before the bench began.
    pub load_average: String,
    pub compilers: Vec<String>,
    pub date: String,
}

impl Machine {
    pub fn examine() -> Self {
        let cpuinfo = file("/proc/cpuinfo");
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let has_flag = |flag| field("flags").is_some_and(|flags| flags.split(' ').any(|present| present == flag));
        let or_unknown = |text: String| if text.is_empty() { "unknown".to_owned() } else { text };
        let per = |name| file(&format!("/proc/sys/kernel/{name}")).parse::<f64>().unwrap_or(f64::NAN);
        let (runtime, period) = (per("sched_rt_runtime_us"), per("sched_rt_period_us"));
        Machine {
            processor: field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
            kernel: or_unknown(file("/proc/sys/kernel/osrelease")),
            preemption: preemption(),
            governor: match file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") {
                governor if governor.is_empty() => "none (the host decides)".to_owned(),
                governor => governor,
            },
            hypervisor: if has_flag("hypervisor") { "virtual machine" } else { "bare metal" }.to_owned(),
            real_time_percent: if runtime < 0.0 { 100.0 } else { 100.0 * runtime / period },
            hand_over_ns: hemiola_realtime::hand_over_cost().map(|cost| cost.as_nanos() as f64),
            wake_up_ns: hemiola_realtime::wake_up_cost().map(|cost| cost.as_nanos() as f64),
            load_average: file("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
            compilers: [first_line("rustc", "--version"), first_line("c++", "--version")]
                .into_iter()
                .flatten()
                .collect(),
            date: first_line("date", "-u").unwrap_or_default(),
        }
    }

    /// Checks that times of both machines can be compared.
    ///
    /// # Errors
    /// If they are not the same machine.
    pub fn is_comparable_to(&self, other: &Machine) -> Result<(), BenchError> {
        let (a, b) = (self.identity(), other.identity());
        if a == b { Ok(()) } else { Err(BenchError::OtherMachine { a, b }) }
    }

    /// Returns the facts that have to be the same for times to be comparable.
    pub fn identity(&self) -> String {
        let Machine { processor, cores, kernel, preemption, governor, hypervisor, .. } = self;
        format!(
            "{processor}, {cores} cores, Linux {kernel}, preemption {preemption}, governor {governor}, {hypervisor}"
        )
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |cost: Option<f64>| cost.map_or("not measured".to_owned(), |cost| format!("{cost:.0} ns"));
        let (spinning, asleep) = (shown(self.hand_over_ns), shown(self.wake_up_ns));
        writeln!(formatter, "machine    {}", self.identity())?;
        writeln!(formatter, "settings   real-time threads may use {:.0} % of the time", self.real_time_percent)?;
        writeln!(
            formatter,
            "measured   hand-over between two cores {spinning} to a thread that spins, {asleep} to one that sleeps; load before {}",
            self.load_average
        )?;
        write!(formatter, "built with {}; {}", self.compilers.join("; "), self.date)
    }
}

fn preemption() -> String {
    if file("/sys/kernel/realtime") == "1" {
        return "real time".to_owned();
    }
    let chosen = file("/sys/kernel/debug/sched/preempt");
    match chosen.split_once('(').and_then(|(_, rest)| rest.split_once(')')) {
        Some((mode, _)) => mode.to_owned(),
        None if file("/proc/version").contains("PREEMPT_DYNAMIC") => "dynamic".to_owned(),
        None => "unknown".to_owned(),
    }
}

/// Reads a short file of the system; empty if it cannot be read.
fn file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// Returns the first line that a program prints, if it is installed.
pub fn first_line(program: &str, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(str::to_owned).filter(|line| !line.is_empty())
}
