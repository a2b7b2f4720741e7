//! Detection of penalty marks: paint that is not part of a line.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::crossings::ImageLandmark;
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::scan_lines::{LowerScans, RunKind, Scans, Seen, UpperScans};
use crate::field::{LINE_WIDTH, MARK_SIZE};
use crate::representations::perception::LandmarkShape;
use crate::representations::sensing::{LowerImage, UpperImage};

/// The marks in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperMarks {
    /// The marks.
    pub marks: Vec<ImageLandmark>,
}

/// The marks in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerMarks {
    /// The marks.
    pub marks: Vec<ImageLandmark>,
}

/// Parameters of [`PenaltyMarks`].
#[derive(Parameters)]
pub struct PenaltyMarksParameters {
    /// The maximum radius of a mark.
    #[parameter(default = 0.11, range = 0.02..=0.5, unit = "m")]
    pub radius: f32,
    /// The distance from its centre at which there is only carpet.
    #[parameter(default = 0.2, range = 0.05..=1.0, unit = "m")]
    pub clear_radius: f32,
    /// The minimum share of green in the visible part of the ring around a mark.
    #[parameter(default = 0.97, range = 0.0..=1.0)]
    pub least_green: f32,
    /// The minimum share of the ring around a mark that is visible. The robot's own modules decide
    /// as when its first logs were recorded; half of it is enough.
    #[parameter(default = 0.97, range = 0.0..=1.0)]
    pub least_visible: f32,
    /// The minimum paint of a mark, relative to that in the rule book.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    pub least_paint: f32,
    /// The maximum paint of a mark, relative to that in the rule book: real fields have larger
    /// ones.
    #[parameter(default = 2.5, range = 1.0..=10.0)]
    pub most_paint: f32,
    /// The maximum standard deviation of the paint in any direction. Longer objects are seams of
    /// the carpet, cables or lines.
    #[parameter(default = 0.055, range = 0.01..=0.2, unit = "m")]
    pub widest_spread: f32,
    /// The minimum brightness of a mark, as a multiple of the carpet around it.
    #[parameter(default = 1.35, range = 1.0..=5.0)]
    pub least_contrast: f32,
    /// The distance beyond which marks are too small.
    #[parameter(default = 5.0, range = 0.5..=10.0, unit = "m")]
    pub farthest: f32,
}

/// Finds marks among the white runs of the scanned columns: those that are short enough, with only
/// carpet in a ring around them and as much paint inside as a mark has.
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
    pub(super) fn with(parameters: PenaltyMarksParameters) -> Self {
        Self { parameters }
    }

    pub(super) fn find(&self, seen: &Seen<'_>, scans: &Scans, marks: &mut Vec<ImageLandmark>) {
        for line in &scans.lines {
            for run in scans.runs(line).iter().filter(|run| run.kind == RunKind::White) {
                let middle = Vec2::new(line.column as f32 + 0.5, 0.5 * (run.from + run.to) as f32);
                let around = seen.view.ground_scale(middle) * 1.2 * self.parameters.clear_radius + 1.5;
                if run.length() as f32 <= 1.2 * around.y && self.is_amid_carpet(seen, middle, around) {
                    self.look(seen, middle, marks);
                }
            }
        }
    }

    /// Returns whether there is carpet on all four sides of an image point, which excludes lines
    /// quickly.
    fn is_amid_carpet(&self, seen: &Seen<'_>, middle: Vec2, around: Vec2) -> bool {
        let (mut visible, mut green) = (0, 0);
        for side in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
            let Some(color) = seen.pixel(middle + side * around) else { continue };
            visible += 1;
            green += u32::from(seen.tone.is_green(color));
        }
        green == visible && visible as f32 >= self.parameters.least_visible * 4.0
    }

    /// Adds the mark at a white image point, if there is one and it is new.
    fn look(&self, seen: &Seen<'_>, seed: Vec2, marks: &mut Vec<ImageLandmark>) {
        // The search may start at the mark's edge.
        let Some((image, _)) = middle_of_paint(seen, seed, self.parameters.radius) else { return };
        let Some((image, ground)) = middle_of_paint(seen, image, self.parameters.radius) else { return };
        let same = 2.0 * self.parameters.clear_radius;
        let is_new = !marks.iter().any(|mark| mark.ground.distance(ground) < same);
        if is_new && ground.length() <= self.parameters.farthest && self.is_mark(seen, image, ground) {
            marks.push(ImageLandmark { kind: LandmarkShape::Mark, image, ground });
        }
    }

    /// Returns whether there is only carpet around a point, the middle is brighter than that, and
    /// there is as much paint as a mark has.
    fn is_mark(&self, seen: &Seen<'_>, image: Vec2, ground: Vec2) -> bool {
        const SAMPLES: u32 = 48;
        let Some(inside) = seen.brightness(image) else { return false };
        let brightest = inside / self.parameters.least_contrast;
        let (mut visible, mut green, mut carpet) = (0, 0, 0.0);
        for index in 0..SAMPLES {
            let out = Vec2::from_angle(index as f32 / SAMPLES as f32 * std::f32::consts::TAU);
            let point = seen.view.image_of_ground(ground + out * self.parameters.clear_radius);
            let Some(color) = point.and_then(|point| seen.pixel(point)) else { continue };
            visible += 1;
            carpet += f32::from(color[0]);
            green += u32::from(seen.tone.is_green(color) && f32::from(color[0]) < brightest);
        }
        visible as f32 >= self.parameters.least_visible * SAMPLES as f32
            && green as f32 >= self.parameters.least_green * visible as f32
            && self.is_as_large_as_a_mark(seen, image, carpet / visible as f32, inside)
    }

    /// Returns whether the paint around an image point covers as much ground as that of a mark, in
    /// all directions alike. Blur moves light from a pixel to its neighbours but preserves the sum,
    /// which so measures paint even where it is thinner than a pixel.
    fn is_as_large_as_a_mark(&self, seen: &Seen<'_>, center: Vec2, carpet: f32, paint: f32) -> bool {
        const AREA: f32 = LINE_WIDTH * (2.0 * MARK_SIZE - LINE_WIDTH);
        let scale = seen.view.ground_scale(center);
        let body = (scale * self.parameters.radius).max(Vec2::splat(2.0));
        // A partly visible mark may be the end of a line.
        if ![center - body, center + body].iter().all(|corner| seen.view.contains(*corner, 0.0)) {
            return false;
        }
        let reach = (scale * self.parameters.clear_radius).max(Vec2::splat(3.0));
        let [from, to] = [center - reach, center + reach].map(|corner| corner.clamp(Vec2::ZERO, seen.view.size - 1.0));
        let (mut weights, mut sum, mut squares) = (0.0, Vec2::ZERO, Vec2::ZERO);
        for row in from.y as u32..=to.y as u32 {
            for column in from.x as u32..=to.x as u32 {
                let part = (f32::from(seen.image.y(column, row)) - carpet) / (paint - carpet).max(1.0);
                // The brightness of the carpet varies.
                if part > 0.15 {
                    let (part, offset) = (part.min(1.0), Vec2::new(column as f32, row as f32) + 0.5 - center);
                    weights += part;
                    sum += part * offset;
                    squares += part * offset * offset;
                }
            }
        }
        let area = weights / scale.element_product();
        let spread = (squares / weights - (sum / weights).powf(2.0)).max(Vec2::ZERO);
        // Pixels and lens blur smaller objects.
        let largest = Vec2::splat(1.0) + (self.parameters.widest_spread * scale).powf(2.0);
        area >= self.parameters.least_paint * AREA
            && area <= self.parameters.most_paint * AREA
            && spread.cmple(largest).all()
    }
}

/// Returns the centre of what is brighter than the carpet around an image point; none if there is
/// too little.
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

#[cfg(test)]
mod tests {
    use super::super::body_contour::Contour;
    use super::super::camera_matrix::CameraView;
    use super::super::field_color::GreenTone;
    use super::*;
    use crate::geometry::Pose3;
    use crate::representations::sensing::Image;

    /// Returns whether a mark is found at a place where the ground is painted according to
    /// `is_paint`, relative to it.
    fn is_mark(is_paint: impl Fn(Vec2) -> bool) -> bool {
        let pose = Pose3::new(glam::Quat::from_rotation_y(0.35), glam::Vec3::Z * 0.5);
        let view = CameraView::new(pose, 320, 240, Vec2::new(1.0, 0.8));
        let place = Vec2::new(1.4, 0.1);
        let pixels = (0..240).flat_map(|row| (0..320).map(move |column| Vec2::new(column as f32, row as f32) + 0.5));
        let colors = pixels.map(|point| {
            let painted = view.ground(point).is_some_and(|ground| is_paint(ground - place));
            if painted { [220_u8, 225, 220] } else { [40, 110, 60] }
        });
        let image = Image::from_rgb(320, 240, &colors.flatten().collect::<Vec<_>>());
        let (tone, contour) = (GreenTone::default(), Contour::default());
        let seen = Seen { image: &image, view: &view, tone: &tone, contour: &contour };
        PenaltyMarks::default().is_mark(&seen, view.image_of_ground(place).unwrap(), place)
    }

    fn stroke(half_length: f32, half_width: f32) -> impl Fn(Vec2) -> bool {
        move |at| at.x.abs() <= half_width && at.y.abs() <= half_length
    }

    #[test]
    fn a_cross_of_the_right_size_is_a_mark_and_dirt_or_a_long_patch_is_none() {
        let cross = |half_length| {
            move |at: Vec2| {
                stroke(half_length, LINE_WIDTH / 2.0)(at) || stroke(half_length, LINE_WIDTH / 2.0)(at.perp())
            }
        };
        assert!(is_mark(cross(MARK_SIZE / 2.0)));
        assert!(is_mark(cross(0.075)), "fields have larger ones");
        assert!(!is_mark(stroke(0.012, 0.012)), "a crumb");
        assert!(!is_mark(stroke(0.19, 0.015)), "a patch of a seam");
        assert!(!is_mark(cross(0.5)), "two lines");
    }
}
