//! Properties of all robots and all graphs.

mod robot;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_plan::{
    Access, CycleDescription, Durations, ModuleDescription, Plan, PlanOptions, Policy, Problem, RobotDescription,
    SampleDescription, Schedule, Simulation, SimulationOptions, SourceDescription, TaskDuration, TaskGraph, TaskId,
    TaskKind, Trigger, Unit, UpdateDescription, UpdateOrder, WorkerChoice, resolve,
};
use proptest::prelude::*;
use robot::{cycle, robot, source, update, with_sources};

/// Makes a robot of one cycle without circles: updates provide R0, R1, ... or, now and then,
/// nothing, and require some of what earlier ones provide; they are dealt out to modules at random.
/// A source reads some of it all.
fn any_robot() -> impl Strategy<Value = RobotDescription> {
    let reads = prop::collection::vec(any::<prop::sample::Index>(), 0..4);
    let an_update = (reads, any::<bool>(), 0..9usize, prop::bool::weighted(0.9));
    (prop::collection::vec(an_update, 1..40), prop::collection::vec(any::<prop::sample::Index>(), 0..4)).prop_map(
        |(updates, outputs)| {
            let mut modules: Vec<ModuleDescription> =
                (0..9).map(|number| ModuleDescription::new(format!("M{number}"))).collect();
            let mut provided = 0;
            let some = |chosen: &[prop::sample::Index], provided: usize| {
                let names: BTreeSet<usize> =
                    chosen.iter().filter(|_| provided > 0).map(|read| read.index(provided)).collect();
                names.iter().map(|name| format!("&R{name} ")).collect::<String>()
            };
            for (index, (reads, concurrent, module, provides)) in updates.iter().enumerate() {
                let access = if *concurrent { Access::Concurrent } else { Access::Exclusive };
                let mut signature = some(reads, provided);
                if *provides {
                    signature += &format!("-> R{provided}");
                    provided += 1;
                }
                modules[*module].updates.push(update(&format!("u{index}"), access, &signature));
            }
            let body = source("body", &[("joints", &some(&outputs, provided))]);
            with_sources(robot([cycle("any", modules)]), [body])
        },
    )
}

/// Makes a robot whose updates may require anything of anybody, so that most have circles.
fn any_tangled_robot() -> impl Strategy<Value = RobotDescription> {
    prop::collection::vec(prop::collection::btree_set(0..10usize, 0..3), 10).prop_map(|reads| {
        let modules = reads.iter().enumerate().map(|(index, reads)| {
            let reads: Vec<String> =
                reads.iter().filter(|&&read| read != index).map(|read| format!("&R{read}")).collect();
            robot::module(&format!("M{index}"), &[&format!("{} -> R{index}", reads.join(" "))])
        });
        robot([cycle("any", modules)])
    })
}

/// Makes a robot of several cycles and a source in which most things fit, and some do not: updates
/// provide R0, R1, ... and read any of these, from whatever cycle; now and then something is
/// doubled, missing, chosen wrongly, or named twice.
fn any_mess() -> impl Strategy<Value = RobotDescription> {
    const RARELY: f64 = 0.03;
    let read = || prop::option::weighted(0.3, any::<prop::sample::Index>());
    let oddity = || prop::option::weighted(RARELY, any::<prop::sample::Index>());
    let an_update = (any::<bool>(), 0..3usize, [read(), read(), read()], oddity());
    let oddities = [oddity(), oddity(), oddity()];
    (prop::collection::vec(an_update, 1..12), prop::collection::vec(read(), 0..3), oddities).prop_map(
        |(updates, outputs, [trigger, choice, name])| {
            let count = updates.len();
            // The name of one in the whole lot, and hardly ever of one beyond it, which is missing.
            let one = |index: &prop::sample::Index| format!("R{}", index.index(20 * count) * count / (20 * count - 1));
            let mut cycles: Vec<CycleDescription> = (0..3).map(|number| cycle(&format!("cycle{number}"), [])).collect();
            for (number, (exclusive, cycle, [requires, uses, collects], doubled)) in updates.iter().enumerate() {
                let access = if *exclusive { Access::Exclusive } else { Access::Concurrent };
                let provides: BTreeSet<String> =
                    [Some(format!("R{number}")), doubled.as_ref().map(one)].into_iter().flatten().collect();
                let update = UpdateDescription::new("update", access)
                    .requires(requires.as_ref().map(one))
                    .uses(uses.as_ref().map(one))
                    .collects(collects.as_ref().filter(|_| number % 4 == 0).map(one))
                    .provides(provides);
                let number = name.as_ref().map_or(number, |twice| number.min(twice.index(count)));
                cycles[*cycle].modules.push(ModuleDescription::new(format!("M{number}")).with(update));
            }
            if let Some(sample) = trigger {
                cycles[0].trigger =
                    Trigger::Sample { source: "body".into(), sample: format!("joints{}", sample.index(2)) };
            }
            let reads = outputs.iter().flatten().map(one).collect();
            let samples =
                vec![SampleDescription { name: "joints0".into(), provides: vec![format!("R{count}")], reads }];
            let mut system = with_sources(robot(cycles), [SourceDescription { name: "body".into(), samples }]);
            if let Some(choice) = choice {
                system.providers.insert(one(&choice), format!("M{}", choice.index(count + 1)));
            }
            system
        },
    )
}

fn any_durations() -> impl Strategy<Value = Durations> {
    let micros = Duration::from_micros;
    let task = prop_oneof![
        2 => Just(TaskDuration::Unknown),
        1 => Just(TaskDuration::Constant(Duration::ZERO)),
        4 => (1..5_000u64).prop_map(move |value| TaskDuration::Constant(micros(value))),
        2 => prop::collection::vec((0..5_000u64, 1..9u64), 1..4)
            .prop_map(move |buckets| TaskDuration::Samples(buckets.into_iter().map(|(value, count)| (micros(value), count)).collect())),
    ];
    prop::collection::vec(task, 40).prop_map(|tasks| {
        let mut durations = Durations::default();
        (0..).zip(tasks).for_each(|(id, task)| durations.set(TaskId(id), task));
        durations
    })
}

fn graph_of(system: &RobotDescription) -> TaskGraph {
    TaskGraph::of(&resolve(system).expect("has no circles").cycles[0])
}

fn planned(graph: &TaskGraph, durations: &Durations, workers: WorkerChoice) -> Plan {
    Plan::new(graph.clone(), durations, &PlanOptions { workers, hand_over: Duration::ZERO, ..PlanOptions::default() })
}

fn automatic(available: usize) -> WorkerChoice {
    WorkerChoice::Automatic { available: NonZeroUsize::new(available).expect("at least one") }
}

/// Returns everything that is reachable along `edges`, by search from every task.
fn reachable(count: usize, edges: &[(TaskId, TaskId)]) -> Vec<BTreeSet<usize>> {
    (0..count)
        .map(|start| {
            let (mut seen, mut stack) = (BTreeSet::new(), vec![start]);
            while let Some(task) = stack.pop() {
                let next = edges.iter().filter(|(from, _)| from.index() == task).map(|(_, to)| to.index());
                stack.extend(next.filter(|&to| seen.insert(to)));
            }
            seen
        })
        .collect()
}

fn edges_of(graph: &TaskGraph) -> Vec<(TaskId, TaskId)> {
    graph.edges().map(|edge| (edge.from, edge.to)).collect()
}

/// Returns pairs of tasks of one module of which at least one borrows it exclusively: they must
/// never overlap.
fn conflicting_siblings(system: &RobotDescription, graph: &TaskGraph) -> Vec<(TaskId, TaskId)> {
    let is_exclusive = |task: TaskId| {
        let Some((module, update)) = graph.task(task).name.split_once('.') else { return false };
        let module = system.cycles[0].modules.iter().find(|candidate| candidate.name == module).expect("it exists");
        module.updates.iter().any(|candidate| candidate.name == update && candidate.access == Access::Exclusive)
    };
    let tasks: Vec<TaskId> = (0..graph.tasks().len()).map(|task| TaskId(task as u32)).collect();
    let pairs = tasks.iter().flat_map(|&one| tasks.iter().map(move |&other| (one, other)));
    let same_module = |(one, other): &(TaskId, TaskId)| {
        graph.task(*one).module.is_some() && graph.task(*one).module == graph.task(*other).module
    };
    let conflict = |&(one, other): &(TaskId, TaskId)| one < other && (is_exclusive(one) || is_exclusive(other));
    pairs.filter(same_module).filter(conflict).collect()
}

fn simulate(plan: &Plan, durations: &Durations, options: SimulationOptions) -> Schedule {
    Simulation::new(plan, durations, &options).schedule()
}

/// Returns the durations that a schedule drew.
fn drawn(schedule: &Schedule, tasks: usize) -> Durations {
    Durations::constant((0..tasks).map(|task| {
        let slot = schedule.slot(TaskId(task as u32)).expect("every task ran");
        slot.end - slot.start
    }))
}

fn any_policy() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::CriticalPath), Just(Policy::Fifo), Just(Policy::WorkStealing)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_schedule_keeps_every_constraint(
        system in any_robot(), known in any_durations(), real in any_durations(),
        workers in 1..6usize, policy in any_policy(), hand_over in 0..300u64, seed in any::<u64>(),
    ) {
        let graph = graph_of(&system);
        let plan = planned(&graph, &known, automatic(1));
        let options = SimulationOptions { workers, policy, hand_over: Duration::from_micros(hand_over), seed };
        let schedule = simulate(&plan, &real, options);

        let ran: BTreeSet<TaskId> = schedule.slots.iter().map(|slot| slot.task).collect();
        prop_assert_eq!(ran.len(), graph.tasks().len());
        prop_assert_eq!(schedule.slots.len(), graph.tasks().len());
        let slot = |task| schedule.slot(task).expect("every task ran");
        for edge in graph.dependencies() {
            prop_assert!(slot(edge.from).end <= slot(edge.to).start, "{:?}", edge);
        }
        for (one, other) in conflicting_siblings(&system, &graph) {
            let (one, other) = (slot(one), slot(other));
            prop_assert!(one.end <= other.start || other.end <= one.start, "{:?} and {:?} overlap", one, other);
        }
        for one in &schedule.slots {
            for other in schedule.slots.iter().filter(|other| other.worker == one.worker && other.task != one.task) {
                prop_assert!(one.end <= other.start || other.end <= one.start, "one worker, two tasks");
            }
        }
    }

    #[test]
    fn the_order_of_a_plan_is_one_that_a_single_worker_can_run(system in any_robot(), durations in any_durations()) {
        let plan = planned(&graph_of(&system), &durations, automatic(4));
        let order: Vec<TaskId> = plan.order().collect();
        let position = |task: TaskId| order.iter().position(|&other| other == task).expect("every task is in it");
        for edge in plan.graph().edges() {
            prop_assert!(position(edge.from) < position(edge.to));
        }
        prop_assert_eq!(order.len(), plan.graph().tasks().len());
    }

    #[test]
    fn units_are_sorted_by_priority_and_count_their_predecessors(system in any_robot(), durations in any_durations()) {
        let plan = planned(&graph_of(&system), &durations, automatic(4));
        let mut incoming = vec![0; plan.units().len()];
        for (index, unit) in plan.units().iter().enumerate() {
            let longest = unit.successors.iter().map(|next| plan.units()[next.index()].remaining).max().unwrap_or_default();
            prop_assert_eq!(unit.remaining, unit.duration + longest);
            let is_output = |unit: &Unit| plan.graph().task(unit.tasks[0]).is_output;
            if let Some(before) = index.checked_sub(1).map(|before| &plan.units()[before]) {
                prop_assert!(is_output(before) || before.remaining >= unit.remaining);
            }
            prop_assert!(unit.successors.iter().all(|next| next.index() > index || is_output(&plan.units()[next.index()])));
            prop_assert!(unit.tasks.iter().all(|&task| plan.unit_of(task).index() == index));
            unit.successors.iter().for_each(|next| incoming[next.index()] += 1);
        }
        let counts: Vec<u32> = plan.units().iter().map(|unit| unit.predecessors).collect();
        prop_assert_eq!(counts, incoming);
    }

    #[test]
    fn what_is_published_waits_for_nothing_but_its_providers(
        system in any_robot(), known in any_durations(), real in any_durations(), workers in 1..6usize,
    ) {
        let plan = planned(&graph_of(&system), &known, automatic(1));
        let Some(output) = plan.graph().find(TaskKind::Publish(0)) else { return Ok(()) };
        let schedule = simulate(&plan, &real, SimulationOptions { workers, ..SimulationOptions::default() });
        let slot = |task| schedule.slot(task).expect("every task ran");
        let needed: BTreeSet<TaskId> = plan.graph().prerequisites(output).into_iter().collect();
        let ready = needed.iter().map(|&task| slot(task).end).max().unwrap_or_default();
        // What starts between then and the output is another output or belongs to a unit that
        // already runs.
        for other in schedule.slots.iter().filter(|other| other.start >= ready && other.start < slot(output).start) {
            let begins_unit = plan.units()[other.unit.index()].tasks[0] == other.task;
            prop_assert!(!begins_unit || plan.graph().task(other.task).is_output || workers == 1, "{:?} overtakes", other);
        }
        // A single worker does first what outputs need: before the last output there is nothing
        // that none of them needs.
        let order: Vec<TaskId> = plan.order().collect();
        let before_output = order.iter().position(|&task| task == output).expect("it is in it");
        let useful = |task: TaskId| {
            let graph = plan.graph();
            (0..).zip(graph.tasks()).any(|(id, other)| {
                other.is_output && (TaskId(id) == task || graph.prerequisites(TaskId(id)).contains(&task))
            })
        };
        prop_assert!(order[..before_output].iter().all(|&task| useful(task)));
    }

    #[test]
    fn fusion_goes_as_far_as_it_may_and_no_further(system in any_robot(), durations in any_durations(), hand_over in 0..200u64) {
        let hand_over = Duration::from_micros(hand_over);
        let plan = Plan::new(graph_of(&system), &durations, &PlanOptions { workers: automatic(1), hand_over, ..PlanOptions::default() });
        let delay = |units: &[&Unit]| {
            let tasks = units.iter().flat_map(|unit| &unit.tasks).map(|&task| durations.expected(task));
            tasks.clone().sum::<Duration>() - tasks.max().unwrap_or_default()
        };
        for unit in plan.units() {
            prop_assert!(delay(&[unit]) <= hand_over * 10);
            if let [only] = unit.successors[..] {
                let next = &plan.units()[only.index()];
                prop_assert!(next.predecessors > 1 || delay(&[unit, next]) > hand_over * 10, "{:?} + {:?}", unit, next);
            }
        }
    }

    #[test]
    fn the_reduction_keeps_what_is_reachable_and_nothing_else(system in any_robot()) {
        let graph = graph_of(&system);
        let count = graph.tasks().len();
        let reduced = graph.reduced();
        let reach = reachable(count, &edges_of(&graph));
        prop_assert_eq!(&reachable(count, &reduced), &reach);
        for dropped in 0..reduced.len() {
            let fewer: Vec<_> = reduced.iter().enumerate().filter(|(index, _)| *index != dropped).map(|(_, &edge)| edge).collect();
            prop_assert_ne!(&reachable(count, &fewer), &reach, "{:?} is superfluous", reduced[dropped]);
        }
    }

    #[test]
    fn makespans_lie_between_the_bounds(
        system in any_robot(), known in any_durations(), real in any_durations(), workers in 1..6usize, policy in any_policy(), seed in any::<u64>(),
    ) {
        let plan = planned(&graph_of(&system), &known, automatic(1));
        let schedule = simulate(&plan, &real, SimulationOptions { workers, policy, hand_over: Duration::ZERO, seed });
        let durations = drawn(&schedule, plan.graph().tasks().len());
        let critical_path = plan.graph().critical_path(&durations).duration;
        let work: Duration = (0..workers).map(|worker| schedule.busy(worker)).sum();
        let share = work / workers as u32;
        prop_assert!(schedule.makespan >= critical_path.max(share));
        // The bound is that of Graham (1969); the fused units of a plan are a graph of their own
        // with the same critical path.
        let graham = critical_path + (work - critical_path) / workers as u32 + Duration::from_nanos(1);
        prop_assert!(schedule.makespan <= graham, "{:?} > {:?}", schedule.makespan, graham);
    }

    #[test]
    fn hand_overs_delay_but_never_stop_a_run(
        system in any_robot(), durations in any_durations(), workers in 1..6usize, policy in any_policy(), hand_over in 0..2_000u64,
    ) {
        let plan = planned(&graph_of(&system), &durations, automatic(1));
        let hand_over = Duration::from_micros(hand_over);
        let schedule = simulate(&plan, &durations, SimulationOptions { workers, policy, hand_over, seed: 1 });
        let work: Duration = (0..workers).map(|worker| schedule.busy(worker)).sum();
        prop_assert!(schedule.makespan <= work + hand_over * plan.units().len() as u32);
    }

    #[test]
    fn more_knowledge_never_loses_an_edge(system in any_robot(), durations in any_durations()) {
        let before = graph_of(&system);
        let after = before.clone().ordered_by(&durations);
        prop_assert_eq!(before.dependencies(), after.dependencies());
        let reach = reachable(after.tasks().len(), &edges_of(&after));
        for (one, other) in conflicting_siblings(&system, &after) {
            let ordered = (reach[one.index()].contains(&other.index()), reach[other.index()].contains(&one.index()));
            prop_assert!(ordered == (true, false) || ordered == (false, true), "{:?} and {:?}: {:?}", one, other, ordered);
        }
    }

    #[test]
    fn every_update_order_keeps_a_modules_updates_apart(system in any_robot(), durations in any_durations(), order in 0..4usize) {
        let orders = [
            UpdateOrder::CriticalPath, UpdateOrder::MostDependentsFirst, UpdateOrder::FewestDependentsFirst, UpdateOrder::ByName,
        ];
        let options = PlanOptions { update_order: orders[order], ..PlanOptions::default() };
        let before = graph_of(&system);
        let after = Plan::new(before.clone(), &durations, &options).graph().clone();
        prop_assert_eq!(before.dependencies(), after.dependencies());
        prop_assert_eq!(after.topological_order().len(), after.tasks().len(), "a circle");
        let reach = reachable(after.tasks().len(), &edges_of(&after));
        for (one, other) in conflicting_siblings(&system, &after) {
            let ordered = (reach[one.index()].contains(&other.index()), reach[other.index()].contains(&one.index()));
            prop_assert!(ordered == (true, false) || ordered == (false, true), "{:?} and {:?}: {:?}", one, other, ordered);
        }
    }

    #[test]
    fn the_chosen_order_has_no_longer_path_than_most_dependents_first(system in any_robot(), durations in any_durations()) {
        let graph = graph_of(&system);
        let longest = |update_order| {
            let plan = Plan::new(graph.clone(), &durations, &PlanOptions { update_order, ..PlanOptions::default() });
            plan.graph().critical_path(&durations).duration
        };
        prop_assert!(longest(UpdateOrder::CriticalPath) <= longest(UpdateOrder::MostDependentsFirst));
    }

    #[test]
    fn the_critical_path_is_what_unlimited_workers_need(system in any_robot(), durations in any_durations()) {
        let graph = graph_of(&system).ordered_by(&durations);
        let path = graph.critical_path(&durations);
        let edges: BTreeSet<_> = edges_of(&graph).into_iter().collect();
        prop_assert!(path.tasks.windows(2).all(|pair| edges.contains(&(pair[0], pair[1]))));
        let sum: Duration = path.tasks.iter().map(|&task| durations.expected(task)).sum();
        prop_assert_eq!(path.duration, sum);
        // No task ends later than the critical path on as many workers as there are tasks.
        let plan = planned(&graph, &durations, automatic(1));
        let constant = Durations::constant((0..graph.tasks().len()).map(|task| durations.expected(TaskId(task as u32))));
        let unlimited = SimulationOptions { workers: graph.tasks().len(), ..SimulationOptions::default() };
        prop_assert_eq!(simulate(&plan, &constant, unlimited).makespan, path.duration);
    }

    #[test]
    fn the_width_is_the_largest_set_without_dependencies(system in any_robot().prop_filter("small enough to try all sets", |system| {
        system.cycles[0].modules.iter().map(|module| module.updates.len()).sum::<usize>() <= 12
    })) {
        let graph = graph_of(&system);
        let count = graph.tasks().len();
        let reach = reachable(count, &edges_of(&graph));
        let independent = |set: u32| (0..count).all(|one| set >> one & 1 == 0 || reach[one].iter().all(|&other| set >> other & 1 == 0));
        let widest = (0..1u32 << count).filter(|&set| independent(set)).map(u32::count_ones).max().unwrap_or(0);
        prop_assert_eq!(graph.width(), widest as usize);
    }

    #[test]
    fn the_fewest_workers_within_two_percent_are_chosen(system in any_robot(), durations in any_durations()) {
        let plan = planned(&graph_of(&system), &durations, automatic(5));
        let prediction = plan.prediction();
        let mean = |workers| prediction.makespan(workers).expect("at least one worker was simulated").mean.as_secs_f64();
        let best = (1..=5).map(mean).fold(f64::MAX, f64::min);
        if prediction.work.as_secs_f64() < prediction.critical_path.as_secs_f64() * 1.05 {
            prop_assert_eq!(plan.workers(), 1);
        } else {
            prop_assert!(mean(plan.workers()) <= best * 1.02);
            prop_assert!((1..plan.workers()).all(|fewer| mean(fewer) > best * 1.02));
        }
    }

    #[test]
    fn resolving_and_planning_are_deterministic(system in any_robot(), durations in any_durations()) {
        prop_assert_eq!(resolve(&system), resolve(&system));
        let plans = [(); 2].map(|()| planned(&graph_of(&system), &durations, automatic(3)));
        prop_assert_eq!(plans[0].units(), plans[1].units());
        prop_assert_eq!(plans[0].prediction(), plans[1].prediction());
        let options = SimulationOptions { workers: 3, seed: 7, ..SimulationOptions::default() };
        prop_assert_eq!(simulate(&plans[0], &durations, options), simulate(&plans[1], &durations, options));
    }

    #[test]
    fn whatever_is_described_is_planned_or_explained(system in any_mess()) {
        match resolve(&system) {
            Ok(resolved) => {
                for (cycle, description) in resolved.cycles.iter().zip(&system.cycles) {
                    let graph = TaskGraph::of(cycle);
                    prop_assert_eq!(planned(&graph, &Durations::default(), automatic(2)).order().count(), graph.tasks().len());
                    let updates: usize = description.modules.iter().map(|module| module.updates.len()).sum();
                    prop_assert_eq!(cycle.updates.len() + cycle.idle.len(), updates);
                    // An update that runs has everything that it reads, from inside or from
                    // outside.
                    for update in &cycle.updates {
                        for name in update.requires.iter().chain(&update.uses).chain(&update.collects) {
                            let from_outside = cycle.inputs.iter().any(|input| input.representation == *name);
                            prop_assert!(cycle.providers.contains_key(name) != from_outside, "{}", name);
                        }
                    }
                }
            }
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in &problems {
                    prop_assert!(problem.to_string().contains('`'), "{} names nothing", problem);
                }
            }
        }
    }

    #[test]
    fn every_proposed_cut_breaks_its_circles(system in any_tangled_robot()) {
        let Err(problems) = resolve(&system) else { return Ok(()) };
        let alternatives = problems.iter().map(|problem| match problem {
            Problem::Circular { cut, .. } => cut.len(),
            other => panic!("only circles were built in: {other}"),
        });
        for alternative in 0..alternatives.max().unwrap_or(0) {
            let mut mended = system.clone();
            for problem in &problems {
                let Problem::Circular { cut, .. } = problem else { unreachable!("checked above") };
                for change in &cut[alternative.min(cut.len() - 1)].changes {
                    let module = mended.cycles[0].modules.iter_mut().find(|module| module.name == change.update.choice());
                    let update = &mut module.expect("it exists").updates[0];
                    update.requires.retain(|name| *name != change.representation);
                    update.uses.push(change.representation.clone());
                }
            }
            prop_assert!(resolve(&mended).is_ok(), "{:?}", resolve(&mended));
        }
    }

    #[test]
    fn pictures_can_be_drawn_of_everything(system in any_robot(), durations in any_durations(), workers in 1..4usize) {
        use hemiola_plan::draw::{self, Colour};
        let plan = planned(&graph_of(&system), &durations, automatic(2));
        let schedule = simulate(&plan, &durations, SimulationOptions { workers, ..SimulationOptions::default() });
        let pictures = [
            draw::graph_svg(plan.graph(), &durations, Colour::Module),
            draw::graph_svg(plan.graph(), &durations, Colour::Share),
            draw::schedule_svg(&plan, &schedule),
        ];
        for picture in pictures {
            prop_assert!(!picture.contains("NaN") && !picture.contains("inf"));
            prop_assert_eq!(picture.matches("<g").count(), picture.matches("</g>").count());
        }
        for task in plan.graph().tasks() {
            prop_assert!(draw::graph_text(plan.graph(), &durations, 80).contains(&task.name));
            prop_assert!(draw::graph_dot(plan.graph()).contains(&task.name));
        }
        let lines = draw::schedule_text(&plan, &schedule, 80);
        prop_assert_eq!(lines.lines().count(), workers + 2);
    }
}
