//! The simulator as sources of sensor samples: the body advances the world, cameras and microphone
//! read it.

use hemiola::prelude::*;

use super::microphone::Microphone;
use super::random::Random;
use super::seat::{NothingNew, Seat, Shutter};
use super::{Scenario, SimulatedWorld, World, camera};
use crate::representations::sensing::{
    AudioBlock, FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest, LowerImage, UpperImage,
};
use crate::robot::kinematics::Camera;

/// The parameters of the simulated game.
#[derive(Parameters)]
pub struct SimulationParameters {
    /// The seed of all random numbers: start, ball, other robots, noise.
    #[parameter(default = 1)]
    pub seed: u64,
    /// The time after the first goal at which the simulation ends.
    #[parameter(default = 2.0, range = 0.0..=600.0, unit = "s")]
    pub time_after_goal: f32,
    /// The time without a goal after which the simulation ends; 0: that of the scenario.
    #[parameter(default = 0.0, range = 0.0..=86400.0, unit = "s")]
    pub time_limit: f32,
    /// Restarts after a goal or the time limit instead of ending, with the next seed: for endurance
    /// runs.
    #[parameter(default = false)]
    pub repeat: bool,
    /// Goes on after a goal instead of ending: the ball is put back on the centre mark, as where a
    /// referee lets the game go on.
    #[parameter(default = false)]
    pub goes_on: bool,
}

/// The inertial unit, joints and foot sensors, which read the joint requests and advance the world.
#[derive(Source)]
pub struct SimulatedBody {
    #[parameters]
    parameters: SimulationParameters,
    game: Option<Game>,
    seat: Option<Seat>,
}

impl SimulatedBody {
    /// Creates the body of a robot in a world that it shares, which somebody else advances. Of its
    /// parameters none has an effect.
    #[must_use]
    pub fn seated(parameters: SimulationParameters, seat: Seat) -> Self {
        Self { parameters, game: None, seat: Some(seat) }
    }
}

struct Game {
    world: World,
    seed: u64,
    is_over: bool,
    /// The goals after which the ball was put back, or none had to be.
    settled: u32,
    /// The time at which the ball went into a goal and has not been put back since.
    goal: Option<f32>,
}

/// The body's rate, in hertz: a sample every 12 ms.
pub const BODY_RATE: f64 = 1000.0 / 12.0;
const BODY_PERIOD: f32 = 0.012;
/// The maximum number of periods in a sample; beyond that, the world has stood still.
const MOST_PERIODS: f32 = 10.0;

#[source]
impl SimulatedBody {
    #[sample(rate = BODY_RATE)]
    #[expect(clippy::too_many_arguments, reason = "a body has many sensors")]
    fn sample(
        &mut self,
        clock: &Clock,
        request: &JointRequest,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        feet: &mut FootPressure,
        snapshot: &mut SimulatedWorld,
        truth: &mut GroundTruth,
    ) -> Result<Option<Time>, NothingNew> {
        if let Some(seat) = &self.seat {
            return seat.read(clock.now(), imu, joints, feet, snapshot, truth).map(Some);
        }
        let parameters = &self.parameters;
        let game = self.game.get_or_insert_with(|| Game::new(parameters.seed));
        if game.is_over {
            if !parameters.repeat {
                return Ok(None);
            }
            *game = Game::new(game.seed.wrapping_add(1));
        }
        // More than one if the machine delayed this source: the world does not wait.
        let periods = (clock.step_seconds() / BODY_PERIOD).round().clamp(1.0, MOST_PERIODS);
        for _ in 0..periods as u32 {
            game.world.step(BODY_PERIOD, request);
        }
        game.world.sense(imu, joints, feet);
        game.world.snapshot(snapshot);
        game.world.ground_truth(truth);
        if parameters.goes_on {
            game.put_ball_back(parameters.time_after_goal);
        }
        let limit = if parameters.time_limit > 0.0 { parameters.time_limit } else { Scenario::BallToGoal.time_limit() };
        let scored_at = game.world.scored_at().filter(|_| !parameters.goes_on);
        let end = scored_at.map_or(limit, |goal| goal + parameters.time_after_goal);
        game.is_over = game.world.time() >= end;
        snapshot.is_over = game.is_over && !parameters.repeat;
        Ok(Some(clock.now()))
    }
}

impl Game {
    fn new(seed: u64) -> Self {
        Self { world: World::new(seed, Scenario::BallToGoal), seed, is_over: false, settled: 0, goal: None }
    }

    /// Puts the ball on the centre mark, some seconds after it went into a goal.
    fn put_ball_back(&mut self, pause: f32) {
        let (goals, now) = (self.world.goals(), self.world.time());
        if goals != self.settled && now >= *self.goal.get_or_insert(now) + pause {
            (self.settled, self.goal) = (goals, None);
            self.world.place_ball(glam::Vec2::ZERO);
        }
    }
}

/// The two cameras of the head.
#[derive(Source)]
pub struct SimulatedCameras {
    renderer: Renderer,
    shutter: Option<Shutter>,
}

struct Renderer {
    frames: u64,
    /// The number of the first frame's noise.
    noise: u64,
}

impl SimulatedCameras {
    /// Creates cameras with noise of their own, which a seed determines.
    #[must_use]
    pub fn with_noise(seed: u64) -> Self {
        let noise = Random::new(seed).next_u64();
        Self { renderer: Renderer { noise, ..Renderer::default() }, shutter: None }
    }

    /// Creates cameras whose images arrive later than they are taken: they deliver a frame when it
    /// is put into `shutter`, with the time at which it was taken.
    #[must_use]
    pub fn with_shutter(seed: u64, shutter: Shutter) -> Self {
        Self { shutter: Some(shutter), ..Self::with_noise(seed) }
    }
}

impl Default for Renderer {
    /// Paints the field before the robot starts, because that takes as long as some frames.
    fn default() -> Self {
        camera::prepare();
        Self { frames: 0, noise: 0 }
    }
}

#[source]
impl SimulatedCameras {
    #[sample(rate = 30.0)]
    fn sample(
        &mut self,
        clock: &Clock,
        world: &SimulatedWorld,
        upper: &mut UpperImage,
        lower: &mut LowerImage,
    ) -> Result<Option<Time>, NothingNew> {
        let frame = self.shutter.as_ref().map(Shutter::take).transpose()?;
        let (world, taken) = frame.as_ref().map_or((world, clock.now()), |frame| (&frame.world, frame.taken));
        let Renderer { frames, noise } = &mut self.renderer;
        *frames += 1;
        let noise = noise.wrapping_add(2 * *frames);
        camera::render(world, Camera::Upper, noise, &mut upper.image);
        camera::render(world, Camera::Lower, noise.wrapping_add(1), &mut lower.image);
        Ok((!world.is_over).then_some(taken))
    }
}

/// A microphone of the head, with blocks of 1,024 samples at 48 kHz.
#[derive(Source)]
pub struct SimulatedMicrophone {
    microphone: Option<Microphone>,
}

impl SimulatedMicrophone {
    /// Creates a microphone with noise of its own, which a seed determines.
    #[must_use]
    pub fn with_noise(seed: u64) -> Self {
        Self { microphone: Some(Microphone::new(seed)) }
    }
}

#[source]
impl SimulatedMicrophone {
    #[sample(rate = 46.875)]
    fn sample(&mut self, clock: &Clock, world: &SimulatedWorld, block: &mut AudioBlock) -> Option<Time> {
        self.microphone.get_or_insert_with(|| Microphone::new(1)).record(world, block);
        (!world.is_over).then(|| clock.now())
    }
}
