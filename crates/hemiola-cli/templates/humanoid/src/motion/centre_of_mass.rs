use hemiola::prelude::*;

use crate::body::HEIGHT;
use crate::representations::{BodySensors, CentreOfMass};

/// Computes the motion of the centre of mass from the lean of the body.
#[derive(Module)]
struct CentreOfMassEstimator;

#[module]
impl CentreOfMassEstimator {
    #[update]
    fn centre_of_mass(&self, body: &BodySensors, centre: &mut CentreOfMass) {
        centre.position = HEIGHT * body.lean.tan();
        centre.velocity = HEIGHT * body.lean_rate;
    }
}
