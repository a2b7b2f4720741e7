//! The ends at which cycles and sources are observed.

use std::sync::Arc;

use super::assembly::Assembly;
use super::periods::{period_of, source_period};
use crate::observe::parts::Inventory;
use crate::observe::{CycleView, Outlets, Viewpoint};
use crate::program::{Program, World};
use crate::run::CycleImport;

impl Assembly<'_> {
    /// Creates the end of a cycle for all its observers.
    pub(super) fn cycle_outlets(&mut self, index: usize, program: &Program, imports: &[CycleImport]) -> Outlets {
        let configuration = &self.robot.configuration.cycles[index];
        let blackboard = &self.wiring.blackboards[index];
        let modules = self.robot.modules_of(&configuration.name).into_iter();
        let states = modules.map(|module| (module.name(), module.state())).collect();
        let world = World { blackboard, program, imports };
        let inventory = Inventory::of(states, world, self.robot.sources.len(), &mut self.between);
        let view = CycleView { inputs: std::mem::take(&mut self.wiring.inputs[index]), inventory };
        let period = period_of(self.robot, configuration);
        let viewpoint = Viewpoint::new(&configuration.name, blackboard.clone(), period, Some(view));
        Outlets::new(Arc::new(viewpoint), self.order.clone())
    }

    /// Creates the end of a source for all its observers.
    pub(super) fn source_outlets(&self, number: usize) -> Outlets {
        let name = self.robot.sources[number].name();
        let blackboard = &self.wiring.blackboards[self.robot.configuration.cycles.len() + number];
        let viewpoint = Viewpoint::new(name, blackboard.clone(), source_period(self.robot, name), None);
        Outlets::new(Arc::new(viewpoint), self.order.clone())
    }
}
