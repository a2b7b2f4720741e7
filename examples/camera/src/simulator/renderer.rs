//! Casts a ray through each pixel: what it meets first gives the pixel its colour.

use std::ops::Range;

use glam::{DVec2, DVec3, dvec2, dvec3};

use super::scene::{BALL_RADIUS, FRONT, ORANGE, POST_RADIUS, STRIPE, Scene, WALLS};
use crate::geometry::{FOCAL_LENGTH, HEIGHT, View, WIDTH};

/// The wall behind the camera, the floor and the ceiling, in metres from it.
const BACK: f64 = -1.5;
const FLOOR: f64 = -1.2;
const CEILING: f64 = 1.5;
/// The direction of the light.
const LIGHT: DVec3 = dvec3(-0.55, 0.3, 0.78);

/// Renders an image of the scene with the ball at a place: rows of red, green and blue.
pub fn render(scene: &Scene, ball: DVec3, view: &View, pixels: &mut [u8]) {
    let columns = 0..WIDTH;
    for (row, line) in (0..HEIGHT).zip(pixels.chunks_exact_mut(3 * WIDTH as usize)) {
        for (column, pixel) in columns.clone().zip(line.chunks_exact_mut(3)) {
            pixel.copy_from_slice(&room(view.ray(center(column, row)), ball));
        }
    }
    let ball = Body { shape: Shape::Ball { center: ball, radius: BALL_RADIUS }, color: ORANGE };
    let post = Body { shape: Shape::Post { at: scene.post, radius: POST_RADIUS }, color: [150, 150, 156] };
    // The other balls are always behind it, and the post is before it.
    OTHER_BALLS.iter().chain([&ball, &post]).for_each(|body| paint(body, view, pixels));
}

/// An object in the room, of one colour.
struct Body {
    shape: Shape,
    color: [u8; 3],
}

/// The shape of an object; a post reaches from the floor to the ceiling.
enum Shape {
    Ball { center: DVec3, radius: f64 },
    Post { at: DVec2, radius: f64 },
}

/// A blue ball on the floor on the right, and a green one on the left.
const OTHER_BALLS: [Body; 2] = [
    Body { shape: Shape::Ball { center: dvec3(4.0, -2.6, -1.05), radius: 0.15 }, color: [40, 90, 220] },
    Body { shape: Shape::Ball { center: dvec3(4.3, 2.4, -1.05), radius: 0.15 }, color: [60, 170, 70] },
];

fn center(column: u32, row: u32) -> DVec2 {
    dvec2(f64::from(column) + 0.5, f64::from(row) + 0.5)
}

/// Returns the colour of the walls, the floor or the ceiling where a ray meets them.
fn room(ray: DVec3, ball: DVec3) -> [u8; 3] {
    let to =
        |component: f64, [below, above]: [f64; 2]| (if component > 0.0 { above } else { -below }) / component.abs();
    let (x, y, z) = (to(ray.x, [BACK, FRONT]), to(ray.y, [-WALLS, WALLS]), to(ray.z, [FLOOR, CEILING]));
    let distance = x.min(y).min(z);
    let at = distance * ray;
    let color = if distance < z {
        let is_front = distance >= x && ray.x > 0.0;
        wall(if is_front { Some(at.y) } else { None }, at)
    } else if ray.z > 0.0 {
        [226, 228, 230]
    } else {
        floor(at, ball)
    };
    shaded(color, 1.08 - 0.05 * distance)
}

fn wall(along: Option<f64>, at: DVec3) -> [u8; 3] {
    let is_within = |y: f64, [low, high]: [DVec2; 2]| (low.x..high.x).contains(&y) && (low.y..high.y).contains(&at.z);
    match along {
        Some(y) if is_within(y, STRIPE) => ORANGE,
        Some(y) if is_within(y, PICTURE) => [70, 92, 120],
        _ if at.z < -0.45 => {
            let joint = (2.0 * (at.x + at.y) + 100.0).fract();
            if joint < 0.03 { [92, 106, 112] } else { [126, 142, 148] }
        }
        _ => [196, 202, 196],
    }
}

/// A picture on the wall in front.
const PICTURE: [DVec2; 2] = [dvec2(-2.3, 0.1), dvec2(-1.2, 0.9)];

fn floor(at: DVec3, ball: DVec3) -> [u8; 3] {
    let tile = |place: f64| (2.0 * place + 100.0) as u32;
    let color = if (tile(at.x) + tile(at.y)).is_multiple_of(2) { [158, 156, 160] } else { [104, 106, 114] };
    let is_shadow = at.truncate().distance_squared(ball.truncate()) < BALL_RADIUS * BALL_RADIUS;
    if is_shadow { shaded(color, 0.6) } else { color }
}

fn shaded(color: [u8; 3], brightness: f64) -> [u8; 3] {
    color.map(|channel| (f64::from(channel) * brightness) as u8)
}

/// Paints an object over what is there.
fn paint(body: &Body, view: &View, pixels: &mut [u8]) {
    let (columns, rows) = body.shape.bounds(view);
    for row in rows {
        for column in columns.clone() {
            let Some(normal) = body.shape.hit(view.ray(center(column, row))) else { continue };
            let brightness = 0.45 + 0.6 * normal.dot(LIGHT).max(0.0);
            let pixel = 3 * (row * WIDTH + column) as usize;
            pixels[pixel..pixel + 3].copy_from_slice(&shaded(body.color, brightness));
        }
    }
}

impl Shape {
    /// Returns the columns and rows outside of which it is not seen.
    fn bounds(&self, view: &View) -> (Range<u32>, Range<u32>) {
        let (low, high) = match *self {
            Self::Ball { center, radius } => {
                let Some(pixel) = view.pixel(center) else { return (0..0, 0..0) };
                let reach = 1.5 * FOCAL_LENGTH * radius / view.depth(center) + 1.0;
                (pixel - reach, pixel + reach)
            }
            Self::Post { at, radius } => {
                let beside = 1.2 * radius * at.perp().normalize();
                let corners = [at - beside, at + beside].map(|at| [FLOOR, CEILING].map(|z| view.pixel(at.extend(z))));
                let corners = corners.as_flattened().iter();
                let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
                for corner in corners {
                    let Some(corner) = corner else { return (0..WIDTH, 0..HEIGHT) };
                    (low, high) = (low.min(*corner), high.max(*corner));
                }
                (low, high)
            }
        };
        let range = |low: f64, high: f64, end: u32| low.max(0.0) as u32..(high.ceil().max(0.0) as u32).min(end);
        (range(low.x, high.x, WIDTH), range(low.y, high.y, HEIGHT))
    }

    /// Returns the direction that the surface has where a ray meets it.
    fn hit(&self, ray: DVec3) -> Option<DVec3> {
        match *self {
            Self::Ball { center, radius } => {
                let distance =
                    nearest(ray.length_squared(), ray.dot(center), center.length_squared() - radius * radius)?;
                Some((distance * ray - center) / radius)
            }
            Self::Post { at, radius } => {
                let level = ray.truncate();
                let distance = nearest(level.length_squared(), level.dot(at), at.length_squared() - radius * radius)?;
                Some(((distance * level - at) / radius).extend(0.0))
            }
        }
    }
}

/// Returns the smaller solution of `square * x² - 2 * half * x + rest = 0`.
fn nearest(square: f64, half: f64, rest: f64) -> Option<f64> {
    let discriminant = half * half - square * rest;
    (discriminant >= 0.0 && half > 0.0).then(|| (half - discriminant.sqrt()) / square)
}
