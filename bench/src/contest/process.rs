//! Runs one contestant once, and reads what it prints.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::discipline::Discipline;
use super::entrant::Entrant;

/// Whoever takes longer is stuck.
const LIMIT: Duration = Duration::from_secs(60);

/// What a contestant printed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Name and version.
    pub contestant: String,
    /// The policy that it ran under.
    pub granted: String,
    values: BTreeMap<String, Vec<u64>>,
}

/// Why there is nothing of a contestant.
#[derive(Debug, Error)]
pub enum EntryError {
    #[error("{label} cannot be started from {program}: {error}")]
    Start { label: &'static str, program: String, error: std::io::Error },
    #[error("{label} was stopped after {} s", LIMIT.as_secs())]
    Stuck { label: &'static str },
    #[error("{label} failed: {message}")]
    Failed { label: &'static str, message: String },
}

impl Samples {
    /// The values of a key; none if there is no such line.
    pub fn values(&self, key: &str) -> &[u64] {
        self.values.get(key).map_or(&[], Vec::as_slice)
    }

    /// What there are values of.
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

/// Runs it to its end.
pub fn run(entrant: &Entrant, discipline: &Discipline, graph: &Path) -> Result<Samples, EntryError> {
    let mut command = Command::new(&entrant.program);
    command
        .args(&entrant.arguments)
        .args(["--mode", &discipline.mode.to_string()])
        .args(["--workers", &discipline.workers.to_string()])
        .args(["--runs", &discipline.runs.to_string()])
        .args(["--period-ns", &discipline.period.as_nanos().to_string()])
        .arg("--graph")
        .arg(graph)
        // OpenMP's threads are made as many as there are workers, and wait as they do by default.
        .env("OMP_NUM_THREADS", discipline.workers.to_string());
    run_command(entrant.label, command)
}

/// Runs whatever speaks the protocol, to its end.
pub fn run_command(label: &'static str, mut command: Command) -> Result<Samples, EntryError> {
    let child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| {
            EntryError::Start { label, program: command.get_program().display().to_string(), error }
        })?;
    let (output, complaints) = wait(child).ok_or(EntryError::Stuck { label })?;
    Samples::parse(&output).map_err(|problem| {
        let message = complaints.lines().last().unwrap_or(&problem).to_owned();
        EntryError::Failed { label, message }
    })
}

/// What it printed to both streams; `None` if it had to be stopped.
fn wait(mut child: Child) -> Option<(String, String)> {
    fn reader(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
        std::thread::spawn(move || {
            let mut text = String::new();
            // What is no text counts as an end; the parser says what is missing.
            stream.map(|mut stream| stream.read_to_string(&mut text));
            text
        })
    }
    let (output, complaints) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => break,
            Ok(None) if begin.elapsed() > LIMIT => {
                // Both fail only if it has ended meanwhile.
                _ = child.kill();
                _ = child.wait();
                return None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    Some((output.join().ok()?, complaints.join().ok()?))
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
