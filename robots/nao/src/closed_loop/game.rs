//! A game of one robot whose software takes its time.
//!
//! The framework steps the robot in simulated time, in which a run takes none. Here a [`Machine`]
//! says when each run ends, and the sample that the run processes is delivered at that time, with
//! the time at which it was taken: what a run computes is there when it would be there. A sample
//! that comes while a run is under way waits for its end, and is dropped for a newer one.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::time::Duration;

use glam::Vec2;
use hemiola::Time;
use hemiola::module::registry;
use hemiola::plan::{Durations, Plan, Simulation, SimulationOptions};
use hemiola::runtime::{Robot, Stepper};
use serde::{Deserialize, Serialize};

use super::condition::{Condition, Scheduling};
use super::machine::{Ended, Machine, Shape};
use super::workload::{Workload, configuration};
use crate::NaoError;
use crate::representations::modeling::{BallModel, RobotPose};
use crate::representations::sensing::{GroundTruth, JointRequest};
use crate::simulator::{
    Frame, Random, Scenario, Seat, Sensed, Shutter, SimulatedBody, SimulatedCameras, SimulatedMicrophone,
    SimulatedWorld, World,
};

const MILLISECOND: u64 = 1_000_000;
/// The period of the body, in milliseconds. It takes over the request of the joints once in it, as
/// the NAO's LoLA does.
const BODY_PERIOD: u64 = 12;
/// The time between two blocks of the microphone, in nanoseconds.
const AUDIO_PERIOD: u64 = 1024 * 1_000_000_000 / 48_000;
/// The number of the body's periods from one note of the errors to the next.
const NOTE_PERIODS: u64 = 8;
/// The time before which a robot cannot know where it is, in seconds.
const SETTLED: f32 = 3.0;
/// The time from a goal until the ball lies in the middle again, in seconds.
const PAUSE: f32 = 2.0;

/// The places of the cycles in [`CYCLES`](super::workload::CYCLES).
const MOTION: usize = 0;
const AUDIO: usize = 1;
const COGNITION: usize = 2;

/// The streams of random numbers of a game, beside those of the world: what is lost, and how long
/// the tasks of each cycle take.
const LOSSES: u64 = 1 << 33;
const DURATIONS: u64 = (1 << 33) + 1;

/// The things that a game is played with, under whatever condition.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The file of the robot.
    pub robot: &'a str,
    /// The settings of the robot, as `--set` takes them.
    pub settings: &'a [String],
    /// The durations of the robot's tasks.
    pub workload: &'a Workload,
    /// The length of a game.
    pub length: Duration,
}

impl Setup<'_> {
    /// Returns the plans of the robot's cycles under a condition, with the durations of their
    /// tasks.
    fn plans(&self, condition: &Condition) -> Vec<(Plan, &Durations)> {
        // A loop has one worker, whatever else the machine has.
        let usable = if condition.scheduling == Scheduling::Sequential { 1 } else { condition.cores };
        self.workload.plans(NonZeroUsize::new(usable).expect("a condition has cores"))
    }

    /// Returns the numbers of workers with which motion, audio and cognition run.
    ///
    /// # Panics
    /// If the condition has no cores.
    #[must_use]
    pub fn workers(&self, condition: &Condition) -> [usize; 3] {
        let plans = self.plans(condition);
        [MOTION, AUDIO, COGNITION].map(|cycle| plans[cycle].0.workers())
    }
}

/// The result of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of goals.
    pub goals: u32,
    /// The time of the first goal, in seconds; `None` if there was none.
    pub first_goal: Option<f32>,
    /// The number of times that the robot fell.
    pub falls: u32,
    /// The mean distance of the believed position from the true one, in metres.
    pub position_error: f64,
    /// The mean distance of the believed ball from the true one, relative to the robot, in metres,
    /// while the robot knew of one; `None` if it never did.
    pub ball_error: Option<f64>,
    /// The images.
    pub images: Images,
    /// The body's samples.
    pub motion: MotionSamples,
    /// The notes of errors.
    pub notes: Notes,
    /// A fingerprint of every value of the robot in the end.
    pub fingerprint: u64,
}

/// The fate of the body's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionSamples {
    /// The number that were measured.
    pub samples: u64,
    /// The number that were dropped for newer ones, because motion was busy.
    pub dropped: u64,
}

/// The number of times that the errors of the robot's beliefs were noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// All of them.
    pub all: u64,
    /// The number of those at which the robot believed to know where the ball was.
    pub of_ball: u64,
}

/// The fate of images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Images {
    /// The number that were taken.
    pub taken: u64,
    /// The number that were lost on their way.
    pub lost: u64,
    /// The number that were dropped for newer ones, because cognition was busy.
    pub dropped: u64,
    /// The number that were processed.
    pub processed: u64,
    /// The mean age of an image when what cognition makes of it is there.
    pub age: Duration,
}

/// Plays a game.
///
/// # Errors
/// Returns an error if the robot cannot be configured or made.
///
/// # Panics
/// If the condition has no cores.
pub fn play(setup: &Setup<'_>, condition: &Condition, seed: u64) -> Result<Outcome, NaoError> {
    let plans = setup.plans(condition);
    let mut draws: Vec<Simulation<'_>> = Vec::new();
    for (stream, (plan, durations)) in (DURATIONS..).zip(&plans) {
        let seed = Random::for_purpose(seed, stream).next_u64();
        draws.push(Simulation::new(plan, durations, &SimulationOptions { seed, ..SimulationOptions::default() }));
    }
    let draw = |cycle: usize| {
        // On one worker all tasks are there with the durations that the simulator draws.
        let mut durations = vec![0; plans[cycle].0.units().len()];
        for slot in draws[cycle].schedule().slots {
            durations[slot.unit.index()] += nanoseconds(slot.end - slot.start);
        }
        durations
    };
    let shapes = plans.iter().map(|(plan, _)| Shape::of(plan)).collect();
    let machine = Machine::new(condition.cores, condition.scheduling, shapes);
    let mut game = Game::begin(setup, condition, seed, machine)?;
    game.play(setup.length, draw);
    Ok(game.outcome())
}

/// A game that is going on.
struct Game {
    stepper: Stepper,
    seat: Seat,
    shutter: Shutter,
    world: World,
    machine: Machine,
    camera_period: f64,
    latency: u64,
    loss: f32,
    losses: Random,
    /// The number of the next image, and of the next block of sound.
    next_image: u64,
    next_block: u64,
    /// The samples on their way through motion and cognition, by their numbers, in order.
    bodies: VecDeque<(u64, Sensed)>,
    frames: VecDeque<(u64, Frame)>,
    /// The runs that have ended and whose samples are to be delivered.
    ended: VecDeque<Ended>,
    falls: u32,
    was_fallen: bool,
    /// The goals after which the ball was put back, or none had to be.
    settled: u32,
    /// The time at which the ball went into a goal and has not been put back since.
    goal: Option<f32>,
    position_errors: Mean,
    ball_errors: Mean,
    images: Images,
    ages: Mean,
    motion: MotionSamples,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl Game {
    fn begin(setup: &Setup<'_>, condition: &Condition, seed: u64, machine: Machine) -> Result<Self, NaoError> {
        let (seat, shutter) = (Seat::default(), Shutter::default());
        // Sources are asked every millisecond whether something has arrived; games share the cores.
        let rates = ["SimulatedBody", "SimulatedCameras"].map(|source| format!("source.{source}.rate=1000.0"));
        let workers = super::workload::CYCLES.map(|cycle| format!("cycle.{cycle}.workers=1"));
        let settings: Vec<String> = setup.settings.iter().cloned().chain(rates).chain(workers).collect();
        let sources = registry::sources().into_iter().map(|source| {
            let (seat, shutter) = (seat.clone(), shutter.clone());
            match source.name() {
                "SimulatedBody" => source.created_by(move |parameters| SimulatedBody::seated(parameters, seat.clone())),
                "SimulatedCameras" => {
                    source.created_by(move |()| SimulatedCameras::with_shutter(seed, shutter.clone()))
                }
                "SimulatedMicrophone" => source.created_by(move |()| SimulatedMicrophone::with_noise(seed)),
                _ => source,
            }
        });
        let configuration = configuration(setup.robot, &settings)?;
        let robot = Robot::assemble_from(configuration, registry::modules(), sources.collect())?;
        // A camera shows nothing until its first frame, and a body until its first sample.
        seat.empty();
        Ok(Self {
            stepper: robot.into_stepper()?,
            seat,
            shutter,
            world: World::new(seed, Scenario::BallToGoal),
            machine,
            camera_period: 1e9 / condition.camera_rate,
            latency: nanoseconds(condition.latency),
            loss: condition.loss,
            losses: Random::for_purpose(seed, LOSSES),
            next_image: 0,
            next_block: 0,
            bodies: VecDeque::new(),
            frames: VecDeque::new(),
            ended: VecDeque::new(),
            falls: 0,
            was_fallen: false,
            settled: 0,
            goal: None,
            position_errors: Mean::default(),
            ball_errors: Mean::default(),
            images: Images::default(),
            ages: Mean::default(),
            motion: MotionSamples::default(),
        })
    }

    fn play(&mut self, length: Duration, mut draw: impl FnMut(usize) -> Vec<u64>) {
        let periods = nanoseconds(length) / (BODY_PERIOD * MILLISECOND);
        for period in 0..periods {
            let begin = period * BODY_PERIOD * MILLISECOND;
            let end = begin + BODY_PERIOD * MILLISECOND;
            self.measure(period, begin);
            self.take_images(end);
            self.record_sound(end);
            // Audio's runs take time from the others, and deliver nothing.
            self.ended.extend(self.machine.advance(end, &mut draw).into_iter().filter(|run| run.cycle != AUDIO));
            self.forget_dropped();
            for step in 0..BODY_PERIOD {
                self.deliver(begin + step * MILLISECOND);
            }
            let request = self.stepper.with_value(JointRequest::clone).unwrap_or_default();
            self.world.step(BODY_PERIOD as f32 / 1000.0, &request);
            self.watch();
            if period.is_multiple_of(NOTE_PERIODS) {
                self.note_errors();
            }
        }
    }

    /// Measures with the body's sensors, which triggers motion.
    fn measure(&mut self, period: u64, now: u64) {
        self.bodies.push_back((period, sense(&mut self.world)));
        self.motion.samples += 1;
        self.machine.trigger(MOTION, now, period);
    }

    /// Takes the images that are due before `end`; those that are not lost trigger cognition when
    /// they arrive.
    fn take_images(&mut self, end: u64) {
        loop {
            let taken = (self.next_image as f64 * self.camera_period).round() as u64;
            if taken >= end {
                return;
            }
            let number = self.next_image;
            self.next_image += 1;
            self.images.taken += 1;
            // It is drawn for every image, so that a loss changes nothing else.
            if self.losses.uniform(0.0..1.0) < self.loss {
                self.images.lost += 1;
                continue;
            }
            let mut world = SimulatedWorld::default();
            self.world.snapshot(&mut world);
            self.frames.push_back((number, Frame { taken: time(taken), world }));
            self.machine.trigger(COGNITION, taken + self.latency, number);
        }
    }

    /// Records the blocks of sound that end before `end`. They reach audio at once: of that cycle
    /// only the work counts.
    fn record_sound(&mut self, end: u64) {
        while self.next_block * AUDIO_PERIOD < end {
            self.machine.trigger(AUDIO, self.next_block * AUDIO_PERIOD, self.next_block);
            self.next_block += 1;
        }
    }

    /// Removes samples that were dropped for newer ones.
    fn forget_dropped(&mut self) {
        let motion = self.machine.dropped(MOTION);
        self.motion.dropped += motion.len() as u64;
        self.bodies.retain(|(number, _)| !motion.contains(number));
        let cognition = self.machine.dropped(COGNITION);
        self.images.dropped += cognition.len() as u64;
        self.frames.retain(|(number, _)| !cognition.contains(number));
    }

    /// Delivers the samples whose runs have ended by now, one for each cycle, and lets the robot do
    /// everything up to the next millisecond.
    fn deliver(&mut self, now: u64) {
        if let Some((number, measured)) =
            self.ended_by(now, MOTION).and_then(|sample| taken_out(&mut self.bodies, sample))
        {
            self.seat.fill_late(time(number * BODY_PERIOD * MILLISECOND), |sensed| *sensed = measured);
        }
        if let Some((_, frame)) = self.ended_by(now, COGNITION).and_then(|sample| taken_out(&mut self.frames, sample)) {
            self.images.processed += 1;
            self.ages.add(time(now).since(frame.taken).as_secs_f64());
            self.shutter.put(frame);
        }
        let until = time(now + MILLISECOND);
        while self.stepper.upcoming().is_some_and(|next| next < until) && self.stepper.step().is_some() {}
    }

    /// Returns the sample of the cycle's first run that has ended and has not been delivered.
    fn ended_by(&mut self, now: u64, cycle: usize) -> Option<u64> {
        let place = self.ended.iter().position(|run| run.cycle == cycle && run.at <= now)?;
        self.ended.remove(place).map(|run| run.sample)
    }

    /// Counts falls, and puts the ball back some seconds after a goal.
    fn watch(&mut self) {
        let truth = truth(&self.world);
        self.falls += u32::from(truth.fallen && !self.was_fallen);
        self.was_fallen = truth.fallen;
        let goals = self.world.goals();
        if goals != self.settled && truth.time >= *self.goal.get_or_insert(truth.time) + PAUSE {
            (self.settled, self.goal) = (goals, None);
            self.world.place_ball(Vec2::ZERO);
        }
    }

    /// Notes how far off the robot's beliefs are now, not when they were formed.
    fn note_errors(&mut self) {
        let truth = truth(&self.world);
        if truth.time <= SETTLED {
            return;
        }
        if let Some(pose) = self.stepper.with_value(|pose: &RobotPose| pose.pose) {
            self.position_errors.add(f64::from(pose.translation.distance(truth.robot.translation)));
        }
        if let Some(Some(ball)) = self.stepper.with_value(|ball: &BallModel| ball.position) {
            // Relative to the robot, so that an error of the pose is not counted twice.
            self.ball_errors.add(f64::from(ball.distance(truth.robot.relative(truth.ball))));
        }
    }

    fn outcome(&self) -> Outcome {
        let mut hasher = DefaultHasher::new();
        for cycle in 0..self.stepper.cycle_names().len() {
            self.stepper.fingerprints(cycle).hash(&mut hasher);
        }
        let truth = truth(&self.world);
        truth.robot.translation.to_array().map(f32::to_bits).hash(&mut hasher);
        truth.ball.to_array().map(f32::to_bits).hash(&mut hasher);
        Outcome {
            goals: self.world.score(),
            first_goal: self.world.scored_at(),
            falls: self.falls,
            position_error: self.position_errors.value().unwrap_or_default(),
            ball_error: self.ball_errors.value(),
            images: Images { age: Duration::from_secs_f64(self.ages.value().unwrap_or_default()), ..self.images },
            motion: self.motion,
            notes: Notes { all: self.position_errors.count, of_ball: self.ball_errors.count },
            fingerprint: hasher.finish(),
        }
    }
}

/// Measures with the sensors of the body.
fn sense(world: &mut World) -> Sensed {
    let mut sensed = Sensed::default();
    world.sense(&mut sensed.imu, &mut sensed.joints, &mut sensed.feet);
    world.snapshot(&mut sensed.snapshot);
    sensed.truth = truth(world);
    sensed
}

fn truth(world: &World) -> GroundTruth {
    let mut truth = GroundTruth::default();
    world.ground_truth(&mut truth);
    truth
}

/// Removes the sample of that number.
fn taken_out<T>(samples: &mut VecDeque<(u64, T)>, number: u64) -> Option<(u64, T)> {
    let place = samples.iter().position(|(known, _)| *known == number)?;
    samples.remove(place)
}

fn time(nanoseconds: u64) -> Time {
    Time::from_nanoseconds(nanoseconds as i64)
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

#[cfg(test)]
mod tests;
