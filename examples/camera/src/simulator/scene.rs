use std::f64::consts::TAU;

use glam::{DVec2, DVec3, dvec2, dvec3};
use hemiola::Time;

use super::Random;
use crate::geometry::{Direction, FOCAL_LENGTH, HEIGHT, View, WIDTH};

/// The radius of the ball that is looked for, in metres.
pub const BALL_RADIUS: f64 = 0.12;
/// The wall that the camera looks at, in metres from it.
pub const FRONT: f64 = 5.0;
/// The walls to the left and right, in metres from the camera.
pub const WALLS: f64 = 3.5;
/// The orange stripe on the wall in front: from where to where, to the left and up. It has the
/// colour of the ball, and is none.
pub const STRIPE: [DVec2; 2] = [dvec2(0.9, 0.7), dvec2(1.9, 0.8)];
/// The radius of the post, in metres.
pub const POST_RADIUS: f64 = 0.08;
/// The colour of the ball: red, green, blue.
pub const ORANGE: [u8; 3] = [240, 110, 25];

/// A room with a ball that flies about, a post that hides it, and balls of other colours.
#[derive(Clone, Debug)]
pub struct Scene {
    path: [[Swing; 2]; 3],
    /// The place of the post: forward and to the left.
    pub post: DVec2,
}

/// A part of the path along one axis: to and fro.
#[derive(Clone, Copy, Debug)]
struct Swing {
    width: f64,
    /// In radians per second.
    frequency: f64,
    phase: f64,
}

/// The middle of the path of the ball.
const MIDDLE: DVec3 = dvec3(3.1, 0.0, -0.1);

impl Scene {
    /// Creates the scene of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut swings = |width: f64| {
            [(width, 0.5..0.9), (width / 4.0, 1.5..2.2)].map(|(width, frequencies)| Swing {
                width,
                frequency: random.uniform(frequencies),
                phase: random.uniform(0.0..TAU),
            })
        };
        let path = [swings(0.6), swings(1.6), swings(0.5)];
        Self { path, post: dvec2(1.7, random.uniform(-0.3..0.3)) }
    }

    /// Returns where the ball is at a time.
    #[must_use]
    pub fn ball(&self, time: Time) -> DVec3 {
        let swing = |swing: &Swing| swing.width * (swing.frequency * time.seconds() + swing.phase).sin();
        MIDDLE + DVec3::from(self.path.each_ref().map(|[slow, fast]| swing(slow) + swing(fast)))
    }

    /// Returns whether the whole ball is in the image, with the post not before it and without the
    /// stripe on the wall behind it.
    #[must_use]
    pub fn is_clear(&self, ball: DVec3, view: &View) -> bool {
        let Some(pixel) = view.pixel(ball) else { return false };
        // A little more than it covers, because a ball at the border of an image looks longer.
        let radius = 1.3 * FOCAL_LENGTH * BALL_RADIUS / view.depth(ball);
        let size = dvec2(f64::from(WIDTH), f64::from(HEIGHT));
        let is_inside = pixel.min_element() > radius && (size - pixel).min_element() > radius;
        let apart = Direction::of(self.post.extend(0.0)).azimuth - Direction::of(ball).azimuth;
        let is_hidden = apart.abs() < 1.1 * (POST_RADIUS / self.post.length() + BALL_RADIUS / ball.truncate().length());
        is_inside && !is_hidden && !covers_stripe(ball)
    }
}

/// Returns whether some of the stripe is hidden by the ball, or touches it in an image.
fn covers_stripe(ball: DVec3) -> bool {
    let scale = FRONT / ball.x;
    let (center, reach) = (scale * dvec2(ball.y, ball.z), 1.2 * scale * BALL_RADIUS);
    let [low, high] = STRIPE;
    center.distance(center.clamp(low, high)) < reach
}
