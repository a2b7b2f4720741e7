//! Detection of straight pieces of field lines.

use glam::{Mat2, Vec2};
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::center_circle::{LowerCircle, SeenCircle, UpperCircle};
use super::line_spots::{LowerSpots, Spot, Spots, UpperSpots};

/// Straight pieces of lines in one image.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The pieces, as they were found.
    pub lines: Vec<ImageLine>,
    /// The spots of all pieces, piece after piece, each sorted along it.
    pub members: Vec<Member>,
    /// The object to which each spot belongs.
    pub part_of: Vec<Part>,
}

/// A spot of a line.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Member {
    /// The position along the line, in pixels.
    pub along: f32,
    /// The index of the spot.
    pub spot: u32,
}

/// The object to which a spot belongs.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// No object.
    #[default]
    Nothing,
    /// The centre circle.
    Circle,
    /// The line with this number.
    Line(u16),
}

/// A straight piece of a line.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct ImageLine {
    /// One end in the image.
    pub image_from: Vec2,
    /// The other end in the image.
    pub image_to: Vec2,
    /// One end on the ground.
    pub from: Vec2,
    /// The other end on the ground.
    pub to: Vec2,
    /// The number of spots to which the piece was fitted.
    pub spots: u32,
}

impl ImageLine {
    /// Returns the direction of the piece on the ground, as a unit vector.
    #[must_use]
    pub fn direction(&self) -> Vec2 {
        (self.to - self.from).normalize_or(Vec2::X)
    }
}

/// The lines in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperLines {
    /// The pieces.
    pub lines: Lines,
}

/// The lines in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerLines {
    /// The pieces.
    pub lines: Lines,
}

/// Parameters of [`LineFinder`].
#[derive(Parameters)]
pub struct LineFinderParameters {
    /// The maximum distance of a spot from its line, in pixels, plus a share of the line's width.
    #[parameter(default = 1.1, range = 0.1..=10.0)]
    pub tolerance: f32,
    /// The maximum gap between neighbouring spots, relative to the image's width.
    #[parameter(default = 0.04, range = 0.0..=1.0)]
    pub widest_gap: f32,
    /// The minimum length of a line, relative to the image's width.
    #[parameter(default = 0.018, range = 0.0..=1.0)]
    pub shortest: f32,
    /// The minimum length of a line on the ground.
    #[parameter(default = 0.12, range = 0.0..=2.0, unit = "m")]
    pub shortest_on_ground: f32,
    /// The minimum number of spots of a line.
    #[parameter(default = 4, range = 2..=100)]
    pub fewest_spots: u32,
}

/// Finds lines by region growing in the image, where errors are the same everywhere: from a spot
/// and its direction outwards, adding neighbours that lie on the line and point along it, and
/// fitting it again by total least squares. Spots of the centre circle are excluded. The cost is
/// the number of lines times that of spots.
#[derive(Module, Default)]
pub struct LineFinder {
    #[parameters]
    parameters: LineFinderParameters,
}

#[module]
impl LineFinder {
    #[update]
    fn upper(&self, camera: &UpperCamera, spots: &UpperSpots, circle: &UpperCircle, lines: &mut UpperLines) {
        self.find(&camera.view, &spots.spots, &circle.circle, &mut lines.lines);
    }

    #[update]
    fn lower(&self, camera: &LowerCamera, spots: &LowerSpots, circle: &LowerCircle, lines: &mut LowerLines) {
        self.find(&camera.view, &spots.spots, &circle.circle, &mut lines.lines);
    }
}

impl LineFinder {
    pub(super) fn find(&self, view: &CameraView, spots: &Spots, circle: &SeenCircle, lines: &mut Lines) {
        let spots = &spots.spots;
        lines.part_of.extend(spots.iter().map(|spot| if circle.covers(spot) { Part::Circle } else { Part::Nothing }));
        for seed in 0..spots.len() {
            let begin = lines.members.len();
            if lines.part_of[seed] == Part::Nothing
                && self.grow(view, spots, seed, lines)
                && let Some(line) = self.piece(view, spots, &lines.members[begin..])
            {
                for member in &lines.members[begin..] {
                    lines.part_of[member.spot as usize] = Part::Line(lines.lines.len() as u16);
                }
                lines.lines.push(line);
            } else {
                lines.members.truncate(begin);
            }
        }
    }

    /// Appends the spots of the line through `seed` to the members, sorted along it; returns false
    /// if there are too few.
    fn grow(&self, view: &CameraView, spots: &[Spot], seed: usize, Lines { members, part_of, .. }: &mut Lines) -> bool {
        let begin = members.len();
        let gap = self.parameters.widest_gap * view.size.x;
        let mut fit = Fit { center: spots[seed].image, direction: spots[seed].normal.perp() };
        // A single spot's direction is not exact, so that the first search does not reach far.
        for (reach, widening) in [(1.2 * gap, 1.6), (4.0 * gap, 1.3), (f32::MAX, 1.0), (f32::MAX, 1.0)] {
            let normal = fit.direction.perp();
            members.truncate(begin);
            let mut place = 0.0;
            for (index, spot) in spots.iter().enumerate() {
                let offset = spot.image - fit.center;
                let along = offset.dot(fit.direction);
                if index == seed {
                    place = along;
                }
                let tolerance = widening * (self.parameters.tolerance + 0.08 * spot.width);
                let fits = offset.dot(normal).abs() <= tolerance && spot.normal.dot(normal).abs() >= LEAST_AGREEMENT;
                if part_of[index] == Part::Nothing && fits && along.abs() <= reach {
                    members.push(Member { along, spot: index as u32 });
                }
            }
            members[begin..].sort_unstable_by(|a, b| a.along.total_cmp(&b.along).then(a.spot.cmp(&b.spot)));
            keep_run(members, begin, place, gap);
            if members.len() - begin < self.parameters.fewest_spots as usize {
                return false;
            }
            fit = Fit::through(spots, &members[begin..]);
        }
        true
    }

    /// Returns the piece of line along its sorted spots, unless it is too short.
    fn piece(&self, view: &CameraView, spots: &[Spot], members: &[Member]) -> Option<ImageLine> {
        let fit = Fit::through(spots, members);
        let end = |member: &Member| {
            fit.center + fit.direction * (spots[member.spot as usize].image - fit.center).dot(fit.direction)
        };
        let (image_from, image_to) = (end(members.first()?), end(members.last()?));
        let (from, to) = (view.ground(image_from)?, view.ground(image_to)?);
        let long_enough = image_from.distance(image_to) >= self.parameters.shortest * view.size.x
            && from.distance(to) >= self.parameters.shortest_on_ground;
        long_enough.then_some(ImageLine { image_from, image_to, from, to, spots: members.len() as u32 })
    }
}

/// The cosine of the largest angle between the direction of a line and that of its spots.
const LEAST_AGREEMENT: f32 = 0.87;

/// Keeps the members from `begin` on that are connected to `place` without a gap.
fn keep_run(members: &mut Vec<Member>, begin: usize, place: f32, gap: f32) {
    let middle = begin + members[begin..].partition_point(|member| member.along < place);
    let (mut first, mut end) = (middle, middle);
    let mut last = place;
    while end < members.len() && members[end].along - last <= gap {
        last = members[end].along;
        end += 1;
    }
    last = place;
    while first > begin && last - members[first - 1].along <= gap {
        first -= 1;
        last = members[first].along;
    }
    members.truncate(end);
    members.drain(begin..first);
}

/// A line through points: the main axis of their covariance.
struct Fit {
    center: Vec2,
    direction: Vec2,
}

impl Fit {
    fn through(spots: &[Spot], members: &[Member]) -> Self {
        let count = members.len().max(1) as f32;
        let points = || members.iter().map(|member| spots[member.spot as usize].image);
        let center = points().sum::<Vec2>() / count;
        let mut covariance = Mat2::ZERO;
        for point in points() {
            let offset = point - center;
            covariance += Mat2::from_cols(offset * offset.x, offset * offset.y);
        }
        let double = Vec2::new(covariance.x_axis.x - covariance.y_axis.y, 2.0 * covariance.x_axis.y);
        Self { center, direction: Vec2::from_angle(0.5 * double.to_angle()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn view() -> CameraView {
        let pose = crate::geometry::Pose3::new(Quat::from_rotation_y(0.5), Vec3::Z * 0.5);
        CameraView::new(pose, 320, 240, Vec2::new(1.0, 0.8))
    }

    fn spots(view: &CameraView, from: Vec2, to: Vec2, count: usize) -> impl Iterator<Item = Spot> {
        let [image_from, image_to] = [from, to].map(|point| view.image_of_ground(point).unwrap());
        let normal = (image_to - image_from).normalize().perp();
        let direction = (to - from).normalize();
        let view = view.clone();
        (0..count).map(move |index| {
            let image = image_from.lerp(image_to, index as f32 / (count - 1) as f32);
            Spot { image, ground: view.ground(image).unwrap(), normal, direction, width: 2.0, contrast: 50.0 }
        })
    }

    #[test]
    fn two_lines_of_spots_are_two_lines() {
        let view = view();
        let (a, b, c) = (Vec2::new(1.5, 0.5), Vec2::new(1.5, -0.5), Vec2::new(0.8, -0.2));
        let all = Spots { spots: spots(&view, a, b, 60).chain(spots(&view, c, Vec2::new(1.4, -0.2), 40)).collect() };
        let mut lines = Lines::default();
        LineFinder::default().find(&view, &all, &SeenCircle::default(), &mut lines);
        assert_eq!(lines.lines.len(), 2, "{lines:?}");
        assert!(lines.lines[0].from.distance(a) < 0.03 || lines.lines[0].to.distance(a) < 0.03);
        assert_eq!(lines.members.len(), 100);
        assert!(lines.part_of.iter().all(|part| matches!(part, Part::Line(_))), "{:?}", lines.part_of);
    }

    #[test]
    fn scattered_spots_are_no_line() {
        let view = view();
        let lone = |index: u16| {
            let image = Vec2::new(f32::from(index * 83 % 300), 120.0 + f32::from(index * 47 % 110));
            let normal = Vec2::from_angle(f32::from(index));
            Spot { image, ground: view.ground(image).unwrap(), normal, direction: Vec2::X, width: 2.0, contrast: 9.0 }
        };
        let mut lines = Lines::default();
        let all = Spots { spots: (0..40).map(lone).collect() };
        LineFinder::default().find(&view, &all, &SeenCircle::default(), &mut lines);
        assert_eq!(lines.lines.len(), 0, "{lines:?}");
    }
}
