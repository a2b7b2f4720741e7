//! Three jobs of different importance on one thread: balance first, plan when there is time, log
//! when there is nothing else to do.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{Bus, Executor, Priority, RobotClock, WhenFull};

#[derive(Default)]
struct Pose {
    inclination: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let poses = Bus::new().topic::<Pose>("pose")?;
    let mut executor = Executor::new("control", &Arc::new(RobotClock::running(1.0)));

    // A hundred times per second, before everything else.
    let mut publisher = poses.publisher();
    executor.every(Duration::from_millis(10), Priority(30), move |tick| {
        publisher.publish(Pose { inclination: (3.0 * tick.now.seconds()).sin() as f32 });
    })?;

    // For each pose, as soon as nothing more important is ready. What it shares with the others
    // needs no lock.
    executor.subscribe(&poses, Priority(20), 16, WhenFull::DropOldest, |pose: &Pose| {
        assert!(pose.inclination < 0.9, "falling: {}", pose.inclination);
    })?;

    // Four times per second, when there is nothing else to do: the newest pose.
    let mut newest = poses.latest();
    executor.every(Duration::from_millis(250), Priority(10), move |tick| {
        let inclination = newest.get().map_or(0.0, |pose| pose.inclination);
        println!("{}: inclined by {inclination:+.2} rad", tick.now);
    })?;

    let handle = executor.handle();
    executor.once(Duration::from_secs(1), Priority(40), move |_| handle.stop())?;
    executor.run(); // on this thread, until it is stopped; `spawn` gives it one of its own

    for callback in executor.handle().callbacks() {
        let last_panic = callback.last_panic.unwrap_or_default();
        println!("{}: {} calls, {} panics {last_panic}", callback.name, callback.calls, callback.panics);
    }
    Ok(())
}
