//! The camera, the head that it sits on, and the room around them. **They are simulated: replace
//! this file by your drivers.**
//!
//! A driver has the same faces: `Camera` and `Head` are sources, whose methods read a sample from
//! the device. Without `rate` they may wait for it, and return when it was taken. `Head` also gets
//! what the servos shall do. Nothing else has to change, but that there is no `score` in the world.

mod random;
mod renderer;
mod scene;

pub use random::Random;
pub use renderer::render;
pub use scene::{BALL_RADIUS, FRONT, POST_RADIUS, Scene, WALLS};

use glam::{DVec2, DVec3};
use hemiola::prelude::*;

use crate::geometry::{Direction, HEIGHT, View, WIDTH};
use crate::representations::{CameraImage, HeadAngles, ServoCommand};

/// The true movement of the head, which only the simulated camera on it may know.
#[derive(Representation, Clone, Default)]
pub struct HeadTruth {
    pub time: Time,
    pub direction: Direction,
    /// In radians per second.
    pub rates: Direction,
}

/// A head that pans and tilts: two servos with encoders.
#[derive(Source)]
struct Head {
    direction: Direction,
    rates: Direction,
}

/// The step of the encoders, in radians.
const RESOLUTION: f64 = 0.0005;
/// The time that a servo takes to reach its speed, in seconds.
const TIME_CONSTANT: f64 = 0.03;
/// The farthest that the head pans and tilts to each side.
const REACH: Direction = Direction::new(1.4, 0.7);
/// The time after which servos without a command stand still, in seconds.
const SILENCE: f64 = 0.2;

#[source]
impl Head {
    #[sample(rate = 100.0)]
    fn sample(&mut self, clock: &Clock, command: Fresh<ServoCommand>, angles: &mut HeadAngles, truth: &mut HeadTruth) {
        let seconds = clock.step().as_secs_f64().min(0.1);
        let is_silent = command.is_stale() || command.age().as_secs_f64() > SILENCE;
        let wanted = if is_silent { Direction::default() } else { command.rates };
        self.rates = self.rates + (wanted - self.rates) * (seconds / TIME_CONSTANT).min(1.0);
        let moved = self.direction + self.rates * seconds;
        self.direction.azimuth = moved.azimuth.clamp(-REACH.azimuth, REACH.azimuth);
        self.direction.elevation = moved.elevation.clamp(-REACH.elevation, REACH.elevation);
        angles.direction = self.direction.map(|angle| (angle / RESOLUTION).round() * RESOLUTION);
        *truth = HeadTruth { time: clock.now(), direction: self.direction, rates: self.rates };
    }
}

#[derive(Parameters)]
struct CameraParameters {
    /// The path of the ball, the post and the noise follow from it.
    #[parameter(default = 1)]
    seed: u64,
    /// The standard deviation of the brightness of a pixel, of 255.
    #[parameter(default = 3.0, range = 0.0..=30.0)]
    noise: f64,
}

/// The true place of the ball at the moment of the newest image, which only a simulation knows.
#[derive(Representation, Clone, Default)]
pub struct Truth {
    pub is_there: bool,
    /// The whole ball is in the image, and nothing before or around it is of its colour.
    pub is_clear: bool,
    pub position: DVec3,
    pub direction: Direction,
    /// The place of the post that may hide it.
    pub post: DVec2,
}

/// A colour camera on the head.
#[derive(Source)]
struct Camera {
    #[parameters]
    parameters: CameraParameters,
    scene: Option<Scene>,
    images: u64,
}

#[source]
impl Camera {
    #[sample(rate = 30.0)]
    fn sample(&mut self, clock: &Clock, head: &HeadTruth, image: &mut CameraImage, truth: &mut Truth) {
        let CameraParameters { seed, noise } = self.parameters;
        let scene = self.scene.get_or_insert_with(|| Scene::new(seed));
        self.images += 1;
        let ball = scene.ball(clock.now());
        // The head has gone on since its last sample.
        let since = clock.now().since(head.time).as_secs_f64().min(0.05);
        let view = View::towards(head.direction + head.rates * since);

        let image = &mut image.image;
        image.header.stamp = clock.now();
        image.header.frame_id.push_str("camera");
        (image.width, image.height, image.step) = (WIDTH, HEIGHT, 3 * WIDTH);
        image.encoding.push_str("rgb8");
        let mut random = Random::for_image(seed, self.images);
        image.data.overwrite(image.step as usize * HEIGHT as usize, |pixels| {
            render(scene, ball, &view, pixels);
            random.add_noise(noise, pixels);
        });

        (truth.is_there, truth.is_clear) = (true, scene.is_clear(ball, &view));
        (truth.position, truth.direction) = (ball, Direction::of(ball));
        truth.post = scene.post;
    }
}

#[cfg(test)]
mod tests;
