//! The world, and the sensors and motors in it. **It is simulated: replace this file by your
//! drivers.**
//!
//! A driver has the same faces. `Base` and `Lidar` are what the robot gets: a method reads a
//! sample from the device. Without `rate` it may wait for that, and returns when it was taken.
//! `MotorBoard` is what the robot does. Nothing else has to change.

use std::f64::consts::{PI, TAU};
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use hemiola::prelude::*;

use crate::representations::{Scan, WheelsAndGyro};

/// The distance between the wheels, in metres.
pub const TRACK: f64 = 0.3;
/// How far the rover reaches around its middle, in metres.
pub const RADIUS: f64 = 0.2;
/// The room, from the origin to here.
const ROOM: [f64; 2] = [6.0, 4.0];

/// The left and the right register in which the simulated board keeps what it was told, in mm/s.
static WANTED: [AtomicI32; 2] = [const { AtomicI32::new(0) }; 2];

/// What commands the motors.
#[derive(Default)]
pub struct MotorBoard {
    // A driver has the opened port here.
}

impl MotorBoard {
    /// Lets the wheels roll so fast, in m/s.
    ///
    /// # Errors
    /// Never here; a driver returns what its port says.
    pub fn set_speeds(&mut self, left: f64, right: f64) -> io::Result<()> {
        let speeds = WANTED.iter().zip([left, right]);
        speeds.for_each(|(wanted, speed)| wanted.store((speed * 1e3) as i32, Ordering::Relaxed));
        Ok(())
    }
}

#[derive(Parameters)]
struct BaseParameters {
    /// Where the rover begins: x, y, heading.
    #[parameter(default = [0.0; 3])]
    start: [f64; 3],
    /// Posts in the room: x, y, radius.
    #[parameter(default = Vec::new(), unit = "m")]
    posts: Vec<[f64; 3]>,
    /// How fast the gyroscope believes to turn when it does not.
    #[parameter(default = 0.02, range = -0.1..=0.1, unit = "rad/s")]
    bias: f64,
}

/// Where everything really is: only what is simulated may read it.
#[derive(Representation, Clone, Default)]
pub struct World {
    /// The rover: x, y, heading.
    pub rover: [f64; 3],
    pub posts: Vec<[f64; 3]>,
}

/// Wheels and gyroscope. It moves the world on.
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

/// A lidar that looks into all directions.
#[derive(Source)]
struct Lidar;

/// How many rays the lidar has, and how far they reach, in metres.
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
    /// Returns how far the rover sees in a direction.
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
