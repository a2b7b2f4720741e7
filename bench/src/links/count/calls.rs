//! System calls of two processes, as `strace` writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

/// The system calls of the sending process and of the one that it has started, which receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls([BTreeMap<String, u64>; 2]);

const SENDER: usize = 0;
const RECEIVER: usize = 1;
/// A limit above the number of generations from any thread to the first one of its process.
const GENERATIONS: usize = 20;

impl Calls {
    /// Counts the calls in a trace in which each line begins with the number of a thread.
    pub fn of(trace: &str) -> Self {
        let lines: Vec<Line<'_>> = trace.lines().filter_map(Line::of).collect();
        let mut parents = BTreeMap::new();
        let mut receives = BTreeSet::new();
        for (number, line) in lines.iter().enumerate() {
            if let Some(new) = line.new_thread() {
                parents.entry(new).or_insert(line.thread);
            }
            // The first one begins the sender.
            if line.name == "execve" && number > 0 {
                receives.insert(line.thread);
            }
        }
        let mut calls = Self::default();
        for line in lines.iter().filter(|line| !line.is_resumed) {
            let mut ancestors = successors(Some(line.thread), |thread| parents.get(thread).copied()).take(GENERATIONS);
            let process = if ancestors.any(|thread| receives.contains(thread)) { RECEIVER } else { SENDER };
            *calls.0[process].entry(line.name.to_owned()).or_default() += 1;
        }
        calls
    }

    /// Returns the calls that are not in another trace.
    pub fn since(mut self, before: &Self) -> Self {
        for (calls, before) in self.0.iter_mut().zip(&before.0) {
            for (name, count) in calls {
                *count = count.saturating_sub(before.get(name).copied().unwrap_or_default());
            }
        }
        self
    }

    /// Formats the number of calls per message, of the sender and the receiver.
    pub fn per(&self, messages: u64) -> [String; 2] {
        self.0.each_ref().map(|calls| {
            let per = |count: u64| count as f64 / messages.max(1) as f64;
            let mut often: Vec<_> = calls.iter().filter(|(_, count)| per(**count) >= 0.05).collect();
            often.sort_by(|one, other| other.1.cmp(one.1));
            let each: Vec<_> = often.iter().map(|(name, count)| format!("{name} {:.2}", per(**count))).collect();
            format!("{:.2} ({})", per(calls.values().sum()), each.join(", "))
        })
    }
}

/// A line about a system call.
struct Line<'t> {
    thread: &'t str,
    name: &'t str,
    /// The call began in an earlier line.
    is_resumed: bool,
    result: Option<&'t str>,
}

impl<'t> Line<'t> {
    /// Reads a line; `None` if it is about something else, such as a signal.
    fn of(line: &'t str) -> Option<Self> {
        let (thread, call) = line.trim_start().split_once(' ')?;
        let call = call.trim_start();
        let (name, is_resumed) = match call.strip_prefix("<... ") {
            Some(resumed) => (resumed.split(' ').next()?, true),
            None => (call.split_once('(')?.0, false),
        };
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let result = call.rsplit_once(" = ").map(|(_, result)| result);
        is_name.then_some(Self { thread, name, is_resumed, result })
    }

    /// Returns the number of the thread that the call has made.
    fn new_thread(&self) -> Option<&'t str> {
        self.result.filter(|_| ["clone", "clone3", "fork", "vfork"].contains(&self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_each_process_and_its_threads_are_its_own() {
        let trace = "\
10 execve(\"bench\", [\"bench\"], 0x7ffc /* 3 vars */) = 0
10 clone3({flags=CLONE_VM|CLONE_VFORK}, 88) = 11
11 execve(\"bench\", [\"bench\"], 0x7ffc /* 3 vars */) = 0
10 clone3({flags=CLONE_VM|CLONE_THREAD}, 88 <unfinished ...>
12 write(3, \"\", 8) = 8
10 <... clone3 resumed> => {parent_tid=[12]}, 88) = 12
11 clone3({flags=CLONE_VM|CLONE_THREAD}, 88 <unfinished ...>
13 read(4,  <unfinished ...>
11 <... clone3 resumed> => {parent_tid=[13]}, 88) = 13
12 sendto(5, \"\", 100, 0, NULL, 0) = 100
13 <... read resumed>\"\", 100) = 100
13 --- SIGCHLD {si_signo=SIGCHLD} ---
13 +++ exited with 0 +++
";
        let calls = Calls::of(trace);
        let count = |process: usize, name: &str| calls.0[process].get(name).copied().unwrap_or_default();
        assert_eq!([count(SENDER, "write"), count(SENDER, "sendto"), count(SENDER, "clone3")], [1, 1, 2]);
        assert_eq!([count(RECEIVER, "read"), count(RECEIVER, "clone3"), count(SENDER, "read")], [1, 1, 0]);
        let twice = Calls::of(&[trace, "12 write(3, \"\", 8) = 8\n12 write(3, \"\", 8) = 8\n"].concat());
        assert_eq!(twice.since(&calls).per(1)[SENDER], "2.00 (write 2.00)");
    }
}
