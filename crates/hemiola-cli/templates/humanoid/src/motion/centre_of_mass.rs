use hemiola::prelude::*;

use crate::body::HEIGHT;
use crate::representations::{BodySensors, CentreOfMass};

/// Works out where the middle of the body's mass is from how it leans.
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
