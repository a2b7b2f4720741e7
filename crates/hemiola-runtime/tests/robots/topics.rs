//! Modules that notify each other of events through topics.
use std::time::Duration;

use hemiola::bus::{Bus, WhenFull};
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot};

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
}

/// Every third step the foot slips.
#[derive(Representation, Clone, Default)]
struct Slipped {
    step: u64,
}

#[derive(Representation, Clone, Default)]
struct SlipCount {
    slips: u64,
    last: u64,
    /// Runs in which a slip was heard of before the run after it.
    too_early: u64,
}

#[derive(Module)]
struct Walk {}

#[module]
impl Walk {
    #[update]
    fn step(&self, clock: &Clock, slipped: &mut Publisher<Slipped>, step: &mut Step) {
        step.number = clock.run();
        if step.number.is_multiple_of(3) {
            slipped.publish(Slipped { step: step.number });
        }
    }
}

#[derive(Module)]
struct Listener {
    count: SlipCount,
}

#[module]
impl Listener {
    #[update]
    fn slip_count(&mut self, step: &Step, slipped: &Subscription<Slipped>, count: &mut SlipCount) {
        for slip in slipped.iter() {
            assert_eq!(slip.step, 3 * self.count.slips, "in order, and none is missing");
            self.count.slips += 1;
            self.count.last = slip.step;
            self.count.too_early += u64::from(slip.step >= step.number);
        }
        count.clone_from(&self.count);
    }
}

#[derive(Representation, Clone, Default)]
struct Reaction {
    to: u64,
    runs: u64,
}

/// Runs in a cycle of its own, which is only triggered by messages.
#[derive(Module)]
struct Recover {
    runs: u64,
}

#[module]
impl Recover {
    #[update]
    fn reaction(&mut self, slipped: &Subscription<Slipped>, reaction: &mut Reaction) {
        self.runs += 1;
        reaction.runs = self.runs;
        reaction.to = slipped.last().expect("that is why it runs").step;
    }
}

fn robot(workers: usize) -> Robot {
    let mut configuration = Configuration::default();
    let mut cycle = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    cycle.workers = Some(workers);
    cycle.modules = vec!["Walk".into(), "Listener".into()];
    configuration.cycles.push(cycle);
    crate::assemble(module_path!(), configuration).expect("the modules fit together")
}

#[test]
fn what_a_run_publishes_arrives_in_the_next_with_any_number_of_workers() {
    for workers in [1, 2, 3] {
        let mut stepper = robot(workers).into_stepper().expect("a valid robot");
        stepper.run_for(Duration::from_secs(3));
        let count = stepper.with_value(|count: &SlipCount| count.clone()).expect("it is provided");
        let last = stepper.with_value(|step: &Step| step.number).expect("it is provided");
        assert_eq!(count.too_early, 0);
        // Slips 0, 3, ... of all runs except the last one.
        assert_eq!(count.slips, (last - 1) / 3 + 1);
    }
}

#[test]
fn the_outside_hears_what_modules_publish_and_is_heard_by_them() {
    let stepper = robot(1).into_stepper().expect("a valid robot");
    let bus: Bus = stepper.handle().bus().clone();
    let topic = bus.topic::<Slipped>("Slipped").expect("it carries that");
    let mut outside = topic.queue(16, WhenFull::DropOldest);
    let mut stepper = stepper;
    stepper.run_for(Duration::from_millis(95));
    let steps: Vec<u64> = std::iter::from_fn(|| outside.receive().map(|slip| slip.step)).collect();
    assert_eq!(steps, [0, 3, 6, 9]);
}

#[test]
fn a_running_robot_loses_no_event() {
    let running = robot(2).start(Pace::RealTime).expect("a valid robot");
    while running.handle().health().values().any(|cycle| cycle.runs < 30) {
        std::thread::yield_now();
    }
    let handle = running.stop();
    // A violation of the listener's assertion on the order would have made the value stale.
    assert!(handle.messages().iter().all(|message| !message.text.contains("panic")), "{:?}", handle.messages());
    let reports = handle.bus().topics();
    let slipped = reports.iter().find(|report| report.name == "Slipped").expect("both ends are held");
    assert_eq!(slipped.dropped, 0);
}

#[test]
fn a_cycle_that_a_topic_triggers_runs_when_there_are_messages_and_only_then() {
    let mut configuration = Configuration::default();
    for (name, trigger, module) in
        [("motion", Trigger::Rate(100.0), "Walk"), ("reflexes", Trigger::Topic("Slipped".into()), "Recover")]
    {
        let mut cycle = CycleConfiguration::new(name, trigger);
        cycle.modules = vec![module.into()];
        configuration.cycles.push(cycle);
    }
    let mut stepper =
        crate::assemble(module_path!(), configuration.clone()).unwrap().into_stepper().expect("a valid robot");
    stepper.run_for(Duration::from_millis(305));
    let (reaction, step) = (
        stepper.with_value(|reaction: &Reaction| reaction.clone()).expect("it is provided"),
        stepper.with_value(|step: &Step| step.number).expect("it is provided"),
    );
    assert_eq!((reaction.to, reaction.runs), (step - step % 3, step / 3 + 1));

    let running =
        crate::assemble(module_path!(), configuration.clone()).unwrap().start(Pace::RealTime).expect("a valid robot");
    while running.handle().health()["reflexes"].runs < 5 {
        std::thread::yield_now();
    }
    running.stop();

    configuration.cycles[1].trigger = Trigger::Topic("Slpped".into());
    let error = crate::assemble(module_path!(), configuration).expect_err("there is no such topic").to_string();
    assert!(error.contains("`Slpped`") && error.contains("Slipped"), "{error}");
}
