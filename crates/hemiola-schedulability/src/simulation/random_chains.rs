use super::Random;
use super::random_systems::{costs, executors, period, spans};
use hemiola_analysis::system::{Beginning, Callback, Chain, Executor, Order};
use hemiola_analysis::{System, TimeSpan};

/// Draws a system of chains that come back to cores: with more segments on a core than those of
/// [`super::random_system`], and without cycles. In half of the systems some have offsets, most of
/// these the same period.
///
/// ```
/// use hemiola_schedulability::simulation::random_chains;
/// assert!(random_chains(7).check().is_ok());
/// assert_eq!(random_chains(7), random_chains(7));
/// ```
pub fn random_chains(seed: u64) -> System {
    let mut random = Random::new(seed);
    let mut system = System { cores: random.between(1, 3) as usize, ..System::default() };
    let load = system.cores as f64 * (0.3 + 0.6 * random.unit());
    let count = random.between(2, 6);
    let common_period = random.once_in(2).then(|| period(&mut random));
    for (number, share) in random.shares(count as usize, load).into_iter().enumerate() {
        let common = common_period.filter(|_| !random.once_in(4));
        let (period, callbacks) = (common.unwrap_or_else(|| period(&mut random)), random.between(2, 7));
        let offset = (common_period.is_some() && !random.once_in(4))
            .then(|| random.time(TimeSpan::ZERO, period - TimeSpan::TICK));
        let spans = spans(callbacks, share.min(0.9), period, &mut random);
        let callback = |(place, span)| Callback::new(format!("callback {number}.{place}"), span);
        let callbacks = spans.into_iter().enumerate().map(callback).collect();
        let (name, begins) = (format!("chain {number}"), Beginning::Timer);
        system.chains.push(Chain { name, period, begins, offset, deadline: None, callbacks });
    }
    if random.once_in(4) {
        executors(&mut system, &mut random);
    } else {
        hop(&mut system, &mut random);
    }
    if random.once_in(2) {
        system.costs = costs(&mut random);
    }
    system
}

/// Groups callbacks as developers do: by their work, each group with an executor of its own, and
/// later callbacks of a chain more important.
fn hop(system: &mut System, random: &mut Random) {
    let groups = random.between(2, 8);
    for number in 0..groups {
        let core = Some(random.below(system.cores as u64) as usize);
        let order = if random.once_in(12) { Order::Registration } else { Order::Priority };
        let name = format!("executor {number}");
        system.executors.push(Executor { core, order, ..Executor::new(name, (number + 1) as u32 * 10) });
    }
    let mut priority = 0;
    for chain in &mut system.chains {
        for callback in &mut chain.callbacks {
            priority += 1;
            callback.executor = Some(system.executors[random.below(groups) as usize].name.clone());
            callback.priority = Some(priority);
        }
    }
}
