//! The path to walk, around obstacles.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::representations::behaviour::{Approach, ApproachStage, Arrival, BallSearch, Place, SearchStage, WalkPath};
use crate::representations::modeling::WorldModel;

mod visibility;

use visibility::{Circle, VisibilityGraph};

/// The number of obstacles that count: only the nearest ones matter for the next seconds.
const MOST_OBSTACLES: usize = 10;

/// Finds the shortest way around circles: obstacles widened by the robot, and the ball while the
/// robot walks around it.
///
/// A circle that contains the robot or its target shrinks until it does not, so that the way out is
/// always free.
#[derive(Module)]
pub struct PathPlanner {
    #[parameters]
    parameters: PathPlannerParameters,
    #[stateless]
    graph: VisibilityGraph,
}

/// Parameters of [`PathPlanner`].
#[derive(Parameters)]
pub struct PathPlannerParameters {
    /// The radius of the robot, with a margin.
    #[parameter(default = 0.22, range = 0.05..=1.0, unit = "m")]
    robot_radius: f32,
}

#[module]
impl PathPlanner {
    #[update]
    pub(crate) fn walk_path(
        &mut self,
        world: &WorldModel,
        place: &Place,
        approach: &Approach,
        search: &BallSearch,
        debug: &Debug,
        path: &mut WalkPath,
    ) {
        let Some((target, arrival)) = destination(place, approach, search) else { return };
        let start = world.robot.translation;
        self.graph.clear();
        for obstacle in world.obstacles.iter().take(MOST_OBSTACLES) {
            let circle = Circle { center: obstacle.position, radius: obstacle.radius + self.parameters.robot_radius };
            self.graph.add(circle.without(start).without(target.translation));
        }
        let clearance = if place.target.is_some() { place.clearance } else { approach.clearance };
        if let Some(ball) = world.ball.filter(|_| clearance > 0.0) {
            let circle = Circle { center: ball.rest, radius: clearance };
            self.graph.add(circle.without(start).without(target.translation));
        }
        self.graph.shortest_way(start, target.translation, &mut path.corners);
        if path.corners.is_empty() {
            // Without a way out, the robot pushes through, since the obstacles may be false.
            path.corners.extend([start, target.translation]);
        }
        path.length = path.corners.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        path.final_rotation = target.rotation;
        path.arrival = arrival;
        debug.draw("field/path", |canvas| canvas.line(path.corners.iter().copied(), Color::GREEN));
    }
}

/// Returns the pose to walk to, and whether to stop there: what the rules demand comes first.
fn destination(place: &Place, approach: &Approach, search: &BallSearch) -> Option<(Pose2, Arrival)> {
    if let Some(target) = place.target {
        return Some((target, Arrival::Stop));
    }
    match search.stage {
        SearchStage::Known => {
            let arrival = if approach.stage == ApproachStage::Close { Arrival::Stop } else { Arrival::Pass };
            approach.target.map(|target| (target, arrival))
        }
        SearchStage::Look => None,
        SearchStage::Turn | SearchStage::Walk => Some((search.walk_to, Arrival::Stop)),
    }
}

impl Circle {
    /// Returns the same circle, small enough not to contain `point`.
    fn without(self, point: Vec2) -> Self {
        Self { radius: self.radius.min(self.center.distance(point) - 0.01), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representations::modeling::{WorldBall, WorldObstacle};

    fn plan(obstacles: Vec<WorldObstacle>, ball: Option<Vec2>, target: Vec2) -> WalkPath {
        let mut planner = PathPlanner::create(PathPlannerParameters::default());
        let ball = ball.map(|rest| WorldBall { rest, ..Default::default() });
        let world = WorldModel { obstacles, ball, ..Default::default() };
        let target = Some(Pose2 { rotation: 0.5, translation: target });
        let approach = Approach { target, clearance: 0.3, ..Default::default() };
        let mut path = WalkPath::default();
        let place = Place::default();
        planner.walk_path(&world, &place, &approach, &BallSearch::default(), &Debug::default(), &mut path);
        path
    }

    #[test]
    fn a_place_that_the_rules_demand_comes_before_the_ball_and_the_way_there_keeps_off_it() {
        let mut planner = PathPlanner::create(PathPlannerParameters::default());
        let ball = Some(WorldBall { rest: Vec2::X, ..Default::default() });
        let world = WorldModel { ball, ..Default::default() };
        let place = Place { target: Some(Pose2::new(2.0, 0.0, 0.3)), clearance: 0.35 };
        let approach = Approach { target: Some(Pose2::new(0.8, 0.0, 0.0)), ..Default::default() };
        let mut path = WalkPath::default();
        planner.walk_path(&world, &place, &approach, &BallSearch::default(), &Debug::default(), &mut path);
        assert_eq!((path.corners.last(), path.arrival), (Some(&Vec2::new(2.0, 0.0)), Arrival::Stop));
        assert!(path.corners.len() > 2 && path.final_rotation == 0.3, "{path:?}");
    }

    #[test]
    fn with_nothing_in_the_way_the_path_is_straight() {
        let path = plan(Vec::new(), None, Vec2::new(2.0, 1.0));
        assert_eq!(path.corners, [Vec2::ZERO, Vec2::new(2.0, 1.0)]);
        assert!((path.length - 5.0_f32.sqrt()).abs() < 1e-6);
        assert_eq!(path.final_rotation, 0.5);
    }

    #[test]
    fn an_obstacle_is_walked_around_with_room_for_the_robot() {
        let obstacle = WorldObstacle { position: Vec2::X, radius: 0.15 };
        let path = plan(vec![obstacle], None, Vec2::new(2.0, 0.0));
        assert!(path.length > 2.0 && path.length < 2.4, "{path:?}");
        let widest = path.corners.iter().map(|corner| corner.y.abs()).fold(0.0, f32::max);
        assert!(widest > 0.3, "{path:?}");
    }

    #[test]
    fn the_place_behind_the_ball_is_reached_around_the_ball() {
        let path = plan(Vec::new(), Some(Vec2::X), Vec2::new(1.4, 0.0));
        assert!(path.length > 1.5 && path.corners.len() > 2, "{path:?}");
    }

    #[test]
    fn a_robot_within_an_obstacle_finds_out() {
        let obstacle = WorldObstacle { position: Vec2::new(0.1, 0.0), radius: 0.15 };
        let path = plan(vec![obstacle], None, Vec2::new(-2.0, 0.0));
        assert_eq!(path.corners.len(), 2);
    }
}
