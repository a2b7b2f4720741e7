//! The centre circle.

use glam::{Mat3, Vec2, Vec3};
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::line_spots::{LowerSpots, Spot, Spots, UpperSpots};
use crate::field::CENTER_CIRCLE_RADIUS;

/// The centre circle, if it is seen.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenCircle {
    /// True if the circle is seen.
    pub seen: bool,
    /// The centre on the ground.
    pub center: Vec2,
    /// The radius, in metres.
    pub radius: f32,
}

impl SeenCircle {
    /// Returns whether a spot lies on the circle and along it.
    #[must_use]
    pub fn covers(&self, spot: &Spot) -> bool {
        self.seen && self.misfit(spot) <= 1.0
    }

    /// Returns the deviation of a spot from the circle and its direction, relative to the
    /// tolerance.
    fn misfit(&self, spot: &Spot) -> f32 {
        let away = spot.ground - self.center;
        let distance = away.length();
        let slant = spot.direction.dot(away).abs() / distance.max(1e-3);
        ((distance - self.radius).abs() / tolerance(spot)).max(slant / largest_slant(spot))
    }
}

/// Returns the sine of the largest angle between a spot's direction and the circle's tangent; far
/// directions are less exact.
fn largest_slant(spot: &Spot) -> f32 {
    (0.2 + 0.05 * spot.ground.length()).min(0.4)
}

/// Returns the distance by which a spot may lie beside the circle: the error of a pixel grows with
/// the square of the distance.
fn tolerance(spot: &Spot) -> f32 {
    0.02 + 0.015 * spot.ground.length_squared()
}

/// The circle in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperCircle {
    /// The circle.
    pub circle: SeenCircle,
}

/// The circle in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerCircle {
    /// The circle.
    pub circle: SeenCircle,
}

/// Parameters of [`CenterCircle`].
#[derive(Parameters)]
pub struct CenterCircleParameters {
    /// The radius of the field's circle.
    #[parameter(default = CENTER_CIRCLE_RADIUS, range = 0.2..=3.0, unit = "m")]
    pub radius: f32,
    /// The share by which the circle may appear larger or smaller.
    #[parameter(default = 0.12, range = 0.0..=0.5)]
    pub radius_tolerance: f32,
    /// The distance beyond which spots do not vote.
    #[parameter(default = 4.5, range = 0.5..=10.0, unit = "m")]
    pub farthest: f32,
    /// The minimum number of spots on the circle.
    #[parameter(default = 24, range = 3..=1000)]
    pub least_spots: u32,
    /// The minimum difference between the covered share of the visible circle and the mean misfit
    /// of the spots relative to the tolerance. Straight lines that touch the circle cover little of
    /// it and fit badly.
    #[parameter(default = 0.2, range = -1.0..=1.0)]
    pub least_evidence: f32,
    /// The minimum share of the circle that spots lie on; only parts in the image count.
    #[parameter(default = 0.22, range = 0.0..=1.0)]
    pub least_cover: f32,
    /// The minimum share of the circle's length inside the image that is covered.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    pub least_visible_cover: f32,
}

/// Finds the circle: every pair of spots votes for the two centres of circles through both, if the
/// circle runs along both (a Hough transform for circles of known radius: Kimme, Ballard, Sklansky:
/// Finding circles by an array of accumulators, 1975; pairs, because far away a spot's position is
/// more exact than its direction). The winner is refined by least squares and must be covered by
/// spots all around, as far as it lies in the image.
#[derive(Module, Default)]
pub struct CenterCircle {
    #[parameters]
    parameters: CenterCircleParameters,
}

#[module]
impl CenterCircle {
    #[update]
    fn upper(&self, camera: &UpperCamera, spots: &UpperSpots, circle: &mut UpperCircle) {
        circle.circle = self.find(&camera.view, &spots.spots);
    }

    #[update]
    fn lower(&self, camera: &LowerCamera, spots: &LowerSpots, circle: &mut LowerCircle) {
        circle.circle = self.find(&camera.view, &spots.spots);
    }
}

impl CenterCircle {
    pub(super) fn with(parameters: CenterCircleParameters) -> Self {
        Self { parameters }
    }

    pub(super) fn find(&self, view: &CameraView, spots: &Spots) -> SeenCircle {
        self.vote(spots).and_then(|center| self.refine(view, spots, center)).unwrap_or_default()
    }

    fn near<'s>(&self, spots: &'s Spots) -> impl Iterator<Item = &'s Spot> {
        let farthest = self.parameters.farthest * self.parameters.farthest;
        spots.spots.iter().filter(move |spot| spot.ground.length_squared() <= farthest)
    }

    /// Returns the centre of the cell that got the most votes together with its neighbours.
    fn vote(&self, spots: &Spots) -> Option<Vec2> {
        // A scattered selection: regular steps would hit the same line in every column.
        let part = (MOST_VOTERS as f32 / spots.spots.len().max(1) as f32).min(1.0);
        let voters = || {
            let scattered = |index: usize| (index as f32 * 0.618_034).fract() < part;
            self.near(spots).enumerate().filter(move |(index, _)| scattered(*index)).map(|(_, spot)| spot)
        };
        let radius = self.parameters.radius;
        let mut votes = [0_u16; CELLS * CELLS];
        for (index, first) in voters().enumerate() {
            for second in voters().skip(index + 1) {
                let chord = second.ground - first.ground;
                let length = chord.length();
                // The direction of short chords is arbitrary.
                if length < 0.4 * radius || length > 1.95 * radius {
                    continue;
                }
                let height = (radius * radius - 0.25 * length * length).sqrt();
                let middle = first.ground + 0.5 * chord;
                for side in [-height, height] {
                    let center = middle + side / length * chord.perp();
                    let is_along =
                        |spot: &Spot| spot.direction.dot(spot.ground - center).abs() <= LARGEST_SLANT_OF_VOTER * radius;
                    if let Some(cell) = cell(center).filter(|_| is_along(first) && is_along(second)) {
                        votes[cell] = votes[cell].saturating_add(1);
                    }
                }
            }
        }
        let around = |cell: usize| -> u32 {
            [cell - CELLS, cell, cell + CELLS]
                .iter()
                .flat_map(|middle| &votes[middle - 1..=middle + 1])
                .map(|count| u32::from(*count))
                .sum()
        };
        let inner = (1..CELLS - 1).flat_map(|row| (1..CELLS - 1).map(move |column| row * CELLS + column));
        let (cell, count) = inner
            .map(|cell| (cell, around(cell)))
            .fold((0, 0), |best, other| if other.1 > best.1 { other } else { best });
        let center = Vec2::new((cell % CELLS) as f32 + 0.5, (cell / CELLS) as f32 + 0.5) * CELL - REACH;
        (count >= self.parameters.least_spots).then_some(center)
    }

    /// Minimises the distances of the spots to the circle by Gauss-Newton, then tests its cover.
    /// The radius may change a little: if the camera's height or pitch is not exact, the circle
    /// does not appear in its true size.
    fn refine(&self, view: &CameraView, spots: &Spots, center: Vec2) -> Option<SeenCircle> {
        let radius = self.parameters.radius;
        let mut circle = SeenCircle { seen: true, center, radius };
        for widening in [3.0, 2.0, 1.5, 1.0, 1.0] {
            let mut matrix = Mat3::from_diagonal(Vec3::new(1e-6, 1e-6, WEIGHT_OF_RADIUS));
            let mut vector = Vec3::Z * WEIGHT_OF_RADIUS * (radius - circle.radius);
            for spot in self.near(spots) {
                let away = spot.ground - circle.center;
                let distance = away.length().max(1e-3);
                let normal = away / distance;
                let error = distance - circle.radius;
                let slant = spot.direction.dot(normal).abs();
                if error.abs() > widening * tolerance(spot) || slant > largest_slant(spot) {
                    continue;
                }
                // The farther, the less exact.
                let weight = 1.0 / (1.0 + spot.ground.length_squared());
                let gradient = normal.extend(1.0);
                matrix += Mat3::from_cols(gradient * gradient.x, gradient * gradient.y, gradient) * weight;
                vector += gradient * error * weight;
            }
            let change = matrix.inverse() * vector;
            circle.center += change.truncate().clamp_length_max(0.3);
            let largest = self.parameters.radius_tolerance * radius;
            circle.radius = (circle.radius + change.z).clamp(radius - largest, radius + largest);
        }
        self.is_covered(view, spots, &circle).then_some(circle)
    }

    fn is_covered(&self, view: &CameraView, spots: &Spots, circle: &SeenCircle) -> bool {
        const SECTORS: usize = 36;
        let mut covered = [false; SECTORS];
        let (mut count, mut misfit) = (0, 0.0);
        for spot in self.near(spots).filter(|spot| circle.covers(spot)) {
            count += 1;
            misfit += circle.misfit(spot);
            let angle = (spot.ground - circle.center).to_angle() / std::f32::consts::TAU;
            covered[(angle.rem_euclid(1.0) * SECTORS as f32) as usize % SECTORS] = true;
        }
        let visible = |sector: usize| {
            let angle = (sector as f32 + 0.5) / SECTORS as f32 * std::f32::consts::TAU;
            let point = circle.center + circle.radius * Vec2::from_angle(angle);
            view.image_of_ground(point).is_some_and(|point| view.contains(point, 4.0))
        };
        let visible = (0..SECTORS).filter(|sector| visible(*sector)).count() as f32;
        let covered = covered.into_iter().filter(|covered| *covered).count() as f32;
        count >= self.parameters.least_spots
            && covered >= self.parameters.least_cover * SECTORS as f32
            && covered >= self.parameters.least_visible_cover * visible
            && (covered / visible).min(1.0) - misfit / count as f32 >= self.parameters.least_evidence
    }
}

/// The weight of the known radius, in near spots.
const WEIGHT_OF_RADIUS: f32 = 1.0;

/// The extent of the accumulator to each side of the robot, in metres.
const REACH: f32 = 6.0;
/// The size of its cells, in metres.
const CELL: f32 = 0.12;
/// The number of cells per side.
const CELLS: usize = 100;
/// The maximum number of spots that vote, which is limited because every pair of them does.
const MOST_VOTERS: usize = 110;
/// The sine of the largest angle between a voter's direction and the circle's tangent.
const LARGEST_SLANT_OF_VOTER: f32 = 0.6;

fn cell(point: Vec2) -> Option<usize> {
    let place = (point + REACH) / CELL;
    let inside = place.cmpge(Vec2::ZERO).all() && place.cmplt(Vec2::splat(CELLS as f32)).all();
    inside.then(|| place.y as usize * CELLS + place.x as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn view() -> CameraView {
        let pose = crate::geometry::Pose3::new(Quat::from_rotation_y(0.4), Vec3::Z * 0.5);
        CameraView::new(pose, 320, 240, Vec2::new(1.0, 0.8))
    }

    fn spot(ground: Vec2, direction: Vec2) -> Spot {
        Spot { ground, direction, ..Spot::default() }
    }

    #[test]
    fn a_ring_of_spots_is_the_circle() {
        let center = Vec2::new(2.0, 0.3);
        let ring = (0..60).map(|index| Vec2::from_angle(index as f32 * 0.1047));
        let spots = Spots { spots: ring.map(|out| spot(center + 0.75 * out, out.perp())).collect() };
        let circle = CenterCircle::default().find(&view(), &spots);
        assert!(circle.seen);
        assert!(circle.center.distance(center) < 0.02, "{}", circle.center);
    }

    #[test]
    fn straight_lines_are_no_circle() {
        let line = (0..60).map(|index| spot(Vec2::new(2.0, -1.5 + 0.05 * index as f32), Vec2::Y));
        let other = (0..60).map(|index| spot(Vec2::new(0.5 + 0.05 * index as f32, 0.0), Vec2::X));
        assert!(!CenterCircle::default().find(&view(), &Spots { spots: line.chain(other).collect() }).seen);
    }
}
