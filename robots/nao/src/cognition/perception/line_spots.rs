//! Detection of points on the centre lines of white lines.

use glam::{Mat2, Vec2};
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::field_boundary::{Boundary, LowerBoundary, UpperBoundary};
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::scan_lines::Seen;
use crate::field::LINE_WIDTH;
use crate::representations::sensing::{LowerImage, UpperImage};

/// Points in the middle of objects that are as wide as a line and brighter than the green on both
/// sides.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Spots {
    /// The spots: first those from columns, each column from top to bottom; then those from rows.
    pub spots: Vec<Spot>,
}

/// A point of a line.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    /// The position in the image.
    pub image: Vec2,
    /// The position on the ground.
    pub ground: Vec2,
    /// The direction across the line in the image, as a unit vector of either sign.
    pub normal: Vec2,
    /// The direction along the line on the ground, as a unit vector of either sign.
    pub direction: Vec2,
    /// The width of the line along the scan, in pixels.
    pub width: f32,
    /// The excess of the brightness over that of the surroundings.
    pub contrast: f32,
}

/// The line spots in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperSpots {
    /// The spots.
    pub spots: Spots,
}

/// The line spots in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerSpots {
    /// The spots.
    pub spots: Spots,
}

/// Parameters of [`LineSpots`].
#[derive(Parameters)]
pub struct LineSpotsParameters {
    /// The number of scanned columns.
    #[parameter(default = 160, range = 20..=640)]
    pub columns: u32,
    /// The number of scanned rows, if the whole image were ground.
    #[parameter(default = 120, range = 20..=480)]
    pub rows: u32,
    /// The minimum contrast to both sides, relative to the carpet's brightness.
    #[parameter(default = 0.08, range = 0.0..=2.0)]
    pub least_contrast: f32,
    /// The factor by which a spot may be wider than a line on the ground, besides a pixel and a
    /// half.
    #[parameter(default = 1.8, range = 1.0..=10.0)]
    pub widest: f32,
    /// The minimum share of the brightness gradient around a spot with the same direction, 0 to 1.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    pub least_coherence: f32,
    /// The distance beyond which spots are not used.
    #[parameter(default = 8.0, range = 1.0..=12.0, unit = "m")]
    pub farthest: f32,
}

/// Finds spots by matched filtering: along columns and rows, the mean over as many pixels as a line
/// must cover there (which follows from the camera's pose) minus the brighter of the means beside
/// it. Maxima are refined to the middle between both edges; the structure tensor (Förstner, Gülch:
/// A fast operator for detection and precise location of distinct points, 1987) gives the
/// direction.
#[derive(Module, Default)]
pub struct LineSpots {
    #[parameters]
    parameters: LineSpotsParameters,
}

#[module]
impl LineSpots {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        color: &UpperFieldColor,
        contour: &UpperContour,
        boundary: &UpperBoundary,
        debug: &Debug,
        spots: &mut UpperSpots,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &boundary.boundary, &mut spots.spots);
        debug.draw("UpperImage/line spots", |canvas| {
            canvas.points(spots.spots.spots.iter().map(|spot| spot.image), Color::RED);
        });
    }

    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        boundary: &LowerBoundary,
        debug: &Debug,
        spots: &mut LowerSpots,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &boundary.boundary, &mut spots.spots);
        debug.draw("LowerImage/line spots", |canvas| {
            canvas.points(spots.spots.spots.iter().map(|spot| spot.image), Color::RED);
        });
    }
}

impl LineSpots {
    pub(super) fn find(&self, seen: &Seen<'_>, boundary: &Boundary, spots: &mut Spots) {
        let (width, height) = (seen.image.width, seen.image.height);
        if boundary.corners.is_empty() || width.max(height) as usize > Profile::LONGEST {
            return;
        }
        let mut profile = Profile::new();
        let step = (width / self.parameters.columns).max(1);
        for column in (step / 2..width).step_by(step as usize) {
            let first = boundary.row(column as f32 + 0.5).unwrap_or(0.0).max(0.0) as u32;
            let rows = first..seen.body(column);
            profile.fill(rows.clone().map(|row| seen.image.y(column, row)));
            self.scan(seen, &profile, &Track { first: [column, first], along: [0, 1] }, &mut spots.spots);
        }
        let highest = boundary.corners.iter().map(|corner| corner.y).fold(f32::MAX, f32::min).max(0.0) as u32;
        let coarse = (height / self.parameters.rows).max(1);
        let mut row = highest;
        while row < height {
            profile.fill(seen.image.row(row).iter().step_by(2).copied());
            let old = spots.spots.len();
            self.scan(seen, &profile, &Track { first: [0, row], along: [1, 0] }, &mut spots.spots);
            let mut index = old;
            while index < spots.spots.len() {
                let spot = spots.spots[index].image;
                let outside = !boundary.contains(spot) || spot.y >= seen.body(spot.x as u32) as f32;
                if outside {
                    spots.spots.remove(index);
                } else {
                    index += 1;
                }
            }
            // Distant lines that run ahead cover few rows, near ones many.
            let scale = seen.view.ground_scale(Vec2::new(seen.view.center.x, row as f32));
            row += match scale.y * LINE_WIDTH {
                far if far < 3.0 => (coarse / 2).max(1),
                near if near > 8.0 => 2 * coarse,
                _ => coarse,
            };
        }
    }

    /// Adds the spots along one column or row.
    fn scan(&self, seen: &Seen<'_>, profile: &Profile, track: &Track, spots: &mut Vec<Spot>) {
        if profile.length < 8 {
            return;
        }
        let least = self.parameters.least_contrast * seen.tone.brightness;
        let steepness = |index: usize| -seen.view.ray(track.point(index as f32)).z;
        let (start, end) = (steepness(0), steepness(profile.length));
        let slope = (end - start) / profile.length as f32;
        // Across the line of sight, widths grow with the slope of the ray; along it, with its
        // square.
        let down = track.along[1] == 1;
        let focal_length = if down { seen.view.focal_length.y } else { seen.view.focal_length.x };
        let scale = LINE_WIDTH * focal_length / seen.view.pose.translation.z.max(0.05);
        let mut best: Option<Peak> = None;
        for index in 0..profile.length {
            let steepness = start + slope * index as f32;
            if steepness <= 0.01 {
                continue;
            }
            let width = (scale * if down { steepness * steepness } else { steepness }).max(1.0);
            let Some(peak) = profile.peak(index, width, least) else { continue };
            match &best {
                Some(last) if (index - last.index) as f32 <= width.max(2.0) => {
                    if peak.contrast > last.contrast {
                        best = Some(peak);
                    }
                }
                _ => {
                    spots.extend(best.and_then(|last| self.spot(seen, profile, track, &last)));
                    best = Some(peak);
                }
            }
        }
        spots.extend(best.and_then(|last| self.spot(seen, profile, track, &last)));
    }

    /// Returns the spot at a peak, if it has two edges at a plausible distance with green beyond,
    /// and a single direction.
    fn spot(&self, seen: &Seen<'_>, profile: &Profile, track: &Track, peak: &Peak) -> Option<Spot> {
        // A line that is crossed at a flat angle appears as wide as one that runs ahead.
        let scale = seen.view.ground_scale(track.point(peak.index as f32));
        let reach = 1.5 * LINE_WIDTH * scale.max_element() + 2.0;
        let [before, after] = [
            profile.edge(peak.index, -1, 0.5 * (peak.inside + peak.before), reach)?,
            profile.edge(peak.index, 1, 0.5 * (peak.inside + peak.after), reach)?,
        ];
        let width = after - before;
        // A pixel at the edge is mixed; one of the two beyond must be carpet.
        let is_green = |at: f32| seen.pixel(track.point(at)).is_some_and(|color| seen.tone.is_green(color));
        if ![before, after]
            .into_iter()
            .zip([-1.0, 1.0])
            .all(|(edge, out)| is_green(edge + out * 1.2) || is_green(edge + out * 2.2))
        {
            return None;
        }
        let image = track.point(0.5 * (before + after));
        let normal = normal(seen, image, peak.width, self.parameters.least_coherence)?;
        // A line that is crossed at a flat angle is measured better by the other scan direction.
        let across = if track.along[1] == 1 { normal.y } else { normal.x };
        if across.abs() < 0.4 {
            return None;
        }
        let ground = seen.view.ground(image).filter(|ground| ground.length() <= self.parameters.farthest)?;
        let [ahead, behind] = [normal.perp(), -normal.perp()].map(|offset| seen.view.ground(image + offset));
        let direction = (ahead? - behind?).try_normalize()?;
        let crossed = seen.view.ground(track.point(after))? - seen.view.ground(track.point(before))?;
        let (across, pixel) = (crossed.perp_dot(direction).abs(), crossed.length() / width);
        if across > self.parameters.widest * LINE_WIDTH + 1.5 * pixel {
            return None;
        }
        Some(Spot { image, ground, normal, direction, width, contrast: peak.contrast })
    }
}

/// The track of a scan through the image.
struct Track {
    first: [u32; 2],
    along: [u32; 2],
}

impl Track {
    /// Returns the image point `index` pixels from the beginning of the first pixel.
    #[inline]
    fn point(&self, index: f32) -> Vec2 {
        let [first, along] = [self.first, self.along].map(|[x, y]| Vec2::new(x as f32, y as f32));
        first + along * index + 0.5 * (Vec2::ONE - along)
    }
}

/// The brightness along a scan, with sums for means over any part.
struct Profile {
    values: [u8; Self::LONGEST],
    sums: [u32; Self::LONGEST + 1],
    length: usize,
}

/// A position where a scan is brighter than beside it.
#[derive(Clone, Copy)]
struct Peak {
    index: usize,
    /// The expected width, in pixels.
    width: f32,
    inside: f32,
    before: f32,
    after: f32,
    contrast: f32,
}

impl Profile {
    /// The maximum side of an image.
    const LONGEST: usize = 1280;

    fn new() -> Self {
        Self { values: [0; Self::LONGEST], sums: [0; Self::LONGEST + 1], length: 0 }
    }

    fn fill(&mut self, values: impl Iterator<Item = u8>) {
        self.length = 0;
        for (index, value) in values.take(Self::LONGEST).enumerate() {
            self.values[index] = value;
            self.sums[index + 1] = self.sums[index] + u32::from(value);
            self.length = index + 1;
        }
    }

    #[inline]
    fn mean(&self, from: usize, to: usize) -> f32 {
        (self.sums[to] - self.sums[from]) as f32 / (to - from) as f32
    }

    /// Compares `width` pixels around `index` with those beside them; none if they are not brighter
    /// by `least`.
    #[inline]
    fn peak(&self, index: usize, width: f32, least: f32) -> Option<Peak> {
        let half = ((width - 1.0) * 0.5 + 0.5) as usize;
        let gap = 1 + (0.3 * width) as usize;
        let side = (1 + (0.4 * width) as usize).max(2);
        let reach = half + gap;
        let start = index.checked_sub(reach)?;
        let end = index + reach + 1;
        // At the end of a scan one pixel of the side is enough.
        let (first, last) = (start.saturating_sub(side), (end + side).min(self.length));
        if first >= start || last <= end {
            return None;
        }
        let inside = self.mean(index - half, index + half + 1);
        let before = self.mean(first, start);
        // For most of the carpet, the search ends here.
        if inside - before < least {
            return None;
        }
        let after = self.mean(end, last);
        let contrast = inside - before.max(after);
        (contrast >= least).then_some(Peak { index, width, inside, before, after, contrast })
    }

    /// Returns the (interpolated) position at which the brightness falls to `level` from `index`
    /// on, at most `reach` pixels away.
    fn edge(&self, index: usize, step: isize, level: f32, reach: f32) -> Option<f32> {
        let mut current = index;
        let mut value = f32::from(self.values[current]);
        while (current.abs_diff(index) as f32) < reach {
            let next = current.checked_add_signed(step).filter(|next| *next < self.length)?;
            let next_value = f32::from(self.values[next]);
            if next_value <= level {
                let part = if value > level { (value - level) / (value - next_value) } else { 0.0 };
                return Some(current as f32 + 0.5 + step as f32 * part);
            }
            (current, value) = (next, next_value);
        }
        None
    }
}

/// Returns the normal of the structure around an image point, if it has a single direction.
fn normal(seen: &Seen<'_>, center: Vec2, width: f32, least_coherence: f32) -> Option<Vec2> {
    let half = (0.5 * width).ceil().clamp(1.0, 5.0) as u32 + 1;
    let (column, row) = (center.x as u32, center.y as u32);
    let inside =
        column > half && row > half && column + half + 1 < seen.image.width && row + half + 1 < seen.image.height;
    if !inside {
        return None;
    }
    let stride = if half > 3 { 2 } else { 1 };
    let mut tensor = Mat2::ZERO;
    for row in (row - half..=row + half).step_by(stride) {
        for column in (column - half..=column + half).step_by(stride) {
            let y = |column: u32, row: u32| f32::from(seen.image.y(column, row));
            let gradient = Vec2::new(y(column + 1, row) - y(column - 1, row), y(column, row + 1) - y(column, row - 1));
            tensor += Mat2::from_cols(gradient * gradient.x, gradient * gradient.y);
        }
    }
    // Twice the angle of the main axis; the length measures how much one direction prevails.
    let double = Vec2::new(tensor.x_axis.x - tensor.y_axis.y, 2.0 * tensor.x_axis.y);
    let energy = tensor.x_axis.x + tensor.y_axis.y;
    (double.length() >= least_coherence * energy && energy > 0.0).then(|| Vec2::from_angle(0.5 * double.to_angle()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(values: &[u8]) -> Profile {
        let mut profile = Profile::new();
        profile.fill(values.iter().copied());
        profile
    }

    #[test]
    fn a_peak_is_the_difference_to_the_brighter_side() {
        let profile = profile(&[50, 50, 50, 50, 200, 200, 200, 90, 90, 90, 90]);
        let peak = profile.peak(5, 3.0, 100.0).unwrap();
        assert_eq!((peak.inside, peak.before, peak.after, peak.contrast), (200.0, 50.0, 90.0, 110.0));
        assert!(profile.peak(5, 3.0, 120.0).is_none());
        assert!(profile.peak(0, 3.0, 10.0).is_none());
    }

    #[test]
    fn edges_lie_where_the_brightness_is_halfway() {
        let profile = profile(&[50, 50, 50, 150, 250, 250, 250, 50, 50]);
        assert_eq!(profile.edge(5, -1, 150.0, 5.0), Some(3.5));
        assert_eq!(profile.edge(5, 1, 150.0, 5.0), Some(7.0));
        assert_eq!(profile.edge(5, 1, 20.0, 10.0), None);
    }
}
