//! Code of users may panic wherever it is called; the robot goes on, says what happened, and ends
//! with an error where that is due.

use std::fmt;
use std::panic::panic_any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, Trigger};
use hemiola_runtime::{Change, Pace, RobotHandle, RuntimeError};

use super::reentering::until;
use super::{configuration, cycle, robot};

/// Runs it until the first cycle has made so many runs.
fn run(configuration: Configuration, runs: u64) -> RobotHandle {
    let name = configuration.cycles[0].name.clone();
    let sources: Vec<&str> = match &configuration.cycles[0].trigger {
        Trigger::Source(_) => vec!["Unreliable"],
        _ => Vec::new(),
    };
    let running = robot(configuration, &sources).start(Pace::RealTime).unwrap();
    while running.handle().health()[&name].runs < runs && !running.handle().is_stopping() {
        std::thread::sleep(Duration::from_millis(2));
    }
    running.stop()
}

fn says(handle: &RobotHandle, parts: &[&str]) -> bool {
    handle.messages().iter().any(|message| parts.iter().all(|part| message.text.contains(part)))
}

macro_rules! representations {
    ($($name:ident),*) => { $(
        #[derive(Representation, Clone, Default)]
        struct $name {
            number: u64,
        }
    )* };
}

representations!(Left, Right, Joined, Shaken, Faulty, Plain, First, Second, Kept, Thrown, Bared);

/// Its default value cannot be made now and then.
#[derive(Clone, Representation)]
#[representation(opaque)]
struct Fragile {
    values: Vec<u64>,
}

static FRAGILE: AtomicU32 = AtomicU32::new(0);

impl Default for Fragile {
    fn default() -> Self {
        let made = FRAGILE.fetch_add(1, Ordering::Relaxed);
        assert!(made < 40 || !made.is_multiple_of(10), "no default this time");
        Self { values: Vec::new() }
    }
}

#[derive(Module)]
struct FillFragile {}

#[module]
impl FillFragile {
    #[update]
    fn fragile(&self, fragile: &mut Fragile) {
        fragile.values.push(1);
    }
}

#[derive(Module)]
struct FillLeft {}

#[module]
impl FillLeft {
    #[update]
    fn left(&self, left: &mut Left) {
        left.number = 1;
        std::thread::sleep(Duration::from_micros(300));
    }
}

#[derive(Module)]
struct FillRight {}

#[module]
impl FillRight {
    #[update]
    fn right(&self, right: &mut Right) {
        right.number = 1;
        std::thread::sleep(Duration::from_micros(300));
    }
}

#[derive(Module)]
struct Join {}

#[module]
impl Join {
    #[update]
    fn joined(&self, left: &Left, right: &Right, fragile: Fresh<Fragile>, joined: &mut Joined) {
        joined.number = left.number + right.number + fragile.values.len() as u64;
    }
}

#[test]
fn a_default_that_panics_is_a_failed_update_on_any_number_of_workers() {
    for workers in [1, 2, 3] {
        // Those that are made when the robot is.
        FRAGILE.store(0, Ordering::Relaxed);
        let mut main = cycle("main", 500.0, &["FillFragile", "FillLeft", "FillRight", "Join"]);
        main.workers = Some(workers);
        let handle = run(configuration(vec![main], &[]), 200);
        assert!(
            says(&handle, &["FillFragile", "no default this time", "keep their last values"]),
            "{:?}",
            handle.messages()
        );
        assert!(handle.fault().is_none(), "{:?}", handle.fault());
        assert!(handle.health()["main"].runs >= 200);
    }
}

/// Its default cannot be made now and then, either.
#[derive(Clone, Representation)]
#[representation(opaque)]
struct Sampled {
    count: u32,
}

static SAMPLED: AtomicU32 = AtomicU32::new(0);

impl Default for Sampled {
    fn default() -> Self {
        let made = SAMPLED.fetch_add(1, Ordering::Relaxed);
        assert!(made < 60 || !made.is_multiple_of(7), "no sample this time");
        Self { count: made }
    }
}

#[derive(Source)]
struct Unreliable {}

#[source]
impl Unreliable {
    #[sample(rate = 500.0)]
    fn sample(&mut self, sampled: &mut Sampled) {
        sampled.count += 1;
    }
}

#[derive(Module)]
struct React {}

#[module]
impl React {
    #[update]
    fn react(&self, sampled: &Sampled, plain: &mut Plain) {
        plain.number = u64::from(sampled.count);
    }
}

#[test]
fn a_source_whose_default_panics_leaves_a_sample_out_and_goes_on() {
    let mut main = cycle("main", 0.0, &["React"]);
    main.trigger = Trigger::Source("Unreliable".into());
    let handle = run(configuration(vec![main], &[]), 150);
    assert!(says(&handle, &["source Unreliable", "no sample this time"]), "{:?}", handle.messages());
    assert!(handle.health()["main"].runs >= 150);
}

/// Panics again when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic_any(Bomb);
        }
    }
}

#[derive(Module)]
struct Shake {}

#[module]
impl Shake {
    #[update]
    fn shaken(&self, scope: &Scope, shaken: &mut Shaken) {
        shaken.number = 1;
        let items = vec![7_u64; 64];
        scope.for_each_index(8, |index| {
            std::hint::black_box(items[index]);
            std::thread::sleep(Duration::from_micros(50));
            panic_any(Bomb);
        });
    }
}

#[derive(Module)]
struct Spread {}

#[module]
impl Spread {
    #[update]
    fn right(&self, scope: &Scope, right: &mut Right) {
        let mut parts = vec![0_u64; 4096];
        scope.for_each_chunk(&mut parts, 64, |index, chunk| chunk.fill(index as u64));
        right.number = parts[4095];
    }
}

#[test]
fn payloads_that_panic_when_they_are_dropped_end_no_scope_early() {
    let mut main = cycle("main", 300.0, &["Shake", "Spread", "FillLeft"]);
    main.workers = Some(3);
    let handle = run(configuration(vec![main], &[]), 150);
    assert!(says(&handle, &["Shake", "panicked"]), "{:?}", handle.messages());
    assert_eq!(handle.with_value(|right: &Right| right.number).unwrap(), 63);
}

#[derive(Module)]
struct Throw {}

#[module]
impl Throw {
    #[update]
    fn thrown(&self, clock: &Clock, thrown: &mut Thrown) {
        thrown.number = clock.run();
        if clock.run() % 2 == 1 {
            panic_any(Bomb);
        }
    }
}

#[test]
fn an_update_may_panic_with_what_panics_again() {
    // More often than there is room for on the way to whoever puts it into words.
    let handle = run(configuration(vec![cycle("main", 5000.0, &["Throw"])], &[]), 1000);
    assert!(says(&handle, &["Throw", "panicked"]), "{:?}", handle.messages());
    assert!(handle.fault().is_none(), "{:?}", handle.fault());
}

struct Unspeakable(usize);

impl fmt::Display for Unspeakable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(["one", "two"][self.0])
    }
}

#[derive(Module)]
struct Mumble {}

#[module]
impl Mumble {
    #[update]
    fn faulty(&self, clock: &Clock, faulty: &mut Faulty) -> Result<(), Unspeakable> {
        faulty.number = clock.run();
        if clock.run() == 20 { Err(Unspeakable(7)) } else { Ok(()) }
    }
}

#[test]
fn an_error_that_cannot_be_displayed_is_a_message() {
    let handle = run(configuration(vec![cycle("main", 500.0, &["Mumble"])], &[]), 100);
    assert!(says(&handle, &["Mumble", "cannot be displayed", "index out of bounds"]), "{:?}", handle.messages());
    assert!(handle.fault().is_none(), "{:?}", handle.fault());
}

#[derive(Module)]
struct Two {}

#[module]
impl Two {
    #[update]
    fn both(&self, first: &mut First, second: &mut Second) {
        (first.number, second.number) = (1, 2);
    }
}

#[test]
fn who_looks_at_a_value_may_look_at_another_also_when_the_robot_has_ended() {
    let running = robot(configuration(vec![cycle("main", 500.0, &["Two"])], &[]), &[]);
    let running = running.start(Pace::RealTime).unwrap();
    while running.handle().health()["main"].runs < 3 {
        std::thread::yield_now();
    }
    let sum = |handle: &RobotHandle| {
        let nested = |first: &First| handle.with_value(|second: &Second| first.number + second.number).ok();
        handle.with_value(nested).ok().flatten()
    };
    // A cycle that the machine holds up may not answer at once.
    until(|| sum(running.handle()) == Some(3));
    assert_eq!(sum(&running.stop()), Some(3));
}

struct Lasting {
    parameters: (),
}

impl Module for Lasting {
    const NAME: &'static str = "Lasting";
    type Parameters = ();

    fn create((): ()) -> Self {
        Self { parameters: () }
    }

    fn parameters_mut(&mut self) -> &mut () {
        &mut self.parameters
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        panic!("it will not go");
    }
}

#[module]
impl Lasting {
    #[update]
    fn kept(&self, kept: &mut Kept) {
        kept.number = 1;
    }
}

#[derive(Module)]
struct Passing {}

#[module]
impl Passing {
    #[update]
    fn kept(&self, kept: &mut Kept) {
        kept.number = 2;
    }
}

fn names_lasting(fault: Option<RuntimeError>) -> bool {
    let text = fault.map(|fault| fault.to_string()).unwrap_or_default();
    ["Lasting", "containment.rs:", "it will not go", "robot.toml"].iter().all(|part| text.contains(part))
}

#[test]
fn a_module_that_cannot_be_dropped_makes_the_run_end_with_an_error_that_names_it() {
    let handle = run(configuration(vec![cycle("main", 500.0, &["Lasting"])], &[]), 3);
    assert!(handle.fault().is_none(), "{:?}", handle.fault());
    handle.end_modules();
    assert!(names_lasting(handle.fault()), "{:?}", handle.fault());
    assert_eq!(handle.with_value(|kept: &Kept| kept.number).unwrap(), 1, "all else is there");
}

#[test]
fn a_module_that_cannot_be_dropped_when_its_provider_is_switched_is_told_and_the_robot_goes_on() {
    let configuration = configuration(vec![cycle("main", 500.0, &["Lasting", "Passing"])], &[("Kept", "Lasting")]);
    let running = robot(configuration, &[]).start(Pace::RealTime).unwrap();
    while running.handle().health()["main"].runs < 3 {
        std::thread::yield_now();
    }
    running.handle().change(Change::provider("Kept", "Passing")).wait().unwrap();
    let runs = running.handle().health()["main"].runs;
    while running.handle().health()["main"].runs < runs + 50 {
        std::thread::yield_now();
    }
    let handle = running.stop();
    assert!(names_lasting(handle.fault()), "{:?}", handle.fault());
    assert!(says(&handle, &["Lasting", "it will not go"]), "{:?}", handle.messages());
    assert_eq!(handle.with_value(|kept: &Kept| kept.number).unwrap(), 2);
}

struct Unmakeable {
    parameters: (),
}

impl Module for Unmakeable {
    const NAME: &'static str = "Unmakeable";
    type Parameters = ();

    fn create((): ()) -> Self {
        panic!("no camera")
    }

    fn parameters_mut(&mut self) -> &mut () {
        &mut self.parameters
    }
}

#[module]
impl Unmakeable {
    #[update]
    fn bared(&self, bared: &mut Bared) {
        bared.number = 1;
    }
}

#[derive(Module)]
struct Makeable {}

#[module]
impl Makeable {
    #[update]
    fn bared(&self, bared: &mut Bared) {
        bared.number = 2;
    }
}

#[test]
fn a_module_that_cannot_be_made_is_an_error_that_names_it() {
    let robot = robot(configuration(vec![cycle("main", 500.0, &["Unmakeable"])], &[]), &[]);
    let error = robot.start(Pace::RealTime).expect_err("it cannot start").to_string();
    assert!(["Unmakeable", "no camera", "robot.toml"].iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn a_switch_to_a_module_that_cannot_be_made_changes_nothing() {
    let cycles = vec![cycle("main", 500.0, &["Unmakeable", "Makeable"])];
    let running = robot(configuration(cycles, &[("Bared", "Makeable")]), &[]).start(Pace::RealTime).unwrap();
    let error = running.handle().change(Change::provider("Bared", "Unmakeable")).wait().unwrap_err().to_string();
    assert!(["Unmakeable", "no camera"].iter().all(|part| error.contains(part)), "{error}");
    let runs = running.handle().health()["main"].runs;
    while running.handle().health()["main"].runs < runs + 10 {
        std::thread::yield_now();
    }
    let handle = running.stop();
    assert_eq!(handle.with_value(|bared: &Bared| bared.number).unwrap(), 2);
    assert!(handle.fault().is_none(), "{:?}", handle.fault());
}
