//! Planning of footsteps from a walking velocity.

use glam::{Vec2, Vec3};
use hemiola::prelude::*;

use super::posture::{FOOT_SPACING, FRAME, neutral_feet};
use crate::geometry::Pose2;
use crate::representations::behaviour::{Motion, MotionRequest};
use crate::representations::motion::{FallState, Foot, GaitPhase, StepPlan, Swing, SwingKind, Uprightness};

#[cfg(test)]
mod tests;

/// Parameters of [`StepPlanner`].
#[derive(Parameters)]
pub struct StepPlannerParameters {
    /// The maximum velocity forward.
    #[parameter(default = 0.25, range = 0.0..=0.4, unit = "m/s")]
    forward: f32,
    /// The maximum velocity backward.
    #[parameter(default = 0.18, range = 0.0..=0.4, unit = "m/s")]
    backward: f32,
    /// The maximum velocity to either side.
    #[parameter(default = 0.15, range = 0.0..=0.3, unit = "m/s")]
    sideways: f32,
    /// The maximum angular velocity.
    #[parameter(default = 0.8, range = 0.0..=1.5, unit = "rad/s")]
    turn: f32,
    /// The maximum change of the velocity from one step to the next, relative to the maximum.
    #[parameter(default = 0.35, range = 0.05..=1.0)]
    acceleration: f32,
    /// The number of runs of the motion cycle per step.
    #[parameter(default = 21, range = 15..=60)]
    step_frames: u32,
    /// The number of runs for which the weight is shifted before the first step.
    #[parameter(default = 30, range = 10..=100)]
    shift_frames: u32,
    /// The number of runs of a kick.
    #[parameter(default = 44, range = 30..=100)]
    kick_frames: u32,
    /// The distance beyond the other foot at which a kicking foot lands.
    #[parameter(default = 0.03, range = -0.05..=0.08, unit = "m")]
    kick_advance: f32,
}

/// Decides, whenever a step ends, where the next foot lands, and predicts the following steps for
/// the same request.
///
/// A step moves the point between the feet: the swinging foot lands in its neutral position around
/// the moved point. Sideways and turning, only the outer foot reaches out, twice as far, and the
/// inner foot follows, so that the feet never collide. The velocity changes by a limited amount per
/// step. A kick is announced by the step before, so that the preview controller can shift the
/// weight over the other foot in time. In the safe state the robot stands.
#[derive(Module)]
pub struct StepPlanner {
    #[parameters]
    parameters: StepPlannerParameters,
    walker: Walker,
    now: GaitPhase,
    frame: u32,
}

#[module]
impl StepPlanner {
    #[update]
    pub(super) fn step_plan(
        &mut self,
        request: &MotionRequest,
        fall: &FallState,
        safe_state: &SafeState,
        plan: &mut StepPlan,
        debug: &Debug,
    ) {
        let wanted = if safe_state.is_active() { Motion::Stand } else { request.motion };
        let intent = Intent::from(wanted, &self.parameters);
        if fall.state != Uprightness::Upright || self.now.frames == 0 {
            self.walker = Walker::default();
            self.now = self.walker.stand();
            self.frame = 0;
            plan.restarted = true;
        } else if self.frame + 1 < self.now.frames {
            self.frame += 1;
        } else {
            self.now = self.walker.advance(&intent, &self.parameters);
            self.frame = 0;
        }
        plan.now = self.now;
        plan.frame = self.frame;
        let mut future = self.walker;
        plan.upcoming = std::array::from_fn(|_| future.advance(&intent, &self.parameters));
        debug.draw("steps", |canvas| {
            if let Some(swing) = self.now.swing {
                canvas.circle(swing.target.translation, 0.03, 0xffcc00);
            }
        });
    }
}

/// The request, within limits.
#[derive(Clone, Copy, Debug)]
enum Intent {
    Stand,
    Walk(Velocity),
    Kick(Foot),
}

impl Intent {
    fn from(motion: Motion, limits: &StepPlannerParameters) -> Self {
        match motion {
            Motion::Stand => Self::Stand,
            Motion::Walk { velocity, turn } => Self::Walk(Velocity::within(limits, velocity, turn)),
            Motion::Kick { foot } => Self::Kick(foot.into()),
        }
    }

    fn velocity(&self) -> Velocity {
        match self {
            Self::Walk(velocity) => *velocity,
            Self::Stand | Self::Kick(_) => Velocity::default(),
        }
    }
}

/// The velocity forward, to the left and around, each relative to its maximum.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
struct Velocity(Vec3);

impl Velocity {
    /// Limits a request, scaled down if the sum is too much; a request that is not finite is a
    /// request to stop.
    fn within(limits: &StepPlannerParameters, velocity: Vec2, turn: f32) -> Self {
        let wanted = velocity.extend(turn);
        if !wanted.is_finite() {
            return Self::default();
        }
        let parts = wanted * Self::scale(limits, wanted.x).map(|limit| 1.0 / limit.max(1e-6));
        Self(parts.clamp_length_max(1.0))
    }

    /// Returns the velocity in m/s and rad/s.
    fn physical(self, limits: &StepPlannerParameters) -> Vec3 {
        self.0 * Self::scale(limits, self.0.x)
    }

    fn scale(limits: &StepPlannerParameters, forward: f32) -> Vec3 {
        Vec3::new(if forward < 0.0 { limits.backward } else { limits.forward }, limits.sideways, limits.turn)
    }

    fn approach(self, target: Self, largest_change: f32) -> Self {
        Self(self.0 + (target.0 - self.0).clamp_length_max(largest_change))
    }
}

/// The state of the feet after all decided steps, from which the next ones follow.
#[derive(Data, Clone, Copy, Debug)]
struct Walker {
    feet: [Pose2; 2],
    velocity: Velocity,
    /// The foot to swing next; `None` while standing.
    next: Option<Foot>,
    /// The kick that the last step prepared.
    announced: Option<Foot>,
}

impl Default for Walker {
    fn default() -> Self {
        Self { feet: neutral_feet(), velocity: Velocity::default(), next: None, announced: None }
    }
}

impl Walker {
    /// Returns the next phase, in constant time; copies can be advanced to look ahead.
    fn advance(&mut self, intent: &Intent, parameters: &StepPlannerParameters) -> GaitPhase {
        let Some(foot) = self.next else {
            return match first_foot(intent) {
                Some(foot) => {
                    self.next = Some(foot);
                    GaitPhase { frames: parameters.shift_frames, feet: self.feet, swing: None }
                }
                None => self.stand(),
            };
        };
        if matches!(intent, Intent::Stand) && self.velocity == Velocity::default() && self.stands_neutrally() {
            *self = Self { feet: self.feet, ..Self::default() };
            return self.stand();
        }
        self.velocity = self.velocity.approach(intent.velocity(), parameters.acceleration);
        let kicks = matches!(intent, Intent::Kick(kicking) if *kicking == foot) && self.announced == Some(foot);
        self.announced = match intent {
            // Only a step in place leads to a kick.
            Intent::Kick(kicking) if *kicking != foot && self.velocity == Velocity::default() => Some(*kicking),
            _ => None,
        };
        if kicks { self.kick(foot, parameters) } else { self.step(foot, parameters) }
    }

    /// Returns a phase of one run in which both feet stay, so that the next request is followed at
    /// once.
    fn stand(&self) -> GaitPhase {
        GaitPhase { frames: 1, feet: self.feet, swing: None }
    }

    fn step(&mut self, foot: Foot, parameters: &StepPlannerParameters) -> GaitPhase {
        let seconds = parameters.step_frames as f32 * FRAME;
        let way = self.velocity.physical(parameters) * seconds;
        let side = foot.side().sign();
        let outward = |way: f32| if way * side > 0.0 { 2.0 * way } else { 0.0 };
        let motion = Pose2::new(way.x, outward(way.y), outward(way.z));
        self.swing(foot, motion, SwingKind::Step, parameters.step_frames)
    }

    fn kick(&mut self, foot: Foot, parameters: &StepPlannerParameters) -> GaitPhase {
        let motion = Pose2::new(parameters.kick_advance, 0.0, 0.0);
        self.swing(foot, motion, SwingKind::Kick, parameters.kick_frames)
    }

    /// Moves the point between the feet, relative to the standing foot, by `motion` and places the
    /// swinging foot beside it.
    fn swing(&mut self, foot: Foot, motion: Pose2, kind: SwingKind, frames: u32) -> GaitPhase {
        let target = self.feet[foot.other().index()] * beside(foot) * motion * beside(foot);
        let phase = GaitPhase { frames, feet: self.feet, swing: Some(Swing { foot, target, kind }) };
        self.feet[foot.index()] = target;
        self.next = Some(foot.other());
        phase
    }

    fn stands_neutrally(&self) -> bool {
        let neutral = self.feet[0] * beside(Foot::Right) * beside(Foot::Right);
        neutral.translation.abs_diff_eq(self.feet[1].translation, 0.002)
            && crate::geometry::normalize_angle(neutral.rotation - self.feet[1].rotation).abs() < 0.01
    }
}

/// Returns the transform from the standing foot to the point between the feet, or from there to the
/// swinging foot.
fn beside(swinging: Foot) -> Pose2 {
    Pose2::new(0.0, FOOT_SPACING * swinging.side().sign(), 0.0)
}

/// Returns the foot that makes the first step: the outer one; for a kick the one that does not
/// kick. `None` to stand.
fn first_foot(intent: &Intent) -> Option<Foot> {
    match intent {
        Intent::Stand => None,
        Intent::Kick(foot) => Some(foot.other()),
        Intent::Walk(velocity) => {
            let outwards = if velocity.0.y.abs() > velocity.0.z.abs() { velocity.0.y } else { velocity.0.z };
            Some(if outwards < 0.0 { Foot::Right } else { Foot::Left })
        }
    }
}
