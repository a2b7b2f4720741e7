use hemiola_plan::{
    Access, CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, Trigger,
    UpdateDescription, resolve,
};

use super::*;

fn cycle(name: &str, trigger: &str, modules: Vec<ModuleDescription>) -> CycleDescription {
    let trigger = Trigger::Sample { source: trigger.into(), sample: "sample".into() };
    CycleDescription { name: name.into(), modules, trigger }
}

fn module(name: &str, requires: &[&str], provides: &[&str]) -> ModuleDescription {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let update = UpdateDescription::new("update", Access::Exclusive);
    ModuleDescription::new(name).with(update.requires(names(requires)).provides(names(provides)))
}

fn source(name: &str, provides: &[&str], reads: &[&str]) -> SourceDescription {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let sample = SampleDescription { name: "sample".into(), provides: names(provides), reads: names(reads) };
    SourceDescription { name: name.into(), samples: vec![sample] }
}

fn chains(resolved: &Resolved, topics: &[TopicEnd]) -> Vec<Chain> {
    let root = |source| Root { source, tells: Vec::new() };
    super::chains(resolved, topics, &[root("body"), root("camera")])
}

fn robot(odometry_from: &str) -> Resolved {
    let motion = vec![
        module("Attitude", &["Imu"], &["Tilt"]),
        module("Walk", &["Tilt", "Request"], &["Joints"]),
        module("Odometer", &[odometry_from], &["Odometry"]),
        module("Leds", &["Tilt"], &[]),
    ];
    let cognition = vec![module("Mind", &["Image", "Odometry"], &["Request"])];
    let system = RobotDescription {
        cycles: vec![cycle("motion", "body", motion), cycle("cognition", "camera", cognition)],
        sources: vec![source("body", &["Imu"], &["Joints"]), source("camera", &["Image"], &[])],
        ..RobotDescription::default()
    };
    resolve(&system).unwrap()
}

fn routes(chains: &[Chain], source: &str, output: &str) -> Vec<String> {
    let chain = chains.iter().find(|chain| chain.source == source && chain.output == output).unwrap();
    chain.routes.iter().map(|route| route.join(" ")).collect()
}

#[test]
fn each_way_from_a_source_to_an_output_is_found() {
    let chains = chains(&robot("Tilt"), &[]);
    assert_eq!(routes(&chains, "camera", "output to body"), ["cognition motion"]);
    assert_eq!(routes(&chains, "body", "output to body"), ["motion", "motion cognition motion"]);
    assert_eq!(routes(&chains, "body", "Leds.update"), ["motion"]);
    assert_eq!(chains.len(), 3, "{chains:?}");
    assert!(chains.iter().all(|chain| !chain.is_circular));
}

#[test]
fn ways_with_a_topic_make_chains_of_their_own() {
    let resolved = robot("Tilt");
    let end = |cycle: usize, module: usize, role| {
        let update = UpdateId { module, update: 0 };
        TopicEnd { topic: "Fell", cycle, update, role }
    };
    // Attitude publishes to Mind.
    let topics = [end(0, 0, PortRole::Publishes), end(1, 0, PortRole::Subscribes)];
    let chains = chains(&resolved, &topics);
    let told = |source: &str| -> Vec<Chain> {
        chains.iter().filter(|chain| chain.by_messages && chain.source == source).cloned().collect()
    };
    assert_eq!(routes(&told("body"), "body", "output to body"), ["motion cognition motion"]);
    assert_eq!(told("body")[0].begin(), "body by messages");
    assert_eq!(told("camera"), [], "nothing of the camera is told");
    let others: Vec<_> = chains.iter().filter(|chain| !chain.by_messages).cloned().collect();
    assert_eq!(others, self::chains(&resolved, &[]), "the other chains are as without");

    // A source publishes by itself.
    let roots = [Root { source: "body", tells: vec![] }, Root { source: "camera", tells: vec!["Fell"] }];
    let chains = super::chains(&resolved, &topics, &roots);
    let told: Vec<_> = chains.iter().filter(|it| it.by_messages && it.source == "camera").cloned().collect();
    assert_eq!(routes(&told, "camera", "output to body"), ["cognition motion"]);

    // The module that publishes derives from what it has published to Mind itself: a circle, of
    // messages only.
    let topics = [end(0, 1, PortRole::Publishes), end(1, 0, PortRole::Subscribes)];
    let chains = self::chains(&resolved, &topics);
    let chain =
        |by_messages| chains.iter().find(|chain| chain.by_messages == by_messages && chain.source == "camera").unwrap();
    assert!(!chain(false).is_circular);
    assert!(chain(true).is_circular);
    assert_eq!(routes(&[chain(true).clone()], "camera", "output to body"), ["cognition motion cognition motion"]);
}

#[test]
fn values_that_derive_from_each_other_in_a_circle_are_noticed() {
    let chains = chains(&robot("Joints"), &[]);
    let circular: Vec<_> = chains.iter().filter(|chain| chain.is_circular).map(|chain| &chain.output).collect();
    assert_eq!(circular, ["output to body", "output to body"]);
    assert_eq!(routes(&chains, "body", "output to body"), ["motion"]);
}

#[test]
fn what_reaches_an_output_only_by_coming_back_is_state_and_has_no_age() {
    // The moving outputs rest on the matched pose alone, on which the odometry rests, which in turn
    // rests on the matched pose.
    let motion = vec![
        module("Odometer", &["Imu", "Matched"], &["Odometry"]),
        module("Walk", &["Matched"], &["Joints"]),
        module("Leds", &["Odometry"], &[]),
    ];
    let cognition = vec![module("Matcher", &["Image", "Odometry"], &["Matched"])];
    let system = RobotDescription {
        cycles: vec![cycle("motion", "body", motion), cycle("cognition", "camera", cognition)],
        sources: vec![source("body", &["Imu"], &["Joints"]), source("camera", &["Image"], &[])],
        ..RobotDescription::default()
    };
    let chains = chains(&resolve(&system).unwrap(), &[]);
    assert_eq!(routes(&chains, "body", "Leds.update"), ["motion"]);
    assert_eq!(routes(&chains, "camera", "output to body"), ["cognition motion"]);
    assert_eq!(routes(&chains, "body", "output to body"), Vec::<String>::new());
    let state = chains.iter().find(|chain| chain.routes.is_empty()).unwrap();
    assert!(state.is_circular && state.source == "body", "{state:?}");
}
