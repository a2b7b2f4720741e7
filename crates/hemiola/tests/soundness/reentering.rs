//! Code of users may look at its robot and change it wherever it is called, also where the robot is
//! at that moment busy with it.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola_model::configuration::FailurePolicy;
use hemiola_runtime::{Change, Observation, Pace, RobotHandle};

use super::{configuration, cycle, robot};

/// How often all of it was done.
static LOOKS: AtomicU32 = AtomicU32::new(0);
static ROBOTS: Mutex<Vec<(&str, RobotHandle)>> = Mutex::new(Vec::new());

/// Looks at the robot of that name in every way, and changes it.
fn look_around(name: &str) {
    let known = ROBOTS.lock().unwrap().iter().find(|(known, _)| *known == name).map(|(_, robot)| robot.clone());
    let Some(robot) = known else { return };
    _ = (robot.messages(), robot.report(), robot.profile(), robot.health(), robot.journal(0));
    drop(robot.observe(Observation::default().with_journal()));
    drop(robot.change(Change::Override {
        representation: "Calm".into(),
        value: Value::Table([("number".to_owned(), Value::Integer(1))].into()),
    }));
    drop(robot.change(Change::Release { representation: "Calm".into() }));
    robot.note("somebody looks around".to_owned());
    LOOKS.fetch_add(1, Ordering::Relaxed);
}

/// Ends the test if that does not end.
pub(super) fn ends(body: impl FnOnce() + Send + 'static) {
    let (sender, ended) = mpsc::channel();
    let runner = thread::spawn(move || {
        body();
        _ = sender.send(());
    });
    match ended.recv_timeout(Duration::from_secs(240)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => runner.join().unwrap(),
    }
}

/// Waits until that holds.
pub(super) fn until(mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it did not come about");
        thread::sleep(Duration::from_millis(2));
    }
}

#[derive(Representation, Clone, Default)]
struct Calm {
    number: u64,
}

#[derive(Module)]
struct Quiet {}

#[module]
impl Quiet {
    #[update]
    fn calm(&self, clock: &Clock, calm: &mut Calm) {
        calm.number = clock.run();
    }
}

struct Nosy;

impl fmt::Display for Nosy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        look_around("failing");
        formatter.write_str("it has looked around")
    }
}

impl Drop for Nosy {
    fn drop(&mut self) {
        look_around("failing");
    }
}

#[derive(Representation, Clone, Default)]
struct Failed {
    number: u64,
}

#[derive(Module)]
struct FailNosily {}

#[module]
impl FailNosily {
    #[update]
    fn failed(&self, clock: &Clock, failed: &mut Failed) -> Result<(), Nosy> {
        failed.number = clock.run();
        if clock.run().is_multiple_of(5) { Err(Nosy) } else { Ok(()) }
    }
}

impl Drop for FailNosily {
    fn drop(&mut self) {
        look_around("failing");
    }
}

#[test]
fn errors_and_modules_that_look_at_their_robot_when_they_are_shown_and_dropped_keep_nobody_waiting() {
    ends(|| {
        let mut configuration = configuration(vec![cycle("main", 200.0, &["FailNosily", "Quiet"])], &[]);
        configuration.modules.entry("FailNosily".into()).or_default().on_failure = FailurePolicy::Restart;
        let running = robot(configuration, &[]).start(Pace::RealTime).unwrap();
        let handle = running.handle().clone();
        ROBOTS.lock().unwrap().push(("failing", handle.clone()));
        until(|| LOOKS.load(Ordering::Relaxed) > 40);
        until(|| handle.messages().iter().any(|message| message.text.contains("it has looked around")));
        let ended = running.stop();
        ended.end_modules();
        assert!(ended.fault().is_none(), "{:?}", ended.fault());
    });
}

struct Curious;

impl Default for Curious {
    fn default() -> Self {
        look_around("made");
        Self
    }
}

#[derive(Representation, Clone, Default)]
struct Made {
    number: u64,
}

#[derive(Module)]
struct MadeNosily {
    #[stateless]
    curious: Curious,
}

#[module]
impl MadeNosily {
    #[update]
    fn made(&self, clock: &Clock, made: &mut Made) {
        _ = &self.curious;
        made.number = clock.run();
    }
}

#[test]
fn a_constructor_that_changes_the_robot_that_is_being_changed_is_refused_and_waits_for_nobody() {
    ends(|| {
        let configuration = configuration(vec![cycle("main", 200.0, &["MadeNosily", "Quiet"])], &[]);
        let running = robot(configuration, &[]).start(Pace::RealTime).unwrap();
        ROBOTS.lock().unwrap().push(("made", running.handle().clone()));
        let restarted = running.handle().change(Change::Restart { module: "MadeNosily".into() }).wait();
        let refused = restarted.unwrap_err().to_string();
        assert!(refused.contains("MadeNosily") && refused.contains("do that on another thread"), "{refused}");
        until(|| running.handle().read("Made").is_ok());
        assert!(running.stop().fault().is_none());
    });
}

thread_local!(static OBSERVES: Cell<bool> = const { Cell::new(false) });
static OBSERVED: OnceLock<RobotHandle> = OnceLock::new();

/// Observes itself whenever a value of it is made.
#[derive(Clone, Representation)]
struct Mirrored {
    number: u64,
}

impl Default for Mirrored {
    fn default() -> Self {
        if let Some(robot) = OBSERVED.get()
            && !OBSERVES.replace(true)
        {
            drop(robot.observe(Observation::of(["Mirrored"])).unwrap());
            OBSERVES.set(false);
        }
        Self { number: 0 }
    }
}

#[derive(Module)]
struct Mirror {}

#[module]
impl Mirror {
    #[update]
    fn mirrored(&self, mirrored: &mut Mirrored) {
        mirrored.number += 1;
    }
}

#[test]
fn a_default_that_observes_its_representation_is_made() {
    ends(|| {
        let configuration = configuration(vec![cycle("main", 200.0, &["Mirror"])], &[]);
        let running = robot(configuration, &[]).start(Pace::RealTime).unwrap();
        _ = OBSERVED.set(running.handle().clone());
        let mut seen = running.handle().observe(Observation::of(["Mirrored"])).unwrap();
        until(|| running.handle().health()["main"].runs > 3);
        until(|| seen.next_value().is_some());
        assert!(running.stop().fault().is_none());
    });
}

#[test]
fn an_error_that_never_ends_saying_what_it_is_does_not_keep_its_robot_from_ending() {
    ends(|| {
        let configuration = configuration(vec![cycle("main", 200.0, &["FailEndlessly", "Quiet"])], &[]);
        let running = robot(configuration, &[]).start(Pace::RealTime).unwrap();
        until(|| running.handle().health()["main"].runs > 30);
        let ended = running.stop();
        let messages = ended.messages();
        assert!(messages.iter().any(|message| message.text.contains("hemiola upkeep")), "{messages:?}");
    });
}

struct Endless;

impl fmt::Display for Endless {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        loop {
            thread::park();
        }
    }
}

#[derive(Representation, Clone, Default)]
struct Hung {
    number: u64,
}

#[derive(Module)]
struct FailEndlessly {}

#[module]
impl FailEndlessly {
    #[update]
    fn hung(&self, hung: &mut Hung) -> Result<(), Endless> {
        hung.number = 1;
        Err(Endless)
    }
}
