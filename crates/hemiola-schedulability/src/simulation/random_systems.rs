//! Random systems, of more kinds than tests by hand would cover.

use super::random::Random;
use hemiola_analysis::system::{
    Begin, Beginning, Callback, Chain, Cycle, Executor, Link, Order, Path, Reservation, Span, System, Task,
};
use hemiola_analysis::{Costs, TimeSpan, assignment};

/// Draws a system from a seed: chains on executors, cycles on pools, and paths through them, with
/// every core used to about 40 to 95 %. Some have chains only, some cycles only; executors come
/// from the assignment, or are as random as the types allow; half of them have costs.
///
/// ```
/// use hemiola_schedulability::simulation::random_system;
/// assert!(random_system(7).check().is_ok());
/// assert_eq!(random_system(7), random_system(7));
/// ```
pub fn random_system(seed: u64) -> System {
    let mut random = Random::new(seed);
    let mut system = System { cores: random.between(1, 4) as usize, ..System::default() };
    let kind = random.below(4);
    let load = system.cores as f64 * (0.4 + 0.55 * random.unit());
    let (chain_load, cycle_load) = match kind {
        0 => (load, 0.0),
        1 => (0.0, load),
        _ => (load / 2.0, load / 2.0),
    };
    if chain_load > 0.0 {
        chains(&mut system, chain_load, &mut random);
    }
    if cycle_load > 0.0 {
        cycles(&mut system, cycle_load, &mut random);
    }
    executors(&mut system, &mut random);
    paths(&mut system, &mut random);
    links(&mut system, &mut Random::new(seed ^ 0x11_4C));
    chains_after_others(&mut system, &mut Random::new(seed ^ 0xAF_7E));
    if random.once_in(2) {
        system.costs = costs(&mut random);
    }
    system
}

/// Draws costs, each of them sometimes nothing, sometimes as large as small periods allow.
pub(super) fn costs(random: &mut Random) -> Costs {
    let mut upto = |largest: u64| match random.below(3) {
        0 => TimeSpan::ZERO,
        1 => TimeSpan::microseconds(random.between(1, largest.div_ceil(10))),
        _ => TimeSpan::microseconds(random.between(1, largest)),
    };
    Costs {
        dispatch: upto(10),
        hand_over: upto(50),
        wake_up: upto(200),
        timer_lateness: upto(500),
        spin: upto(50),
        earliness: upto(200),
        preemption: upto(20),
        budget_overrun: upto(500),
    }
}

pub(super) fn period(random: &mut Random) -> TimeSpan {
    TimeSpan::microseconds([1000, 2000, 2500, 5000, 7000, 10_000, 12_000, 20_000, 33_000][random.below(9) as usize])
}

/// Draws costs in microseconds that add up to a share of a period.
pub(super) fn spans(count: u64, share: f64, period: TimeSpan, random: &mut Random) -> Vec<Span> {
    let of = |share: f64, random: &mut Random| {
        let longest = TimeSpan::microseconds((share * period.as_nanoseconds() as f64 / 1e3).ceil().max(1.0) as u64);
        let shortest = if random.once_in(3) { longest } else { random.time(TimeSpan::ZERO, longest) };
        Span { shortest, longest }
    };
    random.shares(count as usize, share).into_iter().map(|share| of(share, random)).collect()
}

fn chains(system: &mut System, load: f64, random: &mut Random) {
    let count = random.between(1, 5);
    for (number, share) in random.shares(count as usize, load).into_iter().enumerate() {
        let (period, callbacks) = (period(random), random.between(1, 5));
        let spans = spans(callbacks, share.min(0.9), period, random);
        let callback = |(place, span)| Callback::new(format!("callback {number}.{place}"), span);
        let callbacks = spans.into_iter().enumerate().map(callback).collect();
        let begins = if random.once_in(4) { Beginning::WakeUp } else { Beginning::Timer };
        let name = format!("chain {number}");
        system.chains.push(Chain { name, period, begins, offset: None, deadline: None, callbacks });
    }
}

fn cycles(system: &mut System, load: f64, random: &mut Random) {
    let count = random.between(1, 4);
    for (number, share) in random.shares(count as usize, load).into_iter().enumerate() {
        let workers = random.between(1, system.cores as u64 + 1) as usize;
        let mut tasks: Vec<Task> = Vec::new();
        let period = period(random);
        let begins = match system.parts().last() {
            Some(part) if random.once_in(3) => Begin::After((*part).to_owned()),
            _ => Begin::every(period),
        };
        let count = random.between(1, 8);
        for (place, takes) in spans(count, share, period, random).into_iter().enumerate() {
            let mut after = Vec::new();
            for earlier in 0..place {
                if random.once_in(3) {
                    after.push(format!("task {earlier}"));
                }
            }
            tasks.push(Task { after, ..Task::new(format!("task {place}"), takes) });
        }
        if random.once_in(2) {
            tasks.iter_mut().for_each(|task| task.priority = Some(random.between(1, 20) as u32));
        }
        if random.once_in(3) {
            tasks.iter_mut().for_each(|task| task.kept = random.once_in(2));
        }
        let priority = random.between(1, 8) as u32 * 10;
        let mut cores = Vec::new();
        if random.once_in(4) {
            cores.extend((0..system.cores).filter(|_| random.once_in(2)));
        }
        let name = format!("cycle {number}");
        system.cycles.push(Cycle { name, begins, deadline: None, workers, cores, priority, tasks });
    }
}

pub(super) fn executors(system: &mut System, random: &mut Random) {
    if random.once_in(2)
        && let Ok(assigned) = assignment::with_executors(system)
    {
        *system = assigned;
        return;
    }
    for number in 0..random.between(1, 5) {
        let core = Some(random.below(system.cores as u64) as usize);
        let priority = random.between(1, 9) as u32 * 10;
        let order = if random.once_in(4) { Order::Registration } else { Order::Priority };
        system.executors.push(Executor { core, order, ..Executor::new(format!("executor {number}"), priority) });
    }
    for chain in &mut system.chains {
        // Sometimes the next callback stays on the executor of the one before.
        let mut executor = random.below(system.executors.len() as u64) as usize;
        for callback in &mut chain.callbacks {
            if random.once_in(2) {
                executor = random.below(system.executors.len() as u64) as usize;
            }
            callback.executor = Some(system.executors[executor].name.clone());
            callback.priority = Some(random.between(1, 20) as u32);
        }
    }
    // Either all callbacks of a chain are on executors that stay on no core, or none is.
    let mut moved: Vec<String> = Vec::new();
    for number in 0..random.below(3) {
        let (name, priority) = (format!("moved {number}"), random.between(1, 9) as u32 * 10);
        let order = if random.once_in(4) { Order::Registration } else { Order::Priority };
        let executor = Executor { order, ..Executor::new(&name, priority) };
        system.executors.push(if random.once_in(2) { reserved(executor, system.cores, random) } else { executor });
        moved.push(name);
        for chain in &mut system.chains {
            if random.once_in(3) {
                let stays = random.once_in(2);
                for callback in &mut chain.callbacks {
                    let any = random.below(moved.len() as u64) as usize;
                    callback.executor = Some(moved[if stays { number as usize } else { any }].clone());
                }
            }
        }
    }
}

/// Gives an executor a reservation instead of its priority.
fn reserved(executor: Executor, cores: usize, random: &mut Random) -> Executor {
    let period = random.time(TimeSpan::milliseconds(1), TimeSpan::milliseconds(20));
    // Two of them together, with what they may overrun, can mostly be guaranteed.
    let largest = period.shared_by(if cores == 1 { 3 } else { 2 });
    let budget = random.time(period.shared_by(8), largest);
    Executor { priority: 0, reservation: Some(Reservation { budget, period }), ..executor }
}

fn paths(system: &mut System, random: &mut Random) {
    let parts: Vec<String> = system.parts().into_iter().map(str::to_owned).collect();
    for number in 0..random.below(3) {
        let steps = random.between(1, 3);
        let through = (0..steps).map(|_| parts[random.below(parts.len() as u64) as usize].clone()).collect();
        system.paths.push(Path { through, ..Path::named(format!("path {number}")) });
    }
}

/// Puts links between some parts that begin one after the other, and into the paths through them.
fn links(system: &mut System, random: &mut Random) {
    for number in 0..system.cycles.len() {
        let Begin::After(from) = &system.cycles[number].begins else { continue };
        if random.once_in(2) {
            continue;
        }
        let (from, to) = (from.clone(), system.cycles[number].name.clone());
        let longest = random.time(TimeSpan::TICK, TimeSpan::milliseconds(4));
        let takes = Span { shortest: random.time(TimeSpan::ZERO, longest), longest };
        let name = format!("link {number}");
        for path in &mut system.paths {
            let goes = |names: &[String]| names[0] == from && names[1] == to;
            while let Some(place) = path.through.windows(2).position(goes) {
                path.through.insert(place + 1, name.clone());
            }
        }
        // What was read is on its way from the part before to whoever reads the newest.
        let reader = random.below(system.cycles.len() as u64) as usize;
        let through = vec![from.clone(), name.clone(), to, system.cycles[reader].name.clone()];
        system.paths.push(Path { through, ..Path::named(format!("path over {name}")) });
        system.cycles[number].begins = Begin::After(name.clone());
        system.links.push(Link { name, from, takes, clock_error: TimeSpan::ZERO });
    }
}

/// Lets some chains begin after other chains, cycles and links, with the same share of a core, and
/// puts paths through them.
fn chains_after_others(system: &mut System, random: &mut Random) {
    for number in 0..system.chains.len() {
        if !random.once_in(8) {
            continue;
        }
        let links = system.links.iter().map(|link| link.name.as_str());
        let all: Vec<&str> = system.parts().into_iter().chain(links).collect();
        let before = all[random.below(all.len() as u64) as usize].to_owned();
        let mut changed = system.clone();
        let chain = &mut changed.chains[number];
        let (name, own) = (chain.name.clone(), std::mem::take(&mut chain.period));
        (chain.begins, chain.offset) = (Beginning::After(before.clone()), None);
        // Chains that would begin after each other stay as they are.
        let Some(period) = changed.period_of(&name) else { continue };
        let (period, own) = (u128::from(period.as_nanoseconds()), u128::from(own.as_nanoseconds()));
        let scaled = |time: TimeSpan| {
            TimeSpan::nanoseconds((u128::from(time.as_nanoseconds()) * period / own) as u64).max(TimeSpan::TICK)
        };
        for callback in &mut changed.chains[number].callbacks {
            let Span { shortest, longest } = callback.takes;
            callback.takes = Span { shortest: scaled(shortest).min(scaled(longest)), longest: scaled(longest) };
        }
        let after: Vec<&str> = changed.parts();
        let next = after[random.below(after.len() as u64) as usize].to_owned();
        let mut through = vec![before.clone(), name.clone(), next];
        if let Some(link) = changed.link(&before) {
            through.insert(0, link.from.clone());
        }
        changed.paths.push(Path { through, ..Path::named(format!("path through {name}")) });
        *system = changed;
    }
}

/// Returns the smallest system that still fails, as far as removing and shortening things one by
/// one leads.
pub fn shrink(system: &System, fails: impl Fn(&System) -> bool) -> System {
    let mut smallest = system.clone();
    'again: loop {
        for smaller in smaller(&smallest) {
            if smaller.check().is_ok() && fails(&smaller) {
                smallest = smaller;
                continue 'again;
            }
        }
        return smallest;
    }
}

fn smaller(system: &System) -> Vec<System> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut System)| {
        let mut changed = system.clone();
        change(&mut changed);
        if changed != *system {
            found.push(changed);
        }
    };
    for path in 0..system.paths.len() {
        with(&|system| drop(system.paths.remove(path)));
        for place in 0..system.paths[path].through.len() {
            with(&|system| drop(system.paths[path].through.remove(place)));
        }
    }
    for link in 0..system.links.len() {
        with(&|system| drop(system.links.remove(link)));
        with(&|system| shorten(&mut system.links[link].takes));
    }
    for cycle in 0..system.cycles.len() {
        with(&|system| drop(system.cycles.remove(cycle)));
        with(&|system| system.cycles[cycle].workers = 1);
        with(&|system| system.cycles[cycle].cores.clear());
        with(&|system| system.cycles[cycle].tasks.iter_mut().for_each(|task| task.priority = None));
        for task in 0..system.cycles[cycle].tasks.len() {
            with(&|system| {
                let gone = system.cycles[cycle].tasks.remove(task);
                system.cycles[cycle].tasks.iter_mut().for_each(|task| task.after.retain(|name| *name != gone.name));
            });
            with(&|system| system.cycles[cycle].tasks[task].after.clear());
            with(&|system| system.cycles[cycle].tasks[task].kept = false);
            with(&|system| shorten(&mut system.cycles[cycle].tasks[task].takes));
        }
    }
    for chain in 0..system.chains.len() {
        with(&|system| drop(system.chains.remove(chain)));
        with(&|system| {
            let period = system.period_of(&system.chains[chain].name).unwrap_or_default();
            (system.chains[chain].begins, system.chains[chain].period) = (Beginning::Timer, period);
        });
        with(&|system| system.chains[chain].offset = None);
        for callback in 0..system.chains[chain].callbacks.len() {
            with(&|system| drop(system.chains[chain].callbacks.remove(callback)));
            with(&|system| shorten(&mut system.chains[chain].callbacks[callback].takes));
        }
    }
    for executor in 0..system.executors.len() {
        with(&|system| drop(system.executors.remove(executor)));
        with(&|system| {
            let executor = &mut system.executors[executor];
            if executor.reservation.take().is_some() {
                executor.priority = 50;
            }
        });
        with(&|system| system.executors[executor].order = Order::Priority);
    }
    with(&|system| system.cores -= usize::from(system.cores > 1));
    with(&|system| system.costs.dispatch = TimeSpan::ZERO);
    with(&|system| system.costs.hand_over = TimeSpan::ZERO);
    with(&|system| system.costs.wake_up = TimeSpan::ZERO);
    with(&|system| system.costs.timer_lateness = TimeSpan::ZERO);
    with(&|system| system.costs.spin = TimeSpan::ZERO);
    with(&|system| system.costs.earliness = TimeSpan::ZERO);
    with(&|system| system.costs.preemption = TimeSpan::ZERO);
    with(&|system| system.costs.budget_overrun = TimeSpan::ZERO);
    found
}

/// Halves a span, in whole microseconds; if nothing would be left, removes its variation instead.
fn shorten(span: &mut Span) {
    let half = TimeSpan::microseconds(span.longest.as_nanoseconds() / 2000);
    if half > TimeSpan::ZERO {
        *span = Span { shortest: span.shortest.min(half), longest: half };
    } else {
        span.shortest = span.longest;
    }
}
