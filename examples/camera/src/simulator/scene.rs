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
pub const STRIPE: [DVec2; 2] = [dvec2(0.7, 0.5), dvec2(2.3, 0.6)];
/// The radius of the posts, in metres.
pub const POST_RADIUS: f64 = 0.13;
/// The colour of the ball: red, green, blue.
pub const ORANGE: [u8; 3] = [240, 110, 25];

/// A room with a ball that flies about, posts that hide it, and balls of other colours.
#[derive(Clone, Debug)]
pub struct Scene {
    path: [[Swing; 2]; 3],
    /// All but the ball, the farthest first.
    pub bodies: Vec<Body>,
}

/// A part of the path along one axis: to and fro.
#[derive(Clone, Copy, Debug)]
struct Swing {
    width: f64,
    /// In radians per second.
    frequency: f64,
    phase: f64,
}

/// An object in the room, of one colour.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub shape: BodyShape,
    pub color: [u8; 3],
}

/// The shape of an object.
#[derive(Clone, Copy, Debug)]
pub enum BodyShape {
    Ball {
        center: DVec3,
        radius: f64,
    },
    /// A post from the floor to the ceiling.
    Post {
        at: DVec2,
        radius: f64,
    },
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
        let mut post = |range| Body {
            shape: BodyShape::Post { at: dvec2(1.7, random.uniform(range)), radius: POST_RADIUS },
            color: [150, 150, 156],
        };
        let posts = [post(-0.8..-0.4), post(0.4..0.8)];
        let still = |center, color| Body { shape: BodyShape::Ball { center, radius: 0.15 }, color };
        let balls = [still(dvec3(4.0, -2.6, -1.05), [40, 90, 220]), still(dvec3(4.3, 2.4, -1.05), [60, 170, 70])];
        Self { path, bodies: balls.into_iter().chain(posts).collect() }
    }

    /// Returns where the ball is at a time.
    #[must_use]
    pub fn ball(&self, time: Time) -> DVec3 {
        let swing = |swing: &Swing| swing.width * (swing.frequency * time.seconds() + swing.phase).sin();
        MIDDLE + DVec3::from(self.path.each_ref().map(|[slow, fast]| swing(slow) + swing(fast)))
    }

    /// Returns where the posts stand.
    pub fn posts(&self) -> impl Iterator<Item = DVec2> {
        self.bodies.iter().filter_map(|body| match body.shape {
            BodyShape::Post { at, .. } => Some(at),
            BodyShape::Ball { .. } => None,
        })
    }

    /// Returns whether the whole ball is in the image, with no post before it and without the
    /// stripe on the wall behind it.
    #[must_use]
    pub fn is_clear(&self, ball: DVec3, view: &View) -> bool {
        let Some(pixel) = view.pixel(ball) else { return false };
        // A little more than it covers, because a ball at the border of an image looks longer.
        let radius = 1.3 * FOCAL_LENGTH * BALL_RADIUS / view.depth(ball);
        let size = dvec2(f64::from(WIDTH), f64::from(HEIGHT));
        let is_inside = pixel.min_element() > radius && (size - pixel).min_element() > radius;
        let hides = |post: DVec2| {
            let apart = Direction::of(post.extend(0.0)).azimuth - Direction::of(ball).azimuth;
            apart.abs() < 1.1 * (POST_RADIUS / post.length() + BALL_RADIUS / ball.truncate().length())
        };
        is_inside && !self.posts().any(hides) && !covers_stripe(ball)
    }
}

/// Returns whether some of the stripe is hidden by the ball, or touches it in an image.
fn covers_stripe(ball: DVec3) -> bool {
    let scale = FRONT / ball.x;
    let (center, reach) = (scale * dvec2(ball.y, ball.z), 1.2 * scale * BALL_RADIUS);
    let [low, high] = STRIPE;
    center.distance(center.clamp(low, high)) < reach
}
