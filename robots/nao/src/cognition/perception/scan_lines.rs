//! Scan lines: runs of green, white and other pixels along columns of the image.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{Contour, LowerContour, UpperContour};
use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::field_color::{GreenTone, LowerFieldColor, UpperFieldColor};
use super::image_quality::{LowerQuality, Quality, UpperQuality};
use crate::representations::sensing::{Image, LowerImage, UpperImage};

/// Columns of the image as runs of one kind, from the horizon (or the upper end of the image) down
/// to the robot's own body.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Scans {
    /// The scanned columns, from left to right, at equal distances.
    pub lines: Vec<ScanLine>,
    /// The runs of all lines, one line after the other.
    pub runs: Vec<Run>,
}

impl Scans {
    /// Returns the runs of one line, from top to bottom, without gaps.
    #[must_use]
    pub fn runs(&self, line: &ScanLine) -> &[Run] {
        &self.runs[line.first as usize..line.end as usize]
    }
}

/// A scanned column.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct ScanLine {
    /// The column.
    pub column: u32,
    /// The index of the line's first run.
    pub first: u32,
    /// The index of the first run after the line.
    pub end: u32,
}

/// Neighbouring pixels of one kind.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Run {
    /// The first row of the run.
    pub from: u32,
    /// The first row after the run.
    pub to: u32,
    /// The kind of the pixels.
    pub kind: RunKind,
}

impl Run {
    /// Returns the length in pixels.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.to - self.from
    }
}

/// The kind of a pixel.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunKind {
    /// Anything else.
    #[default]
    Other,
    /// Carpet.
    Green,
    /// Brighter than carpet: paint, ball, robots, posts.
    White,
}

/// The scan lines of the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperScans {
    /// The columns.
    pub scans: Scans,
}

/// The scan lines of the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerScans {
    /// The columns.
    pub scans: Scans,
}

/// Parameters of [`ScanLines`].
#[derive(Parameters)]
pub struct ScanLinesParameters {
    /// The number of scanned columns.
    #[parameter(default = 80, range = 8..=320)]
    pub columns: u32,
}

/// Classifies every pixel of some columns. A single pixel that differs from both neighbours is
/// noise unless it is white: distant lines are as thin as that.
#[derive(Module, Default)]
pub struct ScanLines {
    #[parameters]
    parameters: ScanLinesParameters,
}

#[module]
impl ScanLines {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        quality: &UpperQuality,
        color: &UpperFieldColor,
        contour: &UpperContour,
        scans: &mut UpperScans,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.scan(&seen, &quality.quality, &mut scans.scans);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        quality: &LowerQuality,
        color: &LowerFieldColor,
        contour: &LowerContour,
        scans: &mut LowerScans,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.scan(&seen, &quality.quality, &mut scans.scans);
    }
}

/// An image and what is known about it before the search for objects.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub image: &'a Image,
    pub view: &'a CameraView,
    pub tone: &'a GreenTone,
    pub contour: &'a Contour,
}

impl Seen<'_> {
    /// Returns the row of the robot's own body at a column, at most the image's height.
    pub fn body(&self, column: u32) -> u32 {
        self.contour.row(column as f32, self.view.size.y) as u32
    }

    /// Returns the pixel at an image point; none outside.
    pub fn pixel(&self, point: Vec2) -> Option<[u8; 3]> {
        self.view.contains(point, 0.5).then(|| self.image.ycbcr(point.x as u32, point.y as u32))
    }

    /// Returns the interpolated brightness at an image point; none outside.
    pub fn brightness(&self, point: Vec2) -> Option<f32> {
        if !self.view.contains(point, 1.0) {
            return None;
        }
        let corner = (point - 0.5).floor();
        let part = point - 0.5 - corner;
        let (column, row) = (corner.x as u32, corner.y as u32);
        let y = |column: u32, row: u32| f32::from(self.image.y(column, row));
        let upper = y(column, row) + part.x * (y(column + 1, row) - y(column, row));
        let lower = y(column, row + 1) + part.x * (y(column + 1, row + 1) - y(column, row + 1));
        Some(upper + part.y * (lower - upper))
    }
}

impl ScanLines {
    pub(super) fn scan(&self, seen: &Seen<'_>, quality: &Quality, scans: &mut Scans) {
        if !quality.usable {
            return;
        }
        let step = (seen.image.width / self.parameters.columns).max(1);
        for column in (step / 2..seen.image.width).step_by(step as usize) {
            let first = scans.runs.len();
            let horizon = seen.view.horizon(column as f32 + 0.5).clamp(0.0, seen.view.size.y) as u32;
            scan_column(seen, column, horizon..seen.body(column), &mut scans.runs);
            scans.lines.push(ScanLine { column, first: first as u32, end: scans.runs.len() as u32 });
        }
    }
}

/// Appends the runs of one column.
fn scan_column(seen: &Seen<'_>, column: u32, rows: std::ops::Range<u32>, runs: &mut Vec<Run>) {
    let kind = |row: u32| {
        let color = seen.image.ycbcr(column, row);
        if seen.tone.is_green(color) {
            RunKind::Green
        } else if seen.tone.is_white(color) {
            RunKind::White
        } else {
            RunKind::Other
        }
    };
    let Some(last_row) = rows.end.checked_sub(1).filter(|last| *last >= rows.start) else { return };
    let mut run = Run { from: rows.start, to: rows.start, kind: kind(rows.start) };
    let mut next = run.kind;
    for row in rows.clone() {
        let current = next;
        next = kind((row + 1).min(last_row));
        if current != run.kind && (current == next || current == RunKind::White) {
            runs.push(Run { to: row, ..run });
            run = Run { from: row, to: row, kind: current };
        }
    }
    runs.push(Run { to: rows.end, ..run });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_over_a_line_is_green_white_green() {
        let mut rgb = [40, 110, 60].repeat(64 * 64);
        rgb[30 * 64 * 3..33 * 64 * 3].fill(220);
        let image = Image::from_rgb(64, 64, &rgb);
        let rotation = glam::Quat::from_rotation_y(1.0);
        let pose = crate::geometry::Pose3::new(rotation, glam::Vec3::Z);
        let view = CameraView::new(pose, 64, 64, Vec2::ONE);
        let (tone, contour) = (GreenTone::default(), Contour::default());
        let seen = Seen { image: &image, view: &view, tone: &tone, contour: &contour };
        let mut scans = Scans::default();
        ScanLines::default().scan(&seen, &Quality { usable: true, ..Quality::default() }, &mut scans);
        assert_eq!(scans.lines.len(), 64);
        let runs = scans.runs(&scans.lines[20]);
        assert_eq!(
            runs.iter().map(|run| run.kind).collect::<Vec<_>>(),
            [RunKind::Green, RunKind::White, RunKind::Green]
        );
        assert_eq!((runs[1].from, runs[1].to), (30, 33));
    }
}
