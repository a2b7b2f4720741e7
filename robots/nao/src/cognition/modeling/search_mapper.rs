//! The possible positions of the ball while it is not seen.

use glam::Vec2;
use hemiola::prelude::*;

use crate::representations::modeling::{FieldBall, FieldOfView, RobotPose, SearchMap};

const CELLS: usize = SearchMap::COLUMNS * SearchMap::ROWS;

/// A Bayes filter over the cells of the field: looking at a cell without seeing the ball makes it
/// less likely there, and time spreads the rest, because the ball may have been moved.
///
/// While the ball is known, all belief is around it, so that a search begins where it was lost.
#[derive(Module)]
pub struct SearchMapper {
    #[parameters]
    parameters: SearchMapperParameters,
    belief: Vec<f32>,
    #[stateless]
    scratch: Vec<f32>,
    /// The time since each cell was in view, in seconds.
    unseen_for: Vec<f32>,
}

/// Parameters of [`SearchMapper`].
#[derive(Parameters)]
pub struct SearchMapperParameters {
    /// The distance from its last position within which a lost ball is expected.
    #[parameter(default = 0.8, range = 0.1..=5.0, unit = "m")]
    spread: f32,
    /// The probability that a ball in view is found within a second.
    #[parameter(default = 0.9, range = 0.05..=0.999)]
    detection: f32,
    /// The share of a cell's belief that moves to its neighbours in a second.
    #[parameter(default = 0.1, range = 0.0..=1.0)]
    diffusion: f32,
    /// The decrease of a target's value per metre of distance.
    #[parameter(default = 0.25, range = 0.0..=2.0, unit = "1/m")]
    laziness: f32,
}

#[module]
impl SearchMapper {
    #[update]
    pub(crate) fn search_map(
        &mut self,
        ball: &FieldBall,
        robot: &RobotPose,
        view: &FieldOfView,
        clock: &Clock,
        map: &mut SearchMap,
    ) {
        if self.belief.is_empty() {
            self.unseen_for.resize(CELLS, f32::INFINITY);
            self.expect_around(Vec2::ZERO);
        }
        let seconds = clock.step_seconds();
        let is_known = ball.position.is_some() && ball.unseen_for < 0.5;
        if let Some(position) = ball.position.filter(|_| is_known) {
            self.expect_around(position);
        } else {
            self.spread(seconds);
        }
        self.look(&robot.pose, view, seconds);

        map.belief.extend_from_slice(&self.belief);
        map.coverage = self.unseen_for.iter().filter(|time| **time < 10.0).count() as f32 / CELLS as f32;
        map.target = self.target(robot.pose.translation);
    }

    fn expect_around(&mut self, place: Vec2) {
        let variance = self.parameters.spread * self.parameters.spread;
        self.belief.clear();
        self.belief.extend((0..CELLS).map(|index| {
            let distance_squared = SearchMap::center(index).distance_squared(place);
            // A little belief everywhere, because nothing is impossible.
            (-0.5 * distance_squared / variance).exp() + 0.01
        }));
        self.normalize();
    }

    /// Moves belief to the four neighbours of each cell; none leaves the field.
    fn spread(&mut self, seconds: f32) {
        let flow = (self.parameters.diffusion * seconds / 4.0).min(0.25);
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.belief);
        for index in 0..CELLS {
            let (column, row) = (index % SearchMap::COLUMNS, index / SearchMap::COLUMNS);
            let right = (column + 1 < SearchMap::COLUMNS).then_some(index + 1);
            let left = (row + 1 < SearchMap::ROWS).then_some(index + SearchMap::COLUMNS);
            for neighbour in [right, left].into_iter().flatten() {
                let moved = flow * (self.belief[index] - self.belief[neighbour]);
                self.scratch[index] -= moved;
                self.scratch[neighbour] += moved;
            }
        }
        std::mem::swap(&mut self.belief, &mut self.scratch);
    }

    fn look(&mut self, robot: &crate::geometry::Pose2, view: &FieldOfView, seconds: f32) {
        let missed = (1.0 - self.parameters.detection).powf(seconds);
        for (index, (belief, unseen_for)) in self.belief.iter_mut().zip(&mut self.unseen_for).enumerate() {
            if view.shows(robot.relative(SearchMap::center(index)), 0.0) {
                *belief *= missed;
                *unseen_for = 0.0;
            } else {
                *unseen_for += seconds;
            }
        }
        self.normalize();
    }

    fn normalize(&mut self) {
        let sum: f32 = self.belief.iter().sum();
        self.belief.iter_mut().for_each(|belief| *belief /= sum);
    }

    /// Returns the cell with the best balance of belief, with that of its neighbours in the row,
    /// and distance.
    fn target(&self, robot: Vec2) -> Vec2 {
        let worth = |index: usize| {
            let distance = SearchMap::center(index).distance(robot);
            self.belief[index] * (-self.parameters.laziness * distance).exp()
        };
        let best = (0..CELLS).max_by(|a, b| worth(*a).total_cmp(&worth(*b)));
        best.map(SearchMap::center).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::geometry::Pose2;
    use crate::representations::modeling::GroundArea;

    fn run(mapper: &mut SearchMapper, ball: Option<Vec2>, view: &FieldOfView) -> SearchMap {
        let unseen_for = if ball.is_some() { 0.0 } else { f32::INFINITY };
        let ball = FieldBall { position: ball, unseen_for, ..Default::default() };
        let robot = RobotPose { pose: Pose2::default(), quality: 1.0 };
        let mut map = SearchMap::default();
        mapper.search_map(&ball, &robot, view, &Clock::new(Time::ZERO, Duration::from_millis(33), 0), &mut map);
        assert!((map.belief.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        map
    }

    #[test]
    fn a_search_begins_where_the_ball_was_and_goes_on_where_nobody_has_looked() {
        let mut mapper = SearchMapper::create(SearchMapperParameters::default());
        let ahead = [(0.0, -3.0), (4.0, -3.0), (4.0, 3.0), (0.0, 3.0)].map(Vec2::from);
        let ahead = FieldOfView { upper: Some(GroundArea { corners: ahead }), lower: None };
        let map = run(&mut mapper, Some(Vec2::new(2.0, 1.0)), &FieldOfView::default());
        assert!(map.target.distance(Vec2::new(2.0, 1.0)) < 0.8, "{:?}", map.target);
        assert_eq!(map.coverage, 0.0);
        let map = (0..200).map(|_| run(&mut mapper, None, &ahead)).last().unwrap();
        assert!(map.target.x < 0.0 || map.target.x > 4.0, "{:?}", map.target);
        assert!(map.coverage > 0.3 && map.coverage < 0.6, "{}", map.coverage);
    }
}
