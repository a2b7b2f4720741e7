//! Directions, and how a camera maps them to pixels.

use std::ops::{Add, Mul, Sub};

use glam::{DVec2, DVec3, dvec2, dvec3};
use hemiola::prelude::*;

/// The number of columns of an image.
pub const WIDTH: u32 = 640;
/// The number of rows of an image.
pub const HEIGHT: u32 = 480;
/// The focal length in pixels: an image is 60° wide.
pub const FOCAL_LENGTH: f64 = 554.0;
/// The place of the optical axis in an image.
const CENTER: DVec2 = dvec2(WIDTH as f64 / 2.0, HEIGHT as f64 / 2.0);

/// A direction as seen from the head, or a change of one: to the left and up, in radians.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    pub azimuth: f64,
    pub elevation: f64,
}

impl Direction {
    /// Creates a direction.
    #[must_use]
    pub const fn new(azimuth: f64, elevation: f64) -> Self {
        Self { azimuth, elevation }
    }

    /// Returns the direction of a point.
    #[must_use]
    pub fn of(point: DVec3) -> Self {
        Self::new(point.y.atan2(point.x), point.z.atan2(point.x.hypot(point.y)))
    }

    /// Returns the point at a distance in this direction.
    #[must_use]
    pub fn at(self, distance: f64) -> DVec3 {
        let (sin, cos) = self.azimuth.sin_cos();
        let (up, level) = self.elevation.sin_cos();
        distance * dvec3(level * cos, level * sin, up)
    }

    /// Returns how far apart two directions are, in radians.
    #[must_use]
    pub fn apart(self, other: Self) -> f64 {
        self.at(1.0).angle_between(other.at(1.0))
    }

    /// Returns the direction with both angles changed in the same way.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self::new(change(self.azimuth), change(self.elevation))
    }
}

impl Add for Direction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.azimuth + other.azimuth, self.elevation + other.elevation)
    }
}

impl Sub for Direction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Direction {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self.map(|angle| angle * factor)
    }
}

/// The view of a camera without distortion (a pinhole) that looks in some direction.
#[derive(Clone, Copy, Debug)]
pub struct View {
    forward: DVec3,
    left: DVec3,
    up: DVec3,
}

impl View {
    /// Creates the view of a camera that looks in this direction.
    #[must_use]
    pub fn towards(direction: Direction) -> Self {
        let forward = direction.at(1.0);
        let (sin, cos) = direction.azimuth.sin_cos();
        let left = dvec3(-sin, cos, 0.0);
        Self { forward, left, up: forward.cross(left) }
    }

    /// Returns the ray through a pixel. It advances by one along the optical axis.
    #[must_use]
    pub fn ray(&self, pixel: DVec2) -> DVec3 {
        let offset = (CENTER - pixel) / FOCAL_LENGTH;
        self.forward + offset.x * self.left + offset.y * self.up
    }

    /// Returns how far a point is from the camera along the optical axis.
    #[must_use]
    pub fn depth(&self, point: DVec3) -> f64 {
        self.forward.dot(point)
    }

    /// Returns the pixel at which a point is seen, or would be if the image were larger. Points
    /// behind the camera are not seen.
    #[must_use]
    pub fn pixel(&self, point: DVec3) -> Option<DVec2> {
        let depth = self.depth(point);
        let offset = FOCAL_LENGTH * dvec2(self.left.dot(point), self.up.dot(point)) / depth;
        (depth > 0.05).then(|| CENTER - offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_the_optical_axis_is_in_the_left_half_of_the_image() {
        let view = View::towards(Direction::new(0.4, -0.2));
        let pixel = view.pixel(Direction::new(0.5, -0.2).at(3.0)).unwrap();
        assert!(pixel.x < CENTER.x && (pixel.y - CENTER.y).abs() < 3.0, "{pixel}");
        assert_eq!(view.pixel(Direction::new(0.4, -0.2).at(-1.0)), None);
    }

    #[test]
    fn the_ray_through_the_pixel_of_a_point_leads_to_the_point() {
        for direction in [Direction::new(0.9, 0.3), Direction::new(-0.3, -0.5)] {
            let view = View::towards(direction + Direction::new(0.2, -0.1));
            let pixel = view.pixel(direction.at(2.5)).unwrap();
            assert!(Direction::of(view.ray(pixel)).apart(direction) < 1e-7);
        }
    }
}
