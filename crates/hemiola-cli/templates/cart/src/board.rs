//! The board to which the cart's motors and encoders are wired. **It is simulated: replace this
//! file with your driver.**
//!
//! A driver has the same two parts. `Wheels` is the input: its method reads a sample from the
//! device. Without `rate`, the method may wait for the device, and returns the time of the sample.
//! `MotorBoard` is the output: it writes to the device. Nothing else has to change.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use hemiola::prelude::*;

use crate::representations::Encoders;

/// The number of ticks that an encoder counts while its wheel rolls one metre.
pub const TICKS_PER_METRE: f64 = 5000.0;
/// The distance between the wheels, in metres.
pub const TRACK: f64 = 0.3;

/// The registers of the simulated board: the commanded speeds of the left and the right wheel, in
/// ticks per second.
static WANTED: [AtomicI32; 2] = [const { AtomicI32::new(0) }; 2];

/// The output to the motors.
#[derive(Default)]
pub struct MotorBoard {
    // A driver keeps the open port here.
}

impl MotorBoard {
    /// Sets the speeds of the wheels, in ticks per second.
    ///
    /// # Errors
    /// Never in simulation; a driver returns the errors of its port.
    pub fn set_speeds(&mut self, left: i32, right: i32) -> io::Result<()> {
        WANTED[0].store(left, Ordering::Relaxed);
        WANTED[1].store(right, Ordering::Relaxed);
        Ok(())
    }
}

/// The encoders of both wheels.
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
    /// Turns the wheel for some seconds and returns the count of its encoder. A motor needs time to
    /// reach its speed.
    fn turn(&mut self, wanted: f64, seconds: f64) -> i64 {
        const TIME_CONSTANT: f64 = 0.05;
        self.ticks_per_second +=
            (wanted - self.ticks_per_second) * (seconds / TIME_CONSTANT).min(1.0);
        self.ticks += self.ticks_per_second * seconds;
        self.ticks as i64
    }
}
