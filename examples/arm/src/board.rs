//! The board to which motors, encoders, brake and gripper are wired. **It is simulated: replace
//! this file by your driver.**
//!
//! A driver has the same faces. `Joints` is what the robot gets: its method reads a sample from the
//! device. `Board` is what the robot does. Nothing else has to change.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::{fs, io};

use hemiola::prelude::*;

use crate::dynamics;
use crate::representations::JointAngles;

/// The registers of the simulated board: torques in µNm, whether the brake is released, and whether
/// the gripper is closed.
static TORQUES: [AtomicI32; 2] = [const { AtomicI32::new(0) }; 2];
static IS_RELEASED: AtomicBool = AtomicBool::new(false);
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// The outputs of the board: motors, brake and gripper.
#[derive(Default)]
pub struct Board {
    is_released: bool,
}

impl Board {
    /// Has the motors turn with these torques, in newton metres, and releases the brake. `pin` is
    /// the file that stands for the pin of the brake, which is written when that changes.
    ///
    /// # Errors
    /// The pin cannot be written.
    pub fn turn(&mut self, torques: [f64; 2], pin: &Path) -> io::Result<()> {
        if !self.is_released {
            fs::write(pin, "released\n")?;
        }
        for (register, torque) in TORQUES.iter().zip(torques) {
            register.store((torque * 1e6) as i32, Ordering::Relaxed);
        }
        self.is_released = true;
        IS_RELEASED.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Engages the brake.
    ///
    /// # Errors
    /// The pin cannot be written.
    pub fn hold(&mut self, pin: &Path) -> io::Result<()> {
        self.is_released = false;
        IS_RELEASED.store(false, Ordering::Relaxed);
        fs::write(pin, "engaged\n")
    }

    /// Closes or opens the gripper.
    ///
    /// # Errors
    /// Never here; a driver returns what its port says.
    pub fn grip(&mut self, close: bool) -> io::Result<()> {
        IS_CLOSED.store(close, Ordering::Relaxed);
        Ok(())
    }
}

/// The joints and their encoders: an arm that moves as its dynamics say, with friction.
#[derive(Source)]
struct Joints {
    joints: Option<JointAngles>,
}

/// The angles in which the arm is switched on.
const START: [f64; 2] = [1.2, -2.0];
/// The torque of friction, in Nm for each rad/s; the model of the controller knows nothing of it.
const FRICTION: f64 = 0.05;
const STEPS: u32 = 8;

#[source]
impl Joints {
    #[sample(rate = 250.0)]
    fn sample(&mut self, clock: &Clock, measured: &mut JointAngles) {
        let joints = self.joints.get_or_insert(JointAngles { angles: START, rates: [0.0; 2] });
        let torques = TORQUES.each_ref().map(|register| f64::from(register.load(Ordering::Relaxed)) / 1e6);
        let seconds = clock.step().as_secs_f64().min(0.02) / f64::from(STEPS);
        for _ in 0..STEPS {
            if !IS_RELEASED.load(Ordering::Relaxed) {
                joints.rates = [0.0; 2];
                break;
            }
            let torques = [0, 1].map(|joint| torques[joint] - FRICTION * joints.rates[joint]);
            let accelerations = dynamics::accelerations(joints.angles, joints.rates, torques);
            for (joint, acceleration) in accelerations.iter().enumerate() {
                joints.rates[joint] += acceleration * seconds;
                joints.angles[joint] += joints.rates[joint] * seconds;
            }
        }
        measured.clone_from(joints);
    }
}
