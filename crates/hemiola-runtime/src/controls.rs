//! The parts with which a running robot is changed: its contents, and a mailbox of each cycle.

mod prepare;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;

use hemiola_model::Value;
use hemiola_plan::{Consumer, Plan, PlanOptions, ResolvedCycle, TaskGraph};
use hemiola_trace::{Catalog, CycleId, Profile};

use crate::actuators::Actuators;
use crate::assemble::{Robot, durations_from, group_exports, instances};
use crate::blackboard::Blackboard;
use crate::command::Command;
use crate::cycle::Health;
use crate::error::RuntimeError;
use crate::mailbox::{Mailbox, Sent};
use crate::module_instance::ModuleInstance;
use crate::present::Present;
use crate::program::{Planned, ProgramParts, build};
use crate::record::ChangeNumber;
use crate::robot_state::RobotState;

/// The parts with which a running robot is changed.
pub struct Controls {
    pub robot: Robot,
    /// The same robot, for readers that do not wait for changes.
    pub present: Arc<Present<Robot>>,
    pub cycles: Vec<CycleControl>,
    pub state: Arc<RobotState>,
    pub catalog: Catalog,
    pub available: NonZeroUsize,
    /// The configured parameters, with every change since.
    pub parameters: BTreeMap<String, BTreeMap<String, Value>>,
    /// The number of the next change.
    pub next_change: ChangeNumber,
    /// The modules that are restarted when the followed recording determines it.
    pub restarted_by_recording: BTreeSet<String>,
}

/// A program, and the instances that it uses.
pub struct MadeProgram {
    pub program: Box<Planned>,
    pub instances: Instances,
}

/// The instances, by their modules.
pub type Instances = BTreeMap<&'static str, Arc<ModuleInstance>>;

/// The parts with which a running cycle is changed.
pub struct CycleControl {
    pub name: String,
    pub id: CycleId,
    pub blackboard: Arc<Blackboard>,
    pub mailbox: Arc<Mailbox>,
    pub instances: Instances,
    pub health: Arc<Health>,
    pub actuators: Arc<Actuators>,
    /// The numbers of the exports, by consumer.
    pub exports: BTreeMap<Consumer, usize>,
    /// The maximum number of workers.
    pub pool: usize,
    /// The number of runs after which it is planned again with what was measured.
    pub next_lesson: u64,
}

/// The number of runs after which a cycle is planned again for the first time, and then after each
/// tenfold number.
pub const FIRST_LESSON: u64 = 5;

impl Controls {
    pub fn cycle_index(&self, name: &str) -> Result<usize, RuntimeError> {
        self.cycles.iter().position(|cycle| cycle.name == name).ok_or_else(|| RuntimeError::Unknown {
            kind: "cycle",
            name: name.to_owned(),
            known: self.cycles.iter().map(|cycle| cycle.name.clone()).collect(),
        })
    }

    /// Returns the number of the next change.
    pub fn next_change(&self) -> ChangeNumber {
        self.next_change
    }

    /// Assigns a number to a change that is made now.
    pub fn number_change(&mut self) -> ChangeNumber {
        self.next_change += 1;
        self.next_change - 1
    }

    /// Returns the cycle that provides a representation now, and the number of its store.
    pub fn store_of(&self, representation: &str) -> Result<(&CycleControl, usize), RuntimeError> {
        let resolved = &self.robot.resolved.cycles;
        let cycles = self.cycles.iter().zip(resolved);
        let mut providing = cycles.filter(|(_, cycle)| cycle.providers.contains_key(representation));
        let found =
            providing.next().and_then(|(control, _)| Some((control, control.blackboard.store_of(representation)?)));
        found.ok_or_else(|| self.robot.no_representation(representation))
    }

    /// Posts these commands, each to the cycle with that index: all of them, or none, in which case
    /// they are still in `commands`.
    ///
    /// # Errors
    /// Returns an error if a cycle has not executed many earlier ones.
    pub fn post(&self, commands: &mut Vec<(usize, Command)>) -> Result<Vec<Sent>, RuntimeError> {
        // Changes are posted with the controls locked; commands that are posted without the lock
        // need less room than is left.
        if let Some((full, _)) = commands.iter().find(|(cycle, _)| self.cycles[*cycle].mailbox.room() < 2) {
            return Err(RuntimeError::CycleDoesNotAnswer { cycle: self.cycles[*full].name.clone() });
        }
        mem::take(commands).into_iter().map(|(cycle, command)| self.cycles[cycle].mailbox.post(command)).collect()
    }

    /// Removes and returns all instances, to be dropped: no thread uses them any more. A module
    /// that cannot be dropped is a fault.
    pub fn take_modules(&mut self) -> Vec<Arc<ModuleInstance>> {
        let mut modules = Vec::new();
        for control in &mut self.cycles {
            modules.append(&mut control.actuators.take());
            modules.extend(mem::take(&mut control.instances).into_values());
        }
        modules
    }

    /// Returns the mailboxes of the cycles. What their commands bring back is dropped without the
    /// controls being locked: it may be a user's module, which may access the robot.
    pub fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        self.cycles.iter().map(|cycle| cycle.mailbox.clone()).collect()
    }

    /// Notes the instances that a cycle's program uses from now on. Returns the previous ones, to
    /// be dropped when the controls are no longer locked: these may be the last references, and the
    /// modules may access the robot then.
    #[must_use = "modules are dropped when nothing is locked"]
    pub fn note_instances(&mut self, index: usize, instances: Instances) -> Instances {
        let control = &mut self.cycles[index];
        control.actuators.replace(instances.values());
        mem::replace(&mut control.instances, instances)
    }

    /// Creates a cycle's program from its present instances and new ones that it needs; `fresh`
    /// gets a new instance.
    pub fn make_program(
        &self,
        index: usize,
        resolved: &ResolvedCycle,
        profile: &Profile,
        fresh: Option<&str>,
    ) -> Result<MadeProgram, RuntimeError> {
        let control = &self.cycles[index];
        let mut existing = control.instances.clone();
        if let Some(fresh) = fresh {
            existing.remove(fresh);
        }
        let instances = instances(&self.robot, resolved, &existing, &self.state)?;
        let graph = TaskGraph::of(resolved);
        let durations = durations_from(profile, &graph);
        let available = self.available.min(control.pool.try_into().unwrap_or(self.available));
        let workers = self.robot.worker_choice(&resolved.name, available);
        let plan = Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() });
        let on_failure =
            self.robot.configuration.modules.iter().map(|(name, module)| (name.clone(), module.on_failure)).collect();
        let program = build(&ProgramParts {
            cycle: resolved,
            plan: &plan,
            modules: &self.robot.modules_of(&resolved.name),
            instances: &instances,
            on_failure: &on_failure,
            blackboard: &control.blackboard,
            exports: &group_exports(resolved, &control.exports)?,
            robot: &self.state,
            catalog: &self.catalog,
            cycle_id: control.id,
        })?;
        Ok(MadeProgram { program: Box::new(program), instances })
    }
}
