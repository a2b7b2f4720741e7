//! A value stays as it is while anybody reads it, whatever is switched, overridden or looked at
//! meanwhile.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, Trigger};
use hemiola_runtime::{Change, Pace, RobotHandle, RuntimeError};

use super::{configuration, cycle, robot};

/// One number, many times: whoever reads two different ones reads what is being written.
#[derive(Representation, Clone, Default)]
struct Terrain {
    heights: Vec<u64>,
}

#[derive(Representation, Clone, Default)]
struct Odometry {
    steps: u64,
}

#[derive(Representation, Clone, Default)]
struct Local {
    sum: u64,
}

#[derive(Representation, Clone, Default)]
struct Way {
    length: u64,
}

#[derive(Representation, Clone, Default)]
struct Echo {
    numbers: Vec<u64>,
}

#[derive(Representation, Clone, Default)]
struct Answer {
    number: u64,
}

#[derive(Representation, Clone, Default)]
struct Tick {
    number: u64,
}

/// How often something was read that changed meanwhile.
static TORN: AtomicU32 = AtomicU32::new(0);

/// Reads for some time.
fn read(values: &[u64]) {
    let (begin, first) = (Instant::now(), values.first().copied());
    while begin.elapsed() < Duration::from_millis(3) {
        if values.iter().any(|&value| Some(value) != first) {
            TORN.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[derive(Module)]
struct Sense {
    count: u64,
}

#[module]
impl Sense {
    #[update]
    fn terrain(&mut self, terrain: &mut Terrain) {
        self.count += 1;
        terrain.heights.resize(512, self.count);
    }
}

#[derive(Module)]
struct Smooth {}

#[module]
impl Smooth {
    #[update]
    fn local(&self, terrain: &Terrain, local: &mut Local) {
        local.sum = terrain.heights.iter().sum();
    }
}

#[derive(Module)]
struct Count {}

#[module]
impl Count {
    #[update]
    fn odometry(&self, clock: &Clock, odometry: &mut Odometry) {
        odometry.steps = clock.run();
    }
}

#[derive(Module)]
struct Careful {}

#[module]
impl Careful {
    #[update]
    fn way(&self, terrain: Fresh<Terrain>, odometry: &Odometry, way: &mut Way) {
        assert!(
            !terrain.heights.is_empty() || terrain.is_stale() || odometry.steps == 0,
            "a default is marked as stale"
        );
        read(&terrain.heights);
        way.length = odometry.steps;
    }
}

#[derive(Module)]
struct Bold {}

#[module]
impl Bold {
    #[update]
    fn way(&self, odometry: &Odometry, way: &mut Way) {
        way.length = odometry.steps;
    }
}

#[derive(Module)]
struct Collecting {}

#[module]
impl Collecting {
    #[update]
    fn way(&self, terrains: Samples<Terrain>, last: Previous<Terrain>, way: &mut Way) {
        way.length = terrains.len() as u64;
        terrains.iter().take(2).for_each(|terrain| read(&terrain.heights));
        read(&last.heights);
    }
}

#[derive(Module)]
struct Repeat {}

#[module]
impl Repeat {
    #[update]
    fn echo(&self, terrain: &Terrain, way: &Way, echo: &mut Echo) {
        read(&terrain.heights);
        echo.numbers.resize(512, way.length);
    }
}

#[derive(Module)]
struct Agree {}

#[module]
impl Agree {
    #[update]
    fn answer(&self, echo: &Echo, answer: &mut Answer) {
        read(&echo.numbers);
        answer.number = echo.numbers.len() as u64;
    }
}

#[derive(Module)]
struct Differ {}

#[module]
impl Differ {
    #[update]
    fn answer(&self, answer: &mut Answer) {
        answer.number = 1;
    }
}

/// Closes the ring: the first cycle reads from the last.
#[derive(Module)]
struct Circular {
    count: u64,
}

#[module]
impl Circular {
    #[update]
    fn terrain(&mut self, echo: &Echo, terrain: &mut Terrain) {
        read(&echo.numbers);
        self.count += 1;
        terrain.heights.resize(512, self.count);
    }
}

/// Reads what a cycle provides, and ends after a while.
#[derive(Source)]
struct Simulator {
    count: u64,
}

#[source]
impl Simulator {
    #[sample]
    fn sample(&mut self, terrain: &Terrain, tick: &mut Tick) -> Option<Time> {
        read(&terrain.heights);
        self.count += 1;
        tick.number = self.count;
        (self.count < 100).then(|| Time::from_seconds(self.count as f64 * 0.005))
    }
}

#[derive(Module)]
struct Follow {}

#[module]
impl Follow {
    #[update]
    fn follow(&self, tick: &Tick, terrain: &Terrain, local: &mut Local) {
        read(&terrain.heights);
        local.sum = tick.number;
    }
}

/// Runs it while somebody turns these knobs again and again; nothing may be torn by that.
fn disturb(configuration: Configuration, disturb: impl Fn(&RobotHandle, u32) + Sync) {
    let sources =
        if configuration.cycles.iter().any(|cycle| cycle.name == "follower") { &["Simulator"][..] } else { &[] };
    let running = robot(configuration, sources).start(Pace::RealTime).unwrap();
    let handle = running.handle().clone();
    for turn in 0..40 {
        disturb(&handle, turn);
        std::thread::sleep(Duration::from_millis(15));
    }
    let ended = running.stop();
    assert_eq!(TORN.load(Ordering::Relaxed), 0, "a value changed while it was read");
    assert!(ended.fault().is_none(), "{:?}", ended.fault());
    assert!(ended.messages().iter().all(|message| !message.text.contains("panicked")), "{:?}", ended.messages());
}

/// A change may have to wait for a cycle that the machine holds up; it is made all the same.
fn switch(handle: &RobotHandle, representation: &str, module: &str) {
    _ = handle.change(Change::provider(representation, module)).wait();
}

fn alternately(turn: u32, modules: [&'static str; 2]) -> &'static str {
    modules[turn as usize % 2]
}

const WRITER: [&str; 3] = ["Sense", "Smooth", "Count"];

#[test]
fn a_provider_switch_leaves_what_its_cycle_reads_as_it_is() {
    for order in [false, true] {
        let mut cycles = vec![cycle("reader", 100.0, &["Careful", "Bold"]), cycle("writer", 1000.0, &WRITER)];
        if order {
            cycles.reverse();
        }
        let configuration = configuration(cycles, &[("Way", "Careful")]);
        disturb(configuration, |handle, turn| switch(handle, "Way", alternately(turn, ["Bold", "Careful"])));
    }
}

#[test]
fn a_newly_needed_input_is_its_default_until_it_is_published() {
    let cycles = vec![cycle("reader", 200.0, &["Careful", "Bold"]), cycle("writer", 50.0, &WRITER)];
    // `Careful` says what it may see.
    let configuration = configuration(cycles, &[("Way", "Bold")]);
    disturb(configuration, |handle, turn| switch(handle, "Way", alternately(turn, ["Careful", "Bold"])));
}

#[test]
fn samples_and_snapshots_of_one_value_are_held_apart() {
    let cycles = vec![cycle("reader", 100.0, &["Careful", "Bold", "Collecting"]), cycle("writer", 1000.0, &WRITER)];
    let configuration = configuration(cycles, &[("Way", "Collecting")]);
    let modules = ["Careful", "Collecting", "Bold", "Collecting"];
    disturb(configuration, |handle, turn| switch(handle, "Way", modules[turn as usize % 4]));
}

#[test]
fn three_cycles_in_a_ring_are_switched_one_after_the_other() {
    let cycles = vec![
        cycle("first", 400.0, &["Sense", "Circular", "Count"]),
        cycle("second", 150.0, &["Careful", "Bold", "Collecting"]),
        cycle("third", 100.0, &["Repeat", "Agree", "Differ"]),
    ];
    let providers = [("Terrain", "Sense"), ("Way", "Careful"), ("Answer", "Agree")];
    disturb(configuration(cycles, &providers), |handle, turn| match turn % 3 {
        0 => switch(handle, "Terrain", alternately(turn / 3, ["Circular", "Sense"])),
        1 => switch(handle, "Way", ["Bold", "Collecting", "Careful"][turn as usize / 3 % 3]),
        _ => switch(handle, "Answer", alternately(turn / 3, ["Differ", "Agree"])),
    });
}

#[test]
fn an_override_while_providers_are_switched_shows_whole_values() {
    let cycles = vec![cycle("reader", 100.0, &["Careful", "Bold"]), cycle("writer", 1000.0, &WRITER)];
    let configuration = configuration(cycles, &[("Way", "Careful")]);
    disturb(configuration, |handle, turn| {
        let heights = vec![Value::Integer(i64::from(turn)); 700];
        let value = Value::Table([("heights".into(), Value::List(heights))].into());
        match turn % 4 {
            0 | 2 => _ = handle.change(Change::override_with("Terrain", value.clone())).wait(),
            1 => switch(handle, "Way", alternately(turn / 4, ["Bold", "Careful"])),
            _ => _ = handle.change(Change::release("Terrain")).wait(),
        }
    });
}

#[test]
fn people_look_at_values_while_providers_are_switched() {
    let cycles = vec![cycle("reader", 100.0, &["Careful", "Bold"]), cycle("writer", 1000.0, &WRITER)];
    let configuration = configuration(cycles, &[("Way", "Careful")]);
    disturb(configuration, |handle, turn| {
        switch(handle, "Way", alternately(turn, ["Bold", "Careful"]));
        _ = handle.with_value(|terrain: &Terrain| read(&terrain.heights));
        handle.capture_values();
    });
}

#[test]
fn a_source_that_reads_from_a_cycle_and_a_reader_that_stops_with_it_hold_what_they_saw() {
    let mut follower = cycle("follower", 0.0, &["Follow"]);
    follower.trigger = Trigger::Source("Simulator".into());
    let cycles =
        vec![cycle("writer", 1000.0, &["Sense", "Count"]), follower, cycle("reader", 100.0, &["Careful", "Bold"])];
    let configuration = configuration(cycles, &[("Way", "Careful")]);
    disturb(configuration, |handle, turn| switch(handle, "Way", alternately(turn, ["Bold", "Careful"])));
}

#[test]
fn a_change_of_a_robot_that_has_stopped_waits_for_no_cycle() {
    let cycles = vec![cycle("reader", 100.0, &["Careful", "Bold"]), cycle("writer", 1000.0, &WRITER)];
    let running = robot(configuration(cycles, &[("Way", "Careful")]), &[]).start(Pace::RealTime).unwrap();
    let ended = running.stop();
    let refused = ended.change(Change::provider("Way", "Bold")).wait().unwrap_err();
    assert!(matches!(refused, RuntimeError::CycleHasStopped { .. }), "{refused}");
}
