//! Drawings in spaces: an entity for each update and name, which replaces the one before it.
//! Drawings in two dimensions lie on the ground of their frame.

use std::f32::consts::TAU;
use std::time::Duration;

use hemiola_model::module::{Color as Shown, Shape};

use super::Drawing;
use super::messages::{
    Color, CubePrimitive, CylinderPrimitive, LinePrimitive, Point, Pose, Quaternion, SceneEntity, SceneEntityDeletion,
    SceneUpdate, SpherePrimitive, TextPrimitive, Vector3,
};

/// The sizes, in pixels.
const THICKNESS: f64 = 2.0;
const FONT: f64 = 14.0;
/// The diameter of a point in metres. Who reads a scene tells points from solid spheres by it.
pub const POINT: f64 = 0.02;
/// The time after which a drawing disappears that an update does not draw again.
const LIFETIME: Duration = Duration::from_secs(1);

const LINE_STRIP: u8 = 0;

pub fn of(drawing: &Drawing) -> SceneUpdate {
    let Drawing { time, update, space, is_background, shapes, .. } = drawing;
    let is_seen = |shape: &Shape| !matches!(shape, Shape::Nothing | Shape::Place { .. } | Shape::Place3d { .. });
    if !shapes.iter().any(|(shape, _)| is_seen(shape)) {
        let deletion = SceneEntityDeletion { timestamp: *time, r#type: 0, id: update.to_string() };
        return SceneUpdate { deletions: vec![deletion], entities: Vec::new() };
    }
    let mut entity = SceneEntity {
        timestamp: *time,
        frame_id: (*space).to_owned(),
        id: update.to_string(),
        lifetime: if *is_background { Duration::ZERO } else { LIFETIME },
        frame_locked: true,
        metadata: Vec::new(),
        arrows: Vec::new(),
        cubes: Vec::new(),
        spheres: Vec::new(),
        cylinders: Vec::new(),
        lines: Vec::new(),
        triangles: Vec::new(),
        texts: Vec::new(),
        models: Vec::new(),
    };
    shapes.iter().for_each(|(shape, color)| draw(&mut entity, shape, *color));
    SceneUpdate { deletions: Vec::new(), entities: vec![entity] }
}

fn draw(entity: &mut SceneEntity, shape: &Shape, color: Shown) {
    match *shape {
        Shape::Points(points) => points.iter().for_each(|at| entity.spheres.push(sphere(flat(*at), POINT, color))),
        Shape::Points3d(points) => points.iter().for_each(|at| entity.spheres.push(sphere(point(*at), POINT, color))),
        Shape::Line(points) => entity.lines.push(line(points.iter().copied().map(flat), color)),
        Shape::Line3d(points) => entity.lines.push(line(points.iter().copied().map(point), color)),
        Shape::Arrow { from, to } => {
            let [left, right] = arrow_head(from, to);
            entity.lines.push(line([from, to, left, to, right].map(flat), color));
        }
        Shape::Arrow3d { from, to } => {
            entity.lines.push(line([from, to].map(point), color));
            entity.spheres.push(sphere(point(to), POINT, color));
        }
        Shape::Circle { center, radius } => {
            entity.lines.push(line(ellipse(center, [radius; 2], 0.0).map(flat), color));
        }
        Shape::Ellipse { center, axes, angle } => {
            entity.lines.push(line(ellipse(center, axes, angle).map(flat), color));
        }
        Shape::Text { at, text } => entity.texts.push(label(flat(at), &text, color)),
        Shape::Text3d { at, text } => entity.texts.push(label(point(at), &text, color)),
        Shape::Frame { position, rotation, length } => {
            for (axis, color) in [Shown::RED, Shown::GREEN, Shown::BLUE].into_iter().enumerate() {
                let mut end = [0.0; 3];
                end[axis] = length;
                let end = rotated(rotation, end);
                let end = std::array::from_fn(|index| position[index] + end[index]);
                entity.lines.push(line([position, end].map(point), color));
            }
        }
        Shape::Sphere { center, radius } => {
            entity.spheres.push(sphere(point(center), 2.0 * f64::from(radius), color));
        }
        Shape::Cuboid { center, size: [x, y, z], rotation: [rx, ry, rz, rw] } => {
            let orientation = Quaternion { x: rx.into(), y: ry.into(), z: rz.into(), w: rw.into() };
            let size = Vector3 { x: x.into(), y: y.into(), z: z.into() };
            entity.cubes.push(CubePrimitive {
                pose: Pose { position: point(center), orientation },
                size,
                color: color.into(),
            });
        }
        Shape::Capsule { from, to, radius } => entity.cylinders.push(capsule(from, to, radius, color)),
        // Places are messages of their own: `transform`.
        Shape::Place { .. } | Shape::Place3d { .. } | Shape::Nothing => {}
    }
}

/// Returns the two ends of an arrow's head, whose length is a fifth of the arrow's.
pub fn arrow_head(from: [f32; 2], to: [f32; 2]) -> [[f32; 2]; 2] {
    let [x, y] = [0, 1].map(|axis| (from[axis] - to[axis]) * 0.2);
    [0.5, -0.5].map(|side| [to[0] + x - side * y, to[1] + y + side * x])
}

/// Returns points around an ellipse.
pub fn ellipse(center: [f32; 2], axes: [f32; 2], angle: f32) -> [[f32; 2]; 33] {
    let (sine, cosine) = angle.sin_cos();
    std::array::from_fn(|index| {
        let (y, x) = (index as f32 / 32.0 * TAU).sin_cos();
        let (x, y) = (x * axes[0], y * axes[1]);
        [center[0] + x * cosine - y * sine, center[1] + x * sine + y * cosine]
    })
}

/// Returns a vector turned by a unit quaternion.
fn rotated([x, y, z, w]: [f32; 4], vector: [f32; 3]) -> [f32; 3] {
    let cross =
        |a: [f32; 3], b: [f32; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let twice = cross([x, y, z], vector).map(|part| 2.0 * part);
    let rest = cross([x, y, z], twice);
    std::array::from_fn(|index| vector[index] + w * twice[index] + rest[index])
}

fn flat([x, y]: [f32; 2]) -> Point {
    point([x, y, 0.0])
}

fn point([x, y, z]: [f32; 3]) -> Point {
    Point { x: x.into(), y: y.into(), z: z.into() }
}

fn at(position: Point) -> Pose {
    Pose { position, orientation: Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 } }
}

fn sphere(position: Point, diameter: f64, color: Shown) -> SpherePrimitive {
    let size = Vector3 { x: diameter, y: diameter, z: diameter };
    SpherePrimitive { pose: at(position), size, color: color.into() }
}

/// Returns a cylinder between the centres of a capsule's ends: Foxglove has no capsules.
fn capsule(from: [f32; 3], to: [f32; 3], radius: f32, color: Shown) -> CylinderPrimitive {
    let middle = std::array::from_fn(|axis| (from[axis] + to[axis]) / 2.0);
    let way: [f64; 3] = std::array::from_fn(|axis| f64::from(to[axis]) - f64::from(from[axis]));
    let length = way.iter().map(|part| part * part).sum::<f64>().sqrt();
    let diameter = 2.0 * f64::from(radius);
    CylinderPrimitive {
        pose: Pose { position: point(middle), orientation: from_z_to(way, length) },
        size: Vector3 { x: diameter, y: diameter, z: length },
        bottom_scale: 1.0,
        top_scale: 1.0,
        color: color.into(),
    }
}

/// Returns the shortest rotation of the z axis to a direction, given as a vector and its length.
fn from_z_to([x, y, z]: [f64; 3], length: f64) -> Quaternion {
    let w = length + z;
    let norm = (x * x + y * y + w * w).sqrt();
    // Straight down, half a turn around any horizontal axis is the shortest; without a direction
    // there is nothing to turn.
    if norm <= 1e-9 * length.max(f64::MIN_POSITIVE) {
        let turn = if length > 0.0 { 1.0 } else { 0.0 };
        return Quaternion { x: turn, y: 0.0, z: 0.0, w: 1.0 - turn };
    }
    Quaternion { x: -y / norm, y: x / norm, z: 0.0, w: w / norm }
}

fn line(points: impl IntoIterator<Item = Point>, color: Shown) -> LinePrimitive {
    LinePrimitive {
        r#type: LINE_STRIP,
        pose: at(point([0.0; 3])),
        thickness: THICKNESS,
        scale_invariant: true,
        points: points.into_iter().collect(),
        color: Color::from(color),
        colors: Vec::new(),
        indices: Vec::new(),
    }
}

fn label(position: Point, text: &str, color: Shown) -> TextPrimitive {
    TextPrimitive {
        pose: at(position),
        billboard: true,
        font_size: FONT,
        scale_invariant: true,
        color: color.into(),
        text: text.to_owned(),
    }
}
