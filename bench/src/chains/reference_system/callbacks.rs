use std::sync::{Mutex, MutexGuard, PoisonError};

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Span;
use hemiola_schedulability::simulation::{Callback, Dispatch, Executor, Missed, Model, Source};

use super::figures::Figures;
use super::graph::{self, EXECUTORS, Kind, NODES, callbacks};
use super::history::{Author, History};
use crate::chains::application::{Application, Cause};

/// The scheduler of the callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduler {
    /// One default executor for everything.
    Ros2,
    /// Four executors on as many cores, with priorities of callbacks and threads.
    Picas,
}

/// Returns the model of the whole system on that many cores, where computing once takes `crunch`.
pub fn model(scheduler: Scheduler, cores: usize, crunch: TimeSpan) -> Model {
    let all = callbacks();
    let executors = match scheduler {
        Scheduler::Ros2 => {
            vec![Executor { core: Some(0), priority: 90, reservation: None, dispatch: Dispatch::WaitSet }]
        }
        Scheduler::Picas => EXECUTORS
            .map(|(core, priority)| Executor {
                core: Some(core % cores),
                priority,
                reservation: None,
                dispatch: Dispatch::Priority,
            })
            .into(),
    };
    let described = all.iter().enumerate().map(|(number, callback)| {
        let node = &NODES[callback.node];
        let siblings = || (0..all.len()).filter(|&other| other != number && all[other].node == callback.node);
        let reads =
            |other: &graph::Callback| other.input.map(|input| NODES[other.node].inputs[input]) == Some(node.name);
        let computes = match (node.kind, callback.input) {
            (Kind::Sensor(_) | Kind::Command, _) | (Kind::Cyclic(_), Some(_)) => false,
            (Kind::Transform | Kind::Fusion, _) | (Kind::Cyclic(_), None) => true,
        };
        let publishes = computes || matches!(node.kind, Kind::Sensor(_));
        Callback {
            executor: if scheduler == Scheduler::Ros2 { 0 } else { node.executor },
            source: match (callback.input, node.kind.period()) {
                (None, Some(period)) => Source::Timer { first: period, period, missed: Missed::Skip },
                // Queues have the lengths of the original: one, and ten before a command.
                _ => Source::Messages { depth: if node.kind == Kind::Command { 10 } else { 1 }, arrivals: Vec::new() },
            },
            takes: Span::upto(if computes { crunch } else { TimeSpan::ZERO }),
            priority: node.priorities[callback.input.unwrap_or(node.inputs.len())],
            publishes: (0..all.len()).filter(|&other| publishes && reads(&all[other])).collect(),
            releases: Vec::new(),
            joins: if node.kind == Kind::Fusion { siblings().collect() } else { Vec::new() },
        }
    });
    Model { cores, executors, callbacks: described.collect(), ..Model::default() }
}

/// The application of all nodes.
pub struct Nodes {
    callbacks: Vec<graph::Callback>,
    nodes: Vec<Mutex<State>>,
    figures: Mutex<Figures>,
}

/// The state of a node. Its callbacks never run at the same time: the lock is always free.
#[derive(Default)]
struct State {
    author: Author,
    /// The message of each input that waits to be used.
    inputs: Vec<Option<History>>,
    begun: u64,
}

impl Nodes {
    pub fn new() -> Self {
        let state = |node: &graph::Node| State { inputs: vec![None; node.inputs.len()], ..State::default() };
        Self {
            callbacks: callbacks(),
            nodes: NODES.iter().map(|node| Mutex::new(state(node))).collect(),
            figures: Mutex::default(),
        }
    }

    pub fn figures(&self) -> Figures {
        self.figures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn state(&self, node: usize) -> MutexGuard<'_, State> {
        self.nodes[node].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Application for Nodes {
    type Message = History;

    fn begin(&self, callback: usize, cause: Cause<'_, History>, now: TimeSpan) -> bool {
        let graph::Callback { node, input } = self.callbacks[callback];
        let mut state = self.state(node);
        state.begun = now.as_nanoseconds();
        if let (Some(input), Cause::Received(message)) = (input, cause) {
            state.inputs[input] = Some(message.clone());
        }
        match NODES[node].kind {
            Kind::Sensor(_) | Kind::Transform => true,
            Kind::Fusion => state.inputs.iter().all(Option::is_some),
            Kind::Cyclic(_) => input.is_none(),
            Kind::Command => {
                if let Some(history) = state.inputs[0].take() {
                    self.figures.lock().unwrap_or_else(PoisonError::into_inner).receive(&history);
                }
                false
            }
        }
    }

    fn end(&self, callback: usize, _now: TimeSpan) -> History {
        let node = self.callbacks[callback].node;
        let State { author, inputs, begun } = &mut *self.state(node);
        let message = author.next(node, *begun, inputs.iter().map(Option::as_ref));
        inputs.iter_mut().for_each(|input| *input = None);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::Figures;
    use super::*;
    use crate::chains::simulated::simulate;

    fn figures(scheduler: Scheduler, cores: usize, crunch_ms: u64) -> Figures {
        let nodes = Nodes::new();
        simulate(&model(scheduler, cores, TimeSpan::milliseconds(crunch_ms)), TimeSpan::milliseconds(10_000), &nodes);
        nodes.figures()
    }

    #[test]
    fn nothing_is_dropped_and_the_planner_is_on_time_where_there_is_enough_of_everything() {
        let figures = figures(Scheduler::Picas, 4, 2);
        assert_eq!(figures.hot_path_drops, 0);
        assert_eq!(
            (figures.period.minimum, figures.period.maximum),
            (TimeSpan::milliseconds(100), TimeSpan::milliseconds(100))
        );
        // The younger lidar's callback runs after the other one's transformer. From there its own
        // transformer, fusion, ground filter and detector take 2 ms each.
        assert_eq!(figures.latency.minimum, TimeSpan::milliseconds(8));
        assert!(figures.latency.count >= 90);
    }

    #[test]
    fn an_overloaded_executor_drops_messages() {
        let figures = figures(Scheduler::Ros2, 1, 10);
        assert!(figures.hot_path_drops > 0 && figures.latency.mean() > TimeSpan::milliseconds(100));
    }
}
