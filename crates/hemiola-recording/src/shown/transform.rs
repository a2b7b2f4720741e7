//! The place of one space in another: the transform between their frames.

use hemiola_model::Time;
use hemiola_model::module::Shape;

use super::messages::{FrameTransform, Quaternion, Vector3};

/// Returns the transform of a shape, if it is a place.
pub fn of(time: Time, parent: &str, shape: &Shape) -> Option<FrameTransform> {
    let (child, [x, y, z], rotation) = match *shape {
        Shape::Place { space, at: [x, y], angle } => (space, [x, y, 0.0], around_z(angle)),
        Shape::Place3d { space, position, rotation: [x, y, z, w] } => {
            (space, position, Quaternion { x: x.into(), y: y.into(), z: z.into(), w: w.into() })
        }
        _ => return None,
    };
    Some(FrameTransform {
        timestamp: time,
        parent_frame_id: parent.to_owned(),
        child_frame_id: child.to_owned(),
        translation: Vector3 { x: x.into(), y: y.into(), z: z.into() },
        rotation,
    })
}

fn around_z(angle: f32) -> Quaternion {
    let (z, w) = (f64::from(angle) / 2.0).sin_cos();
    Quaternion { x: 0.0, y: 0.0, z, w }
}
