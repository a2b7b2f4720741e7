//! The world, and the sensors and motors in it. **It is simulated: replace this file with your
//! drivers.**
//!
//! Drivers have the same parts. `Base` and `Lidar` are the inputs: a method reads a sample from the
//! device. Without `rate`, the method may wait for the device, and returns the time of the sample.
//! `MotorBoard` is the output. Nothing else has to change.

use std::f64::consts::{PI, TAU};
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use hemiola::prelude::*;

use crate::representations::{Scan, WheelsAndGyro};

/// The distance between the wheels, in metres.
pub const TRACK: f64 = 0.3;
/// The radius of the rover, in metres.
pub const RADIUS: f64 = 0.2;
/// The size of the room, which begins at the origin, in metres.
const ROOM: [f64; 2] = [6.0, 4.0];

/// The registers of the simulated board: the commanded speeds of the left and right wheel, in mm/s.
static WANTED: [AtomicI32; 2] = [const { AtomicI32::new(0) }; 2];

/// The output to the motors.
#[derive(Default)]
pub struct MotorBoard {
    // A driver keeps the open port here.
}

impl MotorBoard {
    /// Sets the speeds of the wheels, in m/s.
    ///
    /// # Errors
    /// Never in simulation; a driver returns the errors of its port.
    pub fn set_speeds(&mut self, left: f64, right: f64) -> io::Result<()> {
        let speeds = WANTED.iter().zip([left, right]);
        speeds.for_each(|(wanted, speed)| wanted.store((speed * 1e3) as i32, Ordering::Relaxed));
        Ok(())
    }
}

#[derive(Parameters)]
struct BaseParameters {
    /// The pose at which the rover starts: x, y, heading.
    #[parameter(default = [0.0; 3])]
    start: [f64; 3],
    /// The posts in the room: x, y, radius.
    #[parameter(default = Vec::new(), unit = "m")]
    posts: Vec<[f64; 3]>,
    /// The bias of the gyroscope: the turn rate that it measures at rest.
    #[parameter(default = 0.02, range = -0.1..=0.1, unit = "rad/s")]
    bias: f64,
}

/// The true state of the world, which only the simulated devices may read.
#[derive(Representation, Clone, Default)]
pub struct World {
    /// The pose of the rover: x, y, heading.
    pub rover: [f64; 3],
    pub posts: Vec<[f64; 3]>,
}

/// The wheels and the gyroscope, which also advance the world.
#[derive(Source)]
struct Base {
    #[parameters]
    parameters: BaseParameters,
    rover: Option<[f64; 3]>,
    speeds: [f64; 2],
}

#[source]
impl Base {
    #[sample(rate = 100.0)]
    fn sample(&mut self, clock: &Clock, measured: &mut WheelsAndGyro, world: &mut World) {
        /// A motor needs time to reach its speed.
        const TIME_CONSTANT: f64 = 0.05;
        let seconds = f64::from(clock.step_seconds()).min(0.1);
        for (speed, wanted) in self.speeds.iter_mut().zip(&WANTED) {
            let wanted = f64::from(wanted.load(Ordering::Relaxed)) / 1e3;
            *speed += (wanted - *speed) * (seconds / TIME_CONSTANT).min(1.0);
        }
        let [left, right] = self.speeds;
        let (forward, turn) = ((left + right) / 2.0 * seconds, (right - left) / TRACK);
        let [x, y, heading] = self.rover.unwrap_or(self.parameters.start);
        let (sin, cos) = (heading + turn * seconds / 2.0).sin_cos();
        let moved = [
            x + forward * cos,
            y + forward * sin,
            heading + turn * seconds,
        ];
        self.rover = Some(moved);
        *measured = WheelsAndGyro {
            left,
            right,
            turn_rate: turn + self.parameters.bias,
        };
        world.rover = moved;
        world.posts.clone_from(&self.parameters.posts);
    }
}

/// A lidar that looks in all directions.
#[derive(Source)]
struct Lidar;

/// The number of the lidar's rays, and their reach in metres.
const RAYS: u32 = 120;
const REACH: f64 = 5.0;

#[source]
impl Lidar {
    #[sample(rate = 10.0)]
    fn scan(&mut self, world: &World, scan: &mut Scan) {
        let [_, _, heading] = world.rover;
        scan.ranges.extend((0..RAYS).map(|ray| {
            let range = world.free(heading - PI + TAU * f64::from(ray) / f64::from(RAYS));
            if range < REACH {
                range as f32
            } else {
                f32::INFINITY
            }
        }));
    }
}

impl World {
    /// Returns the distance to the nearest object in a direction, in metres.
    #[must_use]
    pub fn free(&self, angle: f64) -> f64 {
        let [x, y, _] = self.rover;
        let (sin, cos) = angle.sin_cos();
        let wall = |place: f64, direction: f64, end: f64| match direction {
            0.0 => f64::INFINITY,
            direction => (if direction > 0.0 { end - place } else { -place }) / direction,
        };
        let posts = self.posts.iter().filter_map(|[post_x, post_y, radius]| {
            let (dx, dy) = (post_x - x, post_y - y);
            let (along, beside) = (dx * cos + dy * sin, dy * cos - dx * sin);
            let half = (radius * radius - beside * beside).sqrt();
            (along > 0.0 && half >= 0.0).then_some(along - half)
        });
        posts.fold(wall(x, cos, ROOM[0]).min(wall(y, sin, ROOM[1])), f64::min)
    }
}
