//! The world model: everything that behaviour needs, in one frame.

use hemiola::prelude::*;

use crate::field::{POST_RADIUS, POSTS, is_carpet};
use crate::representations::modeling::{
    BallModel, FieldBall, ObstacleModel, RobotPose, WorldBall, WorldModel, WorldObstacle,
};

/// Combines robot, ball, obstacles and goal posts in field coordinates.
///
/// Goal posts that are seen are obstacles, too; they are replaced by the posts of the field, whose
/// positions are known.
#[derive(Module)]
pub struct WorldModeler {
    #[parameters]
    parameters: WorldModelerParameters,
}

/// Parameters of [`WorldModeler`].
#[derive(Parameters)]
pub struct WorldModelerParameters {
    /// The distance from a goal post of the field within which an obstacle is that post.
    #[parameter(default = 0.35, range = 0.0..=1.0, unit = "m")]
    post_reach: f32,
    /// The distance from the ball within which an obstacle is assumed to be the ball.
    #[parameter(default = 0.12, range = 0.0..=0.5, unit = "m")]
    ball_reach: f32,
}

#[module]
impl WorldModeler {
    #[update]
    pub(crate) fn world(
        &self,
        robot: &RobotPose,
        relative_ball: &BallModel,
        ball: &FieldBall,
        obstacles: &ObstacleModel,
        debug: &Debug,
        world: &mut WorldModel,
    ) {
        world.robot = robot.pose;
        world.robot_quality = robot.quality;
        world.last_ball = ball.last_position;
        world.ball = ball.position.zip(relative_ball.position).map(|(position, relative)| WorldBall {
            position,
            velocity: ball.velocity,
            rest: ball.rest.unwrap_or(position),
            relative,
            unseen_for: ball.unseen_for,
        });
        world.obstacles.extend(POSTS.iter().map(|post| WorldObstacle { position: *post, radius: POST_RADIUS }));
        for obstacle in &obstacles.obstacles {
            let position = robot.pose.transform(obstacle.position);
            let is_near = |place: &glam::Vec2, reach: f32| place.distance(position) < reach;
            let is_post = POSTS.iter().any(|post| is_near(post, self.parameters.post_reach));
            let is_ball = ball.position.is_some_and(|ball| is_near(&ball, self.parameters.ball_reach));
            if !is_post && !is_ball && is_carpet(position) {
                world.obstacles.push(WorldObstacle { position, radius: obstacle.radius });
            }
        }
        let distance = |obstacle: &WorldObstacle| obstacle.position.distance_squared(robot.pose.translation);
        world.obstacles.sort_unstable_by(|a, b| distance(a).total_cmp(&distance(b)));
        debug.draw("field/obstacles", |canvas| {
            world.obstacles.iter().for_each(|obstacle| canvas.circle(obstacle.position, obstacle.radius, Color::RED));
        });
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::geometry::Pose2;
    use crate::representations::modeling::Obstacle;

    #[test]
    fn seen_posts_and_the_ball_itself_are_no_further_obstacles() {
        let modeler = WorldModeler::create(WorldModelerParameters::default());
        let robot = RobotPose { pose: Pose2::new(3.0, 0.0, 0.0), quality: 0.8 };
        let at = |x, y| Obstacle { position: Vec2::new(x, y), radius: 0.15, ..Default::default() };
        let obstacles = ObstacleModel { obstacles: vec![at(0.5, 0.02), at(1.0, -1.0), at(1.4, 0.7), at(5.0, 0.0)] };
        let relative = BallModel { position: Some(Vec2::new(0.5, 0.0)), ..Default::default() };
        let ball = FieldBall { position: Some(Vec2::new(3.5, 0.0)), ..Default::default() };
        let mut world = WorldModel::default();
        modeler.world(&robot, &relative, &ball, &obstacles, &Debug::default(), &mut world);
        assert_eq!(world.obstacles.len(), 5, "four posts and one robot: {:?}", world.obstacles);
        assert!(world.obstacles[0].position.abs_diff_eq(Vec2::new(4.0, -1.0), 1e-6), "nearest first");
        assert_eq!(world.ball.unwrap().relative, Vec2::new(0.5, 0.0));
    }
}
