use hemiola::prelude::*;

use crate::body::{FOOT, GRAVITY, HEIGHT};
use crate::representations::{CentreOfMass, Pressure};

/// The value that can be tuned, in `[module.Balance]` of robot.toml, or while the robot runs: with
/// `cargo run -- parameters set Balance.stiffness 0.3`, or in the page.
#[derive(Parameters)]
struct BalanceParameters {
    /// The overshoot of the pressure beyond the capture point, as a fraction of its distance.
    #[parameter(default = 0.6, range = 0.0..=3.0)]
    stiffness: f64,
}

/// Keeps the body over its feet: presses beyond the capture point, at which the body would come to
/// rest (Pratt et al. 2006), so that this point moves back to the ankle.
#[derive(Module)]
struct Balance {
    #[parameters]
    parameters: BalanceParameters,
}

#[module]
impl Balance {
    #[update]
    fn pressure(&self, centre: &CentreOfMass, pressure: &mut Pressure) {
        let capture_point = centre.position + centre.velocity / (GRAVITY / HEIGHT).sqrt();
        let wanted = (1.0 + self.parameters.stiffness) * capture_point;
        pressure.position = wanted.clamp(-FOOT, FOOT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Pendulum;

    /// Pushes a standing body. Returns its position after two seconds, and its greatest distance
    /// from the ankle until then.
    fn pushed(push: f64, stiffness: f64) -> (f64, f64) {
        let balance = Balance {
            parameters: BalanceParameters { stiffness },
        };
        let mut body = Pendulum {
            position: 0.0,
            velocity: push,
        };
        let mut farthest = 0.0_f64;
        for _ in 0..166 {
            let centre = CentreOfMass {
                position: body.position,
                velocity: body.velocity,
            };
            let mut pressure = Pressure::default();
            balance.pressure(&centre, &mut pressure);
            (0..10).for_each(|_| body.step(pressure.position, 1.0 / 830.0));
            farthest = farthest.max(body.position.abs());
        }
        (body.position, farthest)
    }

    #[test]
    fn a_body_that_is_pushed_comes_back() {
        for push in [0.1, 0.3, -0.3] {
            let (position, farthest) = pushed(push, 0.6);
            assert!(
                position.abs() < 0.005 && farthest < FOOT,
                "{push}: {position}, {farthest}"
            );
        }
    }

    #[test]
    fn whoever_pushes_it_harder_than_its_feet_are_long_throws_it_over() {
        let (position, _) = pushed(0.6, 0.6);
        assert!(position > FOOT, "{position}");
    }
}
