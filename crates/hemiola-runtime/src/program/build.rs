#![expect(unsafe_code, reason = "references to what the program keeps outlive the borrow that they were made from")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hemiola_bus::answers_of;
use hemiola_model::Name;
use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::cell::Cell;
use hemiola_model::module::{ArgumentKind, Binding, ModuleDescriptor, Place, PortCell, PortDescriptor, PortRole};
use hemiola_plan::{Consumer, Plan, ResolvedCycle, ResolvedUpdate, TaskKind};
use hemiola_trace::{Catalog, CycleId, to_topic};

use super::lineage::{Input, Lineage, Root};
use super::update::{TakenOutputs, UpdatePublisher, UpdateTask};
use super::{Body, CellRef, DiscardedStores, Planned, Program, ProgramPort, StoreRef, Task};
use crate::blackboard::Blackboard;
use crate::blackboard::store::{Holds, Store};
use crate::error::RuntimeError;
use crate::executor::ExecutableGraph;
use crate::made::of_defaults;
use crate::module_instance::ModuleInstance;
use crate::origins::{OriginReader, OriginWriter};
use crate::robot_state::RobotState;

/// The parts from which a program is built.
pub struct ProgramParts<'p> {
    pub cycle: &'p ResolvedCycle,
    pub plan: &'p Plan,
    /// The cycle's modules, in the order of the description.
    pub modules: &'p [&'p ModuleDescriptor],
    /// The instances by module name.
    pub instances: &'p BTreeMap<&'static str, Arc<ModuleInstance>>,
    /// The failure policies by module name.
    pub on_failure: &'p BTreeMap<String, FailurePolicy>,
    pub blackboard: &'p Arc<Blackboard>,
    /// The export of each publish group, in the order of the cycle's groups.
    pub exports: &'p [usize],
    pub robot: &'p Arc<RobotState>,
    pub catalog: &'p Catalog,
    pub cycle_id: CycleId,
}

/// Binds a plan to a blackboard and instances. Allocates; not for real-time threads.
pub fn build(parts: &ProgramParts<'_>) -> Result<Planned, RuntimeError> {
    let task_of = tasks_by_update(parts.plan);
    let mut lineage = Vec::new();
    let mut discarded = DiscardedStores::new();
    let (mut aging, mut reads) = (Vec::new(), BTreeSet::new());
    let (mut tasks, mut subscriptions) = (Vec::new(), Vec::new());
    let shape = parts.robot.shape();
    for task in parts.plan.graph().tasks() {
        let trace = parts.catalog.task(parts.cycle_id, &task.name).map_err(RuntimeError::Trace)?;
        let (body, inputs) = match task.kind {
            TaskKind::Update(id) => {
                let update = parts.cycle.updates.iter().find(|update| update.id == id);
                let resolved = update.ok_or_else(|| RuntimeError::internal("a plan's update is none of its cycle"))?;
                let body = bind(parts, resolved, &mut discarded, &mut aging, &mut reads)?;
                let mut inputs = inputs(parts, resolved, &task_of);
                for topic in subscribed(&body) {
                    inputs.push(Input::Root(Root::Messages(subscriptions.len())));
                    let entrance = parts.robot.feedback().messages(&parts.cycle.name, topic);
                    subscriptions.push(OriginReader::new(parts.robot.origins().of(topic), shape, entrance));
                }
                (Body::Update(Box::new(body)), inputs)
            }
            TaskKind::Publish(group) => {
                let export = parts.exports[group];
                let lines = publish_lines(parts, &parts.cycle.publishes[group].representations, export, &task_of);
                let to_source = matches!(parts.cycle.publishes[group].consumer, Consumer::Source(_));
                (Body::Publish { export, lines, to_source }, Vec::new())
            }
            TaskKind::Plain => return Err(RuntimeError::internal("a cycle has a task of no module")),
        };
        tasks.push(Task { body, trace });
        lineage.push(inputs);
    }
    aging.sort_unstable();
    aging.dedup();
    let ids: Vec<_> = tasks.iter().map(|task| task.trace).collect();
    let edges: Vec<_> =
        parts.plan.graph().reduced().iter().map(|(from, to)| (ids[from.index()], ids[to.index()])).collect();
    let program = Program {
        plan: parts.catalog.plan(parts.cycle_id, &edges).map_err(RuntimeError::Trace)?,
        cycle: parts.cycle_id,
        ports: ports(&tasks),
        providers: providers(&tasks, parts.blackboard),
        tasks: tasks.into(),
        aging: aging.into(),
        reads: reads.into_iter().collect(),
        lineage: Lineage::new(lineage, subscriptions, shape),
        blackboard: parts.blackboard.clone(),
        robot: parts.robot.clone(),
        _discarded: discarded,
        instances: parts.instances.values().cloned().collect(),
        actuators: parts.instances.values().filter(|instance| instance.has_safe_state()).cloned().collect(),
    };
    Ok(Planned { graph: ExecutableGraph::new(parts.plan)?, program })
}

fn providers(tasks: &[Task], blackboard: &Blackboard) -> Box<[Option<usize>]> {
    let provides = |task: &Task, store: &Store| match &task.body {
        Body::Update(update) => update.outputs.iter().any(|&output| std::ptr::eq(output, store)),
        Body::Publish { .. } => false,
    };
    blackboard.stores().iter().map(|store| tasks.iter().position(|task| provides(task, store))).collect()
}

fn ports(tasks: &[Task]) -> Box<[ProgramPort]> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut ports, mut subscriptions) = (Vec::new(), 0..);
    for task in tasks {
        let Body::Update(update) = &task.body else { continue };
        for (binding, argument) in update.bindings.iter().zip(update.update.arguments()) {
            if let (&Binding::Port(cell), Some(port)) = (binding, argument.port()) {
                let topic = match port.role() {
                    PortRole::Calls => Name::intern(&answers_of(port.name())).as_str(),
                    PortRole::Publishes | PortRole::Subscribes => port.name(),
                };
                let next = numbers.entry(topic).or_default();
                let subscribes = port.role() == PortRole::Subscribes;
                let subscription = if subscribes { subscriptions.next() } else { None };
                let (role, message) = (port.role(), port.message());
                ports.push(ProgramPort { cell, topic, number: *next, role, message, subscription });
                *next += 1;
            }
        }
    }
    ports.into()
}

/// Returns the topics that an update subscribes to, in the order of its arguments.
fn subscribed(update: &UpdateTask) -> impl Iterator<Item = &'static str> {
    let connected =
        update.bindings.iter().zip(update.update.arguments()).filter_map(|(binding, argument)| match binding {
            Binding::Port(_) => argument.port(),
            _ => None,
        });
    connected.filter(|port| port.role() == PortRole::Subscribes).map(|port| port.name())
}

/// Creates the writer of the provenance of messages that an update publishes; `None` if it
/// publishes nothing, or there are too many publishers.
fn publisher(
    parts: &ProgramParts<'_>,
    cell: &'static PortCell,
    port: PortDescriptor,
    place: Option<Place>,
) -> Result<Option<UpdatePublisher>, RuntimeError> {
    let Some(place) = place.filter(|_| port.role() == PortRole::Publishes) else { return Ok(None) };
    let exchange = parts
        .catalog
        .exchange(parts.cycle_id, &to_topic(&parts.cycle.name, port.name()))
        .map_err(RuntimeError::Trace)?;
    let origins = OriginWriter::new(parts.robot.origins().of(port.name()), place, parts.robot.shape(), exchange);
    Ok(origins.map(|origins| UpdatePublisher { cell, origins }))
}

fn bind(
    parts: &ProgramParts<'_>,
    resolved: &ResolvedUpdate,
    discarded: &mut DiscardedStores,
    aging: &mut Vec<usize>,
    reads: &mut BTreeSet<usize>,
) -> Result<UpdateTask, RuntimeError> {
    let descriptor = parts.modules[resolved.id.module];
    let update = descriptor.updates()[resolved.id.update].clone();
    let instance = parts.instances.get(descriptor.name()).cloned();
    let instance = instance.ok_or_else(|| RuntimeError::internal("a module has no instance"))?;
    if !update.belongs_to(&instance) {
        // There are two modules of one name, which the plan refuses; here their types differ.
        return Err(RuntimeError::internal("an update meets an instance of another module"));
    }
    let blackboard = parts.blackboard;
    let ports = instance.ports(resolved.id.update);
    let mut bindings: Vec<Binding<'static>> = Vec::new();
    let mut outputs: Vec<StoreRef> = Vec::new();
    let mut publishers = Vec::new();
    let mut taken = Vec::new();
    for (index, argument) in update.arguments().iter().enumerate() {
        let Some(representation) = argument.representation() else {
            let cell = ports.and_then(|ports| ports.get(index)).map(outlive_port);
            bindings.push(cell.map_or(Binding::Service, Binding::Port));
            if let (Some(cell), Some(port)) = (cell, argument.port()) {
                publishers.extend(publisher(parts, cell, port, ports.and_then(|ports| ports.place(index)))?);
            }
            continue;
        };
        let name = representation.name();
        let provided_here = parts.cycle.providers.contains_key(name);
        let cell = match argument.kind() {
            ArgumentKind::Provides if resolved.discarded.iter().any(|discarded| discarded == name) => {
                let store = Box::new(of_defaults(representation, || Store::new(representation, Holds::default()))?);
                let reference = outlive_store(&store);
                discarded.push(store);
                outputs.push(reference);
                reference.cell()
            }
            ArgumentKind::Provides => {
                let store = outlive_store(own_store(blackboard, name)?);
                match parts.robot.taken().of(name) {
                    Some(values) => taken.push((store, values)),
                    None => outputs.push(store),
                }
                store.cell()
            }
            ArgumentKind::Requires | ArgumentKind::Uses if provided_here => {
                let index = blackboard.store_of(name).ok_or_else(|| no_place(name))?;
                if argument.kind() == ArgumentKind::Uses {
                    aging.push(index);
                }
                outlive_cell(blackboard.store(index).cell())
            }
            _ => {
                let index = blackboard.imported_of(name).ok_or_else(|| no_place(name))?;
                reads.insert(index);
                outlive_cell(blackboard.imported(index).cell())
            }
        };
        if cell.descriptor() != representation {
            return Err(RuntimeError::SameName { name: name.to_owned() });
        }
        bindings.push(Binding::Cell(cell));
    }
    let is_called = resolved.provides.len() > taken.len();
    let taken = (!taken.is_empty()).then(|| Box::new(TakenOutputs { outputs: taken.into(), is_called }));
    Ok(UpdateTask {
        taken,
        is_actuator: resolved.provides.is_empty() && resolved.discarded.is_empty(),
        heeds_safe_state: update.heeds_safe_state(),
        on_failure: parts.on_failure.get(descriptor.name()).copied().unwrap_or_default(),
        update,
        instance,
        bindings: bindings.into(),
        publishers: publishers.into(),
        outputs: outputs.into(),
    })
}

/// The task of each update, by module and update.
type TaskOf = BTreeMap<(usize, usize), usize>;

fn tasks_by_update(plan: &Plan) -> TaskOf {
    let tasks = plan.graph().tasks().iter().enumerate();
    tasks
        .filter_map(|(index, task)| match task.kind {
            TaskKind::Update(id) => Some(((id.module, id.update), index)),
            _ => None,
        })
        .collect()
}

fn publish_lines(
    parts: &ProgramParts<'_>,
    representations: &[String],
    export: usize,
    task_of: &TaskOf,
) -> Box<[(usize, usize)]> {
    let line = |name: &String| {
        let line = parts.blackboard.store_of(name).and_then(|store| parts.blackboard.line_of(export, store))?;
        let provider = parts.cycle.providers.get(name)?;
        Some((line, *task_of.get(&(provider.module, provider.update))?))
    };
    representations.iter().filter_map(line).collect()
}

fn own_store<'b>(blackboard: &'b Blackboard, name: &str) -> Result<&'b Store, RuntimeError> {
    blackboard.store_of(name).map(|index| blackboard.store(index)).ok_or_else(|| no_place(name))
}

fn no_place(name: &str) -> RuntimeError {
    RuntimeError::internal(&format!("`{name}` has no place on the blackboard"))
}

/// Extends the lifetime of a reference that is kept in a program, or by a source.
pub fn outlive_store(store: &Store) -> StoreRef {
    // SAFETY: the program keeps the blackboard (or the box) that owns the store, and drops it after
    // its tasks.
    unsafe { &*std::ptr::from_ref(store) }
}

/// Extends the lifetime of a reference that is kept in a program, or by a source.
pub fn outlive_cell(cell: &Cell) -> CellRef {
    // SAFETY: as above.
    unsafe { &*std::ptr::from_ref(cell) }
}

/// Extends the lifetime of a reference that is kept in a program, or by a source.
pub fn outlive_port(port: &PortCell) -> &'static PortCell {
    // SAFETY: the task keeps the instance that owns the port, and a source its ports, which are
    // boxed.
    unsafe { &*std::ptr::from_ref(port) }
}

/// Returns the inputs of an update in this run.
fn inputs(parts: &ProgramParts<'_>, update: &ResolvedUpdate, task_of: &TaskOf) -> Vec<Input> {
    let input = |name: &String| match parts.cycle.providers.get(name) {
        Some(id) => task_of.get(&(id.module, id.update)).map(|&task| Input::Task(task)),
        None => parts.blackboard.imported_of(name).map(|import| Input::Root(Root::Import(import))),
    };
    let mut inputs: Vec<_> = update.requires.iter().chain(&update.collects).filter_map(input).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}
