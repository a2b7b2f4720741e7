//! Priorities of threads, the order of callbacks on each, the number of workers of cycles, and the
//! cores that they may use.
//!
//! - **Callbacks.** On each executor, the sooner a callback is due, the higher its priority;
//!   callbacks without a deadline come last.
//! - **Priorities** of cycles and executors. Deadline monotonic first (Leung and Whitehead 1982):
//!   the sooner something is due, the higher its priority; simple, and optimal on one core where
//!   deadlines are no longer than periods. If that does not meet all deadlines,
//!   [Audsley's](super::audsley_1991) search with the bounds themselves as its test. Bounds depend
//!   a little on the order of those above, which that search excludes; so the order that it finds
//!   is analysed as a whole before it is used, and it may miss an order that exists.
//! - **Workers.** From the cycle with the highest priority on, each gets the fewest whose bound is
//!   within 2 % of the best that any number has; numbers with which more deadlines are missed do
//!   not count.
//! - **Cores.** They stay as they are, unless other cores meet more deadlines, or make the tightest
//!   one less tight.
//! - **Complexity.** As many analyses as the square of the number of threads, and their product
//!   with the number of cores.

mod callbacks;
mod cores;
mod thread;
mod workers;

use super::audsley_1991;
use crate::system::System;
use crate::{Analysis, TimeSpan};
use thread::Thread;

/// The assigned priorities, workers and cores, and the method that found them.
///
/// ```
/// use hemiola_analysis::{Analysis, System, assignment::threads::{self, Method}};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "cognition"
///     begins = { every = "33 ms" }
///     priority = 80
///     tasks = [{ name = "ball", takes = "14 ms" }]
///     [[executor]]
///     name = "arm"
///     priority = 40
///     [[chain]]
///     name = "balance"
///     period = "12 ms"
///     callbacks = [{ name = "balance", takes = "2 ms", executor = "arm", priority = 1 }]
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// assert!(!Analysis::of(&system).holds());
/// let assigned = threads::assign(&system, &["cognition"], &["arm"]);
/// assert_eq!(assigned.method, Method::DeadlineMonotonic);
/// assert_eq!((assigned.system.cycles[0].priority, assigned.system.executors[0].priority), (40, 80));
/// assert!(Analysis::of(&assigned.system).holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The system with the assignment.
    pub system: System,
    /// The method that found the priorities.
    pub method: Method,
}

/// The method by which priorities were found.
///
/// See [`Assigned`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The sooner a thread is due, the higher its priority.
    DeadlineMonotonic,
    /// A search found the priorities, because the deadline-monotonic ones do not meet all
    /// deadlines.
    Audsley,
    /// The priorities are deadline-monotonic, though neither these nor any others that were tried
    /// meet all deadlines.
    NothingHolds,
}

/// Assigns priorities, workers and cores to these cycles and executors. All others keep theirs, as
/// the threads of drivers and simulators have to, and so do executors whose chains have no
/// deadline, or that have a reservation. Unknown names are ignored.
pub fn assign(system: &System, cycles: &[&str], executors: &[&str]) -> Assigned {
    let mut by_deadline = Thread::named(system, cycles, executors);
    by_deadline.retain(|thread| matches!(thread, Thread::Cycle(_)) || thread.due(system) < TimeSpan::MAX);
    by_deadline.sort_by_key(|&thread| (thread.due(system), thread));
    let system = &callbacks::by_deadline(system, &by_deadline);
    let levels = levels(system, &by_deadline);
    let with = |order: &[Thread]| {
        let mut changed = system.clone();
        for (&thread, &level) in order.iter().zip(&levels) {
            *thread.priority_mut(&mut changed) = level;
            // Each cycle gets as many workers as can be useful; the number is decided afterwards.
            if let Thread::Cycle(cycle) = thread {
                changed.cycles[cycle].workers = workers::most(system, cycle);
            }
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
    by_deadline.sort_by_key(|thread| std::cmp::Reverse(thread.priority(&prioritised)));
    let system = cores::assign(workers::assign(prioritised, &by_deadline), &by_deadline);
    // The assignment of cores may have achieved what no order could.
    let method = if method == Method::NothingHolds && Analysis::of(&system).holds() {
        Method::DeadlineMonotonic
    } else {
        method
    };
    Assigned { system, method }
}

fn search(system: &System, by_deadline: &[Thread], with: impl Fn(&[Thread]) -> System) -> Option<System> {
    let order = audsley_1991::assign(by_deadline.len(), |own, above| {
        let below = (0..by_deadline.len()).filter(|place| *place != own && !above.contains(place));
        let order: Vec<Thread> =
            above.iter().copied().chain([own]).chain(below).map(|place| by_deadline[place]).collect();
        by_deadline[own].is_in_time(&Analysis::of(&with(&order)), system)
    })?;
    let order: Vec<Thread> = order.into_iter().map(|place| by_deadline[place]).collect();
    Some(with(&order)).filter(|found| Analysis::of(found).holds())
}

/// The lowest priority that is assigned; below it are time-sharing threads.
const LOWEST: u32 = 2;
/// The highest priority for threads that have none yet: above those that drivers usually get.
const USUAL: u32 = 80;

/// Returns as many priorities as there are threads, the highest first: those that the threads have,
/// so that nothing changes for others, and the next lower ones where several threads have the same,
/// or one shares time.
fn levels(system: &System, threads: &[Thread]) -> Vec<u32> {
    let mut levels: Vec<u32> = threads.iter().map(|thread| thread.priority(system)).collect();
    levels.sort_unstable_by(|one, other| other.cmp(one));
    let highest = levels.first().copied().filter(|&level| level >= LOWEST).unwrap_or(USUAL);
    let mut free = highest;
    for level in &mut levels {
        *level = if *level >= LOWEST { free.min(*level) } else { free };
        free = level.saturating_sub(1);
    }
    if levels.last().is_some_and(|&lowest| lowest < LOWEST) {
        // There are 98 levels; more threads than that share the lowest one.
        let highest = highest.max((LOWEST + levels.len() as u32).min(99));
        levels = (0..levels.len() as u32).map(|place| highest.saturating_sub(place).max(LOWEST)).collect();
    }
    levels
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
        let Assigned { system: assigned, method } = assign(&system, &["vision", "motion", "unknown"], &[]);
        assert_eq!(method, Method::DeadlineMonotonic);
        let priorities: Vec<_> = assigned.cycles.iter().map(|cycle| cycle.priority).collect();
        assert_eq!(priorities, [90, 49, 50]);
        assert!(Analysis::of(&assigned).holds());
    }

    #[test]
    fn workers_are_as_many_as_make_a_bound_better() {
        let system = System::from_toml(&ROBOT.replace("9 ms", "14 ms"), "system.toml").unwrap();
        let assigned = assign(&system, &["vision", "motion"], &[]).system;
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
        assert_eq!(assign(&system, &["vision", "motion"], &[]).method, Method::NothingHolds);
    }

    #[test]
    fn an_order_that_deadlines_do_not_tell_is_searched_for() {
        // The cycle that is due later needs a core for almost all of its time; the one that is due
        // sooner can do with the other core.
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
        let Assigned { system: assigned, method } = assign(&system, &["soon", "late"], &[]);
        assert_eq!(method, Method::Audsley);
        assert_eq!(assigned.cycles.iter().map(|cycle| cycle.priority).collect::<Vec<_>>(), [40, 50]);
        assert!(Analysis::of(&assigned).holds());
    }

    const ARM: &str = r#"
        cores = 1
        [[cycle]]
        name = "hand"
        begins = { every = "20 ms" }
        priority = 60
        tasks = [{ name = "plan", takes = "3 ms" }]
        [[executor]]
        name = "arm"
        priority = 50
        [[chain]]
        name = "touch"
        period = "5 ms"
        deadline = "none"
        callbacks = [{ name = "touch", takes = "1 ms", executor = "arm", priority = 7 }]
        [[chain]]
        name = "servo"
        period = "4 ms"
        callbacks = [{ name = "servo", takes = "1 ms", executor = "arm", priority = 3 }]
    "#;

    #[test]
    fn an_executor_is_as_important_as_what_is_due_first_on_it_and_that_comes_first() {
        let system = System::from_toml(ARM, "system.toml").unwrap();
        let Assigned { system: assigned, method } = assign(&system, &["hand"], &["arm", "unknown"]);
        assert_eq!(method, Method::DeadlineMonotonic);
        assert_eq!((assigned.executors[0].priority, assigned.cycles[0].priority), (60, 50));
        let priorities: Vec<_> = assigned.chains.iter().map(|chain| chain.callbacks[0].priority).collect();
        assert_eq!(priorities, [Some(3), Some(7)], "nobody waits for the touch");
        assert!(Analysis::of(&assigned).holds() && !Analysis::of(&system).holds());
    }

    #[test]
    fn priorities_stay_as_they_are_but_for_those_that_have_none_of_their_own() {
        let system = System::from_toml(&ARM.replace("priority = 60", "priority = 1"), "system.toml").unwrap();
        let assigned = assign(&system, &["hand"], &["arm"]).system;
        assert_eq!((assigned.executors[0].priority, assigned.cycles[0].priority), (50, 49));
        // The chain `touch` has no deadline.
        let (touch, _) = ARM.split_once("[[chain]]\n        name = \"servo\"").unwrap();
        let system = System::from_toml(touch, "system.toml").unwrap();
        assert_eq!(assign(&system, &["hand"], &["arm"]).system, system);
    }

    #[test]
    fn a_core_is_changed_only_where_that_leaves_more_room() {
        let two = format!(
            "{}\n[[executor]]\nname = \"leg\"\npriority = 40\ncore = 0\n{}",
            ARM.replace("cores = 1", "cores = 2").replace("name = \"arm\"", "name = \"arm\"\ncore = 0"),
            LEG
        );
        let system = System::from_toml(&two, "system.toml").unwrap();
        let assigned = assign(&system, &["hand"], &["arm", "leg"]).system;
        let cores: Vec<_> = assigned.executors.iter().map(|executor| executor.core).collect();
        assert_ne!(cores[0], cores[1], "there is a core for each");
        assert_eq!(assign(&assigned, &["hand"], &["arm", "leg"]).system, assigned, "and nothing better");
    }

    const LEG: &str = r#"
        [[chain]]
        name = "step"
        period = "4 ms"
        callbacks = [{ name = "step", takes = "2 ms", executor = "leg", priority = 1 }]
    "#;
}
