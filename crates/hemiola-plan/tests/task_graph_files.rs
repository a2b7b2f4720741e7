//! Task graphs from files: what is accepted, what is refused and with which message.

mod shared;

use std::collections::BTreeSet;

use hemiola_plan::datasets::{Dataset, DatasetCycle, module_graph};
use hemiola_plan::draw::{Colour, graph_dot, graph_svg, graph_text, schedule_svg, schedule_text};
use hemiola_plan::{Durations, Origin, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, resolve};
use proptest::prelude::*;

/// Two eyes that run the same module, and a cycle that reads what both see under other names.
const EYES: &str = r#"{"cycles": [
  {"name": "Upper", "rate_hz": 30, "priority": 0, "modules": [
    {"name": "BallPerceptor", "requires": ["Image"], "uses": ["WorldModel"], "subflow": true,
     "provides": [{"representation": "BallPercept", "concurrent": false}]},
    {"name": "Camera", "requires": [], "uses": ["Weather"], "provides": [{"representation": "Image", "concurrent": false}]}]},
  {"name": "Lower", "rate_hz": 30, "modules": [
    {"name": "BallPerceptor", "requires": ["Image"], "uses": ["OtherBallPercept"], "subflow": true,
     "provides": [{"representation": "BallPercept", "concurrent": false}]},
    {"name": "Camera", "requires": [], "uses": [], "provides": [{"representation": "Image", "concurrent": false}]}]},
  {"name": "Cognition", "rate_hz": 60, "workers": 2, "modules": [
    {"name": "WorldModeler", "requires": ["LowerBallPercept", "UpperBallPercept"], "uses": ["TeamBall"],
     "provides": [{"representation": "WorldModel", "concurrent": false}]}]}],
 "shared": [
  {"representation": "UpperBallPercept", "source": "BallPercept", "from": "Upper", "to": "Cognition"},
  {"representation": "LowerBallPercept", "source": "BallPercept", "from": "Lower", "to": "Cognition"},
  {"representation": "OtherBallPercept", "source": "BallPercept", "from": "Upper", "to": "Lower"},
  {"representation": "WorldModel", "from": "Cognition", "to": "Upper"}],
 "unresolved_uses": ["Weather"], "default": ["TeamBall"]}"#;

#[test]
fn representations_are_shared_between_cycles_under_other_names() {
    let graph = module_graph(EYES).expect("it is a module graph");
    let resolved = resolve(&graph.robot).expect("everything has a provider");
    let inputs = |cycle: usize| {
        let inputs = resolved.cycles[cycle].inputs.iter();
        inputs.map(|input| (input.representation.as_str(), input.origin.clone())).collect::<Vec<_>>()
    };
    let cycle = |name: &str| Origin::Cycle(name.to_owned());
    let default = || Origin::Sample { source: "default".into(), sample: "default".into() };
    assert_eq!(inputs(0), [("Weather", default()), ("WorldModel", cycle("Cognition"))]);
    assert_eq!(inputs(1), [("Upper.BallPercept", cycle("Upper"))]);
    assert_eq!(
        inputs(2),
        [("Lower.BallPercept", cycle("Lower")), ("TeamBall", default()), ("Upper.BallPercept", cycle("Upper"))]
    );
    let published: usize =
        resolved.cycles.iter().flat_map(|cycle| &cycle.publishes).map(|group| group.representations.len()).sum();
    assert_eq!(published, 4, "one per entry of `shared`");
}

#[test]
fn what_is_used_and_nobody_provides_stays_at_its_default_and_is_told() {
    let graph = module_graph(EYES).expect("it is a module graph");
    let told: Vec<String> = graph.unfilled.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["cycle `Upper`: `Camera` uses `Weather`, which nobody provides"]);
}

#[test]
fn what_only_another_cycle_provides_and_does_not_share_is_not_read_from_it() {
    // Upper uses the world model, but nobody publishes it to that cycle.
    let text = EYES
        .replace(r#"{"representation": "WorldModel", "from": "Cognition", "to": "Upper"}"#, "")
        .replace("\"to\": \"Lower\"},", "\"to\": \"Lower\"}");
    let graph = module_graph(&text).expect("it is a module graph");
    let resolved = resolve(&graph.robot).expect("everything has a provider");
    assert!(resolved.cycles[2].publishes.is_empty());
    assert_eq!(graph.unfilled.len(), 2, "{:?}", graph.unfilled);
}

#[test]
fn rates_and_workers_of_the_file_are_read() {
    let cycles = Dataset::read(EYES).and_then(Dataset::cycles).expect("it is a module graph");
    let rates: Vec<_> = cycles.iter().map(|cycle| cycle.facts.rate_hz).collect();
    assert_eq!(rates, [Some(30.0), Some(30.0), Some(60.0)]);
    assert_eq!(cycles[2].facts.workers().map(usize::from), Some(2));
}

#[test]
fn what_is_wrong_is_told_with_key_value_and_remedy() {
    let refused = |text: &str| Dataset::read(text).and_then(Dataset::cycles).map(|_| ()).unwrap_err().to_string();
    let eyes = |from: &str, to: &str| refused(&EYES.replacen(from, to, 1));
    let cases = [
        (refused("[1, 2"), vec!["line 1", "`tasks`", "`cycles`"]),
        (refused("{}"), vec!["neither `tasks` nor `cycles`"]),
        (refused(r#"{"tasks": [], "cycles": []}"#), vec!["both `tasks` and `cycles`", "split the file"]),
        (refused(r#"{"chains": []}"#), vec!["`chains`", "analyze --system"]),
        (refused(r#"{"nodes": [], "topics": {}}"#), vec!["`nodes`", "analyze --system"]),
        (refused(r#"{"name": "w", "tasks": []}"#), vec!["`tasks` is empty"]),
        (
            refused(r#"{"name": "w", "tasks": [{"id": 0, "predecessors": []}]}"#),
            vec!["missing field `duration_ns`", "line 1"],
        ),
        (
            refused(r#"{"name": "w", "tasks": [{"id": 3, "duration_ns": 1, "predecessors": []}]}"#),
            vec!["`tasks[0].id` is 3", "renumber them"],
        ),
        (
            refused(r#"{"name": "w", "tasks": [{"id": 0, "duration_ns": 1, "predecessors": [9]}]}"#),
            vec!["`tasks[0].predecessors` names 9", "add the task, or remove the entry"],
        ),
        (
            refused(r#"{"name": "w", "tasks": [{"id": 0, "duration_ns": 1, "predecessors": [0]}]}"#),
            vec!["`tasks`", "in a circle: 0", "remove"],
        ),
        (
            refused(r#"{"name": "w", "tasks": [{"id": 0, "duration_ns": 86400000000001, "predecessors": []}]}"#),
            vec!["`tasks[0].duration_ns` is 86400000000001", "at most a day"],
        ),
        (eyes("\"rate_hz\": 30", "\"rate_hz\": 0"), vec!["`cycles[0].rate_hz` is 0", "from 0.001"]),
        (eyes("\"priority\": 0", "\"priority\": 100"), vec!["`cycles[0].priority` is 100", "1 to 99"]),
        (eyes("\"workers\": 2", "\"workers\": 0"), vec!["`cycles[2].workers` is 0", "at least one"]),
        (eyes("\"from\": \"Upper\"", "\"from\": \"Uper\""), vec!["`shared[0]`", "`Uper`", "Upper, Lower, Cognition"]),
        (
            eyes("\"source\": \"BallPercept\", ", ""),
            vec!["`shared[0]`", "no module provides `UpperBallPercept`", "`source`"],
        ),
        (
            eyes("\"LowerBallPercept\",", "\"Ball\","),
            vec!["cycle `Cognition`", "`requires` of `WorldModeler`", "`Ball`", "`default`"],
        ),
        (
            eyes("[\"LowerBallPercept\",", "[\"Image\","),
            vec!["`Image`", "\"from\": \"Lower\" or \"Upper\"", "`shared`"],
        ),
        (
            eyes("\"representation\": \"Image\"", "\"representation\": \"BallPercept\""),
            vec!["cycle `Upper`", "`BallPerceptor` and `Camera`", "leave it"],
        ),
        (eyes("\"name\": \"Lower\"", "\"name\": \"Upper\""), vec!["Upper"]),
        (eyes("\"requires\": []", "\"requires\": [\"BallPercept\"]"), vec!["cycle `Upper`", "BallPerceptor", "Camera"]),
    ];
    for (message, words) in cases {
        for word in words {
            assert!(message.contains(word), "`{word}` is not in: {message}");
        }
    }
}

/// Plans, simulates and draws a graph in every form.
fn examine(DatasetCycle { graph, durations, .. }: DatasetCycle) {
    let tasks = graph.tasks().len();
    let graph = graph.ordered_by(&durations);
    for drawn in [
        graph_text(&graph, &durations, 100),
        graph_dot(&graph),
        graph_svg(&graph, &durations, Colour::Module),
        graph_svg(&graph, &durations, Colour::Share),
    ] {
        assert!(!drawn.is_empty());
    }
    let plan = Plan::new(graph, &durations, &PlanOptions::default());
    let mut last = None;
    for workers in 1..=3 {
        let options = SimulationOptions { workers, ..SimulationOptions::default() };
        let mut simulation = Simulation::new(&plan, &durations, &options);
        let schedule = simulation.schedule();
        assert!(schedule_svg(&plan, &schedule).starts_with("<svg") && !schedule_text(&plan, &schedule, 80).is_empty());
        let mean = simulation.makespan(1).mean;
        assert!(mean >= plan.prediction().lower_bound(workers), "{tasks} tasks on {workers}");
        if workers == 1 {
            last = Some(mean);
        }
    }
    assert!(last.is_some());
}

#[test]
fn every_published_graph_is_planned_simulated_and_drawn_or_refused_with_the_reason() {
    let taken = [
        "dispatch-chain100",
        "dispatch-forkjoin100-10us",
        "dispatch-forkjoin100",
        "dispatch-nao-cognition-easy",
        "dispatch-nao-cognition-empty",
        "dispatch-nao-cognition",
        "dispatch-nao-motion-empty",
        "dispatch-nao-motion",
        "dispatch-rand150-1us",
        "dispatch-rand150",
        "naodevils-2024",
    ];
    for name in taken {
        let Some(text) = shared::data_file(&format!("graphs/{name}.json")) else { return };
        let dataset = Dataset::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(dataset.unfilled().is_empty(), "{name}: {:?}", dataset.unfilled());
        let cycles = dataset.cycles().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(cycles.len(), if name.starts_with("dispatch") { 1 } else { 2 });
        cycles.into_iter().for_each(examine);
    }
    for (name, reason) in [("picas-case-study", "`chains`"), ("autoware-reference-system", "`nodes`")] {
        let Some(text) = shared::data_file(&format!("graphs/{name}.json")) else { return };
        let error = Dataset::read(&text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Draws one of a few representations, by number.
fn name() -> impl Strategy<Value = String> {
    (0..12u8).prop_map(|number| format!("R{number}"))
}

prop_compose! {
    fn module()(requires in prop::collection::vec(name(), 0..3), uses in prop::collection::vec(name(), 0..3),
        provides in prop::collection::btree_set(name(), 0..3), concurrent: bool, subflow: bool) -> serde_json::Value
    {
        let provides: Vec<_> = provides.into_iter()
            .map(|name| serde_json::json!({"representation": name, "concurrent": concurrent})).collect();
        serde_json::json!({"requires": requires, "uses": uses, "provides": provides, "subflow": subflow})
    }
}

prop_compose! {
    fn shared_entry()(name in name(), source in prop::option::of(name()), from in 0..3u8, to in 0..3u8) -> serde_json::Value {
        let mut entry = serde_json::json!({"representation": name, "from": format!("c{from}"), "to": format!("c{to}")});
        if let Some(source) = source {
            entry["source"] = source.into();
        }
        entry
    }
}

proptest! {
    #[test]
    fn any_module_graph_is_examined_or_refused_in_words(
        mut cycles in prop::collection::vec(prop::collection::vec(module(), 1..4), 1..4),
        shared in prop::option::of(prop::collection::vec(shared_entry(), 0..6)),
        default in prop::collection::vec(name(), 0..3),
    ) {
        for (number, module) in cycles.iter_mut().flatten().enumerate() {
            module["name"] = format!("M{number}").into();
        }
        let cycles: Vec<_> = cycles.into_iter().enumerate()
            .map(|(number, modules)| serde_json::json!({"name": format!("c{number}"), "modules": modules})).collect();
        let mut file = serde_json::json!({"cycles": cycles, "default": default});
        if let Some(shared) = shared {
            file["shared"] = shared.into();
        }
        match Dataset::read(&file.to_string()).and_then(Dataset::cycles) {
            Ok(cycles) => cycles.into_iter().for_each(examine),
            Err(error) => prop_assert!(error.to_string().contains('`'), "{error}"),
        }
    }

    #[test]
    fn a_workload_keeps_its_tasks_edges_and_durations(
        tasks in prop::collection::vec((0..1_000_000_000u64, prop::collection::vec(any::<prop::sample::Index>(), 0..4)), 1..30),
    ) {
        let mut edges = BTreeSet::new();
        let written: Vec<_> = tasks.iter().enumerate().map(|(id, (duration, before))| {
            let before: BTreeSet<usize> = before.iter().filter(|_| id > 0).map(|index| index.index(id.max(1))).collect();
            edges.extend(before.iter().map(|&before| (before, id)));
            serde_json::json!({"id": id, "duration_ns": duration, "predecessors": before})
        }).collect();
        let text = serde_json::json!({"name": "w", "tasks": written}).to_string();
        let mut cycles = Dataset::read(&text).and_then(Dataset::cycles).expect("it is a workload");
        let cycle = cycles.remove(0);
        let found: BTreeSet<_> = cycle.graph.edges().map(|edge| (edge.from.index(), edge.to.index())).collect();
        prop_assert_eq!(found, edges);
        let sum: u64 = tasks.iter().map(|(duration, _)| duration).sum();
        let plan = Plan::new(cycle.graph.clone(), &cycle.durations, &PlanOptions::default());
        prop_assert_eq!(plan.prediction().work.as_nanos(), u128::from(sum));
        examine(cycle);
    }
}

#[test]
fn a_cycle_without_modules_is_drawn_empty() {
    let text = r#"{"cycles": [{"name": "a", "modules": []},
        {"name": "b", "modules": [{"name": "M", "requires": [], "uses": [], "provides": []}]}]}"#;
    let cycles = Dataset::read(text).and_then(Dataset::cycles).expect("it is a module graph");
    let tasks: Vec<_> = cycles.iter().map(|cycle| cycle.graph.tasks().len()).collect();
    assert_eq!(tasks, [0, 1], "a module that provides nothing runs all the same");
    cycles.into_iter().for_each(examine);
    let none = TaskGraph::plain("none", 0, []).expect("nothing is a graph");
    examine(DatasetCycle {
        graph: none,
        durations: Durations::unknown(0),
        has_durations: false,
        facts: Default::default(),
    });
}
