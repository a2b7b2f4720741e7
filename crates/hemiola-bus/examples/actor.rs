//! An actor: text output of a robot, from any thread, by an object that knows no locks. `cargo run
//! -p hemiola-bus --example actor`

use hemiola_bus::{Actor, SendError};
use hemiola_realtime::{ThreadSettings, spawn};
use std::time::Duration;

/// An object that is not thread-safe, and need not be.
#[derive(Default)]
struct Scribe {
    lines: u32,
}

impl Scribe {
    fn say(&mut self, line: &str) {
        self.lines += 1;
        println!("{:3}  {line}", self.lines);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut actor, mut motion) = Actor::new(Scribe::default(), 64);
    let mut cognition = motion.clone(); // a sender of its own: nobody waits for anybody
    let thread = spawn(ThreadSettings::new("scribe"), move || actor.run_until_closed())?;

    // What a real-time thread does: a few stores. If the lane is full, the line comes back, and
    // this thread chooses to do without.
    match motion.send(|scribe| scribe.say("motion: standing up")) {
        Ok(()) | Err(SendError::Full(_)) => (),
        Err(SendError::NoReceiver(_)) => eprintln!("the scribe is gone"),
    }
    cognition.send(|scribe| scribe.say("cognition: I see the ball"))?;

    // A thread that may wait asks, too. By then all that it sent before has been done.
    let lines = cognition.call(|scribe| scribe.lines, Duration::from_secs(1))?;
    println!("{lines} lines so far");

    drop((motion, cognition)); // the actor ends when its last handle is gone
    thread.thread.join().expect("the scribe does not panic");
    Ok(())
}
