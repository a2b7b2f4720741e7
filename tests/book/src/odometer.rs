//! The first module that a reader writes, for the cart of `hemiola new`.

use hemiola::prelude::*;

/// The pose of the cart, as in the template.
#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

// ANCHOR: odometer
/// The distance that the cart has driven.
#[derive(Representation, Clone, Default)]
pub struct Driven {
    pub metres: f64,
}

#[derive(Module)]
struct Odometer {}

#[module]
impl Odometer {
    #[update]
    fn driven(&self, pose: &Pose, last: Previous<Pose>, before: Previous<Driven>, driven: &mut Driven) {
        driven.metres = before.metres + (pose.x - last.x).hypot(pose.y - last.y);
    }
}
// ANCHOR_END: odometer

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_adds_its_length() {
        let (last, pose) = (Pose { x: 1.0, ..Pose::default() }, Pose { x: 4.0, y: 4.0, heading: 0.0 });
        let mut driven = Driven::default();
        Odometer {}.driven(&pose, Previous::new(&last), Previous::new(&Driven { metres: 2.0 }), &mut driven);
        assert_eq!(driven.metres, 7.0);
    }
}
