//! The rules that decide who provides what, one promise each.

mod robot;

use std::time::Duration;

use hemiola_plan::{
    Access, Consumer, Delivery, Durations, ModuleDescription, Origin, Plan, PlanOptions, Problem, Resolved,
    RobotDescription, TaskGraph, TaskKind, Trigger, UpdateOrder, resolve,
};
use robot::{choosing, cycle, module, robot, source, triggered, update, with_sources};

fn resolved(system: &RobotDescription) -> Resolved {
    resolve(system).unwrap_or_else(|problems| {
        panic!("{}", problems.iter().map(|problem| format!("{problem}\n")).collect::<String>())
    })
}

fn running(system: &RobotDescription, cycle: usize) -> Vec<String> {
    resolved(system).cycles[cycle].updates.iter().map(|update| update.module.clone()).collect()
}

#[test]
fn only_the_chosen_provider_runs() {
    let robot = robot([cycle(
        "cognition",
        [module("A", &["-> Ball"]), module("B", &["&Tensor -> Ball"]), module("Head", &["&Ball"])],
    )]);
    // What B would need does not matter as long as B does not run.
    assert_eq!(running(&choosing(robot, "Ball", "A"), 0), ["A", "Head"]);
}

#[test]
fn outputs_that_are_not_chosen_go_nowhere() {
    let robot = robot([cycle(
        "cognition",
        [module("A", &["-> Ball Field"]), module("B", &["-> Ball"]), module("Head", &["&Ball &Field"])],
    )]);
    let resolved = resolved(&choosing(robot, "Ball", "B"));
    let update = &resolved.cycles[0].updates[0];
    assert_eq!(
        (update.provides.as_slice(), update.discarded.as_slice()),
        (["Field".to_string()].as_slice(), ["Ball".to_string()].as_slice())
    );
    assert_eq!(resolved.cycles[0].providers["Ball"].module, 1);
    // Head waits for both, each from its provider.
    assert_eq!(TaskGraph::of(&resolved.cycles[0]).dependencies().len(), 2);
}

#[test]
fn a_choice_applies_to_the_cycles_in_which_the_chosen_runs() {
    let robot = robot([
        cycle("upper", [module("A", &["-> Ball"]), module("B", &["-> Ball"]), module("Head", &["&Ball"])]),
        cycle("lower", [module("C", &["-> Ball"]), module("Feet", &["&Ball"])]),
    ]);
    let robot = choosing(robot, "Ball", "B");
    assert_eq!(running(&robot, 0), ["B", "Head"]);
    assert_eq!(running(&robot, 1), ["C", "Feet"]);
}

#[test]
fn choosing_a_source_switches_the_modules_off() {
    let robot = with_sources(
        robot([cycle("cognition", [module("Localisation", &["-> Pose"]), module("Behaviour", &["&Pose"])])]),
        [source("simulator", &[("truth", "-> Pose")])],
    );
    assert_eq!(running(&robot, 0), ["Localisation", "Behaviour"]);
    let cheating = choosing(robot, "Pose", "simulator");
    assert_eq!(running(&cheating, 0), ["Behaviour"]);
    let origin = Origin::Sample { source: "simulator".into(), sample: "truth".into() };
    assert_eq!(resolved(&cheating).cycles[0].inputs[0].origin, origin);
}

#[test]
fn actuators_always_run_and_idle_providers_are_listed() {
    let robot =
        robot([cycle("motion", [module("A", &["-> Gait"]), module("B", &["-> Gait"]), module("Motors", &["&Gait"])])]);
    let resolved = resolved(&choosing(robot, "Gait", "A"));
    assert_eq!(resolved.cycles[0].updates.last().unwrap().module, "Motors");
    assert_eq!(resolved.cycles[0].idle[0].module, 1);
}

#[test]
fn inputs_know_their_origin_and_how_much_is_wanted() {
    let robot = with_sources(
        robot([
            triggered(
                "cognition",
                "camera",
                "upper",
                [
                    module("Vision", &["&UpperImage &Audio Samples<Imu> -> Ball", "&Imu Samples<Steps>"]),
                    module("Log", &["&Ball"]),
                ],
            ),
            cycle("motion", [module("Walk", &["Previous<Ball> -> Steps"])]),
        ]),
        [source("camera", &[("upper", "-> UpperImage")]), source("body", &[("imu", "-> Imu"), ("ears", "-> Audio")])],
    );
    let inputs = &resolved(&robot).cycles[0].inputs;
    let sample = |source: &str, sample: &str| Origin::Sample { source: source.into(), sample: sample.into() };
    let found: Vec<_> =
        inputs.iter().map(|input| (input.representation.as_str(), input.origin.clone(), input.delivery)).collect();
    assert_eq!(
        found,
        [
            ("Audio", sample("body", "ears"), Delivery::Latest),
            ("Imu", sample("body", "imu"), Delivery::LatestAndSamples),
            ("Steps", Origin::Cycle("motion".into()), Delivery::Samples),
            ("UpperImage", Origin::Trigger { source: "camera".into(), sample: "upper".into() }, Delivery::Latest),
        ]
    );
    // `Previous<T>` of what nobody in the cycle provides comes from outside like `&T`.
    assert_eq!(resolved(&robot).cycles[1].inputs[0].origin, Origin::Cycle("cognition".into()));
}

#[test]
fn each_cycle_reads_the_sample_that_triggered_it() {
    let vision = || module("Vision", &["&Image -> Lines"]);
    let use_it = || module("Use", &["&Lines"]);
    let robot = with_sources(
        robot([
            triggered("upper", "camera", "upper", [vision(), use_it()]),
            triggered("lower", "camera", "lower", [vision(), use_it()]),
        ]),
        [source("camera", &[("upper", "-> Image"), ("lower", "-> Image")])],
    );
    for cycle in resolved(&robot).cycles {
        assert_eq!(cycle.inputs[0].origin, Origin::Trigger { source: "camera".into(), sample: cycle.name });
    }
}

#[test]
fn each_reader_has_one_snapshot_that_waits_for_its_own_providers_only() {
    let robot = with_sources(
        robot([
            cycle(
                "motion",
                [module("Walk", &["-> JointRequest Odometry"]), module("Slow", &["&JointRequest -> Health"])],
            ),
            cycle("cognition", [module("Locate", &["&Odometry &Health"])]),
        ]),
        [source("body", &[("joints", "&JointRequest -> JointAngles")])],
    );
    let resolved = resolved(&robot);
    let motion = &resolved.cycles[0];
    let groups: Vec<_> =
        motion.publishes.iter().map(|group| (group.consumer.clone(), group.representations.join(" "))).collect();
    assert_eq!(
        groups,
        [
            (Consumer::Cycle("cognition".into()), "Health Odometry".to_string()),
            (Consumer::Source("body".into()), "JointRequest".to_string())
        ]
    );
    let graph = TaskGraph::of(motion);
    let names = |kind| -> Vec<&str> {
        graph.prerequisites(graph.find(kind).unwrap()).into_iter().map(|task| graph.task(task).name.as_str()).collect()
    };
    assert_eq!(names(TaskKind::Publish(0)), ["Walk.update", "Slow.update"]);
    assert_eq!(names(TaskKind::Publish(1)), ["Walk.update"]);
}

#[test]
fn an_update_may_require_what_its_sibling_provides() {
    let robot = robot([cycle("cognition", [module("Vision", &["&Edges -> Lines", "-> Edges", "&Lines"])])]);
    let graph = TaskGraph::of(&resolved(&robot).cycles[0]);
    let order: Vec<_> = graph.topological_order().iter().map(|&task| graph.task(task).name.as_str()).collect();
    assert_eq!(order, ["Vision.update2", "Vision.update", "Vision.update3"]);
}

#[test]
fn an_update_may_refine_its_own_previous_value_while_others_read_the_new_one() {
    let robot = robot([cycle("motion", [module("Filter", &["Previous<Pose> -> Pose"]), module("Walk", &["&Pose"])])]);
    assert_eq!(TaskGraph::of(&resolved(&robot).cycles[0]).dependencies().len(), 1);
}

#[test]
fn exclusive_siblings_are_ordered_through_other_modules_too() {
    // `late` needs, through Other, what `early` provides; it is declared first and has the longer
    // tail.
    let sibling = ModuleDescription::new("Vision")
        .with(update("late", Access::Exclusive, "&Middle -> Late"))
        .with(update("early", Access::Exclusive, "-> Early"));
    let robot = robot([cycle(
        "cognition",
        [sibling, module("Other", &["&Early -> Middle"]), module("End", &["&Late -> End", "&End -> Final", "&Final"])],
    )]);
    let graph = TaskGraph::of(&resolved(&robot).cycles[0]);
    let order: Vec<_> = graph.topological_order().iter().map(|&task| graph.task(task).name.as_str()).collect();
    assert_eq!(order, ["Vision.early", "Other.update", "Vision.late", "End.update", "End.update2", "End.update3"]);
}

#[test]
fn a_module_does_not_stand_still_for_an_update_whose_inputs_are_late() {
    // `waits` has the longer remaining path, but `ready` can run while `waits` has to wait.
    let both = ModuleDescription::new("Both").with(update("waits", Access::Exclusive, "&C -> W")).with(update(
        "ready",
        Access::Exclusive,
        "-> R",
    ));
    let robot = robot([cycle(
        "cognition",
        [
            both,
            module("Slow", &["-> A", "&A -> B", "&B -> C"]),
            module("Tail", &["&W -> X", "&X -> Y", "&Y"]),
            module("Use", &["&R"]),
        ],
    )]);
    let graph = TaskGraph::of(&resolved(&robot).cycles[0]);
    let [edge] =
        &graph.module_order().iter().filter(|edge| graph.task(edge.from).name.starts_with("Both")).collect::<Vec<_>>()
            [..]
    else {
        panic!("one edge orders two updates")
    };
    assert_eq!(graph.task(edge.from).name, "Both.ready");
}

#[test]
fn among_waiting_siblings_the_one_with_the_longest_remaining_path_goes_first() {
    // `first` runs; meanwhile `urgent` becomes ready and overtakes `patient`, which was there all
    // along.
    let vision = ModuleDescription::new("Vision")
        .with(update("patient", Access::Exclusive, "-> P"))
        .with(update("first", Access::Exclusive, "-> F"))
        .with(update("urgent", Access::Exclusive, "&A -> U"));
    let robot = robot([cycle(
        "cognition",
        [
            vision,
            module("Quick", &["-> Q", "&Q -> A"]),
            module("AfterFirst", &["&F -> F1", "&F1 -> F2", "&F2"]),
            module("AfterUrgent", &["&U -> U1", "&U1"]),
            module("AfterPatient", &["&P"]),
        ],
    )]);
    let graph = TaskGraph::of(&resolved(&robot).cycles[0]);
    let milliseconds = |name: &str| if name == "Vision.first" { 10 } else { 1 };
    let durations = graph.tasks().iter().map(|task| Duration::from_millis(milliseconds(&task.name)));
    let durations = Durations::constant(durations);
    let graph = graph.ordered_by(&durations);
    let name = |task| graph.task(task).name.as_str();
    let chain: Vec<_> = graph.module_order().iter().map(|edge| (name(edge.from), name(edge.to))).collect();
    assert_eq!(chain[..2], [("Vision.first", "Vision.urgent"), ("Vision.urgent", "Vision.patient")]);
}

#[test]
fn an_update_order_decides_where_dependencies_do_not() {
    let vision = ModuleDescription::new("Vision")
        .with(update("alone", Access::Exclusive, "-> Nothing"))
        .with(update("busy", Access::Exclusive, "-> B"))
        .with(update("apex", Access::Exclusive, "-> C"))
        .with(update("after", Access::Exclusive, "&C -> D"));
    let robot = robot([cycle(
        "cognition",
        [vision, module("X", &["&B"]), module("Y", &["&C"]), module("Z", &["&C"]), module("W", &["&Nothing &D"])],
    )]);
    let graph = TaskGraph::of(&resolved(&robot).cycles[0]);
    let order = |update_order| {
        let options = PlanOptions { update_order, ..PlanOptions::default() };
        let plan = Plan::new(graph.clone(), &Durations::unknown(graph.tasks().len()), &options);
        let in_order = plan.graph().module_order().iter().map(|edge| (edge.from, edge.to));
        let names = |(from, to)| [from, to].map(|task| graph.task(task).name.trim_start_matches("Vision.").to_owned());
        in_order.map(names).collect::<Vec<_>>().iter().map(|[from, to]| format!("{from} {to}")).collect::<Vec<_>>()
    };
    assert_eq!(order(UpdateOrder::MostDependentsFirst), ["apex alone", "alone busy", "busy after"]);
    assert_eq!(order(UpdateOrder::FewestDependentsFirst), ["alone busy", "busy apex", "apex after"]);
    assert_eq!(order(UpdateOrder::ByName), ["alone apex", "apex after", "after busy"]);
}

#[test]
fn following_the_advice_settles_a_doubled_provider() {
    let robot =
        robot([cycle("cognition", [module("A", &["-> Ball"]), module("B", &["-> Ball"]), module("Head", &["&Ball"])])]);
    let problems = resolve(&robot).unwrap_err();
    let [Problem::Doubled { representation, candidates, .. }] = &problems[..] else { panic!("{problems:?}") };
    for candidate in candidates {
        assert!(resolve(&choosing(robot.clone(), representation, candidate.choice())).is_ok());
    }
}

#[test]
fn a_description_survives_its_text_form() {
    let robot = with_sources(
        robot([triggered(
            "cognition",
            "camera",
            "upper",
            [module("A", &["&Image Previous<Ball> Samples<Imu> -> Ball"])],
        )]),
        [source("camera", &[("upper", "&Ball -> Image Imu")])],
    );
    let json = serde_json::to_string(&robot).unwrap();
    assert_eq!(serde_json::from_str::<RobotDescription>(&json).unwrap(), robot);
    let sparse: RobotDescription = serde_json::from_str(r#"{"cycles": [{"name": "motion", "modules": []}]}"#).unwrap();
    assert_eq!(sparse.cycles[0].trigger, Trigger::Rate);
}
