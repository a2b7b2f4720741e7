use super::{Callback, Dispatch, Executor, Missed, Model, Source};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::picas::Deployment;
use hemiola_analysis::system::Span;

/// Returns a model of PiCAS chains, and for each of its callbacks the chain. Everything begins at
/// once, and every expiry of a timer is served.
///
/// ```
/// use hemiola_schedulability::{picas::case_study, simulation::deployed};
/// let (model, chain_of) = deployed(&case_study::deployment(), 4);
/// assert_eq!((model.callbacks.len(), chain_of[2]), (31, 1));
/// ```
pub fn deployed(deployment: &Deployment, cores: usize) -> (Model, Vec<usize>) {
    let mut model = Model { cores, costs: deployment.costs, ..Model::default() };
    model.executors.extend(deployment.executors.iter().map(|executor| Executor {
        core: Some(executor.core),
        priority: executor.priority,
        reservation: None,
        dispatch: match executor.order {
            hemiola_analysis::picas::Order::Priority => Dispatch::Priority,
            hemiola_analysis::picas::Order::Registration => Dispatch::WaitSet,
        },
    }));
    let mut chain_of = Vec::new();
    for (number, chain) in deployment.chains.iter().enumerate() {
        for (place, callback) in chain.callbacks.iter().enumerate() {
            let source = match place {
                0 => Source::Timer { first: TimeSpan::ZERO, period: chain.period, missed: Missed::CatchUp },
                _ => Source::Messages { depth: usize::MAX, arrivals: Vec::new() },
            };
            let next = model.callbacks.len() + 1;
            model.callbacks.push(Callback {
                executor: callback.executor.0,
                source,
                takes: Span { shortest: callback.shortest, longest: callback.cost },
                priority: callback.priority,
                publishes: if place + 1 < chain.callbacks.len() { vec![next] } else { Vec::new() },
                releases: Vec::new(),
                joins: Vec::new(),
            });
            chain_of.push(number);
        }
    }
    (model, chain_of)
}
