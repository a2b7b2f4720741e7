//! Candidates for the ball.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{Contour, LowerContour, UpperContour};
use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::field_boundary::{Boundary, LowerBoundary, UpperBoundary};
use super::green_mask::{GreenArea, LowerGreen, UpperGreen};
use crate::field::BALL_RADIUS;

/// Something in an image that could be a ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    /// The centre in the image.
    pub center: Vec2,
    /// The radius of a ball at this position, in pixels.
    pub radius: f32,
    /// The contrast with the carpet, from 0 to 1: little green inside and much around.
    pub prominence: f32,
}

/// The candidates in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperCandidates {
    /// The most prominent first.
    pub candidates: Vec<Candidate>,
}

/// The candidates in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerCandidates {
    /// The most prominent first.
    pub candidates: Vec<Candidate>,
}

/// Parameters of [`BallCandidates`].
#[derive(Parameters)]
pub struct BallCandidatesParameters {
    /// The minimum prominence of a candidate.
    #[parameter(default = 0.35, range = 0.0..=1.0)]
    pub least_prominence: f32,
    /// The maximum number of candidates per image; the most prominent are kept.
    #[parameter(default = 16, range = 1..=100)]
    pub most: u32,
    /// The minimum radius of a ball in the image, in pixels.
    #[parameter(default = 2.0, range = 1.0..=20.0)]
    pub smallest_radius: f32,
    /// The distance between two positions that are examined, relative to the radius.
    #[parameter(default = 0.4, range = 0.1..=2.0)]
    pub step: f32,
}

/// Finds candidates: at every position the camera's pose determines how large a ball would appear.
/// Positions with little green within that size and much green around it are candidates; of
/// overlapping ones the best remains.
#[derive(Module, Default)]
pub struct BallCandidates {
    #[parameters]
    parameters: BallCandidatesParameters,
}

#[module]
impl BallCandidates {
    #[update]
    fn upper(
        &self,
        camera: &UpperCamera,
        green: &UpperGreen,
        boundary: &UpperBoundary,
        contour: &UpperContour,
        candidates: &mut UpperCandidates,
    ) {
        let places = Places { view: &camera.view, boundary: &boundary.boundary, contour: &contour.contour };
        self.find(&places, &green.green, &mut candidates.candidates);
    }

    #[update]
    fn lower(
        &self,
        camera: &LowerCamera,
        green: &LowerGreen,
        boundary: &LowerBoundary,
        contour: &LowerContour,
        candidates: &mut LowerCandidates,
    ) {
        let places = Places { view: &camera.view, boundary: &boundary.boundary, contour: &contour.contour };
        self.find(&places, &green.green, &mut candidates.candidates);
    }
}

/// The positions in an image at which a ball may lie.
pub(super) struct Places<'a> {
    pub view: &'a CameraView,
    pub boundary: &'a Boundary,
    pub contour: &'a Contour,
}

impl BallCandidates {
    pub(super) fn find(&self, places: &Places<'_>, green: &GreenArea, candidates: &mut Vec<Candidate>) {
        if places.boundary.corners.is_empty() || green.sums.is_empty() {
            return;
        }
        let view = places.view;
        let top = places.boundary.corners.iter().map(|corner| corner.y).fold(f32::MAX, f32::min);
        let mut row = top.max(0.0);
        while row < view.size.y {
            let radius = radius_at(view, Vec2::new(view.center.x, row)).unwrap_or(0.0);
            let step = (self.parameters.step * radius).max(1.0);
            let mut column = 0.0;
            while column < view.size.x && radius >= self.parameters.smallest_radius {
                let center = Vec2::new(column, row);
                let foot = center + Vec2::new(0.0, radius);
                if places.boundary.contains(foot) && row < places.contour.row(column, view.size.y) {
                    let prominence = prominence(green, center, radius);
                    if prominence >= self.parameters.least_prominence {
                        self.add(Candidate { center, radius, prominence }, candidates);
                    }
                }
                column += step;
            }
            row += step;
        }
        candidates.sort_unstable_by(|a, b| b.prominence.total_cmp(&a.prominence));
        candidates.truncate(self.parameters.most as usize);
    }

    /// Keeps the better one of overlapping candidates.
    fn add(&self, candidate: Candidate, candidates: &mut Vec<Candidate>) {
        let overlaps = |other: &Candidate| other.center.distance(candidate.center) < 1.2 * candidate.radius;
        match candidates.iter().rposition(overlaps) {
            Some(index) if candidates[index].prominence < candidate.prominence => candidates[index] = candidate,
            Some(_) => {}
            None => candidates.push(candidate),
        }
    }
}

/// Returns the radius in pixels of a ball on the ground whose centre appears at an image point.
#[must_use]
pub(super) fn radius_at(view: &CameraView, center: Vec2) -> Option<f32> {
    let ground = view.at_height(center, BALL_RADIUS)?;
    let distance = view.pose.translation.distance(ground.extend(BALL_RADIUS));
    let ratio = BALL_RADIUS / distance;
    (ratio < 0.7).then(|| view.focal_length.x * ratio / (1.0 - ratio * ratio).sqrt())
}

/// Returns the prominence: little green inside, much green left, right and above. Below is the
/// shadow.
fn prominence(green: &GreenArea, center: Vec2, radius: f32) -> f32 {
    let core = Vec2::splat(0.65 * radius);
    let (inside, all) = green.count(center - core, center + core);
    if all == 0 || 2 * inside > all {
        return 0.0;
    }
    let inside = 1.0 - inside as f32 / all as f32;
    let (near, far) = (1.25 * radius, (1.9 * radius).max(1.25 * radius + 2.0 * green.step as f32));
    let side =
        |from: f32, to: f32| green.part(center + Vec2::new(from, -0.8 * radius), center + Vec2::new(to, 0.8 * radius));
    let above = green.part(center + Vec2::new(-0.8 * radius, -far), center + Vec2::new(0.8 * radius, -near));
    let mut sides = [side(-far, -near), side(near, far), above];
    sides.sort_by(f32::total_cmp);
    // One side may touch a line or a foot.
    inside * (0.2 * sides[0] + 0.4 * sides[1] + 0.4 * sides[2])
}
