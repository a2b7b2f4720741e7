//! The cart's board, to which its motors and encoders are wired. **It is simulated: replace this
//! file by your driver.**
//!
//! A driver has the same two faces. `Wheels` is what the robot gets: its method reads a sample
//! from the device. Without `rate` it may wait for that, and returns when it was taken.
//! `MotorBoard` is what the robot does: it writes to the device. Nothing else has to change.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use hemiola::prelude::*;

use crate::representations::Encoders;

/// How many ticks an encoder counts while its wheel rolls a metre.
pub const TICKS_PER_METRE: f64 = 5000.0;
/// The distance between the wheels, in metres.
pub const TRACK: f64 = 0.3;

/// The left and the right register in which the simulated board keeps what it was told, in ticks
/// per second.
static WANTED: [AtomicI32; 2] = [const { AtomicI32::new(0) }; 2];

/// What commands the motors.
#[derive(Default)]
pub struct MotorBoard {
    // A driver has the opened port here.
}

impl MotorBoard {
    /// Lets the wheels turn so fast, in ticks per second.
    ///
    /// # Errors
    /// Never here; a driver returns what its port says.
    pub fn set_speeds(&mut self, left: i32, right: i32) -> io::Result<()> {
        WANTED[0].store(left, Ordering::Relaxed);
        WANTED[1].store(right, Ordering::Relaxed);
        Ok(())
    }
}

/// What the encoders count.
#[derive(Source)]
pub struct Wheels {
    left: Wheel,
    right: Wheel,
}

#[source]
impl Wheels {
    #[sample(rate = 100.0)]
    fn encoders(&mut self, clock: &Clock, encoders: &mut Encoders) {
        let seconds = f64::from(clock.step_seconds());
        let [left, right] = [0, 1].map(|side| f64::from(WANTED[side].load(Ordering::Relaxed)));
        encoders.left_ticks = self.left.turn(left, seconds);
        encoders.right_ticks = self.right.turn(right, seconds);
    }
}

/// A wheel and its motor.
#[derive(Default)]
struct Wheel {
    ticks: f64,
    ticks_per_second: f64,
}

impl Wheel {
    /// Turns for so many seconds and returns what the encoder counts then. A motor needs time to
    /// reach its speed.
    fn turn(&mut self, wanted: f64, seconds: f64) -> i64 {
        const TIME_CONSTANT: f64 = 0.05;
        self.ticks_per_second +=
            (wanted - self.ticks_per_second) * (seconds / TIME_CONSTANT).min(1.0);
        self.ticks += self.ticks_per_second * seconds;
        self.ticks as i64
    }
}
