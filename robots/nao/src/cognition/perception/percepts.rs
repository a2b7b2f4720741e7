//! The percepts of both cameras, in robot coordinates.

use glam::Vec2;
use hemiola::prelude::*;

use super::ball_classifier::{LowerBalls, RatedBall, UpperBalls};
use super::crossings::{ImageLandmark, LowerCrossings, UpperCrossings};
use super::goal_posts::{LowerPosts, UpperPosts};
use super::line_finder::{ImageLine, LowerLines, UpperLines};
use super::penalty_marks::{LowerMarks, UpperMarks};
use crate::field::BALL_RADIUS;
use crate::representations::perception::{BallPercept, LandmarkPercept, LinePercept, SeenBall, SeenLandmark, SeenLine};

/// Parameters of [`BallSelection`].
#[derive(Parameters)]
pub struct BallSelectionParameters {
    /// The minimum score of a ball.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    pub least_score: f32,
    /// The distance beyond which balls are rejected.
    #[parameter(default = 7.0, range = 0.5..=12.0, unit = "m")]
    pub farthest: f32,
}

/// Selects the best rated candidate of both cameras.
#[derive(Module, Default)]
pub struct BallSelection {
    #[parameters]
    parameters: BallSelectionParameters,
}

#[module]
impl BallSelection {
    #[update]
    fn select(&self, upper: &UpperBalls, lower: &LowerBalls, debug: &Debug, percept: &mut BallPercept) {
        let likely = |ball: &&RatedBall| {
            ball.score >= self.parameters.least_score && ball.ground.length() <= self.parameters.farthest
        };
        // The first of equals remains: the lower camera is nearer to the ball.
        let best =
            lower.balls.iter().chain(&upper.balls).filter(likely).fold(None, |best: Option<&RatedBall>, ball| {
                best.filter(|best| best.score >= ball.score).or(Some(ball))
            });
        percept.ball = best.map(|ball| SeenBall { position: ball.ground, score: ball.score });
        debug.plot("ball.score", best.map_or(0.0, |ball| ball.score));
        debug.draw("robot/seen ball", |canvas| {
            best.into_iter().for_each(|ball| canvas.circle(ball.ground, BALL_RADIUS, Color::YELLOW));
        });
    }
}

/// Parameters of [`LineMerger`].
#[derive(Parameters)]
pub struct LineMergerParameters {
    /// The maximum angle between two pieces of one line.
    #[parameter(default = 0.12, range = 0.0..=0.8, unit = "rad")]
    pub largest_angle: f32,
    /// The maximum distance of one piece beside the other.
    #[parameter(default = 0.08, range = 0.0..=1.0, unit = "m")]
    pub farthest_beside: f32,
    /// The maximum gap between two pieces.
    #[parameter(default = 0.5, range = 0.0..=3.0, unit = "m")]
    pub widest_gap: f32,
    /// The minimum length of a line.
    #[parameter(default = 0.25, range = 0.0..=2.0, unit = "m")]
    pub shortest: f32,
}

/// Joins pieces that continue each other, within an image and across both.
#[derive(Module, Default)]
pub struct LineMerger {
    #[parameters]
    parameters: LineMergerParameters,
}

#[module]
impl LineMerger {
    #[update]
    fn merge(&self, upper: &UpperLines, lower: &LowerLines, debug: &Debug, percept: &mut LinePercept) {
        for line in lower.lines.lines.iter().chain(&upper.lines.lines) {
            let mut piece = seen(line);
            // A joined piece may close the gap to a third one.
            while let Some((index, joined)) = self.partner(&percept.lines, &piece) {
                percept.lines.remove(index);
                piece = joined;
            }
            percept.lines.push(piece);
        }
        percept.lines.retain(|line| line.from.distance(line.to) >= self.parameters.shortest);
        debug.draw("robot/seen lines", |canvas| {
            percept.lines.iter().for_each(|line| canvas.line([line.from, line.to], Color::YELLOW));
        });
    }
}

impl LineMerger {
    fn partner(&self, lines: &[SeenLine], piece: &SeenLine) -> Option<(usize, SeenLine)> {
        lines.iter().enumerate().find_map(|(index, line)| Some((index, self.join(line, piece)?)))
    }

    /// Returns both pieces as one, between their outermost ends.
    fn join(&self, first: &SeenLine, second: &SeenLine) -> Option<SeenLine> {
        let (long, short) = if first.from.distance(first.to) >= second.from.distance(second.to) {
            (first, second)
        } else {
            (second, first)
        };
        let along = (long.to - long.from).try_normalize()?;
        let other = (short.to - short.from).try_normalize()?;
        if along.perp_dot(other).abs() > self.parameters.largest_angle.sin() {
            return None;
        }
        let place = |point: Vec2| ((point - long.from).dot(along), (point - long.from).perp_dot(along).abs());
        let [(a, beside_a), (b, beside_b)] = [place(short.from), place(short.to)];
        let length = long.from.distance(long.to);
        let gap = (a.min(b) - length).max(-a.max(b));
        // The camera's pose is less exact far away.
        let tolerance = self.parameters.farthest_beside * (1.0 + 0.3 * short.from.length());
        if beside_a.max(beside_b) > tolerance || gap > self.parameters.widest_gap {
            return None;
        }
        let ends = [(0.0, long.from), (length, long.to), (a, short.from), (b, short.to)];
        let from = ends.into_iter().reduce(|best, end| if end.0 < best.0 { end } else { best })?;
        let to = ends.into_iter().reduce(|best, end| if end.0 > best.0 { end } else { best })?;
        Some(SeenLine { from: from.1, to: to.1 })
    }
}

fn seen(line: &ImageLine) -> SeenLine {
    SeenLine { from: line.from, to: line.to }
}

/// Parameters of [`LandmarkMerger`].
#[derive(Parameters)]
pub struct LandmarkMergerParameters {
    /// The distance within which two landmarks of one kind are the same, per metre of distance from
    /// the robot.
    #[parameter(default = 0.15, range = 0.0..=1.0)]
    pub same: f32,
}

/// Merges crossings, marks and goal posts of both cameras. Those of the lower camera are nearer and
/// more exact, so that they are preferred where both see the same.
#[derive(Module, Default)]
pub struct LandmarkMerger {
    #[parameters]
    parameters: LandmarkMergerParameters,
}

#[module]
impl LandmarkMerger {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "it merges three kinds of landmarks of two cameras")]
    fn merge(
        &self,
        upper_crossings: &UpperCrossings,
        lower_crossings: &LowerCrossings,
        upper_marks: &UpperMarks,
        lower_marks: &LowerMarks,
        upper_posts: &UpperPosts,
        lower_posts: &LowerPosts,
        percept: &mut LandmarkPercept,
    ) {
        let lower = lower_crossings.crossings.iter().chain(&lower_marks.marks).chain(&lower_posts.posts);
        let upper = upper_crossings.crossings.iter().chain(&upper_marks.marks).chain(&upper_posts.posts);
        for &ImageLandmark { kind, ground, .. } in lower.chain(upper) {
            let same = self.parameters.same * ground.length().max(1.0);
            let known = |other: &SeenLandmark| other.kind == kind && other.position.distance(ground) < same;
            if !percept.landmarks.iter().any(known) {
                percept.landmarks.push(SeenLandmark { kind, position: ground });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representations::perception::LandmarkShape;

    #[test]
    fn the_best_rated_ball_of_both_cameras_is_the_ball() {
        let ball = |x: f32, score: f32| RatedBall { ground: Vec2::new(x, 0.0), score, ..RatedBall::default() };
        let upper = UpperBalls { balls: vec![ball(1.0, 0.6), ball(2.0, 0.9)] };
        let lower = LowerBalls { balls: vec![ball(0.5, 0.3), ball(0.7, 0.9)] };
        let mut percept = BallPercept::default();
        BallSelection::default().select(&upper, &lower, &Debug::default(), &mut percept);
        assert_eq!(percept.ball.map(|ball| ball.position.x), Some(0.7));
        let none = UpperBalls { balls: vec![ball(1.0, 0.4)] };
        BallSelection::default().select(&none, &LowerBalls::default(), &Debug::default(), &mut percept);
        assert_eq!(percept.ball, None);
    }

    #[test]
    fn pieces_that_continue_each_other_become_one_line_and_parallel_ones_stay_two() {
        let line =
            |from: [f32; 2], to: [f32; 2]| ImageLine { from: from.into(), to: to.into(), ..ImageLine::default() };
        let mut upper = UpperLines::default();
        upper.lines.lines =
            vec![line([1.0, 0.0], [2.0, 0.0]), line([3.5, 0.02], [2.3, 0.0]), line([1.0, 0.5], [3.0, 0.5])];
        let mut percept = LinePercept::default();
        LineMerger::default().merge(&upper, &LowerLines::default(), &Debug::default(), &mut percept);
        assert_eq!(percept.lines.len(), 2, "{percept:?}");
        assert_eq!(percept.lines[0], SeenLine { from: Vec2::new(3.5, 0.02), to: Vec2::new(1.0, 0.0) });
    }

    #[test]
    fn a_landmark_in_both_images_is_one() {
        let landmark =
            |x: f32| ImageLandmark { kind: LandmarkShape::Tee, ground: Vec2::new(x, 0.0), image: Vec2::ZERO };
        let upper = UpperCrossings { crossings: vec![landmark(1.05), landmark(3.0)] };
        let lower = LowerCrossings { crossings: vec![landmark(1.0)] };
        let mut percept = LandmarkPercept::default();
        LandmarkMerger::default().merge(
            &upper,
            &lower,
            &UpperMarks::default(),
            &LowerMarks::default(),
            &UpperPosts::default(),
            &LowerPosts::default(),
            &mut percept,
        );
        assert_eq!(percept.landmarks.iter().map(|seen| seen.position.x).collect::<Vec<_>>(), [1.0, 3.0]);
    }
}
