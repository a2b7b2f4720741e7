//! An event loop: several kinds of events from several threads in one order, handled in stages.
//! `cargo run -p hemiola-bus --example event_loop`

use hemiola_bus::{EventLoop, SendError, WaitStrategy};
use hemiola_realtime::{ThreadSettings, spawn};
use std::time::Duration;

#[derive(Debug, Default, PartialEq)]
enum Event {
    #[default]
    Nothing,
    Whistle {
        confidence: f32,
    },
    Fallen,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The 64 events are made now; from then on, they are written in place.
    let mut events = EventLoop::<Event>::new(64);
    let mut behaviour = events.consumer(WaitStrategy::SpinThenPark(Duration::from_micros(20)));
    let mut log = events.consumer_after(&[&behaviour], WaitStrategy::Park); // sees what behaviour is done with
    let mut audio = events.producer();
    let mut motion = audio.clone();

    let reacting = spawn(ThreadSettings::new("behaviour"), move || {
        behaviour.run_until_closed(|event| {
            if *event == Event::Fallen {
                println!("behaviour: stand up");
            }
        });
    })?;
    let logging = spawn(ThreadSettings::new("log"), move || log.run_until_closed(|event| println!("log: {event:?}")))?;

    // Never waits. If the ring is full, this thread chooses to do without.
    match motion.publish(|event| *event = Event::Fallen) {
        Ok(()) | Err(SendError::Full(_)) => (),
        Err(SendError::NoReceiver(_)) => eprintln!("nobody listens"),
    }
    // A thread that may wait for room.
    audio.publish_waiting(|event| *event = Event::Whistle { confidence: 0.9 }, Duration::from_secs(1))?;

    drop((audio, motion)); // consumers end when the last producer is gone, and all events are handled
    reacting.thread.join().expect("behaviour does not panic");
    logging.thread.join().expect("the log does not panic");
    Ok(())
}
