//! Assigns priorities, executors and cores to a system; the command `assign` writes the result.

pub mod audsley_1991;
pub mod threads;

use std::collections::BTreeMap;

use crate::picas::{self, ExecutorId, allocation};
use crate::system::{Executor, System};
use crate::{NoBound, TimeSpan};

/// Returns the system with an executor and a priority for every callback, by PiCAS' allocation; it
/// replaces the executors that the system had. Executors get real-time priorities below all cycles,
/// and at most 98.
///
/// ```
/// use hemiola_analysis::{System, assignment};
/// let text = r#"
///     cores = 2
///     [[chain]]
///     name = "brake"
///     period = "80 ms"
///     callbacks = [{ name = "camera", takes = "2 ms" }, { name = "detect", takes = "16 ms" }]
///     [[chain]]
///     name = "steer"
///     period = "100 ms"
///     callbacks = [{ name = "lanes", takes = "20 ms" }]
/// "#;
/// let system = assignment::with_executors(&System::from_toml(text, "system.toml").unwrap()).unwrap();
/// assert_eq!(system.chains[0].callbacks[1].priority, Some(3));
/// assert_ne!(system.executors[0].core, system.executors[1].core);
/// ```
///
/// Callbacks with the same `node` get the same executor.
///
/// # Errors
/// [`NoBound::OverUtilised`] if there is more work than the cores have time for.
pub fn with_executors(system: &System) -> Result<System, NoBound> {
    let chains: Vec<picas::Chain> = system
        .chains
        .iter()
        .map(|chain| {
            let period = system.period_of(&chain.name).unwrap_or(TimeSpan::MAX);
            picas::Chain::new(period, chain.callbacks.iter().map(|callback| callback.takes.longest))
        })
        .collect();
    let highest = system.cycles.iter().map(|cycle| cycle.priority - 1).min().unwrap_or(98).clamp(1, 98);
    let deployment = allocation::allocate_nodes(&chains, &nodes(system), system.cores, highest)?;
    let mut assigned = system.clone();
    let name = |ExecutorId(number): ExecutorId| format!("executor {}", number + 1);
    assigned.executors = deployment
        .executors
        .iter()
        .enumerate()
        .map(|(number, executor)| Executor {
            core: Some(executor.core),
            ..Executor::new(name(ExecutorId(number)), executor.priority)
        })
        .collect();
    for (chain, placed) in assigned.chains.iter_mut().zip(&deployment.chains) {
        for (callback, placed) in chain.callbacks.iter_mut().zip(&placed.callbacks) {
            callback.executor = Some(name(placed.executor));
            callback.priority = Some(placed.priority);
        }
    }
    Ok(assigned)
}

/// Returns the callbacks of each node that has a name, as (chain, position in it).
fn nodes(system: &System) -> Vec<Vec<(usize, usize)>> {
    let mut nodes = BTreeMap::<&str, Vec<(usize, usize)>>::new();
    for (number, chain) in system.chains.iter().enumerate() {
        for (place, callback) in chain.callbacks.iter().enumerate() {
            if let Some(node) = &callback.node {
                nodes.entry(node).or_default().push((number, place));
            }
        }
    }
    nodes.into_values().collect()
}
