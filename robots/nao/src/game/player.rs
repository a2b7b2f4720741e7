//! One robot of a game, and its ends of the field and the network.

use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::module::registry;
use hemiola::runtime::{Robot, Stepper};
use hemiola::{SourceDescriptor, Time};

use super::ball_comparison::BallWatch;
use super::course::{Conditions, TEAMS};
use crate::NaoError;
use crate::game_controller::referee::{Rules, Side};
use crate::game_controller::source::GameController;
use crate::network::Port;
use crate::representations::sensing::JointRequest;
use crate::simulator::arena::{Arena, TeamSide};
use crate::simulator::truth_comparison::TruthReport;
use crate::simulator::{Seat, Sensed, SimulatedBody, SimulatedCameras, SimulatedMicrophone};
use crate::team::source::TeamCommunication;

/// A robot of a game.
pub(super) struct Player {
    pub side: TeamSide,
    /// The number on its shirt, from 1.
    pub number: u8,
    pub stepper: Stepper,
    seat: Seat,
    /// The end at which control packets arrive, and from which statuses go.
    pub control: Port,
    /// The end for messages of the team.
    pub team: Port,
    pub errors: Errors,
    /// The estimates of all ball models from what the robot sees, if they are compared.
    pub watch: Option<Box<BallWatch>>,
}

/// The errors of a robot's beliefs in the course of the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Errors {
    /// The distances of the believed position from the true one, in metres.
    pub position: Vec<f32>,
    /// The distances of the believed ball from the true one, relative to the robot, in metres.
    pub ball: Vec<f32>,
}

/// The time before which a robot cannot know where it is, in seconds.
const SETTLED: f32 = 3.0;

/// The properties that distinguish a robot from the others.
pub(super) struct Start {
    pub side: TeamSide,
    pub number: u8,
    /// The seed of the noise of its cameras and microphone.
    pub seed: u64,
}

impl Player {
    pub(super) fn new(start: &Start, rules: &Rules, conditions: &Conditions) -> Result<Self, NaoError> {
        let Start { side, number, seed } = *start;
        let (seat, control, team) = (Seat::default(), Port::default(), Port::default());
        let own = TEAMS[Side::from(side) as usize];
        let settings = [
            format!("source.GameController.parameters.team={own}"),
            format!("source.GameController.parameters.player={number}"),
            format!("source.TeamCommunication.parameters.team={own}"),
            format!("source.TeamCommunication.parameters.player={number}"),
            format!("source.TeamCommunication.parameters.players={}", rules.players),
            format!("source.TeamCommunication.parameters.half={:?}", rules.half.as_secs_f64()),
        ];
        // All robots share the cores, so that none needs several for a cycle.
        let workers = ["motion", "audio", "cognition"].map(|cycle| format!("cycle.{cycle}.workers=1"));
        let assignments = settings.into_iter().chain(workers).chain(conditions.settings.iter().cloned()).collect();
        let overlays = ["controlled", "team"].map(str::to_owned).to_vec();
        let options = LoadOptions { overlays, assignments, ..LoadOptions::new(conditions.robot.as_str()) };
        let configuration = load(&options, &Catalog::linked())?.configuration;
        let seated = Seated { seat: seat.clone(), control: control.clone(), team: team.clone(), seed };
        let sources = registry::sources().into_iter().map(|source| seated.place(source)).collect();
        let stepper = Robot::assemble_from(configuration, registry::modules(), sources)?.into_stepper()?;
        Ok(Self { side, number, stepper, seat, control, team, errors: Errors::default(), watch: None })
    }

    /// Does everything that comes before `time`.
    pub(super) fn run_until(&mut self, time: Time) {
        while self.stepper.upcoming().is_some_and(|next| next < time) {
            let Some(step) = self.stepper.step() else { break };
            if let Some(watch) = &mut self.watch {
                watch.follow(&self.stepper, &step);
            }
        }
    }

    /// Returns what the joints are to do now.
    pub(super) fn joint_request(&self) -> JointRequest {
        self.stepper.with_value(JointRequest::clone).unwrap_or_default()
    }

    /// Notes how far off the robot's beliefs are now.
    pub(super) fn note_errors(&mut self) {
        let report = |report: &TruthReport| (report.time, report.position_error, report.ball_error);
        let Some((time, position, ball)) = self.stepper.with_value(report) else { return };
        if time > SETTLED {
            self.errors.position.push(position);
            self.errors.ball.extend(ball);
            if let Some(watch) = &mut self.watch {
                watch.note();
            }
        }
    }

    /// Measures with the robot's sensors, for its next sample.
    pub(super) fn sense(&self, arena: &mut Arena, index: usize) {
        self.seat.fill(|sensed| {
            let Sensed { imu, joints, feet, snapshot, truth } = sensed;
            arena.sense(index, imu, joints, feet);
            arena.snapshot(index, snapshot);
            arena.ground_truth(index, truth);
        });
    }
}

/// The ends of field and network that the sources of a robot in a game are given.
struct Seated {
    seat: Seat,
    control: Port,
    team: Port,
    seed: u64,
}

impl Seated {
    /// Returns a source that belongs to the game, if it is one of those that a game has.
    fn place(&self, source: SourceDescriptor) -> SourceDescriptor {
        let seed = self.seed;
        match source.name() {
            "SimulatedBody" => {
                let seat = self.seat.clone();
                source.created_by(move |parameters| SimulatedBody::seated(parameters, seat.clone()))
            }
            "SimulatedCameras" => source.created_by(move |()| SimulatedCameras::with_noise(seed)),
            "SimulatedMicrophone" => source.created_by(move |()| SimulatedMicrophone::with_noise(seed)),
            "GameController" => {
                let port = self.control.clone();
                source.created_by(move |parameters| GameController::simulated(parameters, port.clone()))
            }
            "TeamCommunication" => {
                let port = self.team.clone();
                source.created_by(move |parameters| TeamCommunication::simulated(parameters, port.clone()))
            }
            _ => source,
        }
    }
}
