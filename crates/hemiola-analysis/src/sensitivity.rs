//! The influence of each task: by how much it may grow before something fails, and how much it
//! helps when it gets shorter.
//!
//! - **Method.** The whole analysis runs again and again with one task changed: bounds are not
//!   linear in execution times, and people have to know the steps in them. How far a task may grow
//!   is found by bisection, which is correct because bounds never decrease when a task takes
//!   longer.
//! - **Complexity.** For relief as many analyses as there are tasks and callbacks; for room about
//!   twenty times as many.

use crate::system::{System, Work};
use crate::{Analysis, Bound, TimeSpan};

/// The room of a task or callback: the time that it may take before a deadline that was met is
/// missed.
///
/// ```
/// use hemiola_analysis::{System, TimeSpan, sensitivity};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     deadline = "8 ms"
///     priority = 80
///     tasks = [{ name = "imu", takes = "1 ms" }, { name = "walk", takes = "2 ms", after = ["imu"] }]
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// let room = sensitivity::room(&system, system.work()[1]);
/// assert_eq!(room.takes, TimeSpan::milliseconds(2));
/// assert!(room.at_most <= TimeSpan::milliseconds(7) && room.at_most > TimeSpan::microseconds(6990));
/// assert_eq!(room.fails.as_deref(), Some("motion"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The task or callback.
    pub work: Work,
    /// The time that it takes now.
    pub takes: TimeSpan,
    /// The longest time that it may take; equal to `takes` if it may not grow.
    pub at_most: TimeSpan,
    /// The first part that misses its deadline if it takes longer; `None` if none does up to the
    /// longest period of all.
    pub fails: Option<String>,
}

/// The relief that halving the duration of a task or callback brings.
///
/// ```
/// use hemiola_analysis::{Analysis, System, TimeSpan, sensitivity};
/// let text = r#"
///     cores = 2
///     [[cycle]]
///     name = "vision"
///     begins = { every = "33 ms" }
///     priority = 50
///     workers = 2
///     tasks = [{ name = "left", takes = "12 ms" }, { name = "right", takes = "8 ms" }, { name = "ball", takes = "6 ms", after = ["left"] }]
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// let relief = sensitivity::relief(&system, &Analysis::of(&system));
/// // Of 18 ms: `left` is on the longest path, and long.
/// let vision = relief[0].as_ref().unwrap();
/// assert_eq!((system.name(vision.work), &vision.bound), ("left", &Ok(TimeSpan::milliseconds(12))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relief {
    /// The task or callback that helps most.
    pub work: Work,
    /// The time that it takes now.
    pub takes: TimeSpan,
    /// The bound if it takes half as long.
    pub bound: Bound,
}

/// The part of the longest period to which bisection finds a task's limit.
const RESOLUTION: u64 = 1 << 14;

/// Returns how long a task or callback may take before a deadline that was met is missed.
pub fn room(system: &System, work: Work) -> Room {
    let before = Analysis::of(system);
    let takes = system.takes(work).longest;
    let fails_with = |longest: TimeSpan| {
        let mut changed = system.clone();
        changed.takes_mut(work).longest = longest;
        let after = Analysis::of(&changed);
        let failing =
            before.verdicts.iter().zip(after.verdicts).find(|(before, after)| before.holds() && !after.holds());
        failing.map(|(before, _)| before.name.clone())
    };
    let most = longest_period(system).max(takes);
    let Some(mut fails) = fails_with(most) else { return Room { work, takes, at_most: most, fails: None } };
    let (mut good, mut bad) = (takes, most);
    while bad - good > longest_period(system).shared_by(RESOLUTION as usize) + TimeSpan::TICK {
        let middle = good + (bad - good).shared_by(2);
        match fails_with(middle) {
            Some(failing) => (bad, fails) = (middle, failing),
            None => good = middle,
        }
    }
    Room { work, takes, at_most: good, fails: Some(fails) }
}

/// Returns for each verdict, in their order, the task or callback that helps most if it takes half
/// as long; `None` where none does.
pub fn relief(system: &System, analysis: &Analysis) -> Vec<Option<Relief>> {
    let mut best: Vec<Option<Relief>> = vec![None; analysis.verdicts.len()];
    for work in system.work() {
        let takes = system.takes(work).longest;
        let mut changed = system.clone();
        let span = changed.takes_mut(work);
        span.longest = takes.shared_by(2);
        span.shortest = span.shortest.min(span.longest);
        let after = Analysis::of(&changed);
        for ((best, before), after) in best.iter_mut().zip(&analysis.verdicts).zip(after.verdicts) {
            let known = best.as_ref().map_or(&before.bound, |best| &best.bound);
            if is_better(&after.bound, known) {
                *best = Some(Relief { work, takes, bound: after.bound });
            }
        }
    }
    best
}

/// Returns whether a bound is better: any is better than none, and a smaller one than a larger one.
fn is_better(bound: &Bound, than: &Bound) -> bool {
    match (bound, than) {
        (Ok(bound), Ok(than)) => bound < than,
        (Ok(_), Err(_)) => true,
        (Err(_), _) => false,
    }
}

fn longest_period(system: &System) -> TimeSpan {
    let cycles = system.cycles.iter().filter_map(|cycle| match cycle.begins {
        crate::system::Begin::Every { period, .. } => Some(period),
        crate::system::Begin::After(_) => None,
    });
    system.chains.iter().map(|chain| chain.period).chain(cycles).max().unwrap_or(TimeSpan::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = r#"
        cores = 1
        [[cycle]]
        name = "motion"
        begins = { every = "12 ms" }
        priority = 80
        tasks = [{ name = "walk", takes = "2 ms" }]
        [[cycle]]
        name = "cognition"
        begins = { every = "30 ms" }
        priority = 40
        tasks = [{ name = "ball", takes = "10 ms" }]
    "#;

    #[test]
    fn a_task_may_grow_until_what_is_below_it_fails() {
        let system = System::from_toml(ROBOT, "system.toml").unwrap();
        let [walk, ball] = system.work().try_into().unwrap();
        // Motion may begin three times while cognition runs: 30 = 10 + 3 * 6.67.
        let walk = room(&system, walk);
        assert_eq!(walk.fails.as_deref(), Some("cognition"));
        assert!((TimeSpan::microseconds(6_600)..TimeSpan::microseconds(7_000)).contains(&walk.at_most), "{walk:?}");
        assert!(room(&system, ball).at_most > TimeSpan::milliseconds(20));
    }

    #[test]
    fn what_has_failed_already_limits_nobody() {
        let system = System::from_toml(&ROBOT.replace("10 ms", "29 ms"), "system.toml").unwrap();
        assert!(!Analysis::of(&system).holds());
        let walk = room(&system, system.work()[0]);
        assert_eq!(walk.fails.as_deref(), Some("motion"), "{walk:?}");
    }

    #[test]
    fn the_task_that_helps_most_is_found_also_where_there_is_no_bound_yet() {
        let system = System::from_toml(&ROBOT.replace("10 ms", "29 ms"), "system.toml").unwrap();
        let relief = relief(&system, &Analysis::of(&system));
        let cognition = relief[1].as_ref().unwrap();
        assert_eq!(system.name(cognition.work), "ball");
        assert!(cognition.bound.is_ok());
    }
}
