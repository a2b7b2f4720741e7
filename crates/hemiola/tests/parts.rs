//! Robots that are cut into processes: each part is a robot, and receives what it reads of others.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::Path;

use hemiola::bus::DeclaredService;
use hemiola::configuration::{
    ChainConfiguration, Configuration, CycleConfiguration, Keep, LinkAddress, LinkConfiguration, LinkEnd, LossPolicy,
    ProcessConfiguration, Scheduling, Sent, Subject, SubjectKind, Trigger,
};
use hemiola::prelude::*;
use hemiola::runtime::{LinkBetweenParts, Robot, RuntimeError};

#[derive(Representation, Clone, Default)]
struct Scan {
    ranges: Vec<f32>,
}

#[derive(Representation, Clone, Default)]
struct Bump {
    count: u32,
}

#[derive(Representation, Clone, Default)]
struct Map {
    cells: Vec<u8>,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct Plan {
    goal: f64,
}

#[derive(Representation, Clone, Default)]
struct Motor {
    speed: f64,
}

/// A message.
#[derive(Representation, Clone, Default)]
struct Alarm {
    level: u32,
}

#[derive(Representation, Default)]
#[representation(opaque)]
struct Handle {
    file: Option<std::fs::File>,
}

#[derive(Representation, Clone, Default)]
struct Size {
    bytes: u64,
}

#[derive(Source)]
struct Lidar {}

#[source]
impl Lidar {
    #[sample(rate = 20.0)]
    fn scan(&mut self, _motor: &Motor, scan: &mut Scan, bump: &mut Bump) {
        scan.ranges.resize(4, 1.0);
        bump.count += 1;
    }
}

#[derive(Module)]
struct Odometer {}

#[module]
impl Odometer {
    #[update]
    fn pose(&self, _scan: Samples<Scan>, map: &Map, pose: &mut Pose) {
        pose.x = f64::from(map.cells.first().copied().unwrap_or_default());
    }
}

#[derive(Module)]
struct Mapper {}

#[module]
impl Mapper {
    #[update]
    fn map(&self, scan: &Scan, _bump: &Bump, map: &mut Map, alarms: &mut Publisher<Alarm>) {
        map.cells.resize(scan.ranges.len(), 1);
        alarms.publish(Alarm { level: 1 });
    }
}

#[derive(Module)]
struct Planner {}

#[module]
impl Planner {
    #[update]
    fn plan(&self, map: &Map, pose: &Pose, plan: &mut Plan) {
        plan.goal = pose.x + map.cells.len() as f64;
    }
}

#[derive(Module)]
struct Driver {}

#[module]
impl Driver {
    #[update]
    fn drive(&self, plan: &Plan, _scan: &Scan, alarms: &Subscription<Alarm>, motor: &mut Motor) {
        motor.speed = plan.goal - alarms.iter().count() as f64;
    }
}

/// An alternative that publishes alarms, too.
#[derive(Module)]
struct Watcher {}

#[module]
impl Watcher {
    #[update]
    fn plan(&self, plan: &mut Plan, heard: &Subscription<Alarm>, alarms: &mut Publisher<Alarm>) {
        plan.goal = heard.iter().count() as f64;
        alarms.publish(Alarm { level: 2 });
    }
}

/// An alternative that knows of the lidar by alarms alone.
#[derive(Module)]
struct Coward {}

#[module]
impl Coward {
    #[update]
    fn plan(&self, plan: &mut Plan, heard: &Subscription<Alarm>) {
        plan.goal = -(heard.iter().count() as f64);
    }
}

#[derive(Module)]
struct Opener {}

#[module]
impl Opener {
    #[update]
    fn open(&self, handle: &mut Handle) {
        handle.file = None;
    }
}

#[derive(Module)]
struct Measurer {}

#[module]
impl Measurer {
    #[update]
    fn size(&self, handle: &Handle, size: &mut Size) {
        size.bytes = u64::from(handle.file.is_some());
    }
}

const CYCLES: [(&str, &str); 4] =
    [("odometry", "Odometer"), ("mapping", "Mapper"), ("planning", "Planner"), ("driving", "Driver")];

fn cycle(name: &str, module: &str, trigger: Trigger) -> CycleConfiguration {
    CycleConfiguration { modules: vec![module.to_owned()], ..CycleConfiguration::new(name, trigger) }
}

fn robot() -> Configuration {
    let mut configuration = Configuration::default();
    for (name, module) in CYCLES {
        let trigger = if name == "mapping" { Trigger::Source("Lidar".into()) } else { Trigger::Rate(50.0) };
        configuration.cycles.push(cycle(name, module, trigger));
    }
    configuration
}

fn process(name: &str, cycles: &[&str]) -> ProcessConfiguration {
    ProcessConfiguration::new(name, cycles.iter().map(|&cycle| cycle.to_owned()).collect::<Vec<_>>())
}

fn part(configuration: &Configuration, process: &str) -> Result<Configuration, RuntimeError> {
    Robot::assemble(configuration.clone())?.part(process, Path::new("/run/robot"))
}

fn names(link: &LinkConfiguration, is_sent: bool) -> BTreeSet<(SubjectKind, &str)> {
    let subjects: Vec<&Subject> = match is_sent {
        true => link.send.iter().map(|sent| &sent.subject).collect(),
        false => link.receive.iter().map(|received| &received.subject).collect(),
    };
    subjects.into_iter().map(|subject| (subject.kind, subject.name.as_str())).collect()
}

#[test]
fn a_part_has_its_cycles_and_a_link_to_each_other_part() {
    let mut configuration = robot();
    configuration.cycles[3].scheduling = Scheduling::Fifo(60);
    configuration.processes = vec![process("maps", &["mapping", "planning"])];
    configuration.processes[0].on_loss = LossPolicy::SafeState;
    configuration.providers.insert("Plan".into(), "Planner".into());
    let (main, maps) = (part(&configuration, "main").unwrap(), part(&configuration, "maps").unwrap());
    let cycles = |part: &Configuration| part.cycles.iter().map(|cycle| cycle.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (cycles(&main), cycles(&maps)),
        (vec!["odometry".into(), "driving".into()], vec!["mapping".into(), "planning".into()])
    );
    // The source is where the cycle is that it triggers.
    assert_eq!((main.sources["Lidar"].enabled, maps.sources.get("Lidar")), (Some(false), None));
    let ([to_maps], [to_main]) = (main.links.as_slice(), maps.links.as_slice()) else { panic!("one link each") };
    let address = LinkAddress::Shm("/run/robot/main-maps.sock".into());
    assert_eq!((&to_maps.end, &to_main.end), (&LinkEnd::Listen(address.clone()), &LinkEnd::Connect(address)));
    assert_eq!((to_maps.name.as_str(), to_main.name.as_str()), ("maps", "main"));
    // What the others do when it dies is written with the process.
    assert_eq!((to_maps.on_loss, to_main.on_loss), (LossPolicy::SafeState, LossPolicy::KeepLast));
    let values =
        |names: &[&'static str]| names.iter().map(|&name| (SubjectKind::Representation, name)).collect::<BTreeSet<_>>();
    let mut from_maps = values(&["Map", "Plan", "Scan"]);
    from_maps.insert((SubjectKind::Topic, "Alarm"));
    assert_eq!((names(to_maps, false), names(to_main, true)), (from_maps.clone(), from_maps));
    let from_main = values(&["Motor", "Pose"]);
    assert_eq!((names(to_maps, true), names(to_main, false)), (from_main.clone(), from_main));
    // All samples are wanted of what somebody collects.
    let keep = |name: &str| to_main.send.iter().find(|sent| sent.subject.name == name).unwrap().keep;
    assert_eq!((keep("Scan"), keep("Map")), (Keep::Last(32), Keep::Newest));
    assert_eq!(main.providers["Plan"], "link.maps.Plan");
    assert_eq!(maps.providers["Plan"], "Planner");
    // What comes is as important as who reads it.
    assert_eq!(main.sources["link.maps.Plan"].scheduling, Some(Scheduling::Fifo(59)));
    assert_eq!(main.sources.get("link.maps.Map").and_then(|source| source.scheduling), None);
    for part in [main, maps] {
        assert!(part.processes.is_empty() && part.process.is_some());
        Robot::assemble(part).unwrap();
    }
}

/// A request for the weather.
#[derive(Representation, Clone, Default)]
struct Weather {
    hours: u32,
}

#[derive(Module)]
struct Tourist {}

#[module]
impl Tourist {
    #[update]
    fn ask(&self, _weather: &mut Requests<Weather, f32>) {}
}

#[derive(Module)]
struct Farmer {}

#[module]
impl Farmer {
    #[update]
    fn ask(&self, _weather: &mut Requests<Weather, f32>) {}
}

/// Returns, for a robot of four processes, the first two with a module that calls `Weather`, what
/// each process serves and calls by which link, and whether it leaves the service to another one.
fn weather(
    services: &[(usize, &str)],
    more: impl FnOnce(&mut Configuration),
) -> Result<Vec<(Vec<String>, bool)>, RuntimeError> {
    let mut configuration = robot();
    configuration.cycles.push(cycle("resting", "Tourist", Trigger::Rate(1.0)));
    configuration.cycles.push(cycle("sowing", "Farmer", Trigger::Rate(1.0)));
    let parts = [("a", "resting"), ("b", "sowing"), ("c", "mapping")];
    configuration.processes = parts.map(|(name, cycle)| process(name, &[cycle])).to_vec();
    configuration.providers.insert("Plan".into(), "Planner".into());
    for &(process, service) in services {
        configuration.processes[process].services.push(service.to_owned());
    }
    more(&mut configuration);
    let whole = Robot::assemble(configuration)?.with_services([DeclaredService::of::<Weather, f32>("Weather")]);
    let part = |name: &str| {
        let part = whole.part(name, Path::new("/run/robot"))?;
        Robot::assemble(part.clone())?;
        let parts = part.links.iter().filter(|link| ["main", "a", "b", "c"].contains(&link.name.as_str()));
        let served = parts.flat_map(|link| {
            let serves = link.serve.iter().map(|service| format!("serves {service} to {}", link.name));
            serves
                .chain(link.call.iter().map(|service| format!("calls {service} of {}", link.name)))
                .collect::<Vec<_>>()
        });
        Ok((served.collect(), part.served_elsewhere == ["Weather"]))
    };
    ["main", "a", "b", "c"].into_iter().map(part).collect()
}

#[test]
fn a_service_is_served_in_one_process_and_called_from_the_others_that_ask() {
    let ways = |ways: [(&[&str], bool); 4]| {
        ways.map(|(ways, left)| (ways.iter().map(|&way| way.to_owned()).collect::<Vec<_>>(), left)).to_vec()
    };
    // Nobody has said where: with the first who asks.
    let with_first =
        [(&[][..], true), (&["serves Weather to b"][..], false), (&["calls Weather of a"], true), (&[], true)];
    assert_eq!(weather(&[], |_| ()).unwrap(), ways(with_first));
    let where_said = [
        (&[][..], true),
        (&["calls Weather of c"][..], true),
        (&["calls Weather of c"], true),
        (&["serves Weather to a", "serves Weather to b"], false),
    ];
    assert_eq!(weather(&[(2, "Weather")], |_| ()).unwrap(), ways(where_said));
    // Other programs reach it through the first process, wherever it is served.
    let serve = |robot: &mut Configuration| {
        let end = LinkEnd::Listen(LinkAddress::Unix("/run/laptop.sock".into()));
        robot.links.push(LinkConfiguration { serve: vec!["Weather".into()], ..LinkConfiguration::new("laptop", end) });
    };
    let in_first = [
        (&["serves Weather to a", "serves Weather to b"][..], false),
        (&["calls Weather of main"][..], true),
        (&["calls Weather of main"], true),
        (&[], true),
    ];
    assert_eq!(weather(&[], serve).unwrap(), ways(in_first));
    let passed_on = [
        (&["calls Weather of c"][..], true),
        (&["calls Weather of c"][..], true),
        (&["calls Weather of c"], true),
        (&["serves Weather to main", "serves Weather to a", "serves Weather to b"], false),
    ];
    assert_eq!(weather(&[(2, "Weather")], serve).unwrap(), ways(passed_on));
    // One process asks, and so its own server answers, as in a robot of one process.
    let one_asks = |robot: &mut Configuration| robot.cycles.retain(|cycle| cycle.name != "sowing");
    let nothing = [(&[][..], false), (&[], false), (&[], false), (&[], false)];
    assert_eq!(
        weather(&[], |robot| {
            one_asks(robot);
            robot.processes[1].cycles = vec!["odometry".into()];
        })
        .unwrap(),
        ways(nothing)
    );
}

#[test]
fn a_process_cannot_serve_what_the_program_does_not_declare() {
    let error = weather(&[(1, "Tides")], |_| ()).unwrap_err().to_string();
    for part in ["`b` serves `Tides`", "does not declare", "`Application::service`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn the_links_between_parts_say_who_provides_and_who_reads() {
    let mut configuration = robot();
    configuration.cycles[3].scheduling = Scheduling::Fifo(60);
    configuration.processes = vec![process("maps", &["planning"])];
    configuration.processes[0].sources.push("Lidar".into());
    configuration.providers.insert("Plan".into(), "Planner".into());
    let links = Robot::assemble(configuration).unwrap().links_between_parts().unwrap();
    let link = |subject: &str, to: &str| {
        let is_it = |link: &&LinkBetweenParts| (link.subject.name.as_str(), link.to.as_str()) == (subject, to);
        links.iter().find(is_it).unwrap_or_else(|| panic!("{subject} to {to}: {links:?}"))
    };
    let scan = link("Scan", "main");
    assert_eq!((scan.from.as_str(), scan.provider.as_str(), scan.source.as_str()), ("maps", "Lidar", "link.maps.Scan"));
    assert_eq!(scan.readers, ["odometry", "mapping", "driving"]);
    let plan = link("Plan", "main");
    assert_eq!((plan.provider.as_str(), plan.scheduling), ("planning", Scheduling::Fifo(59)));
    assert_eq!((plan.readers.as_slice(), plan.triggers.len()), (&["driving".to_owned()][..], 0));
    // The lidar triggers `mapping` over the link, by the last of its values that is read there.
    let triggering: Vec<_> = links.iter().filter(|link| !link.triggers.is_empty()).collect();
    assert_eq!(triggering.len(), 1, "{links:?}");
    assert_eq!(
        (triggering[0].provider.as_str(), triggering[0].triggers.as_slice()),
        ("Lidar", &["mapping".to_owned()][..])
    );
    assert_eq!(link("Motor", "maps").readers, ["Lidar"]);
}

#[test]
fn a_topic_is_a_link_between_parts_from_each_who_publishes() {
    let mut configuration = robot();
    configuration.cycles.push(cycle("watching", "Watcher", Trigger::Rate(10.0)));
    configuration.cycles[3].trigger = Trigger::Topic("Alarm".into());
    configuration.processes = vec![process("maps", &["mapping", "watching"])];
    configuration.providers.insert("Plan".into(), "Watcher".into());
    let links = Robot::assemble(configuration).unwrap().links_between_parts().unwrap();
    let alarms: Vec<_> = links.iter().filter(|link| link.subject == Subject::topic("Alarm")).collect();
    let providers: Vec<_> = alarms.iter().map(|link| link.provider.as_str()).collect();
    assert_eq!(providers, ["mapping", "watching"]);
    for link in alarms {
        assert_eq!((link.from.as_str(), link.to.as_str(), link.source.as_str()), ("maps", "main", "link.maps.Alarm"));
        assert_eq!((&link.readers, &link.triggers), (&vec!["driving".to_owned()], &vec!["driving".to_owned()]));
    }
}

#[test]
fn every_cut_gives_parts_that_are_robots() {
    // Each cycle in one of four processes, in all ways.
    for cut in 0..4_usize.pow(4) {
        let mut configuration = robot();
        let mut taken: [Vec<&str>; 4] = Default::default();
        for (place, (cycle, _)) in CYCLES.iter().enumerate() {
            taken[cut / 4_usize.pow(place as u32) % 4].push(cycle);
        }
        for (number, cycles) in taken.iter().enumerate().filter(|(_, cycles)| !cycles.is_empty()) {
            configuration.processes.push(process(&format!("p{number}"), cycles));
        }
        let whole = Robot::assemble(configuration.clone()).unwrap();
        let parts: Vec<_> =
            configuration.process_names().into_iter().map(|name| part(&configuration, name).unwrap()).collect();
        let mut running = 0;
        for part in &parts {
            let robot = Robot::assemble(part.clone()).unwrap_or_else(|error| panic!("{cut}: {error}"));
            running += robot.resolved().cycles.iter().map(|cycle| cycle.updates.len()).sum::<usize>();
            for link in &part.links {
                let other = parts.iter().find(|other| other.process.as_ref() == Some(&link.name)).unwrap();
                let back = other.links.iter().find(|back| Some(&back.name) == part.process.as_ref()).unwrap();
                assert_eq!((names(link, true), names(link, false)), (names(back, false), names(back, true)), "{cut}");
            }
        }
        let all = whole.resolved().cycles.iter().map(|cycle| cycle.updates.len()).sum::<usize>();
        assert_eq!(running, all, "{cut}: every update runs once");
    }
}

#[test]
fn a_cycle_may_be_triggered_from_another_process() {
    let mut configuration = robot();
    configuration.processes = vec![process("maps", &["mapping"])];
    let mut sensors = process("sensors", &[]);
    sensors.sources = vec!["Lidar".into()];
    configuration.processes.push(sensors);
    let maps = part(&configuration, "maps").unwrap();
    // The last of the sample's values that is sent.
    assert_eq!(maps.cycles[0].trigger, Trigger::Source("link.sensors.Bump".into()));
    assert_eq!(part(&configuration, "sensors").unwrap().cycles, []);
    Robot::assemble(maps).unwrap();
}

#[test]
fn what_one_run_or_sample_provides_is_read_together_unless_somebody_collects_it() {
    for (cycles, together) in [(vec!["mapping"], true), (vec!["mapping", "odometry"], false)] {
        let mut configuration = robot();
        configuration.cycles[1].scheduling = Scheduling::Fifo(40);
        configuration.processes = vec![process("maps", &cycles)];
        configuration.processes.push(ProcessConfiguration { sources: vec!["Lidar".into()], ..process("lidar", &[]) });
        let (lidar, maps) = (part(&configuration, "lidar").unwrap(), part(&configuration, "maps").unwrap());
        let provided = Some("Lidar");
        let scan = provided.filter(|_| together);
        let sent = lidar.links.iter().find(|link| link.name == "maps").unwrap();
        let sent: Vec<_> =
            sent.send.iter().map(|sent| (sent.subject.name.as_str(), sent.provider.as_deref())).collect();
        assert_eq!(sent, [("Scan", scan), ("Bump", provided)]);
        let received = maps.links.iter().find(|link| link.name == "lidar").unwrap();
        let received: Vec<_> =
            received.receive.iter().map(|it| (it.subject.name.as_str(), it.provider.as_deref())).collect();
        assert_eq!(received, [("Scan", scan), ("Bump", provided)]);
        // They have one thread if they are read together, which is as important as the trigger.
        let scheduling = |source: &str| maps.source_scheduling(source);
        assert_eq!(scheduling("link.lidar.Bump"), Scheduling::Fifo(41));
        assert_eq!(scheduling("link.lidar.Scan"), Scheduling::Fifo(if together { 41 } else { 39 }));
        drop(Robot::assemble(maps).unwrap().prepare(hemiola::runtime::Pace::RealTime).unwrap());
    }
}

#[test]
fn chains_across_go_on_with_what_the_link_brings() {
    let mut configuration = robot();
    configuration.processes = vec![process("maps", &["mapping"])];
    let chain = |name: &str, to: &str| ChainConfiguration {
        name: name.into(),
        from: "Lidar".into(),
        to: to.into(),
        reaction: None,
        data_age: None,
    };
    configuration.chains = vec![chain("turn", "Driver.drive"), chain("look", "Mapper")];
    let whole = Robot::assemble(configuration.clone()).unwrap();
    let across: Vec<_> = whole.chains_into("main").unwrap();
    assert!(across.iter().all(|(whole, _)| whole.name == "turn"));
    let across: Vec<_> = across.into_iter().map(|(_, chain)| (chain.name, chain.from)).collect();
    let expected = [
        ("turn by Map", "link.maps.Map"),
        ("turn by Scan", "link.maps.Scan"),
        ("turn by Alarm", "link.maps.Alarm by messages"),
    ];
    assert_eq!(across, expected.map(|(name, from)| (name.to_owned(), from.to_owned())));
    assert_eq!(part(&configuration, "main").unwrap().chains, []);
    assert_eq!(part(&configuration, "maps").unwrap().chains, [chain("look", "Mapper")]);
}

/// The stamp of such a value does not cover the messages that its module received.
#[test]
fn what_derives_by_messages_alone_begins_no_chain_as_a_value() {
    let mut configuration = robot();
    configuration.cycles[2].modules = vec!["Coward".into()];
    configuration.processes = vec![process("maps", &["mapping"]), process("plans", &["planning"])];
    configuration.chains = vec![ChainConfiguration {
        name: "turn".into(),
        from: "Lidar".into(),
        to: "Driver.drive".into(),
        reaction: None,
        data_age: None,
    }];
    let whole = Robot::assemble(configuration).unwrap();
    let across: Vec<_> = whole.chains_into("main").unwrap().into_iter().map(|(_, chain)| chain.from).collect();
    assert!(
        across.contains(&"link.maps.Scan".to_owned()) && across.contains(&"link.maps.Alarm by messages".to_owned())
    );
    assert!(!across.contains(&"link.plans.Plan".to_owned()), "{across:?}");
}

#[test]
fn a_cut_that_cannot_be_made_is_an_error_that_says_why() {
    let refusal = |configuration: &Configuration, process: &str| part(configuration, process).unwrap_err().to_string();
    let mut opaque = robot();
    opaque.cycles.push(cycle("opening", "Opener", Trigger::Rate(1.0)));
    opaque.cycles.push(cycle("measuring", "Measurer", Trigger::Rate(1.0)));
    opaque.processes = vec![process("files", &["opening"])];
    let said = refusal(&opaque, "files");
    assert!(
        said.contains("`measuring` reads `Handle` of `opening`, which is opaque; let both run in one process"),
        "{said}"
    );

    let mut circling = robot();
    circling.cycles[2].modules = vec!["Watcher".into()];
    circling.processes = vec![process("maps", &["mapping"])];
    let said = refusal(&circling, "main");
    assert!(said.contains("the topic `Alarm` is published in several processes"), "{said}");

    let mut linked = robot();
    let end = LinkEnd::Listen(LinkAddress::Unix("/run/laptop.sock".into()));
    let send = vec![Sent::representation("Map")];
    linked.links.push(LinkConfiguration { send, ..LinkConfiguration::new("laptop", end) });
    assert_eq!(part(&linked, "main").unwrap_err().to_string(), "there is no process `main`; known are: none");
    linked.processes = vec![process("maps", &["mapping"])];
    let said = refusal(&linked, "main");
    assert!(
        said.contains("link `laptop` belongs to process `main`, and the representation `Map` comes from another one"),
        "{said}"
    );
    linked.processes = vec![process("maps", &["odometry"])];
    assert!(part(&linked, "main").unwrap().links.iter().any(|link| link.name == "laptop"));
    assert!(part(&linked, "maps").unwrap().links.iter().all(|link| link.name != "laptop"));
}
