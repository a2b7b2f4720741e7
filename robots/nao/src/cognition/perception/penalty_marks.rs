//! Penalty marks: paint that is no line.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::center_circle::{LowerCircle, SeenCircle, UpperCircle};
use super::crossings::ImageLandmark;
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::line_finder::{Lines, LowerLines, UpperLines};
use super::line_spots::{LowerSpots, Spots, UpperSpots};
use super::scan_lines::Seen;
use crate::representations::perception::LandmarkShape;
use crate::representations::sensing::{LowerImage, UpperImage};

/// Marks in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperMarks {
    /// The marks.
    pub marks: Vec<ImageLandmark>,
}

/// Marks in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerMarks {
    /// The marks.
    pub marks: Vec<ImageLandmark>,
}

#[derive(Parameters)]
pub struct PenaltyMarksParameters {
    /// A mark reaches at most so far from its middle.
    #[parameter(default = 0.11, range = 0.02..=0.5, unit = "m")]
    pub radius: f32,
    /// At this distance from its middle there is only carpet.
    #[parameter(default = 0.2, range = 0.05..=1.0, unit = "m")]
    pub clear_radius: f32,
    /// Part of the ring around a mark that must be green.
    #[parameter(default = 0.9, range = 0.0..=1.0)]
    pub least_green: f32,
    /// Fewest spots of a mark.
    #[parameter(default = 3, range = 1..=50)]
    pub fewest_spots: u32,
    /// Farther marks are too small.
    #[parameter(default = 3.5, range = 0.5..=10.0, unit = "m")]
    pub farthest: f32,
}

/// Clusters line spots and keeps those clusters around which everything is green.
#[derive(Module, Default)]
pub struct PenaltyMarks {
    #[parameters]
    parameters: PenaltyMarksParameters,
}

#[module]
impl PenaltyMarks {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        color: &UpperFieldColor,
        contour: &UpperContour,
        spots: &UpperSpots,
        lines: &UpperLines,
        circle: &UpperCircle,
        marks: &mut UpperMarks,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &spots.spots, &lines.lines, &circle.circle, &mut marks.marks);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        spots: &LowerSpots,
        lines: &LowerLines,
        circle: &LowerCircle,
        marks: &mut LowerMarks,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &spots.spots, &lines.lines, &circle.circle, &mut marks.marks);
    }
}

impl PenaltyMarks {
    pub(super) fn find(
        &self,
        seen: &Seen<'_>,
        spots: &Spots,
        lines: &Lines,
        circle: &SeenCircle,
        marks: &mut Vec<ImageLandmark>,
    ) {
        let longest = 3.0 * self.parameters.radius;
        let of_mark = |index: usize| {
            // A mark's own stroke may pass for a short line.
            let line = lines.line_of_spot.get(index).copied().flatten().and_then(|line| lines.lines.get(line as usize));
            line.is_none_or(|line| line.from.distance(line.to) < longest) && !circle.covers(&spots.spots[index])
        };
        for (index, seed) in spots.spots.iter().enumerate() {
            if !of_mark(index) || seed.ground.length() > self.parameters.farthest {
                continue;
            }
            let known = |mark: &ImageLandmark| mark.ground.distance(seed.ground) < 2.0 * self.parameters.clear_radius;
            if marks.iter().any(known) {
                continue;
            }
            let mut center = seed.ground;
            let mut count = 0;
            for _ in 0..2 {
                let mut sum = Vec2::ZERO;
                count = 0;
                for (_, spot) in spots.spots.iter().enumerate().filter(|(index, _)| of_mark(*index)) {
                    if spot.ground.distance(center) <= self.parameters.radius {
                        sum += spot.ground;
                        count += 1;
                    }
                }
                center = if count > 0 { sum / count as f32 } else { center };
            }
            if count < self.parameters.fewest_spots || !self.is_clear(seen, center) {
                continue;
            }
            let Some(image) = seen.view.image_of_ground(center) else { continue };
            let Some((image, ground)) = middle_of_paint(seen, image, self.parameters.radius) else { continue };
            marks.push(ImageLandmark { kind: LandmarkShape::Mark, image, ground });
        }
    }

    /// Whether there is nothing but carpet around.
    fn is_clear(&self, seen: &Seen<'_>, center: Vec2) -> bool {
        const SAMPLES: u32 = 24;
        let green = |index: u32| {
            let out = Vec2::from_angle(index as f32 / SAMPLES as f32 * std::f32::consts::TAU);
            let point = seen.view.image_of_ground(center + out * self.parameters.clear_radius);
            point.and_then(|point| seen.pixel(point)).is_some_and(|color| seen.tone.is_green(color))
        };
        (0..SAMPLES).filter(|index| green(*index)).count() as f32 >= self.parameters.least_green * SAMPLES as f32
    }
}

/// The middle of what is brighter than the carpet around an image point; none when there is too little.
fn middle_of_paint(seen: &Seen<'_>, center: Vec2, radius: f32) -> Option<(Vec2, Vec2)> {
    let reach = (seen.view.ground_scale(center) * radius).max(Vec2::splat(2.0));
    let [from, to] = [center - reach, center + reach].map(|corner| corner.clamp(Vec2::ZERO, seen.view.size - 1.0));
    let (mut sum, mut weights, mut bright) = (Vec2::ZERO, 0.0, 0);
    let level = 1.15 * seen.tone.brightness;
    for row in from.y as u32..=to.y as u32 {
        for column in from.x as u32..=to.x as u32 {
            let weight = (f32::from(seen.image.y(column, row)) - level).max(0.0);
            sum += weight * (Vec2::new(column as f32, row as f32) + 0.5);
            weights += weight;
            bright += u32::from(weight > 0.15 * seen.tone.brightness);
        }
    }
    let image = sum / weights;
    let ground = seen.view.ground(image).filter(|_| bright >= 4)?;
    Some((image, ground))
}
