//! The crossings of lines: corners, tees and crosses.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::center_circle::{LowerCircle, SeenCircle, UpperCircle};
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::line_finder::{ImageLine, Lines, LowerLines, UpperLines};
use super::scan_lines::Seen;
use crate::field::LINE_WIDTH;
use crate::representations::perception::LandmarkShape;
use crate::representations::sensing::{LowerImage, UpperImage};

/// A landmark in an image.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct ImageLandmark {
    /// The shape of the landmark.
    pub kind: LandmarkShape,
    /// The position in the image.
    pub image: Vec2,
    /// The position on the ground.
    pub ground: Vec2,
}

/// The crossings in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperCrossings {
    /// The corners, tees, crosses and the middle of the centre circle.
    pub crossings: Vec<ImageLandmark>,
}

/// The crossings in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerCrossings {
    /// The corners, tees, crosses and the middle of the centre circle.
    pub crossings: Vec<ImageLandmark>,
}

/// Parameters of [`Crossings`].
#[derive(Parameters)]
pub struct CrossingsParameters {
    /// The minimum angle between two crossing lines on the ground. The true angle is 90 degrees,
    /// but far lines appear at other angles.
    #[parameter(default = 0.9, range = 0.0..=1.57, unit = "rad")]
    pub smallest_angle: f32,
    /// The maximum distance from the end of a piece of line to its crossing, in pixels.
    #[parameter(default = 11.0, range = 1.0..=100.0)]
    pub longest_gap: f32,
    /// The minimum distance to which an arm is followed from the crossing.
    #[parameter(default = 0.25, range = 0.1..=1.0, unit = "m")]
    pub arm: f32,
    /// The minimum distance to which an arm is followed in the image, in pixels.
    #[parameter(default = 11.0, range = 2.0..=100.0)]
    pub arm_in_image: f32,
    /// The minimum contrast of an arm to both sides, relative to the carpet's brightness.
    #[parameter(default = 0.12, range = 0.0..=2.0)]
    pub least_contrast: f32,
    /// The minimum contrast of an arm relative to that of the line's other arm, if that is larger:
    /// both have the same paint, and a less bright continuation is a seam, a crease or dirt.
    #[parameter(default = 0.4, range = 0.0..=1.0)]
    pub least_of_line: f32,
    /// The minimum share of an arm that is painted.
    #[parameter(default = 0.65, range = 0.0..=1.0)]
    pub least_paint: f32,
    /// The maximum share of paint where there is no arm. Between the two it is undecided.
    #[parameter(default = 0.4, range = 0.0..=1.0)]
    pub most_absent_paint: f32,
    /// The sine of the angle in the image below which arms are only examined where they have left
    /// the other line. The robot's own modules decide as when its first logs were recorded: 0.
    #[parameter(default = 0.0, range = 0.0..=1.0)]
    pub flattest: f32,
    /// The distance beyond which crossings are too inexact.
    #[parameter(default = 8.0, range = 0.5..=12.0, unit = "m")]
    pub farthest: f32,
}

/// Intersects the lines and examines which of the four arms are painted: two make a corner, three a
/// tee, four a cross. Lines through the middle of the centre circle cross it twice.
#[derive(Module, Default)]
pub struct Crossings {
    #[parameters]
    parameters: CrossingsParameters,
}

#[module]
impl Crossings {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        color: &UpperFieldColor,
        contour: &UpperContour,
        lines: &UpperLines,
        circle: &UpperCircle,
        crossings: &mut UpperCrossings,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &lines.lines, &circle.circle, &mut crossings.crossings);
    }

    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        lines: &LowerLines,
        circle: &LowerCircle,
        crossings: &mut LowerCrossings,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &lines.lines, &circle.circle, &mut crossings.crossings);
    }
}

impl Crossings {
    pub(super) fn with(parameters: CrossingsParameters) -> Self {
        Self { parameters }
    }

    pub(super) fn find(&self, seen: &Seen<'_>, lines: &Lines, circle: &SeenCircle, crossings: &mut Vec<ImageLandmark>) {
        on_circle(seen.view, lines, circle, crossings);
        let on_circle = crossings.len();
        for (index, first) in lines.lines.iter().enumerate() {
            for second in &lines.lines[index + 1..] {
                let Some(image) = self.meeting(seen.view, first, second) else { continue };
                let Some(ground) = seen.view.ground(image).filter(|at| at.length() <= self.parameters.farthest) else {
                    continue;
                };
                // Crossings on the circle are known already.
                if crossings[..on_circle].iter().any(|other| other.ground.distance(ground) < 0.3) {
                    continue;
                }
                let Some(kind) = self.kind(seen, image, ground, [first, second]) else { continue };
                add_new(crossings, ImageLandmark { kind, image, ground });
            }
        }
    }

    /// Returns the point in the image at which two pieces of lines meet, if they cross on the
    /// ground and reach or nearly reach that point.
    fn meeting(&self, view: &CameraView, first: &ImageLine, second: &ImageLine) -> Option<Vec2> {
        let angle = first.direction().perp_dot(second.direction()).abs();
        if angle < self.parameters.smallest_angle.sin() {
            return None;
        }
        let (way, other) = (first.image_to - first.image_from, second.image_to - second.image_from);
        let sine = way.perp_dot(other);
        if sine.abs() < 0.03 * way.length() * other.length() {
            return None;
        }
        let meeting = first.image_from + way * ((second.image_from - first.image_from).perp_dot(other) / sine);
        let reached = [first, second].into_iter().all(|line| {
            let nearest = nearest_on(line, meeting);
            // Thick lines end half a line's width earlier.
            let slack = 0.5 * LINE_WIDTH * view.ground_scale(meeting).x;
            nearest.distance(meeting) <= self.parameters.longest_gap + slack
        });
        (reached && view.contains(meeting, 1.0)).then_some(meeting)
    }

    /// Returns the kind of a crossing, from the arms that are painted.
    fn kind(&self, seen: &Seen<'_>, image: Vec2, ground: Vec2, lines: [&ImageLine; 2]) -> Option<LandmarkShape> {
        // The kind is unknown unless all four arms are seen.
        let mut painted = [[false; 2]; 2];
        let clear = self.clearances(seen.view, image, ground, lines)?;
        for ((line, clear), painted) in lines.into_iter().zip(clear).zip(&mut painted) {
            let [ahead, behind] = [line.direction(), -line.direction()]
                .map(|along| Arm::look(seen, image, ground, along, clear, &self.parameters));
            let (ahead, behind) = (ahead?, behind?);
            // Both arms of a line have the same paint.
            let least = self.parameters.least_contrast * seen.tone.brightness;
            let least = least.max(self.parameters.least_of_line * ahead.contrast().max(behind.contrast()));
            for (arm, painted) in [ahead, behind].iter().zip(painted) {
                *painted = self.is_painted(arm, least)?;
            }
        }
        match painted {
            [[true, true], [true, true]] => Some(LandmarkShape::Cross),
            [[true, true], [true, false] | [false, true]] | [[true, false] | [false, true], [true, true]] => {
                Some(LandmarkShape::Tee)
            }
            [[true, false] | [false, true], [true, false] | [false, true]] => Some(LandmarkShape::Corner),
            _ => None,
        }
    }

    /// Returns the number of pixels along each of two lines from where they meet until they are
    /// clear of the other one's paint. Lines that meet at a flat angle in the image run beside each
    /// other for a long distance.
    fn clearances(&self, view: &CameraView, image: Vec2, ground: Vec2, lines: [&ImageLine; 2]) -> Option<[f32; 2]> {
        let mut ways = [Vec2::ZERO; 2];
        for (line, way) in lines.into_iter().zip(&mut ways) {
            *way = (view.image_of_ground(ground + 0.05 * line.direction())? - image).try_normalize()?;
        }
        let sine = ways[0].perp_dot(ways[1]).abs().max(0.05);
        let clear = |line: usize| {
            let other = 1 - line;
            // Half of the other's width and a pixel of blur.
            let beside = 0.55 * across(view, image, lines[other].direction(), ways[other]) + 1.0;
            if sine < self.parameters.flattest { (beside / sine).max(SHORTEST_CLEARANCE) } else { SHORTEST_CLEARANCE }
        };
        Some([clear(0), clear(1)])
    }

    /// Returns whether there is paint along an arm; none if that is unclear.
    fn is_painted(&self, arm: &Arm, least: f32) -> Option<bool> {
        let painted = arm.contrasts[..arm.visible].iter().filter(|contrast| **contrast >= least).count();
        let part = painted as f32 / arm.visible as f32;
        let is_clear = part >= self.parameters.least_paint || part <= self.parameters.most_absent_paint;
        is_clear.then_some(part >= self.parameters.least_paint)
    }
}

/// The minimum distance of the beginning of an arm from the crossing, in pixels.
const SHORTEST_CLEARANCE: f32 = 2.5;

/// The contrast along a direction from a crossing.
struct Arm {
    contrasts: [f32; Self::SAMPLES],
    visible: usize,
}

impl Arm {
    const SAMPLES: usize = 8;

    /// Measures by how much the middle of the arm is brighter than both sides, from the crossing
    /// along a direction of the ground; none where that is out of sight.
    fn look(
        seen: &Seen<'_>,
        image: Vec2,
        ground: Vec2,
        direction: Vec2,
        clear: f32,
        parameters: &CrossingsParameters,
    ) -> Option<Self> {
        let unit = (seen.view.image_of_ground(ground + 0.05 * direction)? - image) / 0.05;
        let pixel = 1.0 / unit.length().max(1.0);
        // The other line's paint does not count: begin beyond its edge.
        let start = (0.5 * LINE_WIDTH + 0.02).max(clear * pixel);
        let length = parameters
            .arm
            .max((clear + parameters.arm_in_image - SHORTEST_CLEARANCE) * pixel)
            .min(0.6_f32.max(start + 0.3));
        let way = unit.try_normalize()?;
        let mut arm = Self { contrasts: [0.0; Self::SAMPLES], visible: 0 };
        for sample in 0..Self::SAMPLES {
            let along = start + (length - start) * (sample as f32 + 0.5) / Self::SAMPLES as f32;
            let Some(point) = seen.view.image_of_ground(ground + along * direction) else { continue };
            let half = across(seen.view, point, direction, way);
            let brightness = |offset: f32| seen.brightness(point + way.perp() * offset);
            let (Some(left), Some(right)) = (brightness(-half), brightness(half)) else { continue };
            // The line's middle may be a pixel off.
            let inside = [-0.7, 0.0, 0.7].into_iter().filter_map(brightness).fold(0.0, f32::max);
            arm.contrasts[arm.visible] = inside - left.max(right);
            arm.visible += 1;
        }
        (arm.visible >= 3).then_some(arm)
    }

    /// Returns the mean contrast.
    fn contrast(&self) -> f32 {
        self.contrasts[..self.visible].iter().sum::<f32>() / self.visible as f32
    }
}

/// Returns the distance from the middle of a line along `direction` to the carpet beside it, in
/// pixels.
fn across(view: &CameraView, point: Vec2, direction: Vec2, way: Vec2) -> f32 {
    let beside =
        view.ground(point).and_then(|ground| view.image_of_ground(ground + direction.perp() * 0.9 * LINE_WIDTH));
    let width = beside.map_or(0.0, |beside| (beside - point).dot(way.perp()).abs());
    width.max(1.8)
}

fn nearest_on(line: &ImageLine, point: Vec2) -> Vec2 {
    let way = line.image_to - line.image_from;
    line.image_from + way * ((point - line.image_from).dot(way) / way.length_squared().max(1e-6)).clamp(0.0, 1.0)
}

/// Adds the middle of the circle, and the points where the line through it crosses the circle.
fn on_circle(view: &CameraView, lines: &Lines, circle: &SeenCircle, crossings: &mut Vec<ImageLandmark>) {
    let mut add = |kind: LandmarkShape, ground: Vec2| {
        if let Some(image) = view.image_of_ground(ground).filter(|image| view.contains(*image, 0.0)) {
            crossings.push(ImageLandmark { kind, image, ground });
        }
    };
    if !circle.seen {
        return;
    }
    let through = lines.lines.iter().filter(|line| {
        let beside = line.direction().perp_dot(circle.center - line.from).abs();
        let nearest = circle.center + line.direction() * (line.from - circle.center).dot(line.direction());
        beside < 0.2 && (line.from.distance(circle.center) < 2.0 || nearest.distance(circle.center) < 2.0)
    });
    let Some(halfway) = through.max_by(|a, b| a.from.distance(a.to).total_cmp(&b.from.distance(b.to))) else {
        add(LandmarkShape::CenterCircle, circle.center);
        return;
    };
    // Across its own direction, the line is more exact than the circle.
    let along = halfway.direction();
    let middle = halfway.from + along * (circle.center - halfway.from).dot(along);
    add(LandmarkShape::CenterCircle, middle);
    for side in [-circle.radius, circle.radius] {
        add(LandmarkShape::Cross, middle + side * along);
    }
}

/// Adds a landmark unless the same was found from another pair of lines.
fn add_new(landmarks: &mut Vec<ImageLandmark>, landmark: ImageLandmark) {
    const SAME: f32 = 6.0;
    if !landmarks.iter().any(|other| other.image.distance(landmark.image) < SAME) {
        landmarks.push(landmark);
    }
}
