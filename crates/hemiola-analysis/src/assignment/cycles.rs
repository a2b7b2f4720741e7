//! Priorities among cycles, and how many workers each gets.
//!
//! - **Priorities.** Deadline monotonic first (Leung and Whitehead 1982): the sooner something is due, the more important; simple, and optimal on one core where deadlines
//!   are no longer than periods. If that does not meet all deadlines, [Audsley's](super::audsley_1991) search with the bounds themselves as its test.
//!   Bounds depend a little on the order of those above, which that search excludes; so what it finds is analysed as a whole before it is believed, and it may miss
//!   an order that exists.
//! - **Workers.** From the most important cycle on, the fewest whose bound is within 2 % of the best that any number has, if nothing fails with them that does not without.
//! - **Complexity.** As many analyses as the square of the number of cycles, and their product with the number of cores.

use super::audsley_1991;
use crate::system::{Begin, Start, System};
use crate::{Analysis, Time};

/// Priorities and workers of cycles, and how they were found.
///
/// ```
/// use hemiola_analysis::{Analysis, System, assignment::cycles::{self, Method}};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "cognition"
///     begins = { every = "33 ms" }
///     priority = 80
///     tasks = [{ name = "ball", takes = "14 ms" }]
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     priority = 40
///     tasks = [{ name = "walk", takes = "2 ms" }]
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// assert!(!Analysis::of(&system).holds());
/// let assigned = cycles::assign(&system, &["cognition", "motion"]);
/// assert_eq!(assigned.method, Method::DeadlineMonotonic);
/// assert_eq!(assigned.system.cycles.iter().map(|cycle| cycle.priority).collect::<Vec<_>>(), [40, 80]);
/// assert!(Analysis::of(&assigned.system).holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The system with them.
    pub system: System,
    /// How the priorities were found.
    pub method: Method,
}

/// How priorities were found.
///
/// ```
/// use hemiola_analysis::assignment::cycles::Method;
/// assert_ne!(Method::DeadlineMonotonic, Method::Audsley);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The sooner it is due, the more important.
    DeadlineMonotonic,
    /// By search, because that does not meet all deadlines.
    Audsley,
    /// The sooner it is due, the more important, though neither that nor anything that was found meets all deadlines.
    NothingHolds,
}

/// Assigns priorities and workers to these cycles. All others keep theirs, as the threads of drivers and simulators have to; names that are unknown
/// are left out.
pub fn assign(system: &System, cycles: &[&str]) -> Assigned {
    let number = |name: &&str| system.cycles.iter().position(|cycle| cycle.name == **name);
    let mut by_deadline: Vec<usize> = cycles.iter().filter_map(number).collect();
    by_deadline.sort_by_key(|&cycle| (due(system, cycle), cycle));
    let levels = levels(system, &by_deadline);
    let with = |order: &[usize]| {
        let mut changed = system.clone();
        for (&cycle, &level) in order.iter().zip(&levels) {
            changed.cycles[cycle].priority = level;
            // As many as can be of use: they are counted afterwards.
            changed.cycles[cycle].workers = most_workers(system, cycle);
        }
        changed
    };
    let monotonic = with(&by_deadline);
    let (prioritised, method) = if Analysis::of(&monotonic).holds() {
        (monotonic, Method::DeadlineMonotonic)
    } else {
        match search(system, &by_deadline, with) {
            Some(found) => (found, Method::Audsley),
            None => (monotonic, Method::NothingHolds),
        }
    };
    Assigned { system: with_workers(prioritised, &by_deadline), method }
}

fn search(system: &System, by_deadline: &[usize], with: impl Fn(&[usize]) -> System) -> Option<System> {
    let order = audsley_1991::assign(by_deadline.len(), |own, above| {
        let below = (0..by_deadline.len()).filter(|place| *place != own && !above.contains(place));
        let order: Vec<usize> =
            above.iter().copied().chain([own]).chain(below).map(|place| by_deadline[place]).collect();
        is_in_time(&Analysis::of(&with(&order)), system, by_deadline[own])
    })?;
    let order: Vec<usize> = order.into_iter().map(|place| by_deadline[place]).collect();
    Some(with(&order)).filter(|found| Analysis::of(found).holds())
}

/// Whether a cycle meets its own deadline, and that from the sample on which it begins with.
fn is_in_time(analysis: &Analysis, system: &System, cycle: usize) -> bool {
    let name = &system.cycles[cycle].name;
    let responses = responses(system, cycle).map(|path| &path.name);
    let mut decisive = responses.chain([name]);
    decisive.all(|name| analysis.find(name).is_some_and(crate::Verdict::holds))
}

fn responses(system: &System, cycle: usize) -> impl Iterator<Item = &crate::system::Path> {
    let name = &system.cycles[cycle].name;
    let responds = move |path: &&crate::system::Path| path.from == Start::Sample && path.through.last() == Some(name);
    system.paths.iter().filter(responds)
}

/// How soon a cycle has to be done.
fn due(system: &System, cycle: usize) -> Time {
    let own = system.cycles[cycle].deadline;
    let responses = responses(system, cycle).filter_map(|path| path.deadline);
    responses.chain(own).min().unwrap_or_else(|| period(system, cycle, system.cycles.len()))
}

/// Descriptions that were checked have no circles; `left` ends those of others.
fn period(system: &System, cycle: usize, left: usize) -> Time {
    match &system.cycles[cycle].begins {
        Begin::Every { period, .. } => *period,
        Begin::After(name) => {
            let chain = system.chains.iter().find(|chain| chain.name == *name).map(|chain| chain.period);
            let before = system.cycles.iter().position(|cycle| cycle.name == *name).filter(|_| left > 0);
            chain.or_else(|| Some(period(system, before?, left - 1))).unwrap_or(Time::MAX)
        }
    }
}

/// Below it are time-sharing threads.
const LOWEST: u32 = 2;
/// For cycles that have none yet: above what people give to drivers without much thought.
const USUAL: u32 = 80;

/// As many priorities as there are cycles, the highest first: those that they have if all differ, so that nothing changes for others.
fn levels(system: &System, cycles: &[usize]) -> Vec<u32> {
    let mut levels: Vec<u32> = cycles.iter().map(|&cycle| system.cycles[cycle].priority).collect();
    levels.sort_unstable_by(|one, other| other.cmp(one));
    let all_differ =
        levels.windows(2).all(|pair| pair[0] > pair[1]) && levels.last().is_none_or(|&last| last >= LOWEST);
    if !all_differ {
        let highest = levels.first().copied().filter(|&level| level >= LOWEST).unwrap_or(USUAL);
        // There are 98 levels; more cycles than that share the lowest one.
        let highest = highest.max((LOWEST + levels.len() as u32).min(99));
        levels = (0..levels.len() as u32).map(|place| highest.saturating_sub(place).max(LOWEST)).collect();
    }
    levels
}

fn most_workers(system: &System, cycle: usize) -> usize {
    system.cores.min(system.cycles[cycle].tasks.len()).max(1)
}

/// A few workers less are worth more than a bound that is better by so little.
const TOLERATED: f64 = 1.02;

fn with_workers(mut system: System, by_deadline: &[usize]) -> System {
    let mut order = by_deadline.to_vec();
    order.sort_by_key(|&cycle| std::cmp::Reverse(system.cycles[cycle].priority));
    for cycle in order {
        let held = Analysis::of(&system).verdicts.iter().filter(|verdict| verdict.holds()).count();
        let mut choices = Vec::new();
        for workers in 1..=most_workers(&system, cycle) {
            let mut changed = system.clone();
            changed.cycles[cycle].workers = workers;
            let analysis = Analysis::of(&changed);
            let holds = analysis.verdicts.iter().filter(|verdict| verdict.holds()).count();
            let bound = analysis.find(&system.cycles[cycle].name).and_then(|verdict| verdict.bound.clone().ok());
            choices.extend(bound.filter(|_| holds >= held).map(|bound| (workers, bound)));
        }
        let best = choices.iter().map(|&(_, bound)| bound).min();
        let is_enough = |bound: Time| {
            best.is_some_and(|best| bound.as_nanoseconds() as f64 <= best.as_nanoseconds() as f64 * TOLERATED)
        };
        if let Some(&(workers, _)) = choices.iter().find(|&&(_, bound)| is_enough(bound)) {
            system.cycles[cycle].workers = workers;
        }
    }
    system
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = r#"
        cores = 2
        [[cycle]]
        name = "driver"
        begins = { every = "10 ms" }
        priority = 90
        tasks = [{ name = "driver.sample", takes = "1 ms" }]
        [[cycle]]
        name = "vision"
        begins = { every = "30 ms" }
        priority = 50
        tasks = [{ name = "left", takes = "9 ms" }, { name = "right", takes = "9 ms" }, { name = "ball", takes = "4 ms", after = ["left", "right"] }]
        [[cycle]]
        name = "motion"
        begins = { after = "driver" }
        priority = 50
        tasks = [{ name = "walk", takes = "2 ms" }]
        [[path]]
        name = "response of motion"
        through = ["driver", "motion"]
        from = "sample"
        deadline = "5 ms"
    "#;

    #[test]
    fn what_is_due_sooner_from_its_sample_on_is_more_important_and_drivers_are_left_alone() {
        let system = System::from_toml(ROBOT, "system.toml").unwrap();
        let Assigned { system: assigned, method } = assign(&system, &["vision", "motion", "unknown"]);
        assert_eq!(method, Method::DeadlineMonotonic);
        let priorities: Vec<_> = assigned.cycles.iter().map(|cycle| cycle.priority).collect();
        assert_eq!(priorities, [90, 49, 50]);
        assert!(Analysis::of(&assigned).holds());
    }

    #[test]
    fn workers_are_as_many_as_make_a_bound_better() {
        let system = System::from_toml(&ROBOT.replace("9 ms", "14 ms"), "system.toml").unwrap();
        let assigned = assign(&system, &["vision", "motion"]).system;
        let workers: Vec<_> = assigned.cycles.iter().map(|cycle| cycle.workers).collect();
        assert_eq!(workers, [1, 2, 1]);
        let is_bounded = |system| Analysis::of(system).find("vision").unwrap().bound.is_ok();
        let mut alone = assigned.clone();
        alone.cycles[1].workers = 1;
        assert!(is_bounded(&assigned) && !is_bounded(&alone));
    }

    #[test]
    fn where_nothing_helps_that_is_said() {
        let system = System::from_toml(&ROBOT.replace("9 ms", "29 ms"), "system.toml").unwrap();
        assert_eq!(assign(&system, &["vision", "motion"]).method, Method::NothingHolds);
    }

    #[test]
    fn an_order_that_deadlines_do_not_tell_is_searched_for() {
        // What is due later needs a core for almost all of its time; what is due sooner can do with the other one.
        let text = r#"
            cores = 2
            [[cycle]]
            name = "soon"
            begins = { every = "10 ms" }
            priority = 50
            tasks = [{ name = "left", takes = "3 ms" }, { name = "right", takes = "3 ms" }]
            [[cycle]]
            name = "late"
            begins = { every = "30 ms" }
            deadline = "11 ms"
            priority = 40
            tasks = [{ name = "long", takes = "9 ms" }]
        "#;
        let system = System::from_toml(text, "system.toml").unwrap();
        let Assigned { system: assigned, method } = assign(&system, &["soon", "late"]);
        assert_eq!(method, Method::Audsley);
        assert_eq!(assigned.cycles.iter().map(|cycle| cycle.priority).collect::<Vec<_>>(), [40, 50]);
        assert!(Analysis::of(&assigned).holds());
    }
}
