//! The planner: from descriptions of modules to a task graph, a plan and a predicted schedule.
//!
//! This crate is pure: it starts no thread, reads no clock, does no I/O, and knows nothing about
//! modules beyond the names in [`RobotDescription`]. It depends on no other crate of Hemiola;
//! whoever has module descriptors turns them into these plain types.
//!
//! ```
//! use std::time::Duration;
//! use hemiola_plan::*;
//!
//! let camera = ModuleDescription::new("Camera").with(UpdateDescription::new("image", Access::Exclusive).provides(["Image"]));
//! let ball = ModuleDescription::new("Ball").with(UpdateDescription::new("find", Access::Exclusive).requires(["Image"]));
//! let cycle = CycleDescription { name: "cognition".into(), modules: vec![ball, camera], trigger: Trigger::Rate };
//!
//! let resolved = resolve(&RobotDescription { cycles: vec![cycle], ..RobotDescription::default() }).expect("nothing is missing or doubled");
//! let graph = TaskGraph::of(&resolved.cycles[0]);
//! let durations = Durations::constant([3, 8].map(Duration::from_millis));
//! let plan = Plan::new(graph, &durations, &PlanOptions::default());
//! assert_eq!(plan.prediction().critical_path, Duration::from_millis(11));
//! ```
//!
//! The steps: a [`RobotDescription`] is [`resolve`]d into the providers of all representations
//! ([`Resolved`]) or a list of [`Problem`]s; each of its cycles has a [`TaskGraph`]; with what is
//! known of [`Durations`] that becomes a [`Plan`], which an executor runs and a [`Simulation`]
//! predicts.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod bits;
mod circle;
pub mod datasets;
mod description;
pub mod draw;
mod durations;
mod graph;
mod module_order;
mod party;
mod paths;
mod plan;
mod problem;
mod random;
mod resolve;
mod resolved;
mod simulation;
mod task;
mod width;

pub use circle::{Cut, CutChange};
pub use description::{
    Access, CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, Trigger,
    UpdateDescription,
};
pub use durations::{Durations, TaskDuration};
pub use graph::{CriticalPath, Edge, GraphError, Reason, TaskGraph};
pub use module_order::UpdateOrder;
pub use party::Party;
pub use plan::{Plan, PlanOptions, Prediction, Unit, UnitId, WorkerChoice};
pub use problem::{Form, Named, Problem, Reading, Warning};
pub use random::SplitMix64;
pub use resolve::resolve;
pub use resolved::{
    Consumer, Delivery, Input, Origin, PublishGroup, Resolved, ResolvedCycle, ResolvedUpdate, UpdateId,
};
pub use simulation::{Makespan, Policy, Schedule, Simulation, SimulationOptions, Slot};
pub use task::{Task, TaskId, TaskKind};
