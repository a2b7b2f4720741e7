//! The field of the Standard Platform League: lines, marks, goals and the landmarks they form.
//!
//! Dimensions follow the league's rule book (9 m x 6 m), in metres. The origin is in the centre, x
//! points towards the opponent's goal, y to the left. Lines are given by their centre lines.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::Vec2;

use crate::geometry::Pose2;

/// The distance from goal line to goal line.
pub const LENGTH: f32 = 9.0;
/// The distance from touch line to touch line.
pub const WIDTH: f32 = 6.0;
/// The width of the carpet beyond the lines, on each side.
pub const BORDER: f32 = 0.7;
/// The width of every line.
pub const LINE_WIDTH: f32 = 0.05;
/// The radius of the centre circle.
pub const CENTER_CIRCLE_RADIUS: f32 = 0.75;
/// The depth of the penalty area.
pub const PENALTY_AREA_LENGTH: f32 = 1.65;
/// The width of the penalty area.
pub const PENALTY_AREA_WIDTH: f32 = 4.0;
/// The depth of the goal area.
pub const GOAL_AREA_LENGTH: f32 = 0.6;
/// The width of the goal area.
pub const GOAL_AREA_WIDTH: f32 = 2.2;
/// The distance from the goal line to the penalty mark.
pub const PENALTY_MARK_DISTANCE: f32 = 1.3;
/// The length of the two painted strokes of a mark.
pub const MARK_SIZE: f32 = 0.1;
/// The distance between the inner sides of the posts.
pub const GOAL_WIDTH: f32 = 1.5;
/// The height of the lower side of the crossbar.
pub const GOAL_HEIGHT: f32 = 0.8;
/// The distance from the goal line to the back of the net.
pub const GOAL_DEPTH: f32 = 0.5;
/// The radius of posts and crossbar.
pub const POST_RADIUS: f32 = 0.05;
/// The radius of the ball.
pub const BALL_RADIUS: f32 = 0.05;

/// The middle of the opponent's goal line.
pub const OPPONENT_GOAL: Vec2 = Vec2::new(LENGTH / 2.0, 0.0);
/// The centres of the four posts: the opponent's left and right, then our left and right, seen from
/// the centre of the field.
pub const POSTS: [Vec2; 4] = {
    let (x, y) = (LENGTH / 2.0, GOAL_WIDTH / 2.0 + POST_RADIUS);
    [Vec2::new(x, y), Vec2::new(x, -y), Vec2::new(-x, -y), Vec2::new(-x, y)]
};

/// A straight painted line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end.
    pub from: Vec2,
    /// The other end.
    pub to: Vec2,
}

impl Line {
    const fn new(from_x: f32, from_y: f32, to_x: f32, to_y: f32) -> Self {
        Self { from: Vec2::new(from_x, from_y), to: Vec2::new(to_x, to_y) }
    }

    /// Returns the length in metres.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.from.distance(self.to)
    }

    /// Returns the direction from one end to the other, as a unit vector.
    #[must_use]
    pub fn direction(&self) -> Vec2 {
        (self.to - self.from).normalize()
    }

    /// Returns the distance of `point` from the line. Ends are square, as paint is: a distance
    /// beyond an end counts like one beside the line.
    #[must_use]
    pub fn distance(&self, point: Vec2) -> f32 {
        let direction = self.direction();
        let (along, beside) = ((point - self.from).dot(direction), direction.perp_dot(point - self.from).abs());
        let beyond = (-along).max(along - self.length());
        beside.max(beyond)
    }

    /// Returns the point of the line that is nearest to `point`.
    #[must_use]
    pub fn nearest(&self, point: Vec2) -> Vec2 {
        let way = self.to - self.from;
        self.from + way * ((point - self.from).dot(way) / way.length_squared()).clamp(0.0, 1.0)
    }
}

/// The straight lines: touch lines, goal lines, halfway line, penalty areas, goal areas.
pub const LINES: [Line; 17] = {
    let (x, y) = (LENGTH / 2.0, WIDTH / 2.0);
    let (penalty_x, penalty_y) = (x - PENALTY_AREA_LENGTH, PENALTY_AREA_WIDTH / 2.0);
    let (area_x, area_y) = (x - GOAL_AREA_LENGTH, GOAL_AREA_WIDTH / 2.0);
    [
        Line::new(-x, y, x, y),
        Line::new(-x, -y, x, -y),
        Line::new(x, -y, x, y),
        Line::new(-x, -y, -x, y),
        Line::new(0.0, -y, 0.0, y),
        Line::new(penalty_x, -penalty_y, penalty_x, penalty_y),
        Line::new(penalty_x, penalty_y, x, penalty_y),
        Line::new(penalty_x, -penalty_y, x, -penalty_y),
        Line::new(-penalty_x, -penalty_y, -penalty_x, penalty_y),
        Line::new(-penalty_x, penalty_y, -x, penalty_y),
        Line::new(-penalty_x, -penalty_y, -x, -penalty_y),
        Line::new(area_x, -area_y, area_x, area_y),
        Line::new(area_x, area_y, x, area_y),
        Line::new(area_x, -area_y, x, -area_y),
        Line::new(-area_x, -area_y, -area_x, area_y),
        Line::new(-area_x, area_y, -x, area_y),
        Line::new(-area_x, -area_y, -x, -area_y),
    ]
};

/// The strokes of the two penalty marks and of the centre mark (whose other stroke is the halfway
/// line).
pub const MARKS: [Line; 5] = {
    // The paint extends half its width beyond the ends, like that of all lines.
    let (x, half) = (LENGTH / 2.0 - PENALTY_MARK_DISTANCE, (MARK_SIZE - LINE_WIDTH) / 2.0);
    [
        Line::new(x - half, 0.0, x + half, 0.0),
        Line::new(x, -half, x, half),
        Line::new(-x - half, 0.0, -x + half, 0.0),
        Line::new(-x, -half, -x, half),
        Line::new(-half, 0.0, half, 0.0),
    ]
};

/// The kind of a landmark, by the lines or marks that meet there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LandmarkKind {
    /// Two lines end in a corner.
    L,
    /// One line ends at another.
    T,
    /// The centre circle crosses the halfway line.
    X,
    /// A mark that is not part of a line.
    PenaltyMark,
}

/// A point of the field that can be recognised in an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landmark {
    /// The kind of the landmark.
    pub kind: LandmarkKind,
    /// The pose, which faces, for an L, along the bisector between its lines, for a T along the
    /// line that ends, for an X along x; the rotation of a penalty mark has no meaning.
    pub pose: Pose2,
}

/// All landmarks: 12 L, 10 T, 2 X and 2 penalty marks. An X is symmetric under rotation by 180
/// degrees.
pub const LANDMARKS: [Landmark; 26] = {
    use LandmarkKind::{L, PenaltyMark, T, X};
    const fn at(kind: LandmarkKind, x: f32, y: f32, rotation: f32) -> Landmark {
        Landmark { kind, pose: Pose2::new(x, y, rotation) }
    }
    let (x, y) = (LENGTH / 2.0, WIDTH / 2.0);
    let (penalty_x, penalty_y) = (x - PENALTY_AREA_LENGTH, PENALTY_AREA_WIDTH / 2.0);
    let (area_x, area_y) = (x - GOAL_AREA_LENGTH, GOAL_AREA_WIDTH / 2.0);
    let mark = x - PENALTY_MARK_DISTANCE;
    let oblique = 3.0 * FRAC_PI_4;
    [
        at(L, x, y, -oblique),
        at(L, x, -y, oblique),
        at(L, -x, y, -FRAC_PI_4),
        at(L, -x, -y, FRAC_PI_4),
        at(L, penalty_x, penalty_y, -FRAC_PI_4),
        at(L, penalty_x, -penalty_y, FRAC_PI_4),
        at(L, -penalty_x, penalty_y, -oblique),
        at(L, -penalty_x, -penalty_y, oblique),
        at(L, area_x, area_y, -FRAC_PI_4),
        at(L, area_x, -area_y, FRAC_PI_4),
        at(L, -area_x, area_y, -oblique),
        at(L, -area_x, -area_y, oblique),
        at(T, 0.0, y, -FRAC_PI_2),
        at(T, 0.0, -y, FRAC_PI_2),
        at(T, x, penalty_y, PI),
        at(T, x, -penalty_y, PI),
        at(T, -x, penalty_y, 0.0),
        at(T, -x, -penalty_y, 0.0),
        at(T, x, area_y, PI),
        at(T, x, -area_y, PI),
        at(T, -x, area_y, 0.0),
        at(T, -x, -area_y, 0.0),
        at(X, 0.0, CENTER_CIRCLE_RADIUS, 0.0),
        at(X, 0.0, -CENTER_CIRCLE_RADIUS, 0.0),
        at(PenaltyMark, mark, 0.0, 0.0),
        at(PenaltyMark, -mark, 0.0, 0.0),
    ]
};

/// Returns the distance of `point` from the centre line of the nearest line, circle or mark, by
/// examining all of them: some hundred nanoseconds.
#[must_use]
pub fn distance_to_line(point: Vec2) -> f32 {
    let straight = LINES.iter().chain(&MARKS).map(|line| line.distance(point)).fold(f32::MAX, f32::min);
    straight.min((point.length() - CENTER_CIRCLE_RADIUS).abs())
}

/// Returns whether `point` lies on white paint.
#[must_use]
pub fn is_painted(point: Vec2) -> bool {
    distance_to_line(point) <= LINE_WIDTH / 2.0
}

/// Returns whether `point` lies on the carpet: within the lines or on the border around them.
#[must_use]
pub fn is_carpet(point: Vec2) -> bool {
    point.x.abs() <= LENGTH / 2.0 + BORDER && point.y.abs() <= WIDTH / 2.0 + BORDER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_looks_the_same_from_both_goals_and_in_a_mirror() {
        for step in 0..500_u16 {
            let point = Vec2::from_angle(f32::from(step)) * (f32::from(step) * 0.01);
            let distance = distance_to_line(point);
            assert!((distance - distance_to_line(-point)).abs() < 1e-6, "{point}");
            assert!((distance - distance_to_line(Vec2::new(point.x, -point.y))).abs() < 1e-6, "{point}");
        }
    }

    #[test]
    fn paint_lies_where_the_rules_put_it() {
        for painted in [(0.0, 2.0), (4.52, 1.0), (0.75, 0.0), (3.2, 0.04), (2.85, -1.9), (-3.9, 0.5), (0.04, 0.0)] {
            assert!(is_painted(Vec2::from(painted)), "{painted:?}");
        }
        for green in [(0.03, 2.0), (4.53, 1.0), (0.7, 0.0), (3.2, 0.08), (1.0, 1.0), (3.0, -1.9)] {
            assert!(!is_painted(Vec2::from(green)), "{green:?}");
        }
    }

    #[test]
    fn as_many_painted_arms_leave_a_landmark_as_its_letter_has() {
        for Landmark { kind, pose } in LANDMARKS {
            // Half a metre from an X the circle has left its tangent; close by, the lines' width
            // hides the gaps.
            let painted = |turn: f32, distance: f32| {
                is_painted(pose.translation + distance * Vec2::from_angle(pose.rotation + turn))
            };
            let straight = [0.0, FRAC_PI_2, PI, -FRAC_PI_2].map(|turn| painted(turn, 0.1));
            let oblique = [FRAC_PI_4, -FRAC_PI_4, 3.0 * FRAC_PI_4, -3.0 * FRAC_PI_4].map(|turn| painted(turn, 0.1));
            match kind {
                LandmarkKind::L => assert_eq!((straight, oblique), ([false; 4], [true, true, false, false])),
                LandmarkKind::T => assert_eq!((straight, oblique), ([true, true, false, true], [false; 4])),
                LandmarkKind::X => assert_eq!((straight, oblique), ([true; 4], [false; 4])),
                LandmarkKind::PenaltyMark => assert_eq!((straight, oblique), ([false; 4], [false; 4])),
            }
        }
    }

    #[test]
    fn posts_leave_the_goal_as_wide_as_the_rules_say() {
        let [left, right, ..] = POSTS;
        assert!((left.distance(right) - 2.0 * POST_RADIUS - GOAL_WIDTH).abs() < 1e-6);
        assert!(POSTS.iter().all(|post| is_carpet(*post)));
    }
}
