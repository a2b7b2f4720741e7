use hemiola::prelude::*;

use crate::dynamics;
use crate::kinematics::{elbow, hand};
use crate::representations::{JointAngles, Reference, Torques};

#[derive(Parameters)]
struct JointControllerParameters {
    /// The frequency at which errors are corrected, without overshooting.
    #[parameter(default = 20.0, range = 1.0..=60.0, unit = "rad/s")]
    stiffness: f64,
    /// The strongest torque of a motor.
    #[parameter(default = 15.0, range = 0.0..=50.0, unit = "Nm")]
    strongest: f64,
}

/// Has the motors carry the arm and move it as the reference says: computed torque (Spong et al.
/// 2006, section 8.3).
#[derive(Module)]
struct JointController {
    #[parameters]
    parameters: JointControllerParameters,
}

#[module]
impl JointController {
    #[update]
    fn torques(&self, joints: &JointAngles, reference: &Reference, debug: &Debug, torques: &mut Torques) {
        let JointControllerParameters { stiffness, strongest } = self.parameters;
        let wanted = [0, 1].map(|joint| {
            let error = reference.angles[joint] - joints.angles[joint];
            let rate_error = reference.rates[joint] - joints.rates[joint];
            reference.accelerations[joint] + 2.0 * stiffness * rate_error + stiffness * stiffness * error
        });
        let exact = dynamics::torques(joints.angles, joints.rates, wanted);
        torques.newton_metres = exact.map(|torque| torque.clamp(-strongest, strongest));

        debug.plot("joints.shoulder error [°]", (reference.angles[0] - joints.angles[0]).to_degrees());
        debug.plot("joints.elbow error [°]", (reference.angles[1] - joints.angles[1]).to_degrees());
        debug.draw("arm/links", |canvas| {
            let points = [[0.0; 2], elbow(joints.angles), hand(joints.angles)];
            canvas.line(points.map(|point| point.map(|place| place as f32)), Color::ORANGE);
        });
    }
}
