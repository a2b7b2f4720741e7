//! The body and the world around it. **They are simulated: replace this file with your drivers.**
//!
//! Drivers have the same parts. `Body` and `Camera` are the inputs: a method reads a sample from
//! the device. Without `rate`, the method may wait for the device, and returns the time of the
//! sample. `JointBoard` is the output. Nothing else has to change.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use hemiola::prelude::*;

use crate::representations::{BodySensors, Image};

/// The height of the body's centre of mass, in metres.
pub const HEIGHT: f64 = 0.3;
/// The length of the foot in front of the ankle and behind it, in metres.
pub const FOOT: f64 = 0.08;
/// The acceleration due to gravity, in m/s².
pub const GRAVITY: f64 = 9.81;
/// Half of the camera's field of view, in radians.
pub const HALF_VIEW: f64 = 0.5;

/// The registers of the simulated board: the point at which the foot presses in μm, the angle of
/// the head in μrad, and 1 while the humanoid sits.
static PRESSURE: AtomicI32 = AtomicI32::new(0);
static HEAD: AtomicI32 = AtomicI32::new(0);
static SITS: AtomicI32 = AtomicI32::new(0);

/// The output to the joints.
#[derive(Default)]
pub struct JointBoard {
    // A driver keeps the open port here.
}

impl JointBoard {
    /// Sets the point at which the foot presses, in metres in front of the ankle, and the angle of
    /// the head.
    ///
    /// # Errors
    /// Never in simulation; a driver returns the errors of its port.
    pub fn set(&mut self, pressure: f64, head: f64) -> io::Result<()> {
        PRESSURE.store((pressure * 1e6) as i32, Ordering::Relaxed);
        HEAD.store((head * 1e6) as i32, Ordering::Relaxed);
        SITS.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Makes the humanoid sit down, so that it cannot fall.
    ///
    /// # Errors
    /// Never in simulation.
    pub fn sit(&mut self) -> io::Result<()> {
        SITS.store(1, Ordering::Relaxed);
        Ok(())
    }
}

#[derive(Parameters)]
struct BodyParameters {
    /// The velocity that a push every two seconds gives to the humanoid.
    #[parameter(default = 0.2, range = 0.0..=1.0, unit = "m/s")]
    push: f64,
}

/// A body over its ankles, which is pushed: a linear inverted pendulum (Kajita, Tani 1991).
#[derive(Source)]
struct Body {
    #[parameters]
    parameters: BodyParameters,
    pendulum: Pendulum,
    head: f64,
    samples: u64,
}

/// The centre of mass of the body.
#[derive(Clone, Copy, Default)]
pub struct Pendulum {
    /// The distance in front of the ankle, in metres.
    pub position: f64,
    /// The velocity in m/s, forwards.
    pub velocity: f64,
}

#[source]
impl Body {
    #[sample(rate = 83.0)]
    fn sample(&mut self, clock: &Clock, sensors: &mut BodySensors) {
        const STEPS: u32 = 10;
        let seconds = f64::from(clock.step_seconds()).min(0.1);
        let pressure = f64::from(PRESSURE.load(Ordering::Relaxed)) / 1e6;
        self.samples += 1;
        if self.samples.is_multiple_of(166) {
            // From behind and from the front in turn.
            let sign = if self.samples.is_multiple_of(332) {
                -1.0
            } else {
                1.0
            };
            self.pendulum.velocity += sign * self.parameters.push;
        }
        for _ in 0..STEPS {
            self.pendulum.step(pressure, seconds / f64::from(STEPS));
        }
        if SITS.load(Ordering::Relaxed) == 1 {
            self.pendulum = Pendulum::default();
        }
        self.head = f64::from(HEAD.load(Ordering::Relaxed)) / 1e6;
        *sensors = BodySensors {
            lean: (self.pendulum.position / HEIGHT).atan(),
            lean_rate: self.pendulum.velocity / HEIGHT,
            head: self.head,
        };
    }
}

impl Pendulum {
    /// Moves on for some seconds while the foot presses on the ground at a point.
    pub fn step(&mut self, pressure: f64, seconds: f64) {
        let pressure = pressure.clamp(-FOOT, FOOT);
        self.velocity += GRAVITY / HEIGHT * (self.position - pressure) * seconds;
        self.position += self.velocity * seconds;
        if self.position.abs() > HEIGHT {
            *self = Self {
                position: HEIGHT.copysign(self.position),
                velocity: 0.0,
            }; // it has fallen
        }
    }
}

/// A camera in the head, and a ball that rolls to and fro in front of it.
#[derive(Source)]
struct Camera {
    seconds: f64,
}

const WIDTH: usize = 80;
const ROWS: usize = 20;

#[source]
impl Camera {
    #[sample(rate = 30.0)]
    fn image(&mut self, clock: &Clock, body: Fresh<BodySensors>, image: &mut Image) {
        const BALL: f64 = 0.05; // its radius, in radians
        self.seconds += f64::from(clock.step_seconds());
        let ball = ball_at(self.seconds);
        image.width = WIDTH;
        image.head = body.head;
        image.pixels.extend((0..WIDTH * ROWS).map(|pixel| {
            let (column, row) = (pixel % WIDTH, pixel / WIDTH);
            let angle = body.head + HALF_VIEW * (1.0 - 2.0 * (column as f64 + 0.5) / WIDTH as f64);
            let height = HALF_VIEW * 2.0 / WIDTH as f64 * (row as f64 + 0.5 - ROWS as f64 / 2.0);
            let is_ball = (angle - ball).hypot(height) < BALL;
            // The grass is dark and uneven.
            if is_ball {
                230
            } else {
                40 + (pixel * 7 % 23) as u8
            }
        }));
    }
}

/// Returns the direction of the ball from the body at a time.
#[must_use]
pub fn ball_at(seconds: f64) -> f64 {
    (seconds * 0.7).sin()
}
