//! Systems of pyCPA that a file describes in words:
//! `CPU1 SPP {T11 10/5 prio 2, T12 3/1 prio 3}, BUS SPNP {...}; T11->T21, T12->T22; T11: P=30,J=3;
//! T12: P=15,J=1`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::{Misfit, Tally, ticks};
use super::HORIZON;
use hemiola_analysis::TimeSpan;
use hemiola_schedulability::compositional::{Chain, Propagation, Scheduling, Task, response_times};

struct System {
    resources: Vec<Scheduling>,
    chains: Vec<Chain>,
    /// The names of the tasks of each chain.
    names: Vec<Vec<String>>,
}

pub(super) fn compare(value: &Value, tally: &mut Tally) -> Result<(), Misfit> {
    let expected = &value["expected"];
    let system = value["source"].as_str().and_then(System::parse);
    let System { resources, chains, names } = system.ok_or("the system that is described in words")?;
    let bounds = response_times(&resources, &chains, Propagation::BusyWindow, HORIZON).unwrap_or_default();
    for (number, ((chain, names), bounds)) in chains.iter().zip(names).zip(bounds).enumerate() {
        for (name, bound) in names.iter().zip(&bounds) {
            tally.same_if(name, expected[name].as_u64(), || bound.as_nanoseconds());
        }
        let path = format!("P{}", number + 1);
        let best: TimeSpan = chain.tasks.iter().map(|task| task.shortest).sum();
        let worst: TimeSpan = bounds.iter().copied().sum();
        let ends = Option::<(u64, u64)>::deserialize(&expected[&path])?;
        tally.same_if(&path, ends, || (best.as_nanoseconds(), worst.as_nanoseconds()));
    }
    Ok(())
}

impl System {
    fn parse(words: &str) -> Option<Self> {
        let (mut resources, mut tasks) = (Vec::new(), BTreeMap::new());
        let mut rest = words;
        while let Some((before, after)) = rest.split_once('{') {
            let (listed, after) = after.split_once('}')?;
            resources.push(match before.split_whitespace().last()? {
                "SPP" => Scheduling::Preemptive,
                "SPNP" => Scheduling::NonPreemptive,
                _ => return None,
            });
            for task in listed.split(',') {
                let (name, task) = parse_task(task, resources.len() - 1)?;
                tasks.insert(name, task);
            }
            rest = after;
        }
        let words: Vec<&str> = rest.split([';', '(']).flat_map(|part| part.split(", ")).map(str::trim).collect();
        let (mut chains, mut names) = (Vec::new(), Vec::new());
        for chain in words.iter().filter(|part| part.contains("->")) {
            let path: Vec<String> = chain.split("->").map(|name| name.trim().to_owned()).collect();
            let activation = words.iter().find_map(|part| part.strip_prefix(&format!("{}: ", path[0])))?;
            let number = |key: &str| -> Option<u64> {
                let value = activation.split(',').find_map(|pair| pair.trim().strip_prefix(key))?;
                value.trim().parse().ok()
            };
            chains.push(Chain {
                period: ticks(number("P=")?),
                jitter: ticks(number("J=").unwrap_or(0)),
                tasks: path.iter().map(|name| tasks.get(name).copied()).collect::<Option<Vec<Task>>>()?,
            });
            names.push(path);
        }
        (!chains.is_empty()).then_some(Self { resources, chains, names })
    }
}

/// Parses a task such as `T11 10/5 prio 2`.
fn parse_task(words: &str, resource: usize) -> Option<(String, Task)> {
    let [name, costs, "prio", rank] = words.split_whitespace().collect::<Vec<_>>()[..] else { return None };
    let (longest, shortest) = costs.split_once('/')?;
    let task = Task {
        resource,
        shortest: ticks(shortest.parse().ok()?),
        longest: ticks(longest.parse().ok()?),
        rank: rank.parse().ok()?,
    };
    Some((name.to_owned(), task))
}
