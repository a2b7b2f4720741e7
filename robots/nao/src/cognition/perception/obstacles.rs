//! Other robots, and other obstacles.

use hemiola::prelude::*;

use super::goal_posts::{LowerPosts, UpperPosts};
use super::uprights::{LowerUprights, UpperUprights, Upright};
use crate::representations::perception::{ObstaclePercept, SeenObstacle};

/// Parameters of [`Obstacles`].
#[derive(Parameters)]
pub struct ObstaclesParameters {
    /// The width below which an object is the ball, a post or an error.
    #[parameter(default = 0.12, range = 0.0..=1.0, unit = "m")]
    pub narrowest: f32,
    /// The width above which an object is the audience.
    #[parameter(default = 1.2, range = 0.1..=10.0, unit = "m")]
    pub widest: f32,
    /// The distance beyond which objects do not matter.
    #[parameter(default = 5.0, range = 0.5..=10.0, unit = "m")]
    pub farthest: f32,
    /// The distance within which two objects are the same.
    #[parameter(default = 0.35, range = 0.0..=2.0, unit = "m")]
    pub same: f32,
}

/// Selects the objects of both cameras that are as wide as a robot and are no goal posts.
#[derive(Module, Default)]
pub struct Obstacles {
    #[parameters]
    parameters: ObstaclesParameters,
}

#[module]
impl Obstacles {
    #[update]
    fn merge(
        &self,
        upper: &UpperUprights,
        lower: &LowerUprights,
        upper_posts: &UpperPosts,
        lower_posts: &LowerPosts,
        percept: &mut ObstaclePercept,
    ) {
        let posts = || upper_posts.posts.iter().chain(&lower_posts.posts);
        let fits = |upright: &&Upright| {
            (self.parameters.narrowest..=self.parameters.widest).contains(&upright.width)
                && upright.ground.length() <= self.parameters.farthest
                && !posts().any(|post| post.ground.distance(upright.ground) < self.parameters.same)
        };
        // Those of the lower camera are nearer and more exact.
        for upright in lower.uprights.iter().chain(&upper.uprights).filter(fits) {
            let known = percept
                .obstacles
                .iter()
                .any(|other| other.position.distance(upright.ground) < self.parameters.same.max(other.radius + 0.1));
            if !known {
                percept.obstacles.push(SeenObstacle { position: upright.ground, radius: 0.5 * upright.width });
            }
        }
        percept.obstacles.sort_unstable_by(|a, b| a.position.length().total_cmp(&b.position.length()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    #[test]
    fn a_robot_in_both_images_is_one_obstacle_and_a_post_is_none() {
        let upright = |x: f32, y: f32, width: f32| Upright { ground: Vec2::new(x, y), width, ..Upright::default() };
        let upper =
            UpperUprights { uprights: vec![upright(3.0, 1.0, 0.3), upright(1.05, 0.0, 0.3), upright(2.0, 2.0, 0.05)] };
        let lower = LowerUprights { uprights: vec![upright(1.0, 0.0, 0.3)] };
        let mut posts = UpperPosts::default();
        posts.posts.push(super::super::crossings::ImageLandmark { ground: Vec2::new(3.1, 1.0), ..Default::default() });
        let mut percept = ObstaclePercept::default();
        Obstacles::default().merge(&upper, &lower, &posts, &LowerPosts::default(), &mut percept);
        assert_eq!(percept.obstacles.len(), 1);
        assert_eq!(percept.obstacles[0].position, Vec2::new(1.0, 0.0));
    }
}
