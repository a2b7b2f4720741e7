//! Messages to any number of receivers: `cargo run -p hemiola-bus --example topic`

use hemiola_bus::{Bus, BusError, WhenFull};
use std::thread;
use std::time::Duration;

/// A ball that was seen. Messages need a default, for their memory is there before they are.
#[derive(Debug, Default)]
struct Ball {
    x: f32,
    y: f32,
}

fn main() -> Result<(), BusError> {
    let bus = Bus::new();
    let topic = bus.topic::<Ball>("ball")?;

    // Each receiver chooses how to receive: every message, or the newest 16 if it falls behind ...
    let mut every = topic.queue(16, WhenFull::DropOldest);
    let logger = thread::spawn(move || {
        let mut seen = 0;
        while seen < 3 && every.wait(Duration::from_secs(1)) {
            while let Some(ball) = every.receive() {
                println!("number {}: {:?}", ball.sequence(), *ball);
                seen += 1;
            }
        }
    });
    // ... or the newest one, whenever it looks.
    let mut newest = topic.latest();

    let mut publisher = topic.publisher();
    publisher.publish(Ball { x: 1.0, y: 0.0 });
    publisher.publish(Ball { x: 0.9, y: 0.1 });
    let mut ball = publisher.loan(); // in place: nothing is copied, however large it is
    (ball.x, ball.y) = (0.8, 0.2);
    ball.publish();

    logger.join().expect("the logger does not panic");
    println!("newest: {:?}", newest.get());
    println!("{:#?}", bus.topics());
    Ok(())
}
