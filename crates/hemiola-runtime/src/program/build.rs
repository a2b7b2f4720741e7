use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::cell::Cell;
use hemiola_model::module::{ArgumentKind, ModuleDescriptor};
use hemiola_plan::{Consumer, Plan, ResolvedCycle, ResolvedUpdate, TaskKind};
use hemiola_trace::{Catalog, CycleId};

use super::{Body, CellRef, DiscardedStores, Origin, Program, StoreRef, Task, UpdateTask};
use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Store;
use crate::error::RuntimeError;
use crate::executor::ExecutableGraph;
use crate::module_instance::ModuleInstance;
use crate::robot_state::RobotState;

/// What a program is made of.
pub struct ProgramParts<'p> {
    pub cycle: &'p ResolvedCycle,
    pub plan: &'p Plan,
    /// The cycle's modules in the order of the description.
    pub modules: &'p [&'p ModuleDescriptor],
    /// By module name.
    pub instances: &'p BTreeMap<&'static str, Arc<ModuleInstance>>,
    /// By module name.
    pub on_failure: &'p BTreeMap<String, FailurePolicy>,
    pub blackboard: &'p Arc<Blackboard>,
    /// The export of each publish group, in the order of the cycle's groups.
    pub exports: &'p [usize],
    pub robot: &'p Arc<RobotState>,
    pub catalog: &'p Catalog,
    pub cycle_id: CycleId,
}

/// Binds a plan to a blackboard and instances. Allocates; off the real-time threads.
pub fn build(parts: &ProgramParts<'_>) -> Result<Program, RuntimeError> {
    let mut origins = Origins::of(parts);
    let mut discarded = DiscardedStores::new();
    let mut aging = Vec::new();
    let mut tasks = Vec::new();
    for task in parts.plan.graph().tasks() {
        let trace = parts.catalog.task(parts.cycle_id, &task.name).map_err(RuntimeError::Trace)?;
        let (body, origin) = match task.kind {
            TaskKind::Update(id) => {
                let update = parts.cycle.updates.iter().find(|update| update.id == id);
                let resolved = update.ok_or_else(|| RuntimeError::internal("a plan's update is none of its cycle"))?;
                let body = bind(parts, resolved, &mut discarded, &mut aging)?;
                (Body::Update(Box::new(body)), origins.of_update(resolved))
            }
            TaskKind::Publish(group) => {
                let export = parts.exports[group];
                let lines = publish_lines(parts, &parts.cycle.publishes[group].representations, export, &mut origins);
                let to_source = matches!(parts.cycle.publishes[group].consumer, Consumer::Source(_));
                (Body::Publish { export, lines, to_source }, origins.nothing())
            }
            TaskKind::Plain => return Err(RuntimeError::internal("a cycle has a task of no module")),
        };
        tasks.push(Task { body, trace, origin });
    }
    aging.sort_unstable();
    aging.dedup();
    let ids: Vec<_> = tasks.iter().map(|task| task.trace).collect();
    let edges: Vec<_> =
        parts.plan.graph().reduced().iter().map(|(from, to)| (ids[from.index()], ids[to.index()])).collect();
    Ok(Program {
        graph: ExecutableGraph::new(parts.plan)?,
        plan: parts.catalog.plan(parts.cycle_id, &edges).map_err(RuntimeError::Trace)?,
        tasks: tasks.into(),
        aging: aging.into(),
        origins: origins.finish(parts.robot.source_ids().len()),
        blackboard: parts.blackboard.clone(),
        robot: parts.robot.clone(),
        _discarded: discarded,
        instances: parts.instances.values().cloned().collect(),
    })
}

fn bind(
    parts: &ProgramParts<'_>,
    resolved: &ResolvedUpdate,
    discarded: &mut DiscardedStores,
    aging: &mut Vec<usize>,
) -> Result<UpdateTask, RuntimeError> {
    let descriptor = parts.modules[resolved.id.module];
    let update = descriptor.updates[resolved.id.update].clone();
    let instance = parts.instances.get(descriptor.name).cloned();
    let instance = instance.ok_or_else(|| RuntimeError::internal("a module has no instance"))?;
    let blackboard = parts.blackboard;
    let mut cells: Vec<Option<CellRef>> = Vec::new();
    let mut outputs: Vec<StoreRef> = Vec::new();
    for argument in &update.arguments {
        let Some(representation) = argument.representation else {
            cells.push(None);
            continue;
        };
        let name = representation.name();
        let provided_here = parts.cycle.providers.contains_key(name);
        let cell = match argument.kind {
            ArgumentKind::Provides if resolved.discarded.iter().any(|discarded| discarded == name) => {
                let store = Box::new(Store::new(representation, 0));
                let reference = outlive_store(&store);
                discarded.push(store);
                outputs.push(reference);
                reference.cell()
            }
            ArgumentKind::Provides => {
                let store = outlive_store(own_store(blackboard, name)?);
                outputs.push(store);
                store.cell()
            }
            ArgumentKind::Requires | ArgumentKind::Uses if provided_here => {
                let index = blackboard.store_of(name).ok_or_else(|| no_place(name))?;
                if argument.kind == ArgumentKind::Uses {
                    aging.push(index);
                }
                outlive_cell(blackboard.store(index).cell())
            }
            _ => {
                let index = blackboard.imported_of(name).ok_or_else(|| no_place(name))?;
                outlive_cell(blackboard.imported(index))
            }
        };
        if cell.descriptor() != representation {
            return Err(RuntimeError::SameName { name: name.to_owned() });
        }
        cells.push(Some(cell));
    }
    Ok(UpdateTask {
        is_actuator: resolved.provides.is_empty() && resolved.discarded.is_empty(),
        on_failure: parts.on_failure.get(descriptor.name).copied().unwrap_or_default(),
        update,
        instance,
        cells: cells.into(),
        outputs: outputs.into(),
    })
}

fn publish_lines(
    parts: &ProgramParts<'_>,
    representations: &[String],
    export: usize,
    origins: &mut Origins<'_>,
) -> Box<[(usize, usize)]> {
    let mut lines = Vec::new();
    for name in representations {
        let line = parts.blackboard.store_of(name).and_then(|store| parts.blackboard.line_of(export, store));
        let provider = parts.cycle.providers.get(name);
        let provider = provider.and_then(|id| parts.cycle.updates.iter().find(|update| update.id == *id));
        if let (Some(line), Some(provider)) = (line, provider) {
            lines.push((line, origins.of_update(provider)));
        }
    }
    lines.into()
}

fn own_store<'b>(blackboard: &'b Blackboard, name: &str) -> Result<&'b Store, RuntimeError> {
    blackboard.store_of(name).map(|index| blackboard.store(index)).ok_or_else(|| no_place(name))
}

fn no_place(name: &str) -> RuntimeError {
    RuntimeError::internal(&format!("`{name}` has no place on the blackboard"))
}

/// For references that are kept in a program.
fn outlive_store(store: &Store) -> StoreRef {
    // SAFETY: the program keeps the blackboard (or the box) that owns the store, and drops it after its tasks.
    unsafe { &*std::ptr::from_ref(store) }
}

/// For references that are kept in a program.
fn outlive_cell(cell: &Cell) -> CellRef {
    // SAFETY: as above.
    unsafe { &*std::ptr::from_ref(cell) }
}

/// Which imports each update's results derive from.
struct Origins<'p> {
    parts: &'p ProgramParts<'p>,
    sets: Vec<Vec<usize>>,
    known: BTreeMap<(usize, usize), usize>,
}

impl<'p> Origins<'p> {
    fn of(parts: &'p ProgramParts<'p>) -> Self {
        Self { parts, sets: vec![Vec::new()], known: BTreeMap::new() }
    }

    /// The empty set.
    fn nothing(&self) -> usize {
        0
    }

    fn of_update(&mut self, update: &ResolvedUpdate) -> usize {
        let key = (update.id.module, update.id.update);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        // A circle was refused long before; should there be one, it adds nothing.
        self.known.insert(key, 0);
        let mut imports = Vec::new();
        let cycle = self.parts.cycle;
        for name in update.requires.iter().chain(&update.collects) {
            match cycle.providers.get(name) {
                Some(id) => {
                    if let Some(provider) = cycle.updates.iter().find(|other| other.id == *id) {
                        let origin = self.of_update(provider);
                        imports.extend(self.sets[origin].iter().copied());
                    }
                }
                None => imports.extend(self.parts.blackboard.imported_of(name)),
            }
        }
        imports.sort_unstable();
        imports.dedup();
        let origin = self.sets.iter().position(|set| *set == imports).unwrap_or_else(|| {
            self.sets.push(imports);
            self.sets.len() - 1
        });
        self.known.insert(key, origin);
        origin
    }

    fn finish(self, sources: usize) -> Box<[Origin]> {
        self.sets
            .into_iter()
            .map(|imports| Origin { imports: imports.into(), provenance: UnsafeCell::new(Provenance::none(sources)) })
            .collect()
    }
}
