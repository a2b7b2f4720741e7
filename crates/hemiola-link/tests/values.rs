//! Two robots in one process, one of which reads representations of the other over a link, as from
//! any source.

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{PATIENCE, address_of, connecting, eventually, free_tcp, free_udp, free_unix, listening};
use hemiola::prelude::*;
use hemiola_bus::{Bus, RobotClock};
use hemiola_link::{ClockOffset, LinkHost, LinkStatistics, Links};
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, Keep, LinkAddress, LinkConfiguration, Received, Sent, Subject, Trigger,
};
use hemiola_model::module::registry;
use hemiola_runtime::{Observation, Observer, Pace, Robot, RobotHandle, RunningRobot};

#[derive(Representation, Clone, Default)]
struct Picture {
    number: u32,
    /// When it was taken, in nanoseconds of the clock of its robot.
    taken: i64,
}

#[derive(Representation, Clone, Default)]
struct Ball {
    number: u32,
    x: f64,
    taken: i64,
}

#[derive(Representation, Clone, Default)]
struct Aim {
    /// The number of the ball that was seen.
    number: u32,
    x: f64,
    /// The age of its picture in seconds.
    age: f64,
    /// Whether the robot that saw it is gone.
    stale: bool,
}

#[derive(Source)]
struct Camera {}

#[source]
impl Camera {
    #[sample(rate = 100.0)]
    fn picture(&mut self, clock: &Clock, picture: &mut Picture) {
        *picture = Picture { number: clock.run() as u32 + 1, taken: clock.now().nanoseconds() };
    }
}

/// Finds a ball in each picture, and examines each picture twice.
#[derive(Module)]
struct Finder {}

#[module]
impl Finder {
    #[update]
    fn ball(&self, picture: &Picture, ball: &mut Ball) {
        *ball = Ball { number: picture.number, x: 0.5 * f64::from(picture.number), taken: picture.taken };
    }
}

/// Reads the ball that another robot has found.
#[derive(Module)]
struct Striker {}

#[module]
impl Striker {
    #[update]
    fn aim(&self, ball: Fresh<Ball>, aim: &mut Aim) {
        let (age, stale) = (ball.age().as_secs_f64(), ball.is_stale());
        *aim = Aim { number: ball.number, x: ball.x, age, stale };
    }

    #[update]
    fn kick(&self, _aim: &Aim) {}
}

#[derive(Representation, Clone, Default)]
struct Album {
    numbers: Vec<u32>,
}

/// Collects all balls that another robot has found.
#[derive(Module)]
struct Collector {}

#[module]
impl Collector {
    #[update]
    fn album(&self, balls: Samples<Ball>, album: &mut Album) {
        album.numbers = balls.iter().map(|ball| ball.number).collect();
    }
}

/// A module that would provide the ball itself.
#[derive(Module)]
struct Guesser {}

#[module]
impl Guesser {
    #[update]
    fn ball(&self, ball: &mut Ball) {
        ball.number = 7;
    }
}

fn configuration(module: &str, trigger: Trigger, link: LinkConfiguration) -> Configuration {
    let cycle = CycleConfiguration { modules: vec![module.to_owned()], ..CycleConfiguration::new("main", trigger) };
    Configuration { cycles: vec![cycle], links: vec![link], ..Configuration::default() }
}

/// Returns the robot with the camera, which listens and sends the ball.
fn head(address: LinkAddress) -> Robot {
    let link = LinkConfiguration { send: vec![Sent::representation("Ball")], ..listening(address, &[], &[]) };
    Robot::assemble(configuration("Finder", Trigger::Rate(200.0), link)).unwrap()
}

fn receiving(address: LinkAddress) -> LinkConfiguration {
    let received = Received { place: Some("robot.toml:7:12".into()), ..Received::new(Subject::representation("Ball")) };
    LinkConfiguration { receive: vec![received], ..connecting(address, &[], &[]) }
}

/// Returns the robot without a camera, which connects and receives the ball.
fn legs(address: LinkAddress, trigger: Trigger) -> Robot {
    let configuration = configuration("Striker", trigger, receiving(address));
    Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap()
}

fn by_ball() -> Trigger {
    Trigger::Source("link.there.Ball".to_owned())
}

fn open(name: &str, handle: &RobotHandle, robot: &[LinkConfiguration]) -> Links {
    common::open(robot, &LinkHost::of(name, handle))
}

/// A robot that runs, with its links.
struct Run {
    running: RunningRobot,
    links: Links,
}

impl Run {
    fn start(name: &str, robot: Robot) -> Self {
        let links = robot.configuration().links.clone();
        let running = robot.start(Pace::RealTime).unwrap();
        let links = open(name, running.handle(), &links);
        Self { running, links }
    }

    fn handle(&self) -> &RobotHandle {
        self.running.handle()
    }

    fn link(&self) -> LinkStatistics {
        self.links.statistics().remove(0)
    }

    fn aim(&self) -> Aim {
        self.handle().with_value(|aim: &Aim| aim.clone()).unwrap_or_default()
    }

    fn stop(self) {
        self.running.stop();
    }
}

#[test]
fn a_representation_of_another_robot_is_read_as_from_any_source() {
    let address = free_unix();
    let legs = Run::start("legs", legs(address.clone(), by_ball()));
    let mut seen = legs.handle().observe(Observation::of(["Ball", "Aim"])).unwrap();
    let head = Run::start("head", head(address));
    let first = eventually(|| Some(legs.aim()).filter(|aim| aim.number > 0)).expect("a ball comes");
    let later = eventually(|| Some(legs.aim()).filter(|aim| aim.number > first.number + 5)).expect("more come");
    assert_eq!(later.x, 0.5 * f64::from(later.number));
    // An observer of the robot sees a source whose time stamps increase.
    let owners: Vec<_> = seen.channels().iter().map(|channel| channel.owner.to_string()).collect();
    assert_eq!(owners, ["main", "link.there.Ball"]);
    let (mut last, mut samples) = (None, 0);
    while let Some(value) = seen.next_value() {
        if value.representation() == "Ball" {
            assert!(last <= Some(value.stamp()));
            (last, samples) = (Some(value.stamp()), samples + 1);
        }
    }
    assert!(samples > 5);
    // The output of the robot is as old as the sample at the other robot.
    let chain = || {
        let report = legs.handle().report();
        report.chains.iter().any(|chain| chain.source == "link.there.Ball" && chain.output.contains("Striker.kick"))
    };
    eventually(|| chain().then_some(())).expect("there is a chain");
    drop(seen);
    legs.stop();
    head.stop();
}

#[test]
fn stamps_are_those_of_the_samples_at_the_other_robot_on_the_clock_of_this_one() {
    let address = free_unix();
    let head = Run::start("head", head(address.clone()));
    let legs = Run::start("legs", legs(address, by_ball()));
    let is_good = |clock: &ClockOffset| clock.robot == "head" && clock.error_ns < 1_000_000;
    let clock = || legs.link().clocks.first().cloned().filter(is_good);
    let known = eventually(clock).expect("the clocks are compared");
    let mut seen = legs.handle().observe(Observation::of(["Ball"])).unwrap();
    let (patience, mut count) = (Instant::now() + PATIENCE, 0);
    while count < 20 {
        let Some(value) = seen.next_value() else {
            assert!(Instant::now() < patience, "balls come");
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        let Some(ball) = value.get::<Ball>() else { continue };
        let wrong = value.stamp().nanoseconds() - (ball.taken - known.ahead_ns);
        let is_right = wrong.abs() < 3_000_000;
        // Values that arrived before the clocks were known precisely delay the stamps after them.
        assert!(is_right || count == 0, "{wrong} ns: {known:?}");
        count += i32::from(is_right);
    }
    drop(seen);
    legs.stop();
    head.stop();
}

#[test]
fn values_come_over_tcp_and_over_udp() {
    for free in [free_tcp(), free_udp()] {
        let head = Run::start("head", head(free));
        let legs = Run::start("legs", legs(address_of(&head.link()), by_ball()));
        let aim = eventually(|| Some(legs.aim()).filter(|aim| aim.number > 10)).expect("balls come");
        assert_eq!(aim.x, 0.5 * f64::from(aim.number));
        eventually(|| legs.link().clocks.first().cloned()).expect("the clock is compared");
        assert_eq!((legs.link().received[0].unreadable, legs.link().ignored), (0, 0));
        legs.stop();
        head.stop();
    }
}

#[test]
fn it_is_observed_only_while_somebody_wants_it_and_what_came_last_stays_and_ages() {
    let address = free_unix();
    let head = Run::start("head", head(address.clone()));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(head.link().sent[0].messages, 0);
    let legs = Run::start("legs", legs(address.clone(), Trigger::Rate(500.0)));
    eventually(|| (legs.aim().number > 0).then_some(())).expect("a ball comes");
    eventually(|| (head.link().sent[0].peers == 1).then_some(())).expect("it is wanted");
    head.stop();
    eventually(|| (legs.link().parted == 1).then_some(())).expect("the end is noticed");
    let last = eventually(|| Some(legs.aim()).filter(|aim| aim.age > 0.2)).expect("it ages");
    assert!(last.number > 0);
    let again = Run::start("head", self::head(address));
    eventually(|| (legs.aim().age < 0.2).then_some(())).expect("a younger one comes");
    legs.stop();
    eventually(|| (again.link().sent[0].peers == 0).then_some(())).expect("nobody wants it any more");
    again.stop();
}

/// Waits for an aim that satisfies `is_it`, and counts the balls that become stale meanwhile.
fn next_aim(seen: &mut Observer, stale: &mut u32, what: &str, is_it: impl Fn(&Aim) -> bool) -> Aim {
    let patience = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < patience, "{what}");
        let Some(value) = seen.next_value() else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        *stale += u32::from(value.is_stale());
        assert!(!value.is_stale() || value.stamp() < value.now(), "its sample was taken before it was lost");
        if let Some(aim) = value.get::<Aim>().filter(|aim| is_it(aim)) {
            return aim.clone();
        }
    }
}

#[test]
fn what_came_last_is_stale_while_nobody_brings_it_and_a_cycle_that_waits_for_it_sees_that() {
    for (free, trigger) in [(free_unix(), by_ball()), (free_unix(), Trigger::Rate(500.0)), (free_udp(), by_ball())] {
        let mut head = Run::start("head", head(free));
        let address = address_of(&head.link());
        let legs = Run::start("legs", legs(address.clone(), trigger));
        let mut seen = legs.handle().observe(Observation::of(["Ball", "Aim"])).unwrap();
        let mut stale = 0;
        for parting in 1..=3 {
            next_aim(&mut seen, &mut stale, "a ball comes", |aim| aim.number > 0 && !aim.stale);
            eventually(|| (!legs.link().received[0].is_stale).then_some(())).expect("that is shown");
            head.stop();
            let last = next_aim(&mut seen, &mut stale, "it becomes stale", |aim| aim.stale);
            assert!(last.number > 0 && last.x == 0.5 * f64::from(last.number), "it is the last one");
            let is_noticed = |link: &LinkStatistics| link.parted == parting && link.received[0].is_stale;
            let link = eventually(|| Some(legs.link()).filter(&is_noticed)).expect("the end is noticed");
            assert!(link.to_string().contains(", stale now"), "{link}");
            head = Run::start("head", self::head(address.clone()));
            next_aim(&mut seen, &mut stale, "it is fresh again", |aim| !aim.stale);
        }
        while let Some(value) = seen.next_value() {
            stale += u32::from(value.is_stale());
        }
        assert_eq!(stale, 3, "each time it is told once");
        drop(seen);
        legs.stop();
        head.stop();
    }
}

#[test]
fn a_robot_that_is_stepped_takes_what_has_come_by_then_and_runs_for_it() {
    let address = free_unix();
    let robots = [head(address.clone()), legs(address.clone(), by_ball())];
    let [mut head, mut legs] = robots.map(|robot| robot.into_stepper().unwrap());
    let send = LinkConfiguration { send: vec![Sent::representation("Ball")], ..listening(address.clone(), &[], &[]) };
    let here = open("head", head.handle(), &[send]);
    let there = open("legs", legs.handle(), &[receiving(address)]);
    assert!(legs.step().is_none(), "nothing has come, and nothing else can start a run");
    let is_wanted = || here.statistics()[0].sent[0].peers == 1;
    eventually(|| is_wanted().then_some(())).expect("they meet");
    for number in 1..=20 {
        while head.with_value(|ball: &Ball| ball.number) < Some(number) {
            head.step();
        }
        let patience = Instant::now() + PATIENCE;
        while legs.with_value(|aim: &Aim| aim.number) != Some(number) {
            assert!(Instant::now() < patience, "ball {number} does not come");
            if legs.step().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    drop((here, there));
}

#[test]
fn somebody_who_collects_values_gets_all_of_them_in_order() {
    let address = free_unix();
    let all = Sent { keep: Keep::Last(100), ..Sent::representation("Ball") };
    let send = LinkConfiguration { send: vec![all], ..listening(address.clone(), &[], &[]) };
    let collector = configuration("Collector", Trigger::Rate(10.0), receiving(address.clone()));
    let collector = Robot::assemble_from(collector, registry::modules(), Vec::new()).unwrap();
    let [mut head, mut legs] = [head(address.clone()), collector].map(|robot| robot.into_stepper().unwrap());
    let here = open("head", head.handle(), &[send]);
    let there = open("legs", legs.handle(), &[receiving(address)]);
    eventually(|| (here.statistics()[0].sent[0].peers == 1).then_some(())).expect("they meet");
    let mut found = Vec::new();
    while found.len() < 20 {
        if head.step().is_some_and(|step| !step.cycles.is_empty()) {
            found.push(head.with_value(|ball: &Ball| ball.number).unwrap());
            let is_sent = || here.statistics()[0].sent[0].messages == found.len() as u64;
            eventually(|| is_sent().then_some(())).expect("it is sent");
        }
    }
    let is_there = || there.statistics()[0].received[0].messages == 20;
    eventually(|| is_there().then_some(())).expect("all come");
    let mut collected = Vec::new();
    for _ in 0..20 {
        while legs.step().is_some_and(|step| step.cycles.is_empty()) {}
        collected.extend(legs.with_value(|album: &Album| album.numbers.clone()).unwrap());
    }
    assert_eq!(collected, found);
    assert_eq!(there.statistics()[0].received[0].overtaken, 0);
    drop((here, there));
}

#[test]
fn what_comes_and_is_no_value_is_counted_and_told_and_the_last_one_stays() {
    let legs = self::legs(free_unix(), by_ball()).start(Pace::RealTime).unwrap();
    let inlet = legs.handle().inlet("link.there.Ball").expect("there is such a source");
    inlet.deliver(legs.handle().now(), &hemiola_model::cdr::encode(&5_u32));
    eventually(|| (inlet.unreadable() == 1).then_some(())).expect("it is counted");
    let is_told = |message: String| message.contains("link.there.Ball") && message.contains("is not such a value");
    let told = || legs.handle().messages().iter().any(|message| is_told(message.to_string()));
    eventually(|| told().then_some(())).expect("it is told");
    legs.stop();
}

#[test]
fn who_provides_what_comes_over_a_link_must_be_decided() {
    let assemble = |providers: &[(&str, &str)]| {
        let mut configuration = configuration("Striker", Trigger::Rate(100.0), receiving(free_unix()));
        configuration.cycles[0].modules.push("Guesser".to_owned());
        let names = providers.iter().map(|&(name, provider)| (name.to_owned(), provider.to_owned()));
        configuration.providers = names.collect();
        Robot::assemble_from(configuration, registry::modules(), Vec::new())
    };
    let error = assemble(&[]).expect_err("there are two providers").to_string();
    for part in ["`link.there.Ball` (robot.toml:7:12)", "`Guesser` (", "values.rs:", "`[providers]`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let robot = assemble(&[("Ball", "link.there.Ball")]).unwrap();
    assert!(robot.provider("Ball").is_none() && robot.reads("Ball"));
    let robot = assemble(&[("Ball", "Guesser")]).unwrap();
    assert_eq!(robot.provider("Ball").map(|provider| provider.update).as_deref(), Some("Guesser.ball"));
}

#[test]
fn a_program_without_such_a_representation_receives_nothing() {
    let address = free_unix();
    let head = Run::start("head", head(address.clone()));
    let host = LinkHost::new("nobody", Bus::new(), Arc::new(RobotClock::running(1.0)), |_| {});
    let links = Links::open(&[receiving(address)], host).unwrap();
    eventually(|| (links.statistics()[0].met == 1).then_some(())).expect("they meet");
    let text = links.statistics()[0].to_string();
    assert!(text.contains("received Ball: 0 messages, 0 bytes: this robot has no representation"), "{text}");
    assert_eq!(head.link().sent[0].peers, 0);
    head.stop();
}
