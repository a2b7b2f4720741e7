//! Penalty marks: paint that is no line.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::crossings::ImageLandmark;
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::scan_lines::{LowerScans, RunKind, Scans, Seen, UpperScans};
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

/// Parameters of [`PenaltyMarks`].
#[derive(Parameters)]
pub struct PenaltyMarksParameters {
    /// A mark reaches at most so far from its middle.
    #[parameter(default = 0.11, range = 0.02..=0.5, unit = "m")]
    pub radius: f32,
    /// At this distance from its middle there is only carpet.
    #[parameter(default = 0.2, range = 0.05..=1.0, unit = "m")]
    pub clear_radius: f32,
    /// Part of the ring around a mark that must be green.
    #[parameter(default = 0.97, range = 0.0..=1.0)]
    pub least_green: f32,
    /// How much brighter than the carpet around it a mark is, as a factor.
    #[parameter(default = 1.35, range = 1.0..=5.0)]
    pub least_contrast: f32,
    /// Farther marks are too small.
    #[parameter(default = 5.0, range = 0.5..=10.0, unit = "m")]
    pub farthest: f32,
}

/// White runs of the scanned columns that are short enough, with nothing but carpet in a ring around them.
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
        scans: &UpperScans,
        marks: &mut UpperMarks,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &scans.scans, &mut marks.marks);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        scans: &LowerScans,
        marks: &mut LowerMarks,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &scans.scans, &mut marks.marks);
    }
}

impl PenaltyMarks {
    pub(super) fn find(&self, seen: &Seen<'_>, scans: &Scans, marks: &mut Vec<ImageLandmark>) {
        for line in &scans.lines {
            for run in scans.runs(line).iter().filter(|run| run.kind == RunKind::White) {
                let middle = Vec2::new(line.column as f32 + 0.5, 0.5 * (run.from + run.to) as f32);
                let around = seen.view.ground_scale(middle) * 1.2 * self.parameters.clear_radius + 1.5;
                if run.length() as f32 <= 1.2 * around.y && is_amid_carpet(seen, middle, around) {
                    self.look(seen, middle, marks);
                }
            }
        }
    }

    /// Adds the mark at a white image point, if there is one and it is new.
    fn look(&self, seen: &Seen<'_>, seed: Vec2, marks: &mut Vec<ImageLandmark>) {
        // The first look may start at the mark's edge.
        let Some((image, _)) = middle_of_paint(seen, seed, self.parameters.radius) else { return };
        let Some((image, ground)) = middle_of_paint(seen, image, self.parameters.radius) else { return };
        let same = 2.0 * self.parameters.clear_radius;
        let is_new = !marks.iter().any(|mark| mark.ground.distance(ground) < same);
        if is_new && ground.length() <= self.parameters.farthest && self.is_mark(seen, image, ground) {
            marks.push(ImageLandmark { kind: LandmarkShape::Mark, image, ground });
        }
    }

    /// Whether there is nothing but carpet around, and the middle is brighter than that.
    fn is_mark(&self, seen: &Seen<'_>, image: Vec2, ground: Vec2) -> bool {
        const SAMPLES: u32 = 48;
        let Some(inside) = seen.brightness(image) else { return false };
        let brightest = inside / self.parameters.least_contrast;
        let is_carpet = |index: u32| {
            let out = Vec2::from_angle(index as f32 / SAMPLES as f32 * std::f32::consts::TAU);
            let point = seen.view.image_of_ground(ground + out * self.parameters.clear_radius);
            point
                .and_then(|point| seen.pixel(point))
                .is_some_and(|color| seen.tone.is_green(color) && f32::from(color[0]) < brightest)
        };
        (0..SAMPLES).filter(|index| is_carpet(*index)).count() as f32 >= self.parameters.least_green * SAMPLES as f32
    }
}

/// Whether there is carpet on all four sides of an image point: the quickest way to tell a line.
fn is_amid_carpet(seen: &Seen<'_>, middle: Vec2, around: Vec2) -> bool {
    [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y]
        .into_iter()
        .all(|side| seen.pixel(middle + side * around).is_some_and(|color| seen.tone.is_green(color)))
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
