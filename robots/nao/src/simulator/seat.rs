//! The place of a robot in a world that several robots share.

use std::sync::{Arc, Mutex, PoisonError};

use super::SimulatedWorld;
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles};

/// The next measurements of one robot's body, in a world that several robots share.
///
/// Whoever advances the world fills it, and the robot's source
/// [`SimulatedBody`](super::SimulatedBody) reads it. Clones are of the same seat.
#[derive(Clone, Debug, Default)]
pub struct Seat {
    sensed: Arc<Mutex<Sensed>>,
}

/// All that a body measures at a time, and the rest of the world as the robot could see it.
#[derive(Clone, Debug, Default)]
pub struct Sensed {
    /// The inertial unit's sample.
    pub imu: ImuSample,
    /// The positions of the joints.
    pub joints: JointAngles,
    /// The forces under the feet.
    pub feet: FootPressure,
    /// The world for cameras and microphones.
    pub snapshot: SimulatedWorld,
    /// The truth, for scores.
    pub truth: GroundTruth,
}

impl Seat {
    /// Calls `fill` with what the body measures next.
    pub fn fill(&self, fill: impl FnOnce(&mut Sensed)) {
        // Each value is overwritten as a whole: none is left half filled by a panic.
        fill(&mut self.sensed.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Copies what the body measures, without allocation once all lists have their length.
    pub fn read(
        &self,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        feet: &mut FootPressure,
        snapshot: &mut SimulatedWorld,
        truth: &mut GroundTruth,
    ) {
        self.fill(|sensed| {
            imu.clone_from(&sensed.imu);
            joints.clone_from(&sensed.joints);
            feet.clone_from(&sensed.feet);
            snapshot.clone_from(&sensed.snapshot);
            truth.clone_from(&sensed.truth);
        });
    }
}
