//! The contact of the feet with the ground.

use glam::Vec2;
use hemiola::prelude::*;

use crate::representations::motion::{FootContact, GroundContact};
use crate::representations::sensing::FootPressure;
use crate::robot::Side;
use crate::robot::dimensions::force_sensors;

/// Parameters of [`FootSoles`].
#[derive(Parameters)]
pub struct FootSolesParameters {
    /// The force from which on a foot touches the ground.
    #[parameter(default = 4.0, range = 0.0..=50.0, unit = "N")]
    touching: f32,
    /// The force below which a foot has left the ground.
    #[parameter(default = 2.0, range = 0.0..=50.0, unit = "N")]
    lifted: f32,
}

/// Sums up the force sensors of each foot and computes where the force acts.
#[derive(Module)]
pub struct FootSoles {
    #[parameters]
    parameters: FootSolesParameters,
}

#[module]
impl FootSoles {
    #[update]
    pub(super) fn ground_contact(
        &self,
        pressure: &FootPressure,
        last: Previous<GroundContact>,
        contact: &mut GroundContact,
        debug: &Debug,
    ) {
        contact.feet = [
            self.contact(Side::Left, &pressure.left, &last.feet[0]),
            self.contact(Side::Right, &pressure.right, &last.feet[1]),
        ];
        debug.plot("contact.left", contact.feet[0].force);
        debug.plot("contact.right", contact.feet[1].force);
    }

    fn contact(&self, side: Side, forces: &[f32; 4], last: &FootContact) -> FootContact {
        let forces = forces.map(|force| if force.is_finite() { force.max(0.0) } else { 0.0 });
        let force: f32 = forces.iter().sum();
        let threshold = if last.touching { self.parameters.lifted } else { self.parameters.touching };
        let touching = force > threshold;
        let moment: Vec2 = force_sensors(side).into_iter().zip(forces).map(|(place, force)| place * force).sum();
        FootContact { force, touching, center_of_pressure: if touching { moment / force } else { Vec2::ZERO } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(left: [f32; 4], last: &GroundContact) -> GroundContact {
        let module = FootSoles::create(FootSolesParameters::default());
        let mut contact = GroundContact::default();
        let pressure = FootPressure { left, right: [f32::NAN; 4] };
        module.ground_contact(&pressure, Previous::new(last), &mut contact, &Debug::default());
        contact
    }

    #[test]
    fn the_force_acts_between_the_sensors_that_feel_it() {
        let toes = contact([10.0, 10.0, 0.0, 0.0], &GroundContact::default());
        let [left, right] = toes.feet;
        assert!(left.touching && left.force == 20.0 && (left.center_of_pressure.x - 0.07025).abs() < 1e-6, "{left:?}");
        assert_eq!(right, FootContact::default());
    }

    #[test]
    fn a_light_touch_counts_only_while_it_lasts() {
        let light = [0.75; 4];
        assert!(!contact(light, &GroundContact::default()).feet[0].touching);
        let standing = contact([10.0; 4], &GroundContact::default());
        assert!(contact(light, &standing).feet[0].touching);
    }
}
