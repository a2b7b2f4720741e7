use glam::Vec3;
use hemiola::prelude::*;

use crate::representations::body::{Battery, LightRequest, PowerPhase, PowerState};

/// Shows on the chest button whether the joints have power, and on the skull the charge of the
/// battery.
///
/// | chest button | meaning |
/// |---|---|
/// | blue | limp: press it |
/// | yellow | the joints rise |
/// | green | the joints follow the robot's software |
/// | red | the robot is in its safe state |
#[derive(Module)]
pub struct StatusLights {}

const RED: Vec3 = Vec3::X;
const GREEN: Vec3 = Vec3::Y;
const BLUE: Vec3 = Vec3::Z;

#[module]
impl StatusLights {
    #[update]
    pub(super) fn lights(&self, power: &PowerState, battery: &Battery, safe: &SafeState, lights: &mut LightRequest) {
        lights.chest = match power.phase {
            _ if safe.is_active() => RED,
            PowerPhase::Off => BLUE,
            PowerPhase::Rising => RED + GREEN,
            PowerPhase::On => GREEN,
        };
        let count = lights.skull.len() as f32;
        for (index, light) in lights.skull.iter_mut().enumerate() {
            *light = (battery.charge * count - index as f32).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chest_shows_the_power_and_the_skull_the_charge() {
        let show = |phase, charge, safe| {
            let power = PowerState { phase, ..Default::default() };
            let mut lights = LightRequest::default();
            StatusLights {}.lights(&power, &Battery { charge, ..Default::default() }, &safe, &mut lights);
            lights
        };
        let lights = show(PowerPhase::Off, 0.375, SafeState::Inactive);
        assert_eq!(lights.chest, BLUE);
        assert_eq!(lights.skull[..6], [1.0, 1.0, 1.0, 1.0, 0.5, 0.0]);
        assert_eq!(show(PowerPhase::On, 0.5, SafeState::Active).chest, RED);
    }
}
