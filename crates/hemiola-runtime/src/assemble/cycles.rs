//! Creates the parts that run a cycle, and those that change it while it runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::configuration::{CycleConfiguration, Trigger as CycleTrigger};
use hemiola_plan::{Consumer, ResolvedCycle};
use hemiola_realtime::Respite;

use super::assembly::Assembly;
use super::instances::{Instances, instances};
use super::periods::period_of;
use super::workers::{Workers, real_time_policy};
use crate::actuators::Actuators;
use crate::controls::{CycleControl, FIRST_LESSON};
use crate::cycle::{Core, Cycle, Guard, Health, Progress};
use crate::error::RuntimeError;
use crate::mailbox::mailbox;
use crate::program::{Planned, ProgramParts, build};
use crate::run::CycleImport;
use crate::watchdog::{Demotion, Silence};

impl Assembly<'_> {
    /// Creates the cycle with that number.
    pub(super) fn cycle(&mut self, index: usize) -> Result<(Cycle, CycleControl), RuntimeError> {
        let robot = self.robot;
        let (configuration, resolved) = (&robot.configuration.cycles[index], &robot.resolved.cycles[index]);
        let instances = instances(robot, resolved, &BTreeMap::new(), &self.state)?;
        let program = self.program(index, &instances)?;
        let workers = self.workers(index)?;
        let blackboard = self.wiring.blackboards[index].clone();
        let (mailbox, commands) = mailbox(&resolved.name);
        let (health, pool) = (Arc::new(Health::default()), workers.count);
        let actuators = Arc::new(Actuators::of(instances.values()));
        self.watch(index, &health, &workers, &actuators);
        let imports = self.cycle_imports(index, configuration);
        let views = std::mem::take(&mut self.wiring.views[index]);
        let outlets = self.cycle_outlets(index, &program, &imports);
        let guard = Guard {
            deadline: configuration.deadline,
            health: health.clone(),
            respite: real_time_policy(configuration.scheduling).map(|_| Respite::default()),
        };
        let core = Core {
            name: resolved.name.clone(),
            id: self.cycle_ids[index],
            blackboard: blackboard.clone(),
            imports,
            views,
            is_prepared: false,
            executor: workers.executor,
            program: Box::new(program),
            commands,
            worker: workers.first,
            period: period_of(robot, configuration),
            robot: self.state.clone(),
            scale: self.scale.clone(),
            trigger: self.triggers.get(&index).cloned(),
            // The topic is set once all modules and sources have joined their topics.
            topic: None,
            progress: Progress::default(),
        };
        let control = CycleControl {
            name: resolved.name.clone(),
            id: self.cycle_ids[index],
            blackboard,
            mailbox,
            instances,
            health,
            actuators,
            exports: self.wiring.exports[index].clone(),
            pool,
            next_lesson: FIRST_LESSON,
        };
        Ok((Cycle { core, outlets, guard }, control))
    }

    fn program(&self, index: usize, instances: &Instances) -> Result<Planned, RuntimeError> {
        let cycle = &self.robot.resolved.cycles[index];
        build(&ProgramParts {
            cycle,
            plan: &self.plans[index],
            modules: &self.robot.modules_of(&cycle.name),
            instances,
            on_failure: &self.on_failure,
            blackboard: &self.wiring.blackboards[index],
            exports: &group_exports(cycle, &self.wiring.exports[index])?,
            robot: &self.state,
            catalog: &self.catalog,
            cycle_id: self.cycle_ids[index],
        })
    }

    /// Makes the watchdog watch a cycle, if that is configured.
    fn watch(&mut self, index: usize, health: &Arc<Health>, workers: &Workers, actuators: &Arc<Actuators>) {
        let configuration = &self.robot.configuration.cycles[index];
        let cycle = self.cycle_ids[index];
        if let Some(limit) = configuration.watchdog {
            self.silences.push(Silence {
                cycle,
                limit,
                health: health.clone(),
                trigger: self.triggers.get(&index).cloned(),
                running: workers.running.clone(),
                actuators: actuators.clone(),
                busy: None,
            });
        }
        if let Some(policy) = real_time_policy(configuration.scheduling) {
            self.demotions.push(Demotion {
                cycle,
                policy,
                health: health.clone(),
                demoted: Vec::with_capacity(workers.count),
                helpers: workers.helpers.clone(),
                running: workers.running.clone(),
                scale: self.scale.clone(),
            });
        }
    }

    fn cycle_imports(&mut self, index: usize, configuration: &CycleConfiguration) -> Vec<CycleImport> {
        let (robot, cycles) = (self.robot, self.robot.configuration.cycles.len());
        let imports = std::mem::take(&mut self.wiring.imports[index]).into_iter();
        let import = imports.map(|(from, import)| {
            let source = from.checked_sub(cycles);
            let is_trigger =
                |number: usize| configuration.trigger == CycleTrigger::Source(robot.sources[number].name().to_owned());
            CycleImport {
                from: self.wiring.names[from].clone(),
                import,
                source: source.map(|number| self.state.source_ids()[number]),
                is_trigger: source.is_some_and(is_trigger),
            }
        });
        import.collect()
    }

    /// Subscribes cycles to the topics that trigger them, once all modules and sources have joined
    /// their topics.
    pub(super) fn listen(&self, cycles: &mut [Cycle]) -> Result<(), RuntimeError> {
        for (index, (cycle, configuration)) in cycles.iter_mut().zip(&self.robot.configuration.cycles).enumerate() {
            let (CycleTrigger::Topic(topic), Some(trigger)) = (&configuration.trigger, self.triggers.get(&index))
            else {
                continue;
            };
            let listener = self.state.bus().listen(topic, trigger.wakeup.clone().into());
            cycle.core.topic = Some(listener.ok_or_else(|| RuntimeError::NoSuchTopic {
                cycle: configuration.name.clone(),
                topic: topic.clone(),
                known: self.state.bus().topics().into_iter().map(|topic| topic.name).collect(),
            })?);
        }
        Ok(())
    }
}

/// Returns the export of each publish group.
pub fn group_exports(cycle: &ResolvedCycle, exports: &BTreeMap<Consumer, usize>) -> Result<Vec<usize>, RuntimeError> {
    let export = |consumer: &Consumer| {
        exports.get(consumer).copied().ok_or_else(|| RuntimeError::NeedsRestart {
            what: format!("publishing from `{}` to `{consumer}`", cycle.name),
            why: "nothing was published there when the robot started".to_owned(),
        })
    };
    cycle.publishes.iter().map(|group| export(&group.consumer)).collect()
}
