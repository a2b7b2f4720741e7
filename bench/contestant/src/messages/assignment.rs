use std::collections::BTreeMap;

use crate::system;

/// The task of a contestant, from its command line.
///
/// ```
/// use hemiola_bench_contestant::messages::Assignment;
///
/// let words = "flume --workload ring --bytes 8 --senders 4".split(' ').map(str::to_owned);
/// let assignment = Assignment::parse(words).unwrap();
/// assert_eq!((assignment.contestant(), assignment.workload()), ("flume", "ring"));
/// assert_eq!(assignment.number("senders"), 4);
/// assert!(Assignment::parse(["flume".to_owned()].into_iter()).unwrap_err().contains("--workload"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    contestant: String,
    workload: String,
    numbers: BTreeMap<String, u64>,
}

/// The scheduling of a contestant's threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheduling {
    /// Time sharing, for workloads in which threads of equal rank have to take turns.
    TimeSharing,
    RealTime,
}

impl Assignment {
    /// Reads the words of the command line from the contestant's name on.
    ///
    /// # Errors
    /// A message, if there is no workload, or something is no pair of a key and a number.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let contestant = words.next().ok_or("the contestant's name is missing")?;
        let (mut workload, mut numbers) = (None, BTreeMap::new());
        while let Some(word) = words.next() {
            let key = word.strip_prefix("--").ok_or_else(|| format!("`{word}` is no --key"))?.to_owned();
            let value = words.next().ok_or_else(|| format!("--{key} VALUE is missing"))?;
            if key == "workload" {
                workload = Some(value);
            } else {
                let number = value.parse().map_err(|_| format!("--{key} needs a whole number, not `{value}`"))?;
                numbers.insert(key, number);
            }
        }
        Ok(Self { contestant, workload: workload.ok_or("--workload NAME is missing")?, numbers })
    }

    /// Returns the name of the contestant.
    pub fn contestant(&self) -> &str {
        &self.contestant
    }

    /// Returns the name of the workload.
    pub fn workload(&self) -> &str {
        &self.workload
    }

    /// Returns a number that the workload needs.
    ///
    /// # Panics
    /// If it was not given.
    pub fn number(&self, key: &str) -> u64 {
        *self.numbers.get(key).unwrap_or_else(|| panic!("--{key} NUMBER is missing"))
    }

    /// Returns whether this process receives what another one sends that has started it.
    pub fn receives(&self) -> bool {
        self.numbers.contains_key("receives")
    }

    /// Prints the name and version of the contestant, and gives the process its cores exclusively
    /// as far as the system allows. From now on the process ends when any thread panics. Must be
    /// called before any other thread is made.
    pub fn introduce(&self, version: &str) {
        end_with_the_first_panic();
        println!("contestant {} {version}", self.contestant);
        let scheduling = match self.workload.as_str() {
            // Producers of these workloads spin, and would keep a core from a thread that waits for
            // it.
            "fan-out" | "come-and-go" | "task-queue" | "ring" | "latest-value" => Scheduling::TimeSharing,
            "matrix-to-json" if self.numbers.get("rate-hz") == Some(&0) => Scheduling::TimeSharing,
            _ => Scheduling::RealTime,
        };
        match scheduling {
            Scheduling::TimeSharing if system::leave_for_a_session_of_its_own() => {
                println!("granted time sharing, before all others");
            }
            Scheduling::TimeSharing => println!("granted time sharing"),
            Scheduling::RealTime => println!("granted {}", system::request_real_time(2, system::PRIORITY)),
        }
    }
}

/// Ends the process when a thread panics: the others would wait for it for ever, at a barrier or
/// for messages.
pub(crate) fn end_with_the_first_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        std::process::exit(FAILURE);
    }));
}

/// The exit code of a program in Rust whose main thread has panicked.
const FAILURE: i32 = 101;

/// Prints the values of a key.
pub(crate) fn print(key: &str, values: impl IntoIterator<Item = u64>) {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    println!("{key} {}", values.join(" "));
}
