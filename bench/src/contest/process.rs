//! Runs a contestant once, and reads what it prints.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::discipline::{Discipline, Heat};
use super::entrant::Entrant;
use crate::error::EntryError;

/// The time after which a contestant counts as stuck.
const LIMIT: Duration = Duration::from_secs(60);

/// The output of a contestant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// The name and version of the contestant.
    pub contestant: String,
    /// The policy that it ran under.
    pub granted: String,
    values: BTreeMap<String, Vec<u64>>,
}

impl Samples {
    /// Returns the values of a key; none if there is no such line.
    pub fn values(&self, key: &str) -> &[u64] {
        self.values.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the keys that have values.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut samples = Samples::default();
        for line in text.lines() {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("contestant", name) => samples.contestant = name.to_owned(),
                ("granted", policy) => samples.granted = policy.to_owned(),
                (key, values) => {
                    let values: Result<_, _> = values.split_whitespace().map(str::parse).collect();
                    samples.values.insert(key.to_owned(), values.map_err(|_| format!("it printed `{line:.80}`"))?);
                }
            }
        }
        if samples.contestant.is_empty() { Err("it did not introduce itself".to_owned()) } else { Ok(samples) }
    }
}

/// Runs an entrant to its end; two processes at once where the heat has two disciplines.
pub fn run_heat(entrant: &Entrant, heat: &Heat, folder: &Path) -> Result<Vec<Samples>, EntryError> {
    let graph = |discipline: &Discipline| folder.join(discipline.workload).with_extension("graph");
    match heat {
        Heat::Alone([discipline]) => Ok(vec![run(entrant, discipline, &graph(discipline))?]),
        Heat::Together([above, below]) => {
            // The less important one starts first: once it waits, it does not disturb the other
            // one's calibration.
            let mut low = Running::start(entrant.label, &mut command(entrant, below, &graph(below), PRIORITY - 1))?;
            low.await_ready();
            let mut high = Running::start(entrant.label, &mut command(entrant, above, &graph(above), PRIORITY))?;
            high.await_ready();
            low.begin();
            high.begin();
            Ok(vec![high.samples()?, low.samples()?])
        }
    }
}

/// The priority of contestants under SCHED_FIFO.
const PRIORITY: i32 = 80;

/// Runs one discipline to its end.
pub fn run(entrant: &Entrant, discipline: &Discipline, graph: &Path) -> Result<Samples, EntryError> {
    run_command(entrant.label, command(entrant, discipline, graph, PRIORITY))
}

fn command(entrant: &Entrant, discipline: &Discipline, graph: &Path, priority: i32) -> Command {
    let mut command = Command::new(&entrant.program);
    command
        .args(&entrant.arguments)
        .args(["--mode", &discipline.mode.to_string()])
        .args(["--workers", &discipline.workers.to_string()])
        .args(["--runs", &discipline.runs.to_string()])
        .args(["--period-ns", &discipline.period.as_nanos().to_string()])
        .args(["--priority", &priority.to_string()])
        .arg("--graph")
        .arg(graph)
        // OpenMP's threads are made as many as there are workers, and wait as they do by default.
        .env("OMP_NUM_THREADS", discipline.workers.to_string());
    command
}

/// Runs a command that speaks the protocol, to its end.
pub fn run_command(label: &'static str, mut command: Command) -> Result<Samples, EntryError> {
    Running::start(label, &mut command)?.samples()
}

/// A contestant that has been started. It is stopped when this is dropped.
struct Running {
    label: &'static str,
    child: Child,
    /// The lines of the standard output.
    lines: Receiver<String>,
    output: String,
    /// The thread that gathers the standard error output until it is needed.
    complaints: Option<JoinHandle<String>>,
    deadline: Instant,
}

impl Running {
    fn start(label: &'static str, command: &mut Command) -> Result<Self, EntryError> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| EntryError::Start {
            label,
            program: command.get_program().display().to_string(),
            error,
        })?;
        let (sender, lines) = std::sync::mpsc::channel();
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        std::thread::spawn(move || {
            // Output that is no text counts as an end; the parser reports what is missing.
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines().map_while(Result::ok));
            lines.for_each(|line| _ = sender.send(line));
        });
        let complaints = std::thread::spawn(move || {
            let mut text = String::new();
            complaints.map(|mut stream| stream.read_to_string(&mut text));
            text
        });
        let complaints = Some(complaints);
        Ok(Self { label, child, lines, output: String::new(), complaints, deadline: Instant::now() + LIMIT })
    }

    /// Waits until the contestant prints that it is ready. If it has ended, `samples` reports that.
    fn await_ready(&mut self) {
        while self.next_line().is_some_and(|line| line != "ready") {}
    }

    fn begin(&mut self) {
        // This fails only if the contestant has ended, which `samples` reports.
        _ = self.child.stdin.take().map(|mut input| input.write_all(b"begin\n"));
    }

    /// Reads everything that the contestant prints until it ends.
    fn samples(mut self) -> Result<Samples, EntryError> {
        while self.next_line().is_some() {}
        let label = self.label;
        if Instant::now() >= self.deadline {
            return Err(EntryError::Stuck { label, limit: LIMIT });
        }
        Samples::parse(&self.output).map_err(|problem| {
            let complaints = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
            EntryError::Failed { label, message: complaints.lines().last().unwrap_or(&problem).to_owned() }
        })
    }

    /// Returns the next line; `None` at the end, and when the time is over.
    fn next_line(&mut self) -> Option<String> {
        let line = self.lines.recv_timeout(self.deadline.saturating_duration_since(Instant::now())).ok()?;
        self.output.push_str(&line);
        self.output.push('\n');
        Some(line)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended meanwhile.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_key_and_its_values() {
        let samples = Samples::parse("contestant loop 1.0\ngranted SCHED_FIFO 80\nmakespan_ns 3 4 5\nidle_cpu_ns\n");
        let samples = samples.expect("well-formed");
        assert_eq!((samples.contestant.as_str(), samples.granted.as_str()), ("loop 1.0", "SCHED_FIFO 80"));
        assert_eq!(samples.values("makespan_ns"), [3, 4, 5]);
        assert!(samples.values("idle_cpu_ns").is_empty() && samples.values("first_task_ns").is_empty());
    }

    #[test]
    fn what_is_no_protocol_is_refused() {
        assert!(Samples::parse("makespan_ns 3").unwrap_err().contains("introduce"));
        assert!(Samples::parse("contestant a\nmakespan_ns fast").unwrap_err().contains("makespan_ns fast"));
    }
}
