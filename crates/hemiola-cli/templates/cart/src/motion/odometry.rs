use hemiola::prelude::*;

use crate::board::{TICKS_PER_METRE, TRACK};
use crate::representations::{Encoders, Pose};

/// Computes the pose of the cart from the rotation of its wheels.
#[derive(Module)]
struct Odometry {
    /// The counts of the encoders in the last run.
    last: Option<Encoders>,
}

#[module]
impl Odometry {
    #[update]
    fn pose(&mut self, encoders: &Encoders, before: Previous<Pose>, pose: &mut Pose) {
        let last = self
            .last
            .replace(encoders.clone())
            .unwrap_or_else(|| encoders.clone());
        let left = (encoders.left_ticks - last.left_ticks) as f64 / TICKS_PER_METRE;
        let right = (encoders.right_ticks - last.right_ticks) as f64 / TICKS_PER_METRE;
        let (forward, turn) = ((left + right) / 2.0, (right - left) / TRACK);
        let (sin, cos) = (before.heading + turn / 2.0).sin_cos();
        pose.x = before.x + forward * cos;
        pose.y = before.y + forward * sin;
        pose.heading = before.heading + turn;
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    /// Returns the counts of wheels that have rolled this far, in metres.
    fn after(left: f64, right: f64) -> Encoders {
        Encoders {
            left_ticks: (left * TICKS_PER_METRE).round() as i64,
            right_ticks: (right * TICKS_PER_METRE).round() as i64,
        }
    }

    #[test]
    fn a_cart_whose_right_wheel_rolls_a_quarter_of_a_circle_looks_to_the_left() {
        let mut odometry = Odometry {
            last: Some(after(0.0, 0.0)),
        };
        let mut pose = Pose::default();
        let turned = after(0.0, FRAC_PI_2 * TRACK);
        odometry.pose(&turned, Previous::new(&Pose::default()), &mut pose);
        assert!((pose.heading - FRAC_PI_2).abs() < 0.01, "{}", pose.heading);
        assert!(pose.x > 0.0 && pose.y > 0.0, "({}, {})", pose.x, pose.y);
    }

    #[test]
    fn counts_from_before_the_cart_was_switched_on_move_nothing() {
        let mut odometry = Odometry { last: None };
        let mut pose = Pose::default();
        odometry.pose(&after(7.0, 8.0), Previous::new(&Pose::default()), &mut pose);
        assert_eq!((pose.x, pose.y, pose.heading), (0.0, 0.0, 0.0));
    }
}
