//! All ball models side by side on the same percepts, to compare them.

use hemiola::prelude::*;

use super::ball_filter::{BallFilter, BallFilterParameters};
use super::ball_fit::{BallFit, BallFitParameters};
use super::ball_modes::{BallModes, BallModesParameters};
use crate::representations::modeling::{BallHypotheses, BallModel, FieldOfView, OdometryStep};
use crate::representations::motion::FallState;
use crate::representations::perception::BallPercept;

/// The modules that provide the ball, with their default parameters.
pub struct BallTrial {
    filter: BallFilter,
    fit: BallFit,
    modes: BallModes,
    models: [BallModel; BallTrial::NAMES.len()],
}

/// The inputs of all ball models.
pub struct BallSenses<'s> {
    /// The ball, if it is seen.
    pub percept: &'s BallPercept,
    /// The motion of the robot.
    pub odometry: &'s OdometryStep,
    /// The ground that the cameras see.
    pub view: &'s FieldOfView,
    /// The posture of the robot.
    pub fall: &'s FallState,
    /// The time of the run.
    pub clock: &'s Clock,
}

impl BallTrial {
    /// The names of the modules, in the order of their results.
    pub const NAMES: [&'static str; 3] = ["BallFilter", "BallFit", "BallModes"];

    /// Creates all modules; none has seen a ball.
    pub fn new() -> Self {
        Self {
            filter: BallFilter::create(BallFilterParameters::default()),
            fit: BallFit::create(BallFitParameters::default()),
            modes: BallModes::create(BallModesParameters::default()),
            models: Default::default(),
        }
    }

    /// Runs all modules once, and returns their balls.
    pub fn run(&mut self, senses: &BallSenses<'_>) -> &[BallModel; Self::NAMES.len()] {
        let BallSenses { percept, odometry, view, fall, clock } = *senses;
        let debug = &Debug::default();
        let before = std::mem::take(&mut self.models);
        let [filtered, fitted, by_modes] = &mut self.models;
        let hypotheses = &mut BallHypotheses::default();
        self.filter.ball(percept, odometry, view, fall, clock, debug, hypotheses, filtered);
        self.fit.ball(percept, odometry, view, clock, debug, fitted);
        self.modes.ball(percept, odometry, view, fall, Previous::new(&before[2]), clock, debug, by_modes);
        &self.models
    }
}
