//! The border of the carpet.

use glam::Vec2;
use hemiola::prelude::*;

use super::scan_lines::{LowerScans, RunKind, Scans, UpperScans};

/// The upper border of the carpet in the image: the part of it that is seen is convex.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Boundary {
    /// The corners from left to right; empty when there is no carpet in the image.
    pub corners: Vec<Vec2>,
}

impl Boundary {
    /// Returns the row at which the carpet begins at a column; none without carpet.
    #[inline]
    #[must_use]
    pub fn row(&self, column: f32) -> Option<f32> {
        let (first, last) = (self.corners.first()?, self.corners.last()?);
        if column <= first.x {
            return Some(first.y);
        }
        let right = self.corners.iter().position(|corner| corner.x >= column);
        let Some(right) = right else { return Some(last.y) };
        let [from, to] = [self.corners[right - 1], self.corners[right]];
        Some(from.y + (to.y - from.y) * (column - from.x) / (to.x - from.x).max(1e-3))
    }

    fn draw(&self, canvas: &Canvas<'_>) {
        canvas.line(self.corners.iter().copied(), Color::YELLOW);
    }

    /// Returns whether an image point lies on the carpet or on something that stands on it.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Vec2) -> bool {
        self.row(point.x).is_some_and(|row| point.y >= row)
    }
}

/// The border of the carpet in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperBoundary {
    /// The border.
    pub boundary: Boundary,
}

/// The border of the carpet in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerBoundary {
    /// The border.
    pub boundary: Boundary,
}

/// Parameters of [`FieldBoundary`].
#[derive(Parameters)]
pub struct FieldBoundaryParameters {
    /// The weight of a pixel that is not green, relative to a green one, in the search for the end
    /// of the green.
    #[parameter(default = 0.6, range = 0.1..=5.0)]
    pub other_weight: f32,
    /// The minimum number of green pixels in a column, relative to the image's height.
    #[parameter(default = 0.03, range = 0.0..=1.0)]
    pub least_green: f32,
}

/// Finds, in each scanned column, the row above which green is outweighed by everything else, and
/// the upper convex hull over all columns, because objects on the carpet hide its border, but a
/// carpet has no bays.
#[derive(Module, Default)]
pub struct FieldBoundary {
    #[parameters]
    parameters: FieldBoundaryParameters,
}

#[module]
impl FieldBoundary {
    #[update]
    fn upper(&self, scans: &UpperScans, debug: &Debug, boundary: &mut UpperBoundary) {
        self.hull(&scans.scans, &mut boundary.boundary);
        debug.draw("UpperImage/boundary", |canvas| boundary.boundary.draw(canvas));
    }

    #[update]
    fn lower(&self, scans: &LowerScans, debug: &Debug, boundary: &mut LowerBoundary) {
        self.hull(&scans.scans, &mut boundary.boundary);
        debug.draw("LowerImage/boundary", |canvas| boundary.boundary.draw(canvas));
    }
}

impl FieldBoundary {
    pub(super) fn hull(&self, scans: &Scans, boundary: &mut Boundary) {
        let end = |index: usize| scans.lines.get(index).and_then(|_| self.end_of_green(scans, index));
        for (index, line) in scans.lines.iter().enumerate() {
            let Some(row) = end(index) else { continue };
            // A point above both neighbours is a spot of green in the audience.
            let lower = |other: Option<f32>| other.unwrap_or(f32::MAX);
            let [left, right] = [index.wrapping_sub(1), index + 1].map(end);
            let neighbours = match (left, right) {
                (None, None) => continue,
                (left, right) => lower(left).min(lower(right)),
            };
            add_to_hull(&mut boundary.corners, Vec2::new(line.column as f32 + 0.5, row.max(neighbours)));
        }
        if boundary.corners.len() < 2 {
            boundary.corners.clear();
        }
    }

    /// Returns the row that separates green from the rest best: it maximises the number of green
    /// pixels below it minus the (weighted) number of others below it.
    fn end_of_green(&self, scans: &Scans, index: usize) -> Option<f32> {
        let (mut balance, mut best) = (0.0, 0.0);
        let mut row = None;
        let runs = scans.runs(&scans.lines[index]);
        for run in runs.iter().rev() {
            match run.kind {
                RunKind::Green => balance += run.length() as f32,
                RunKind::White | RunKind::Other => balance -= self.parameters.other_weight * run.length() as f32,
            }
            if run.kind == RunKind::Green && balance > best {
                (best, row) = (balance, Some(run.from as f32));
            }
        }
        let height = runs.last()?.to as f32;
        row.filter(|_| best >= self.parameters.least_green * height)
    }
}

/// Adds a point right of all others to an upper convex hull (Andrew's monotone chain).
fn add_to_hull(hull: &mut Vec<Vec2>, point: Vec2) {
    while let [.., before, last] = hull[..] {
        // Rows grow downwards: the last point lies below the line past it when the turn is not to
        // the right.
        if (last - before).perp_dot(point - before) > 0.0 {
            break;
        }
        hull.pop();
    }
    hull.push(point);
}

#[cfg(test)]
mod tests {
    use super::super::scan_lines::{Run, ScanLine};
    use super::*;

    /// Returns columns 0, 10, 20 ... with green from the given row down to row 200.
    fn scans(ends: &[u32]) -> Scans {
        let mut scans = Scans::default();
        for (index, &end) in ends.iter().enumerate() {
            let first = scans.runs.len() as u32;
            scans.runs.push(Run { from: 0, to: end, kind: RunKind::Other });
            scans.runs.push(Run { from: end, to: 200, kind: RunKind::Green });
            scans.lines.push(ScanLine { column: 10 * index as u32, first, end: first + 2 });
        }
        scans
    }

    fn boundary(ends: &[u32]) -> Boundary {
        let mut boundary = Boundary::default();
        FieldBoundary::default().hull(&scans(ends), &mut boundary);
        boundary
    }

    #[test]
    fn an_obstacle_does_not_dent_the_border() {
        let boundary = boundary(&[100, 90, 80, 80, 150, 150, 80, 80, 90, 100]);
        assert_eq!(boundary.row(45.0), Some(80.0));
        assert_eq!(boundary.row(5.5), Some(95.0));
        assert!(boundary.contains(Vec2::new(45.0, 120.0)));
    }

    #[test]
    fn a_green_spot_in_the_audience_does_not_lift_it() {
        assert_eq!(boundary(&[100, 100, 100, 20, 100, 100]).row(30.5), Some(100.0));
    }

    #[test]
    fn without_green_there_is_no_border() {
        assert_eq!(boundary(&[200, 200, 200]), Boundary::default());
        assert_eq!(Boundary::default().row(3.0), None);
    }
}
