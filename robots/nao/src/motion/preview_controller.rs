//! The motion of the centre of mass with which the zero moment point follows its reference.

use glam::{DMat4, DVec4, Vec2};
use hemiola::prelude::*;

use super::posture::{FRAME, GRAVITY, center_of_mass_height, neutral_feet, weight_on};
use crate::representations::motion::{CenterOfMassTarget, PREVIEW_FRAMES, StepPlan, ZmpReference};

#[cfg(test)]
mod tests;

/// The weight of the zero moment point's error relative to the jerk of the centre of mass.
const ERROR_WEIGHT: f64 = 1.0;
const JERK_WEIGHT: f64 = 1e-6;
/// The relative change of all gains below which the Riccati equation counts as solved.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: u32 = 10_000;

/// Preview control of the zero moment point on a cart-table model (Kajita et al. 2003; gains after
/// Katayama et al. 1985).
///
/// The robot is a point mass at constant height; its jerk is chosen so that the sum of squared
/// errors of the zero moment point and of squared jerks is least. That is a linear feedback of the
/// mass' state, of the summed error, and of the reference for the next [`PREVIEW_FRAMES`] runs.
/// Both axes are alike and independent. A run takes 170 multiplications.
#[derive(Module)]
pub struct PreviewController {
    #[stateless]
    gains: Gains,
    position: Vec2,
    velocity: Vec2,
    acceleration: Vec2,
    summed_error: Vec2,
}

#[module]
impl PreviewController {
    #[update]
    pub(super) fn center_of_mass_target(
        &mut self,
        plan: &StepPlan,
        reference: &ZmpReference,
        target: &mut CenterOfMassTarget,
        debug: &Debug,
    ) {
        if plan.restarted {
            self.rest_at(neutral_feet().map(|foot| weight_on(&foot)).into_iter().sum::<Vec2>() / 2.0);
        }
        self.step(&reference.points);
        target.position = self.position;
        target.velocity = self.velocity;
        target.zero_moment_point = self.zero_moment_point();
        debug.plot("walk.center_of_mass.y", self.position.y);
        debug.plot("walk.zero_moment_point.y", target.zero_moment_point.y);
    }

    fn rest_at(&mut self, position: Vec2) {
        self.position = position;
        (self.velocity, self.acceleration, self.summed_error) = (Vec2::ZERO, Vec2::ZERO, Vec2::ZERO);
    }

    /// Computes a step. All positions are relative to the centre of mass, so that the plan's origin
    /// does not matter: over a finite preview the gains of position and reference do not quite
    /// cancel out.
    fn step(&mut self, reference: &[Vec2; PREVIEW_FRAMES]) {
        let gains = &self.gains;
        let mut jerk = -(self.velocity * gains.velocity + self.acceleration * gains.acceleration)
            - self.summed_error * gains.summed_error;
        for (point, gain) in reference.iter().zip(&gains.preview) {
            jerk += (*point - self.position) * *gain;
        }
        self.position += FRAME * (self.velocity + FRAME * (self.acceleration / 2.0 + FRAME / 6.0 * jerk));
        self.velocity += FRAME * (self.acceleration + FRAME / 2.0 * jerk);
        self.acceleration += FRAME * jerk;
        self.summed_error += self.zero_moment_point() - reference[0];
    }

    fn zero_moment_point(&self) -> Vec2 {
        self.position - self.acceleration * self.gains.lever
    }
}

/// The gains from which the jerk is computed.
#[derive(Clone, Debug)]
struct Gains {
    /// The height divided by gravity, in s².
    lever: f32,
    summed_error: f32,
    velocity: f32,
    acceleration: f32,
    /// The gains for the reference in one run, two runs, and so on.
    preview: [f32; PREVIEW_FRAMES],
}

impl Default for Gains {
    /// Returns the gains for the height of the centre of mass in the walk's posture.
    fn default() -> Self {
        Self::for_height(f64::from(center_of_mass_height()))
    }
}

impl Gains {
    /// Solves the discrete Riccati equation by iteration, with some hundred products of small
    /// matrices.
    fn for_height(height: f64) -> Self {
        let dt = f64::from(FRAME);
        let lever = height / f64::from(GRAVITY);
        // The state is summed error, position, velocity and acceleration; the input is the jerk.
        let zmp_of_next = [1.0, dt, dt * dt / 2.0 - lever];
        let zmp_of_jerk = dt * dt * dt / 6.0 - lever * dt;
        let system = DMat4::from_cols(
            DVec4::new(1.0, 0.0, 0.0, 0.0),
            DVec4::new(zmp_of_next[0], 1.0, 0.0, 0.0),
            DVec4::new(zmp_of_next[1], dt, 1.0, 0.0),
            DVec4::new(zmp_of_next[2], dt * dt / 2.0, dt, 1.0),
        );
        let input = DVec4::new(zmp_of_jerk, dt * dt * dt / 6.0, dt * dt / 2.0, dt);
        let weight = DMat4::from_diagonal(DVec4::new(ERROR_WEIGHT, 0.0, 0.0, 0.0));

        let mut cost = weight;
        let mut feedback = DVec4::ZERO;
        for _ in 0..MOST_ITERATIONS {
            let scale = 1.0 / (JERK_WEIGHT + input.dot(cost * input));
            let next = system.transpose() * (cost * input) * scale;
            let converged = (next - feedback).abs().cmple(next.abs() * CONVERGED).all();
            feedback = next;
            let closed = system - outer(input, feedback);
            cost = weight + system.transpose() * cost * closed;
            if converged {
                break;
            }
        }
        let scale = 1.0 / (JERK_WEIGHT + input.dot(cost * input));
        let closed = (system - outer(input, feedback)).transpose();
        let mut ahead = cost * DVec4::X;
        let preview = std::array::from_fn(|_| {
            let gain = scale * input.dot(ahead);
            ahead = closed * ahead;
            gain as f32
        });
        let [summed_error, _, velocity, acceleration] = feedback.to_array().map(|gain| gain as f32);
        Self { lever: lever as f32, summed_error, velocity, acceleration, preview }
    }
}

fn outer(column: DVec4, row: DVec4) -> DMat4 {
    DMat4::from_cols(column * row.x, column * row.y, column * row.z, column * row.w)
}
