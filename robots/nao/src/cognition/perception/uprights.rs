//! Objects that stand on the field and hide its border: their feet and widths.

use glam::Vec2;
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::field_boundary::{Boundary, LowerBoundary, UpperBoundary};
use super::scan_lines::{LowerScans, Run, RunKind, Scans, UpperScans};

/// Something that stands on the field.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Upright {
    /// The middle of its foot in the image.
    pub image: Vec2,
    /// The middle of its foot on the ground.
    pub ground: Vec2,
    /// The width in the image, in pixels.
    pub image_width: f32,
    /// The width, in metres.
    pub width: f32,
}

/// The objects that stand in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperUprights {
    /// The objects, from left to right.
    pub uprights: Vec<Upright>,
}

/// The objects that stand in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerUprights {
    /// The objects, from left to right.
    pub uprights: Vec<Upright>,
}

/// Parameters of [`Uprights`].
#[derive(Parameters)]
pub struct UprightsParameters {
    /// The weight of a green pixel, relative to one that is not green, in the search for the foot.
    #[parameter(default = 1.5, range = 0.1..=10.0)]
    pub green_weight: f32,
    /// The minimum number of pixels from the foot to the border of the carpet.
    #[parameter(default = 6.0, range = 1.0..=100.0)]
    pub shortest: f32,
    /// The minimum length of ground that is hidden.
    #[parameter(default = 0.25, range = 0.0..=5.0, unit = "m")]
    pub least_hidden: f32,
    /// The distance between the feet of neighbouring columns beyond which they are different
    /// objects.
    #[parameter(default = 0.25, range = 0.01..=2.0, unit = "m")]
    pub widest_step: f32,
}

/// Finds, in each scanned column from the border of the carpet downwards, the row until which most
/// pixels are not green; neighbouring columns with feet at the same distance form one object.
#[derive(Module, Default)]
pub struct Uprights {
    #[parameters]
    parameters: UprightsParameters,
}

#[module]
impl Uprights {
    #[update]
    fn upper(&self, camera: &UpperCamera, scans: &UpperScans, boundary: &UpperBoundary, uprights: &mut UpperUprights) {
        self.find(&camera.view, &scans.scans, &boundary.boundary, &mut uprights.uprights);
    }

    #[update]
    fn lower(&self, camera: &LowerCamera, scans: &LowerScans, boundary: &LowerBoundary, uprights: &mut LowerUprights) {
        self.find(&camera.view, &scans.scans, &boundary.boundary, &mut uprights.uprights);
    }
}

/// Neighbouring columns with their feet at the same distance.
#[derive(Clone, Copy)]
struct Group {
    from: f32,
    to: f32,
    /// The row of the lowest foot, which is the nearest part.
    row: f32,
    distance: f32,
}

impl Uprights {
    pub(super) fn find(&self, view: &CameraView, scans: &Scans, boundary: &Boundary, uprights: &mut Vec<Upright>) {
        let [first, second, ..] = scans.lines[..] else { return };
        let step = (second.column - first.column) as f32;
        let mut group: Option<Group> = None;
        for line in &scans.lines {
            let column = line.column as f32 + 0.5;
            let foot = boundary
                .row(column)
                .and_then(|border| self.foot(view, scans.runs(line), column, border))
                .and_then(|row| Some((row, view.ground(Vec2::new(column, row))?.length())));
            let continued = foot.zip(group).filter(|((_, distance), group)| {
                (distance - group.distance).abs() <= self.parameters.widest_step * group.distance.max(1.0)
            });
            group = match (continued, foot) {
                (Some(((row, distance), group)), _) => {
                    Some(Group { to: column, row: group.row.max(row), distance: group.distance.min(distance), ..group })
                }
                (None, foot) => {
                    uprights.extend(group.and_then(|group| upright(view, &group, step)));
                    foot.map(|(row, distance)| Group { from: column, to: column, row, distance })
                }
            };
        }
        uprights.extend(group.and_then(|group| upright(view, &group, step)));
    }

    /// Returns the row at which the object that hides the border at `border` meets the carpet.
    fn foot(&self, view: &CameraView, runs: &[Run], column: f32, border: f32) -> Option<f32> {
        let (mut balance, mut best, mut foot) = (0.0, 0.0, None);
        for run in runs.iter().filter(|run| run.to as f32 > border) {
            let length = run.to as f32 - (run.from as f32).max(border);
            if run.kind == RunKind::Green {
                balance -= self.parameters.green_weight * length;
            } else {
                balance += length;
                if balance > best {
                    (best, foot) = (balance, Some(run.to as f32));
                }
            }
            if balance < -self.parameters.shortest {
                break;
            }
        }
        let foot = foot.filter(|foot| foot - border >= self.parameters.shortest)?;
        let near = view.ground(Vec2::new(column, foot))?.length();
        let far = view.ground(Vec2::new(column, border)).map_or(f32::MAX, Vec2::length);
        (far - near >= self.parameters.least_hidden).then_some(foot)
    }
}

fn upright(view: &CameraView, group: &Group, step: f32) -> Option<Upright> {
    let image = Vec2::new(0.5 * (group.from + group.to), group.row);
    let ground = view.ground(image)?;
    let image_width = group.to - group.from + step;
    Some(Upright { image, ground, image_width, width: image_width / view.pixels_per_metre(ground) })
}
