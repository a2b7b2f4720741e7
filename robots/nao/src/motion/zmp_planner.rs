//! The reference of the zero moment point for the next second.

use hemiola::prelude::*;

use super::posture::weight_on;
use crate::representations::motion::{GaitPhase, StepPlan, ZmpReference};

/// Places the zero moment point on the standing foot, or between the feet while both stand.
#[derive(Module)]
pub struct ZmpPlanner {}

#[module]
impl ZmpPlanner {
    #[update]
    pub(super) fn zmp_reference(&self, plan: &StepPlan, reference: &mut ZmpReference) {
        let mut phases = std::iter::once(&plan.now).chain(&plan.upcoming);
        let mut phase = plan.now;
        let mut left = phase.frames.saturating_sub(plan.frame + 1);
        phases.next();
        for point in &mut reference.points {
            if left == 0 {
                // The last phase continues beyond the plan.
                phase = phases.next().copied().unwrap_or(phase);
                left = phase.frames;
            }
            left = left.saturating_sub(1);
            *point = resting_point(&phase);
        }
    }
}

/// Returns where the weight rests during a phase.
fn resting_point(phase: &GaitPhase) -> glam::Vec2 {
    match phase.swing {
        Some(swing) => weight_on(&phase.feet[swing.foot.other().index()]),
        None => (weight_on(&phase.feet[0]) + weight_on(&phase.feet[1])) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::posture::{WEIGHT_ON_SOLE, neutral_feet};
    use super::*;
    use crate::representations::motion::{Foot, Swing, UPCOMING_PHASES};
    use glam::Vec2;

    #[test]
    fn the_weight_is_on_the_foot_that_does_not_swing_from_the_run_that_the_step_begins() {
        let feet = neutral_feet();
        let swing = |foot: Foot| Some(Swing { foot, ..Default::default() });
        let mut upcoming = [GaitPhase { frames: 1, feet, swing: None }; UPCOMING_PHASES];
        upcoming[0] = GaitPhase { frames: 20, feet, swing: swing(Foot::Right) };
        let now = GaitPhase { frames: 10, feet, swing: swing(Foot::Left) };
        let plan = StepPlan { now, frame: 4, upcoming, restarted: false };
        let mut reference = ZmpReference::default();
        ZmpPlanner::create(()).zmp_reference(&plan, &mut reference);
        let sides: Vec<f32> = reference.points.iter().map(|point| point.y).collect();
        assert!(sides[..5].iter().all(|y| *y == -0.05), "{sides:?}");
        assert!(sides[5..25].iter().all(|y| *y == 0.05), "{sides:?}");
        assert!(sides[25..].iter().all(|y| *y == 0.0), "{sides:?}");
        assert_eq!(reference.points[30], Vec2::new(WEIGHT_ON_SOLE.x, 0.0));
    }
}
