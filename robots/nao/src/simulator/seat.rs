//! The place of a robot in a world that somebody else advances: what its sensors measure next.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hemiola::Time;

use super::SimulatedWorld;
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles};

/// The next measurements of one robot's body, in a world that several robots share, or that acts
/// on the robot later than at once.
///
/// Whoever advances the world fills it, and the robot's source
/// [`SimulatedBody`](super::SimulatedBody) reads it. Clones are of the same seat.
#[derive(Clone, Debug, Default)]
pub struct Seat {
    content: Arc<Mutex<Content>>,
}

#[derive(Debug, Default)]
struct Content {
    sensed: Sensed,
    arrival: Arrival,
}

/// The time at which what a seat holds was measured.
#[derive(Clone, Copy, Debug, Default)]
enum Arrival {
    /// A sample that counts as measured whenever it is read.
    #[default]
    WhenRead,
    /// A sample that was measured at this time, and has not been read yet.
    Of(Time),
    /// A sample that has been read, and does not count again.
    Read,
}

/// The frame that the cameras deliver next, where images arrive later than they are taken.
///
/// Whoever advances the world puts frames in, and the robot's source
/// [`SimulatedCameras`](super::SimulatedCameras) takes them out. Clones are of the same shutter.
#[derive(Clone, Debug, Default)]
pub struct Shutter {
    frame: Arc<Mutex<Option<Frame>>>,
}

/// The world as cameras saw it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The time at which the images were taken.
    pub taken: Time,
    /// The world at that time.
    pub world: SimulatedWorld,
}

/// The error of a source that is asked before its next sample has arrived: it is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingNew;

impl fmt::Display for NothingNew {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the next sample has not arrived yet")
    }
}

impl Shutter {
    /// Gives the cameras their next frame, in place of one that they have not delivered yet.
    pub fn put(&self, frame: Frame) {
        *self.frame.lock().unwrap_or_else(PoisonError::into_inner) = Some(frame);
    }

    pub(super) fn take(&self) -> Result<Frame, NothingNew> {
        self.frame.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or(NothingNew)
    }
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
    /// Calls `fill` with what the body measures next, at the time at which it is read.
    pub fn fill(&self, fill: impl FnOnce(&mut Sensed)) {
        self.with(|content| fill(&mut content.sensed));
    }

    /// Calls `fill` with what the body has measured at an earlier time. It is read once; until the
    /// next measurement arrives, there is no sample.
    pub fn fill_late(&self, measured: Time, fill: impl FnOnce(&mut Sensed)) {
        self.with(|content| {
            fill(&mut content.sensed);
            content.arrival = Arrival::Of(measured);
        });
    }

    /// Leaves the seat without a sample until the first measurement arrives.
    pub fn empty(&self) {
        self.with(|content| content.arrival = Arrival::Read);
    }

    /// Copies what the body measures, without allocation once all lists have their length, and
    /// returns when it was measured.
    pub(super) fn read(
        &self,
        now: Time,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        feet: &mut FootPressure,
        snapshot: &mut SimulatedWorld,
        truth: &mut GroundTruth,
    ) -> Result<Time, NothingNew> {
        self.with(|Content { sensed, arrival }| {
            let measured = match *arrival {
                Arrival::WhenRead => now,
                Arrival::Of(measured) => {
                    *arrival = Arrival::Read;
                    measured
                }
                Arrival::Read => return Err(NothingNew),
            };
            imu.clone_from(&sensed.imu);
            joints.clone_from(&sensed.joints);
            feet.clone_from(&sensed.feet);
            snapshot.clone_from(&sensed.snapshot);
            truth.clone_from(&sensed.truth);
            Ok(measured)
        })
    }

    fn with<R>(&self, work: impl FnOnce(&mut Content) -> R) -> R {
        // Each value is overwritten as a whole: none is left half filled by a panic.
        work(&mut self.content.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
