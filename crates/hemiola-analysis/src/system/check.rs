//! The checks that no type can express.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Key::{Index, Name};
use super::{Begin, Beginning, Executor, Key, Link, Place, Problem, Problems, Reservation, Span, System};
use crate::TimeSpan;

pub(super) fn check(system: &System) -> Result<(), Problems> {
    let mut found = Found::default();
    if system.cores == 0 {
        found.add(&[Name("cores")], "there are no cores", "write the number of cores, such as `cores = 4`");
    }
    executors(system, &mut found);
    chains(system, &mut found);
    cycles(system, &mut found);
    links(system, &mut found);
    begins(system, &mut found);
    let parts = system.stations();
    for (number, path) in system.paths.iter().enumerate() {
        for (place, name) in path.through.iter().enumerate() {
            let at = [Name("path"), Index(number), Name("through"), Index(place)];
            found.known(&at, "cycle, chain or link", name, parts.iter().copied());
            let link = system.links.iter().find(|link| link.name == *name);
            let before = place.checked_sub(1).map(|before| &path.through[before]);
            if let Some(link) = link.filter(|link| before != Some(&link.from)) {
                let message =
                    format!("link `{name}` carries values of `{}`, which does not precede it in the path", link.from);
                found.add(&at, message, format!("insert `{}` before it", link.from));
            }
        }
    }
    if found.0.is_empty() { Ok(()) } else { Err(Problems(found.0)) }
}

#[derive(Default)]
struct Found(Vec<Problem>);

impl Found {
    fn add(&mut self, at: &[Key], message: impl Into<String>, help: impl Into<String>) {
        let place = Place::Path(at.to_vec());
        self.0.push(Problem { place, message: message.into(), help: Some(help.into()) });
    }

    fn known<'n>(&mut self, at: &[Key], what: &str, name: &str, all: impl Iterator<Item = &'n str>) -> bool {
        let all: Vec<&str> = all.collect();
        if all.contains(&name) {
            return true;
        }
        let near = all.iter().copied().min_by_key(|other| strsim::damerau_levenshtein(name, other));
        let help = match near {
            Some(near) if strsim::damerau_levenshtein(name, near) <= name.len().div_ceil(3) => {
                format!("did you mean `{near}`?")
            }
            Some(_) => format!("there are {}", all.join(", ")),
            None => "there are none".to_owned(),
        };
        self.add(at, format!("there is no {what} `{name}`"), help);
        false
    }

    fn once<'n>(&mut self, what: &str, list: &'static str, names: impl Iterator<Item = &'n str>, before: &[Key]) {
        let mut seen = BTreeSet::new();
        for (number, name) in names.enumerate() {
            if !seen.insert(name) {
                let mut at = before.to_vec();
                at.extend([Name(list), Index(number), Name("name")]);
                self.add(&at, format!("there are two {what} `{name}`"), "rename one of them");
            }
        }
    }

    fn positive(&mut self, at: &[Key], time: TimeSpan) {
        if time == TimeSpan::ZERO {
            self.add(at, "the period is zero", "write the time from one release to the next, such as \"20 ms\"");
        }
    }

    fn within_period(&mut self, at: &[Key], offset: Option<TimeSpan>, period: TimeSpan) {
        if let Some(offset) = offset.filter(|&offset| period > TimeSpan::ZERO && offset >= period) {
            let message = format!("the offset of {offset} is not below the period of {period}");
            let (_, left) = offset.whole(period);
            self.add(
                at,
                message,
                format!("write the time of the first release, which is below the period, such as \"{left}\""),
            );
        }
    }

    fn priority(&mut self, at: &[Key], priority: u32) {
        if !(1..=99).contains(&priority) {
            let message = format!("{priority} is not a real-time priority");
            self.add(at, message, "use a number from 1 (lowest) to 99 (highest)");
        }
    }

    fn no_core(&mut self, at: &[Key], core: usize, system: &System) {
        let help = format!("cores are numbered from 0 to {}", system.cores.saturating_sub(1));
        self.add(at, format!("there is no core {core}"), help);
    }

    fn ordered(&mut self, at: &[Key], span: Span) {
        if span.shortest > span.longest {
            self.add(at, format!("{span} has the longer time first"), "swap the two times");
        }
    }
}

impl System {
    /// Returns the names of all chains and cycles.
    pub fn parts(&self) -> Vec<&str> {
        let chains = self.chains.iter().map(|chain| chain.name.as_str());
        chains.chain(self.cycles.iter().map(|cycle| cycle.name.as_str())).collect()
    }

    /// Returns the names of everything that a path may go through: chains, cycles and links.
    pub(super) fn stations(&self) -> Vec<&str> {
        self.parts().into_iter().chain(self.links.iter().map(|link| link.name.as_str())).collect()
    }

    /// Returns the link of this name.
    pub fn link(&self, name: &str) -> Option<&Link> {
        self.links.iter().find(|link| link.name == name)
    }
}

fn links(system: &System, found: &mut Found) {
    for (number, link) in system.links.iter().enumerate() {
        let at = |key| [Name("link"), Index(number), Name(key)];
        if system.stations().iter().filter(|name| **name == link.name).count() > 1 {
            let message = format!("there is another cycle, chain or link named `{}`", link.name);
            found.add(&at("name"), message, "rename one of them");
        }
        found.known(&at("from"), "cycle or chain", &link.from, system.parts().into_iter());
        found.ordered(&at("takes"), link.takes);
    }
}

fn executors(system: &System, found: &mut Found) {
    found.once("executors", "executor", system.executors.iter().map(|executor| executor.name.as_str()), &[]);
    for (number, executor) in system.executors.iter().enumerate() {
        if let Some(core) = executor.core.filter(|&core| core >= system.cores) {
            found.no_core(&[Name("executor"), Index(number), Name("core")], core, system);
        }
        let at = |key| [Name("executor"), Index(number), Name(key)];
        match executor.reservation {
            Some(reservation) => reserved(&at, executor, reservation, found),
            None if executor.priority == 0 => {
                let message = format!("executor `{}` has neither a priority nor a reservation", executor.name);
                found.add(&at("name"), message, "add `priority`, from 1 (lowest) to 99 (highest)");
            }
            None => found.priority(&at("priority"), executor.priority),
        }
    }
    admission(system, found);
}

/// Checks a reservation by itself: what the kernel refuses.
fn reserved(at: &dyn Fn(&'static str) -> [Key; 3], executor: &Executor, reservation: Reservation, found: &mut Found) {
    let Reservation { budget, period } = reservation;
    let (shortest, longest) = (Reservation::SHORTEST_PERIOD, Reservation::LONGEST_PERIOD);
    if executor.priority != 0 {
        let message = format!("executor `{}` has a reservation, which comes before all priorities", executor.name);
        found.add(&at("priority"), message, "remove `priority`, or the reservation");
    }
    if executor.core.is_some() {
        let message = format!("executor `{}` has a reservation, with which a thread may use all cores", executor.name);
        found.add(&at("core"), message, "remove `core`, or give it a priority instead of the reservation");
    }
    if !(shortest..=longest).contains(&period) {
        let message = format!("the kernel reserves no time in a period of {period}");
        found.add(&at("reservation"), message, format!("choose one from {shortest} to {longest}"));
    } else if !(Reservation::SHORTEST_BUDGET..=period).contains(&budget) {
        let message = format!("a budget of {budget} cannot be given in a period of {period}");
        found.add(
            &at("reservation"),
            message,
            format!("choose one from {} to the period", Reservation::SHORTEST_BUDGET),
        );
    }
}

/// Checks that the kernel admits all reservations together; the one that it refuses first is the
/// one that is named.
fn admission(system: &System, found: &mut Found) {
    let given = system.cores as f64 * Reservation::GIVEN;
    let mut sum = 0.0;
    for (number, executor) in system.executors.iter().enumerate() {
        let Some(reservation) = executor.reservation else { continue };
        sum += reservation.share();
        if sum > given * (1.0 + 1e-12) {
            let message = format!(
                "up to this one, reservations take {sum:.2} cores, and the kernel gives them {given:.2} of {}",
                system.cores
            );
            let at = [Name("executor"), Index(number), Name("reservation")];
            found.add(&at, message, "make budgets smaller, or periods longer");
            return;
        }
    }
}

fn chains(system: &System, found: &mut Found) {
    found.once("chains", "chain", system.chains.iter().map(|chain| chain.name.as_str()), &[]);
    let mut executors_of_nodes = BTreeMap::new();
    for (number, chain) in system.chains.iter().enumerate() {
        let at = |key| [Name("chain"), Index(number), Name(key)];
        match &chain.begins {
            Beginning::After(before) if chain.period > TimeSpan::ZERO => {
                let message = format!("chain `{}` begins after `{before}`, whose period it has", chain.name);
                found.add(&at("period"), message, "remove `period`, or `begins`");
            }
            Beginning::After(_) => {}
            Beginning::Timer | Beginning::WakeUp => found.positive(&at("period"), chain.period),
        }
        found.within_period(&at("offset"), chain.offset, chain.period);
        if chain.offset.is_some() && chain.begins != Beginning::Timer {
            let message = format!("chain `{}` has an offset, but is not begun by a timer of its own", chain.name);
            found.add(&at("offset"), message, "write `begins = \"timer\"`, or remove the offset");
        }
        if chain.callbacks.is_empty() {
            found.add(
                &at("callbacks"),
                format!("chain `{}` has no callbacks", chain.name),
                "add a callback, or remove the chain",
            );
        }
        for (place, callback) in chain.callbacks.iter().enumerate() {
            let at = |key| [Name("chain"), Index(number), Name("callbacks"), Index(place), Name(key)];
            found.ordered(&at("takes"), callback.takes);
            if let Some(executor) = &callback.executor {
                let executors = system.executors.iter().map(|executor| executor.name.as_str());
                found.known(&at("executor"), "executor", executor, executors);
            }
            if callback.executor.is_some() != callback.priority.is_some() {
                let message = format!("callback `{}` has only one of `executor` and `priority`", callback.name);
                found.add(&at("name"), message, "give it both, or neither: `assign` then chooses them");
            }
            if let Some(node) = &callback.node {
                let first = *executors_of_nodes.entry(node.as_str()).or_insert(&callback.executor);
                if *first != callback.executor {
                    let place = |executor: &Option<String>| match executor {
                        Some(executor) => format!("in `{executor}`"),
                        None => "in no executor".to_owned(),
                    };
                    let message = format!(
                        "callback `{}` is {}, but the first callback of node `{node}` is {}",
                        callback.name,
                        place(&callback.executor),
                        place(first)
                    );
                    found.add(&at("node"), message, "give all callbacks of a node the same executor, or none");
                }
            }
        }
    }
}

fn cycles(system: &System, found: &mut Found) {
    for (number, cycle) in system.cycles.iter().enumerate() {
        let at = |key| [Name("cycle"), Index(number), Name(key)];
        if system.parts().iter().filter(|name| **name == cycle.name).count() > 1 {
            found.add(
                &at("name"),
                format!("there is another cycle or chain named `{}`", cycle.name),
                "rename one of them",
            );
        }
        if let Begin::Every { period, offset } = cycle.begins {
            found.positive(&at("begins"), period);
            found.within_period(&at("begins"), offset, period);
        }
        found.priority(&at("priority"), cycle.priority);
        for (place, &core) in cycle.cores.iter().enumerate() {
            let at = [Name("cycle"), Index(number), Name("cores"), Index(place)];
            if core >= system.cores {
                found.no_core(&at, core, system);
            } else if cycle.cores[..place].contains(&core) {
                found.add(&at, format!("core {core} is listed twice"), "remove one of them");
            }
        }
        let names: Vec<&str> = cycle.tasks.iter().map(|task| task.name.as_str()).collect();
        found.once("tasks", "tasks", names.iter().copied(), &[Name("cycle"), Index(number)]);
        let with_priority = cycle.tasks.iter().position(|task| task.priority.is_some());
        let without = cycle.tasks.iter().position(|task| task.priority.is_none());
        if let (Some(with), Some(without)) = (with_priority, without) {
            let message = format!("task `{}` has no priority, but `{}` has", names[without], names[with]);
            let at = [Name("cycle"), Index(number), Name("tasks"), Index(without), Name("name")];
            found.add(&at, message, "give all tasks of a cycle priorities, or none");
        }
        let mut waits = BTreeMap::new();
        for (place, task) in cycle.tasks.iter().enumerate() {
            let at = |key| [Name("cycle"), Index(number), Name("tasks"), Index(place), Name(key)];
            found.ordered(&at("takes"), task.takes);
            for name in &task.after {
                found.known(&at("after"), "task", name, names.iter().copied());
            }
            waits.insert(task.name.as_str(), task.after.iter().map(String::as_str).collect());
        }
        if let Some(circle) = circle(&waits) {
            let message = format!("tasks wait for each other: {}", circle.join(" -> "));
            found.add(&at("tasks"), message, "remove one of these from the other's `after`");
        }
    }
}

fn begins(system: &System, found: &mut Found) {
    let mut waits = BTreeMap::new();
    for (number, chain) in system.chains.iter().enumerate() {
        if let Beginning::After(name) = &chain.begins {
            let at = [Name("chain"), Index(number), Name("begins")];
            found.known(&at, "cycle, chain or link", name, system.stations().into_iter());
            waits.insert(chain.name.as_str(), vec![name.as_str()]);
        }
    }
    for (number, cycle) in system.cycles.iter().enumerate() {
        if let Begin::After(name) = &cycle.begins {
            let at = [Name("cycle"), Index(number), Name("begins")];
            found.known(&at, "cycle, chain or link", name, system.stations().into_iter());
            waits.insert(cycle.name.as_str(), vec![name.as_str()]);
        }
    }
    waits.extend(system.links.iter().map(|link| (link.name.as_str(), vec![link.from.as_str()])));
    if let Some(circle) = circle(&waits) {
        let is_cycle = system.cycles.iter().any(|cycle| circle.contains(&cycle.name.as_str()));
        let (kind, at) = if is_cycle { ("cycles", "cycle") } else { ("chains", "chain") };
        let message = format!("{kind} begin after each other: {}", circle.join(" -> "));
        let help = match is_cycle {
            true => "let one of them begin with `{ every = \"...\" }`",
            false => "give one of them a `period` instead of `begins`",
        };
        found.add(&[Name(at)], message, help);
    }
}

/// Returns names that wait for each other, from the first back to it.
fn circle<'n>(waits: &BTreeMap<&'n str, Vec<&'n str>>) -> Option<Vec<&'n str>> {
    let mut finished = BTreeSet::new();
    for &start in waits.keys() {
        // The search is depth first; the path has for each name how many of those it waits for have
        // been visited.
        let mut path = vec![(start, 0)];
        while let Some((name, looked_at)) = path.pop() {
            let Some(&next) = waits.get(name).and_then(|names| names.get(looked_at)) else {
                finished.insert(name);
                continue;
            };
            path.push((name, looked_at + 1));
            if let Some(first) = path.iter().position(|(seen, _)| *seen == next) {
                return Some(path[first..].iter().map(|(name, _)| *name).chain([next]).collect());
            }
            if !finished.contains(next) {
                path.push((next, 0));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_wait_for_each_other_are_found_with_their_path() {
        let waits = BTreeMap::from([("a", vec!["b"]), ("b", vec!["c", "d"]), ("c", vec![]), ("d", vec!["b"])]);
        assert_eq!(circle(&waits), Some(vec!["b", "d", "b"]));
        let waits = BTreeMap::from([("a", vec!["b", "c"]), ("b", vec!["c"]), ("c", vec![])]);
        assert_eq!(circle(&waits), None);
    }
}
