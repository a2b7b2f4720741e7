//! The goals to which the robot drives when nobody else publishes any.

use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::representations::{GoalPose, NavigationResult, Outcome};

/// Parameters of [`Patrol`].
#[derive(Parameters)]
pub struct PatrolParameters {
    /// The goals to visit, over and over again: x, y in m and the heading in rad; none: no patrol.
    #[parameter(default = Vec::new())]
    goals: Vec<[f64; 3]>,
}

/// Publishes the next goal once the last one has a result. Goals of others take precedence: the
/// patrol continues after them.
#[derive(Module)]
pub struct Patrol {
    #[parameters]
    parameters: PatrolParameters,
    /// The goals that were published so far.
    published: u64,
}

#[module]
impl Patrol {
    #[update]
    pub(super) fn patrol(
        &mut self,
        results: &Subscription<NavigationResult>,
        clock: &Clock,
        goals: &mut Publisher<GoalPose>,
    ) {
        let Some(number) = self.published.checked_rem(self.parameters.goals.len() as u64) else { return };
        let is_over = results.iter().any(|result| result.outcome != Outcome::Replaced);
        if self.published == 0 || is_over {
            let [x, y, heading] = self.parameters.goals[number as usize];
            goals.publish(GoalPose::on_map(Pose2::new(x, y, heading), clock.now()));
            self.published += 1;
        }
    }
}
