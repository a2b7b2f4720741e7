//! Markers: shapes that are drawn in 3D.

use std::time::Duration;

use super::geometry_msgs::{Point, Pose, Vector3};
use super::sensor_msgs::CompressedImage;
use super::std_msgs::{ColorRGBA, Header};
use hemiola::prelude::*;

/// A shape to be drawn.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "visualization_msgs/Marker")]
pub struct Marker {
    /// When, and in which frame.
    pub header: Header,
    /// Whose it is; with `id` it tells which marker is replaced.
    pub ns: String,
    /// Which one.
    pub id: i32,
    /// 0 arrow, 1 cube, 2 sphere, 3 cylinder, 4 line strip, 5 line list, 6 cubes, 7 spheres, 8
    /// points, 9 text, 10 mesh, 11 triangles.
    pub r#type: i32,
    /// 0 add or change, 2 delete, 3 delete all.
    pub action: i32,
    /// Where.
    pub pose: Pose,
    /// How large, in m.
    pub scale: Vector3,
    /// Its colour; one that is not opaque at all is not seen.
    pub color: ColorRGBA,
    /// How long; 0 for ever.
    pub lifetime: Duration,
    /// Whether it moves with its frame.
    pub frame_locked: bool,
    /// Of lines, points and lists.
    pub points: Vec<Point>,
    /// One per point, or none.
    pub colors: Vec<ColorRGBA>,
    /// Where its texture is.
    pub texture_resource: String,
    /// Its texture.
    pub texture: CompressedImage,
    /// Where each point is on the texture.
    pub uv_coordinates: Vec<UVCoordinate>,
    /// What it says.
    pub text: String,
    /// Where its mesh is.
    pub mesh_resource: String,
    /// Its mesh.
    pub mesh_file: MeshFile,
    /// Whether the mesh's own colours count.
    pub mesh_use_embedded_materials: bool,
}

/// Several markers.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "visualization_msgs/MarkerArray")]
pub struct MarkerArray {
    /// The markers.
    pub markers: Vec<Marker>,
}

/// A position on a texture, from 0 to 1.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "visualization_msgs/UVCoordinate")]
pub struct UVCoordinate {
    /// To the right.
    pub u: f32,
    /// Upwards.
    pub v: f32,
}

/// A mesh, as the content of a file.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "visualization_msgs/MeshFile")]
pub struct MeshFile {
    /// Its name; the ending tells the format.
    pub filename: String,
    /// The file.
    pub data: Vec<u8>,
}
