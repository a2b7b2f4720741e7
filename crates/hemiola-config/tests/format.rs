//! The meaning of a robot.toml without faults.

mod robot;

use std::time::Duration;

use hemiola_config::{Catalog, Component, Loaded, parse};
use hemiola_model::Value;
use hemiola_model::configuration::{
    Admission, FailurePolicy, FieldMapping, Keep, LinkEnd, LinkGroup, LogChannelConfiguration, LogCompression,
    LogExtent, LossPolicy, RestartLimit, Ros2Action, Ros2History, Ros2Liveliness, Ros2Quality, Ros2Router,
    Ros2SafeState, Ros2Service, Scheduling, Sent, Subject, Trigger,
};
use robot::{catalog, table};

const DOCUMENTATION: &str = include_str!("../FORMAT.md");
const ROBOT: &str = include_str!("robot/robot.toml");

fn read(text: &str) -> Loaded {
    parse(text, "robot.toml", &catalog()).unwrap_or_else(|error| panic!("{error}"))
}

fn read_walk(parameters: &str) -> Loaded {
    read(&format!("[cycle.main]\nrate = 30.0\n[module.Walk]\n{parameters}"))
}

#[test]
fn deadlines_of_chains_and_what_bounds_rest_on_are_read() {
    let text = "[cycle.main]\nrate = 30.0\n[chain.second]\nfrom = \"SimulatedCamera\"\nto = \"Walk\"\nreaction = \"150 ms\"\n\
        [chain.first]\nfrom = \"SimulatedBody\"\nto = \"SimulatedBody\"\ndata_age = \"30 ms\"\n\
        [analysis]\nadmission = \"refuse\"\nquantile = 0.999\ncores = 4\n[analysis.period]\nSimulatedCamera = \"30 ms\"\n";
    let configuration = read(text).configuration;
    let [second, first] = configuration.chains.as_slice() else { panic!("two chains, in the order of the file") };
    assert_eq!((second.name.as_str(), second.to.as_str()), ("second", "Walk"));
    assert_eq!((second.reaction, first.reaction), (Some(Duration::from_millis(150)), None));
    assert_eq!(first.data_age, Some(Duration::from_millis(30)));
    let analysis = configuration.analysis;
    assert_eq!((analysis.admission, analysis.quantile, analysis.cores), (Admission::Refuse, Some(0.999), Some(4)));
    assert_eq!(analysis.periods["SimulatedCamera"], Duration::from_millis(30));
}

#[test]
fn processes_and_when_they_are_started_again_are_read() {
    let text = "[cycle.motion]\nrate = 83.3\nmodules = [\"nao::motion\"]\n[cycle.cognition]\nrate = 30.0\n\
        modules = [\"nao::cognition\"]\n[process.vision]\ncycles = [\"cognition\"]\nsources = [\"SimulatedCamera\"]\n\
        restart = \"3 per minute\"\nbegin_within = \"20 s\"\non_loss = \"safe-state\"\n";
    let configuration = read(text).configuration;
    assert_eq!(configuration.process_names(), ["main", "vision"]);
    let of = |cycle: &str| configuration.process_of(cycle);
    assert_eq!((of("motion"), of("cognition")), (Some("main"), Some("vision")));
    let vision = &configuration.processes[0];
    assert_eq!(vision.sources, ["SimulatedCamera"]);
    assert_eq!(vision.restart, Some(RestartLimit { count: 3, within: Duration::from_secs(60) }));
    assert_eq!((vision.begin_within, vision.on_loss), (Duration::from_secs(20), LossPolicy::SafeState));
}

#[test]
fn representations_that_a_link_carries_are_read_and_those_that_come_are_sources() {
    let text = "[cycle.main]\ntrigger = \"link.head.BallPercept\"\n[link.head]\nconnect = \"unix:/run/head.sock\"\n\
        send = [{ representation = \"JointAngles\", rate = 50.0 }, \"/pose\"]\n\
        receive = [{ representation = \"BallPercept\" }, \"/goal\"]\n\
        [source.\"link.head.BallPercept\"]\npriority = 60\n[providers]\nBallPercept = \"link.head.BallPercept\"\n";
    let configuration = read(text).configuration;
    let [link] = configuration.links.as_slice() else { panic!("one link") };
    assert_eq!(link.send, [Sent { rate: Some(50.0), ..Sent::representation("JointAngles") }, Sent::topic("/pose")]);
    let received: Vec<_> = link.receive.iter().map(|received| received.subject.clone()).collect();
    assert_eq!(received, [Subject::representation("BallPercept"), Subject::topic("/goal")]);
    assert_eq!(link.receive[0].place.as_deref(), Some("robot.toml:6:12"));
    let source = &configuration.sources[&link.receive[0].source(&link.name)];
    assert_eq!(source.scheduling, Some(Scheduling::Fifo(60)));
    assert_eq!(configuration.providers["BallPercept"], "link.head.BallPercept");
}

#[test]
fn a_link_joins_a_group_and_what_comes_may_have_another_name() {
    let text = "[cycle.main]\nrate = 30.0\n[link.team]\njoin = \"udp:239.255.74.1:7400\"\ninterface = \"wlan0\"\n\
        trusted_network = true\nsend = [\"/message\"]\n\
        receive = [{ topic = \"/message\", as = \"/heard\" }, { representation = \"BallPercept\" }]\n\
        [link.tools]\njoin = \"udp:[ff15::7a]:7400\"\nttl = 0\n";
    let loaded = read(text);
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    let [team, tools] = loaded.configuration.links.as_slice() else { panic!("two links") };
    let group = LinkGroup::new("239.255.74.1:7400".parse().unwrap());
    assert_eq!(team.end, LinkEnd::Join(LinkGroup { interface: Some("wlan0".to_owned()), ttl: 1, ..group }));
    let group = LinkGroup::new("[ff15::7a]:7400".parse().unwrap());
    assert_eq!(tools.end, LinkEnd::Join(LinkGroup { ttl: 0, ..group }));
    let names: Vec<_> = team.receive.iter().map(|it| (it.subject.name.as_str(), it.name_there())).collect();
    assert_eq!(names, [("/heard", "/message"), ("BallPercept", "BallPercept")]);
}

#[test]
fn services_that_a_link_carries_are_read() {
    let text = "[cycle.main]\nrate = 30.0\n[link.laptop]\nlisten = \"unix:/run/robot.sock\"\n\
        serve = [\"SaveMap\", \"Dock\"]\ncall = [\"Speak\"]\n";
    let loaded = read(text);
    let [link] = loaded.configuration.links.as_slice() else { panic!("one link") };
    assert_eq!(
        (link.serve.as_slice(), link.call.as_slice()),
        (&["SaveMap".to_owned(), "Dock".to_owned()][..], &["Speak".to_owned()][..])
    );
    // A thread may ask what no module does.
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
}

#[test]
fn a_node_of_ros_2_is_read_and_what_comes_to_it_is_a_source() {
    let text = "[cycle.main]\ntrigger = \"ros2.BallPercept\"\n[ros2]\nnode = \"nao\"\nnamespace = \"/team/five\"\ndomain = 7\n\
        connect = \"tcp/192.168.1.2:7447\"\ncores = [3]\nremap = { \"/ball\" = \"~/ball\" }\n[ros2.publish]\n\
        \"/joints\" = { representation = \"JointAngles\", rate = 50.0, quality = \"best effort\", depth = 5, deadline = \"40 ms\" }\n\
        \"/map\" = { topic = \"Map\", quality = \"transient local\" }\n\
        \"/events\" = { topic = \"Events\", depth = \"all\" }\n[ros2.subscribe]\n\"/ball\" = { representation = \"BallPercept\", deadline = \"1 s\" }\n\
        [ros2.serve]\n\"/nao/stand\" = \"Stand\"\n[ros2.call]\n\"/maps/save\" = { service = \"SaveMap\", type = \"maps/srv/Save\" }\n\
        [ros2.action_server]\n\"~/stand_up\" = \"StandUp\"\n\
        [ros2.action_client]\n\"dock\" = { action = \"Dock\", type = \"nav2_msgs/action/DockRobot\" }\n\
        [providers]\nBallPercept = \"ros2.BallPercept\"\n";
    let node = read(text).configuration.ros2.expect("a node");
    assert_eq!((node.node.as_deref(), node.namespace.as_str(), node.domain), (Some("nao"), "team/five", Some(7)));
    assert_eq!(node.remap, [("/ball".to_owned(), "~/ball".to_owned())]);
    assert_eq!((node.router, node.cores), (Ros2Router::At("tcp/192.168.1.2:7447".to_owned()), vec![3]));
    let [joints, map, events] = node.publish.as_slice() else { panic!("three, in the order of the file") };
    assert_eq!((events.history, events.depth, map.history), (Ros2History::KeepAll, 10_000, Ros2History::KeepLast));
    assert_eq!((joints.name.as_str(), joints.sent.rate, joints.sent.keep), ("/joints", Some(50.0), Keep::Last(5)));
    assert_eq!((joints.quality, joints.depth), (Ros2Quality::BestEffort, 5));
    assert_eq!((joints.deadline, map.deadline), (Some(Duration::from_millis(40)), None));
    assert_eq!(node.subscribe[0].deadline, Some(Duration::from_secs(1)));
    assert_eq!((&map.sent.subject, map.quality, map.depth), (&Subject::topic("Map"), Ros2Quality::TransientLocal, 10));
    assert_eq!(node.subscribe[0].received.subject, Subject::representation("BallPercept"));
    assert_eq!(node.serve, [Ros2Service::new("/nao/stand", "Stand")]);
    assert_eq!(node.call[0].service_type.as_deref(), Some("maps/srv/Save"));
    // A name below the node's, and one in its namespace.
    assert_eq!(node.action_server, [Ros2Action::new("~/stand_up", "StandUp")]);
    let [dock] = node.action_client.as_slice() else { panic!("one action") };
    assert_eq!((dock.name.as_str(), dock.action.as_str()), ("dock", "Dock"));
    assert_eq!(dock.action_type.as_deref(), Some("nav2_msgs/action/DockRobot"));
    let routed =
        read("[cycle.main]\nrate = 30.0\n[ros2]\nrouter = true\nclock = 100\n").configuration.ros2.expect("a node");
    assert_eq!((routed.router, routed.node, routed.clock), (Ros2Router::here(), None, Some(100.0)));
}

#[test]
fn a_topic_of_ros_2_has_a_lifespan_and_a_liveliness() {
    let times = "lifespan = \"10 s\", liveliness = \"manual by topic\", lease = \"250 ms\"";
    let text = format!(
        "[cycle.main]\nrate = 30.0\n[ros2.publish]\n\"/map\" = {{ topic = \"Map\", {times} }}\n\
         \"/odom\" = {{ topic = \"Odometry\", lease = \"1 s\" }}\n[ros2.subscribe]\n\"/ball\" = {{ topic = \"Ball\", {times} }}\n"
    );
    let node = read(&text).configuration.ros2.expect("a node");
    let (seconds, lease) = (Duration::from_secs, Some(Duration::from_millis(250)));
    let [map, odometry] = node.publish.as_slice() else { panic!("two, in the order of the file") };
    assert_eq!((map.lifespan, map.liveliness, map.lease), (Some(seconds(10)), Ros2Liveliness::ManualByTopic, lease));
    let expected = (None, Ros2Liveliness::Automatic, Some(seconds(1)));
    assert_eq!((odometry.lifespan, odometry.liveliness, odometry.lease), expected);
    let ball = &node.subscribe[0];
    assert_eq!((ball.lifespan, ball.liveliness, ball.lease), (Some(seconds(10)), Ros2Liveliness::ManualByTopic, lease));
}

#[test]
fn a_topic_of_ros_2_may_have_its_default_in_the_safe_state() {
    let text = "[cycle.main]\nrate = 30.0\n[ros2.publish]\n\"/ball\" = { topic = \"Ball\", safe_state = \"default\" }\n\
        \"/map\" = { topic = \"Map\" }\n";
    let node = read(text).configuration.ros2.expect("a node");
    let in_safe_state: Vec<_> = node.publish.iter().map(|published| published.safe_state).collect();
    assert_eq!(in_safe_state, [Ros2SafeState::Default, Ros2SafeState::Published]);
}

#[test]
fn what_goes_before_the_program_for_an_executor_is_read() {
    let text = "[cycle.main]\nrate = 30.0\n[executor.arm]\npriority = 60\ncores = [1]\n\
        [executor.arm.callbacks]\n\"every 10ms\" = 20\nReach = 0\n[executor.leg]\npolicy = \"time-sharing\"\n[executor.head]\n";
    let executors = read(text).configuration.executors;
    let (arm, leg, head) = (&executors["arm"], &executors["leg"], &executors["head"]);
    assert_eq!((arm.scheduling, arm.cores.as_slice()), (Some(Scheduling::Fifo(60)), [1].as_slice()));
    assert_eq!(arm.priority_of("every 10ms at src/arm.rs:3:9 (2)"), Some(20));
    assert_eq!((arm.priority_of("Reach"), arm.priority_of("Grip")), (Some(0), None));
    assert_eq!((leg.scheduling, head.scheduling), (Some(Scheduling::TimeSharing), None));
}

#[test]
fn time_is_reserved_for_an_executor_as_far_as_the_kernel_admits_it() {
    let robot = |rest: &str| format!("[cycle.main]\nrate = 30.0\n{rest}");
    let arm = "[executor.arm]\nreservation = { budget = \"2 ms\", period = \"10 ms\" }\n";
    let [budget, period] = [2, 10].map(std::time::Duration::from_millis);
    let executors = read(&robot(arm)).configuration.executors;
    assert_eq!(executors["arm"].scheduling, Some(Scheduling::Reservation { budget, period }));
    let hand = "[executor.hand]\nreservation = { budget = \"9 ms\", period = \"10 ms\" }\n";
    read(&robot(&format!("{arm}{hand}[analysis]\ncores = 2\n")));
    for (rest, expected) in [
        (
            format!("{arm}{hand}[analysis]\ncores = 1\n"),
            "up to this one, reservations take 1.10 cores, and the kernel gives them 0.95 of 1",
        ),
        (arm.replace("2 ms", "11 ms"), "a budget of 11ms cannot be given in a period of 10ms"),
        (arm.replace("10 ms", "10 s"), "a duration from 100 us to 4.19 s"),
        (format!("{arm}cores = [1]\n"), "`reservation` and `cores` exclude each other"),
        (format!("{arm}priority = 20\n"), "`reservation` and `priority` exclude each other"),
        (arm.replace("budget = \"2 ms\", ", ""), "needs both a budget and a period"),
    ] {
        let error = parse(&robot(&rest), "robot.toml", &catalog()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn what_is_wrong_with_executors_is_said() {
    for (text, expected) in [
        ("[executor.arm]\npriorty = 60", "did you mean `priority`?"),
        ("[executor.arm]\npriority = 100", "a whole number from 1 to 99"),
        ("[executor.arm]\npolicy = \"fifo\"", "the policy \"fifo\" needs a priority"),
        ("[executor.arm.callbacks]\nReach = -1", "a whole number from 0 to 65535"),
        ("[executor]\narm = 60", "`executor.arm` must be a table"),
    ] {
        let error = parse(&format!("[cycle.main]\nrate = 30.0\n{text}\n"), "robot.toml", &catalog()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn what_is_wrong_with_chains_and_analysis_is_said() {
    for (text, expected) in [
        ("[chain.x]\nto = \"Walk\"\nreaction = \"1 s\"", "does not say `from`"),
        ("[chain.x]\nfrom = \"SimulatedCamra\"\nto = \"Walk\"\nreaction = \"1 s\"", "did you mean `SimulatedCamera`?"),
        ("[chain.x]\nfrom = \"SimulatedCamera\"\nto = \"Walk\"", "`[chain.x]` has no deadline"),
        ("[analysis]\nadmission = \"refused\"", "did you mean \"refuse\"?"),
        ("[analysis]\nquantile = 99.9", "a number above 0 and up to 1"),
        ("[analysis.period]\nNobody = \"1 s\"", "there is no source and no topic `Nobody`"),
    ] {
        let error = parse(&format!("[cycle.main]\nrate = 30.0\n{text}\n"), "robot.toml", &catalog()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn every_key_reaches_the_configuration() {
    let Loaded { configuration, warnings, .. } = read(ROBOT);
    assert!(warnings.is_empty(), "{warnings}");
    let [motion, cognition] = configuration.cycles.as_slice() else { panic!("two cycles, in the order of the file") };
    assert_eq!((motion.name.as_str(), cognition.name.as_str()), ("motion", "cognition"));
    assert_eq!(motion.trigger, Trigger::Source("SimulatedBody".into()));
    assert_eq!(motion.deadline, Some(Duration::from_millis(12)));
    assert_eq!(motion.scheduling, Scheduling::Fifo(80));
    assert_eq!((motion.workers, motion.watchdog, motion.sample_capacity), (None, None, 32));
    assert_eq!(cognition.trigger, Trigger::Rate(30.0));
    assert_eq!(cognition.modules, ["nao::cognition"]);
    assert_eq!(cognition.scheduling, Scheduling::RoundRobin(20));
    assert_eq!((cognition.workers, cognition.cores.as_slice()), (Some(2), [0, 1].as_slice()));
    assert_eq!((cognition.watchdog, cognition.sample_capacity), (Some(Duration::from_millis(500)), 64));
    let body = &configuration.sources["SimulatedBody"];
    assert_eq!((body.rate, body.scheduling, body.enabled), (Some(83.3), Some(Scheduling::Fifo(81)), None));
    assert_eq!(body.parameters["noise"], Value::Float(0.1));
    assert_eq!(configuration.providers["BallPercept"], "BallFinder");
    let finder = &configuration.modules["BallFinder"];
    assert_eq!((finder.on_failure, &finder.parameters["threshold"]), (FailurePolicy::Restart, &Value::Float(0.7)));
    assert_eq!(configuration.output.trace.as_deref(), Some("run.pftrace".as_ref()));
    assert_eq!(configuration.output.profile, None);
    let log = &configuration.log;
    assert_eq!((log.folder.as_deref(), log.compression), (Some("logs".as_ref()), LogCompression::Zstd));
    assert_eq!(
        (log.flush, log.only.as_slice()),
        (Duration::from_millis(100), ["BallPercept", "UpperImage"].map(str::to_owned).as_slice())
    );
    let seconds = |seconds| Some(LogExtent::Time(Duration::from_secs(seconds)));
    assert_eq!((log.split, log.keep, log.reserve), (seconds(30), seconds(120), 1_000_000_000));
    let LogChannelConfiguration { enabled, rate, only_while } = &log.channels["UpperImage"];
    assert_eq!((enabled, rate), (&None, &Some(2.0)));
    assert_eq!(only_while.as_ref().map(ToString::to_string).as_deref(), Some("BallPercept.radius > 0.05"));
    assert_eq!(log.channels["BallPercept"].enabled, Some(true));
}

#[test]
fn a_source_that_triggers_a_cycle_has_a_priority_above_it_unless_robot_toml_says_otherwise() {
    let cycles = "[cycle.motion]\ntrigger = \"SimulatedBody\"\nmodules = [\"nao::motion\"]\npriority = 80\n\
        [cycle.cognition]\ntrigger = \"SimulatedBody\"\nmodules = [\"nao::cognition\"]\npriority = 99\npolicy = \"round-robin\"\n";
    let scheduling = |source: &str| {
        read(&format!("{cycles}[source.SimulatedBody]\n{source}\n")).configuration.source_scheduling("SimulatedBody")
    };
    assert_eq!(scheduling(""), Scheduling::Fifo(99), "there is none above the highest");
    assert_eq!(scheduling("priority = 70"), Scheduling::Fifo(70));
    assert_eq!(scheduling("priority = 70\npolicy = \"round-robin\""), Scheduling::RoundRobin(70));
    assert_eq!(scheduling("policy = \"time-sharing\""), Scheduling::TimeSharing);
    let configuration = read(&cycles.replace("priority = 99\npolicy = \"round-robin\"", "")).configuration;
    assert_eq!(configuration.source_scheduling("SimulatedBody"), Scheduling::Fifo(81));
    assert_eq!(configuration.source_scheduling("SimulatedCamera"), Scheduling::TimeSharing, "it triggers nothing");
    let sharing = read(&cycles.replace("priority = 80", "").replace("priority = 99\npolicy = \"round-robin\"", ""));
    assert_eq!(sharing.configuration.source_scheduling("SimulatedBody"), Scheduling::TimeSharing);
}

#[test]
fn a_log_is_split_by_time_or_by_size() {
    let log = |text: &str| read(&format!("[cycle.main]\nrate = 30.0\n[log]\n{text}")).configuration.log;
    assert_eq!(log("split = \"2 GB\"").split, Some(LogExtent::Size(2_000_000_000)));
    assert_eq!(log("keep = \"10 min\"").keep, Some(LogExtent::Time(Duration::from_secs(600))));
    assert_eq!(log("split = \"2 GB\"\nkeep = \"1 s\"").reserve, 100_000_000);
}

#[test]
fn a_replay_says_which_topic_and_which_fields() {
    let text = "[cycle.main]\nrate = 30.0\n[replay.JointAngles]\ntopic = '/joints'\n[replay.JointAngles.fields]\nangles = 'position'\n\
                'stiffness[2]' = { from = 'percent', scale = 0.01 }\n";
    let mapping = &read(text).configuration.replay.mappings["JointAngles"];
    assert_eq!(mapping.topic, "/joints");
    let field = |from: &str, scale| FieldMapping { from: from.to_owned(), scale, offset: 0.0 };
    let expected = [("angles", field("position", 1.0)), ("stiffness[2]", field("percent", 0.01))];
    assert_eq!(mapping.fields, expected.map(|(name, field)| (name.to_owned(), field)).into());
}

#[test]
fn a_replay_says_what_it_takes_from_the_log() {
    let text = "[cycle.main]\nrate = 30.0\n[replay]\ntake = ['BallPercept']\nJointAngles.topic = '/joints'\n";
    let replay = read(text).configuration.replay;
    assert_eq!((replay.take, replay.mappings.len()), (vec!["BallPercept".to_owned()], 1));
}

#[test]
fn a_structure_keeps_the_defaults_of_what_is_left_out() {
    let walk = read_walk("gait.height = 0.03").configuration.modules["Walk"].clone();
    assert_eq!(walk.parameters["gait"], table(&[("step", Value::Float(0.05)), ("height", Value::Float(0.03))]));
}

#[test]
fn vectors_are_written_as_lists_or_tables() {
    let list = read_walk("offset = [1, 2.5]").configuration;
    let fields = read_walk("offset = { x = 1, y = 2.5 }").configuration;
    assert_eq!(list, fields);
    assert_eq!(list.modules["Walk"].parameters["offset"].get("y"), Some(&Value::Float(2.5)));
}

#[test]
fn variants_are_names_or_tables_of_one_key() {
    let style = |text: &str| read_walk(text).configuration.modules["Walk"].parameters["style"].clone();
    assert_eq!(style("style = \"Calm\""), Value::Text("Calm".into()));
    assert_eq!(style("style.Fast.speed = 0.3"), table(&[("Fast", table(&[("speed", Value::Float(0.3))]))]));
    assert_eq!(style("style.Turn = [1.0]"), table(&[("Turn", table(&[("0", Value::Float(1.0))]))]));
}

#[test]
fn modules_that_run_nowhere_are_a_warning() {
    let loaded = read("[cycle.motion]\nrate = 83.3\nmodules = [\"Walk\"]\n");
    let warnings = loaded.warnings.to_string();
    assert!(
        warnings.starts_with("warning: some modules belong to no cycle and will not run: BallFinder, BallGuesser"),
        "{warnings}"
    );
}

#[test]
fn modules_whose_source_is_switched_off_are_no_mistake() {
    let modules = || {
        [
            Component::new("Walk", "nao::motion").requiring(["Joints"]).providing(["Request"]),
            Component::new("Power", "nao::lola").requiring(["Line"]).providing(["PowerState"]),
            Component::new("Lights", "nao::lola").requiring(["PowerState", "Joints"]),
            Component::new("Spare", "nao::motion").requiring(["Joints"]),
        ]
    };
    let sources = || {
        let body = |name| Component::new(name, "nao").providing(["Joints"]);
        [body("Simulated"), body("Real").providing(["Line"])]
    };
    let warnings = |enabled: &str| {
        let text = format!("[cycle.motion]\ntrigger = \"Simulated\"\nmodules = [\"Walk\"]\n{enabled}");
        parse(&text, "robot.toml", &Catalog::new(modules(), sources())).unwrap().warnings.to_string()
    };
    let off = warnings("[source.Real]\nenabled = false\n");
    assert!(off.starts_with("warning: one module belongs to no cycle and will not run: Spare"), "{off}");
    let on = warnings("");
    assert!(on.starts_with("warning: some modules belong to no cycle and will not run: Power, Lights, Spare"), "{on}");
}

#[test]
fn every_value_knows_its_line() {
    let origins = read(ROBOT).origins;
    for (path, origin) in origins.iter() {
        let line = ROBOT.lines().nth(origin.place.line() - 1).unwrap();
        let key = path.rsplit('.').next().unwrap();
        assert!(line.starts_with(&format!("{key} = {}", origin.place.text())), "{path}: {line}");
    }
    assert_eq!(origins.iter().count(), ROBOT.lines().filter(|line| line.contains(" = ")).count());
    assert!(origins.of("cycle.motion.workers").is_none());
}

#[test]
fn the_documentation_shows_a_configuration_without_a_fault() {
    let example = DOCUMENTATION.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let Loaded { configuration, warnings, .. } = read(example);
    assert!(warnings.is_empty(), "{warnings}");
    assert_eq!(configuration.cycles.len(), 2);
}

#[test]
fn every_key_is_documented() {
    let faults = "[cycle.main]\nrate = 1\nx = 1\n[source.SimulatedBody]\nx = 1\n[output]\nx = 1\n[log]\nx = 1\n\
                  [log.channel.UpperImage]\nx = 1\n[x]\n";
    let error = parse(faults, "robot.toml", &catalog()).unwrap_err().to_string();
    let lists: Vec<_> = error.lines().filter_map(|line| line.split_once("known here: ")).collect();
    assert_eq!(lists.len(), 6, "{error}");
    for key in lists.iter().flat_map(|(_, keys)| keys.split(", ")) {
        let is_documented = ["| `{}`", ", `{}`", "## `[{}]`", "## `[{}."]
            .iter()
            .any(|form| DOCUMENTATION.contains(&form.replace("{}", key)));
        assert!(is_documented, "FORMAT.md does not explain `{key}`");
    }
}
