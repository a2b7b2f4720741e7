//! The rates over the last seconds.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::configuration::SubjectKind;

use super::Frame;

/// The counts of the last frames.
#[derive(Default)]
pub struct Rates {
    counts: VecDeque<Counts>,
}

/// The counts up to one moment.
struct Counts {
    now: Time,
    of: BTreeMap<Counted, u64>,
    /// The number of tasks that each worker of a cycle has run.
    workers: BTreeMap<(String, String), u64>,
}

/// Something that is counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    Runs {
        cycle: String,
    },
    /// The nanoseconds that the tasks of a cycle took.
    Work {
        cycle: String,
    },
    Executions {
        of: String,
        task: String,
    },
    /// The nanoseconds that a task took.
    Execution {
        of: String,
        task: String,
    },
    Samples {
        source: String,
    },
    Messages {
        channel: String,
    },
    /// The messages of a topic, or the values of a representation, over a link.
    Linked {
        link: String,
        kind: SubjectKind,
        name: String,
    },
    /// The calls of a service over a link, which is served or called here.
    Called {
        link: String,
        service: String,
        is_served: bool,
    },
    Arrivals {
        source: String,
        output: String,
    },
}

/// The time over which rates are taken: long enough for a cycle of ten runs in a second.
const WINDOW: Duration = Duration::from_secs(2);

impl Rates {
    /// Adds the counts of a frame. A clock that was set back, as by a replay that begins anew,
    /// clears the counts before.
    pub fn add(&mut self, frame: &Frame) {
        if self.counts.back().is_some_and(|last| frame.now < last.now) {
            self.counts.clear();
        }
        let since = frame.now - WINDOW;
        // The last frame before the window is where the window begins.
        while self.counts.get(1).is_some_and(|next| next.now <= since) {
            self.counts.pop_front();
        }
        self.counts.push_back(Counts::of(frame));
    }

    /// Returns the count per second; for work, its share of one core.
    pub fn rate(&self, counted: &Counted) -> f64 {
        let (Some(first), Some(last)) = (self.counts.front(), self.counts.back()) else { return 0.0 };
        let count = |counts: &Counts| counts.of.get(counted).copied().unwrap_or_default();
        let seconds = last.now.since(first.now).as_secs_f64();
        let rate = if seconds > 0.0 { count(last).saturating_sub(count(first)) as f64 / seconds } else { 0.0 };
        match counted {
            Counted::Work { .. } | Counted::Execution { .. } => rate / 1e9,
            _ => rate,
        }
    }

    /// Returns the number of workers of a cycle that have run a task.
    pub fn workers(&self, cycle: &str) -> usize {
        let (Some(first), Some(last)) = (self.counts.front(), self.counts.back()) else { return 0 };
        let of_cycle = last.workers.iter().filter(|((of, _), _)| of == cycle);
        of_cycle.filter(|(worker, runs)| self.counts.len() == 1 || first.workers.get(worker) != Some(runs)).count()
    }
}

impl Counts {
    fn of(frame: &Frame) -> Self {
        let mut counts = Self { now: frame.now, of: BTreeMap::new(), workers: BTreeMap::new() };
        for cycle in &frame.report.cycles {
            let of = || cycle.name.clone();
            counts.of.insert(Counted::Runs { cycle: of() }, cycle.response.count);
            counts.of.insert(Counted::Work { cycle: of() }, cycle.tasks.iter().map(|task| task.total()).sum());
            for task in &cycle.tasks {
                let (of, name) = (of(), task.name.clone());
                counts.of.insert(Counted::Executions { of: of.clone(), task: name.clone() }, task.execution.count);
                counts.of.insert(Counted::Execution { of, task: name }, task.total());
                for (worker, runs) in &task.workers {
                    *counts.workers.entry((cycle.name.clone(), worker.clone())).or_default() += runs;
                }
            }
        }
        for callback in &frame.report.callbacks {
            let (of, task, execution) = (callback.executor.clone(), callback.name.clone(), callback.execution);
            counts.of.insert(Counted::Executions { of: of.clone(), task: task.clone() }, execution.count);
            counts.of.insert(Counted::Execution { of, task }, execution.mean.saturating_mul(execution.count));
        }
        for source in &frame.report.sources {
            counts.of.insert(Counted::Samples { source: source.name.clone() }, source.execution.count);
        }
        for chain in &frame.report.chains {
            let (source, output) = (chain.source.clone(), chain.output.clone());
            counts.of.insert(Counted::Arrivals { source, output }, chain.reaction.count);
        }
        for channel in &frame.channels {
            counts.of.insert(Counted::Messages { channel: channel.name.clone() }, channel.sent);
        }
        for link in &frame.links {
            let sent = link.sent.iter().map(|sent| (sent.kind, &sent.name, sent.messages));
            let received = link.received.iter().map(|received| (received.kind, &received.name, received.messages));
            for (kind, name, messages) in sent.chain(received) {
                counts.of.insert(Counted::Linked { link: link.name.clone(), kind, name: name.clone() }, messages);
            }
            let served = link.served.iter().map(|service| (service, true));
            for (service, is_served) in served.chain(link.called.iter().map(|service| (service, false))) {
                let (link, name) = (link.name.clone(), service.name.clone());
                counts.of.insert(Counted::Called { link, service: name, is_served }, service.calls);
            }
        }
        counts
    }
}
