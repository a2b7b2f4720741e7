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
    /// The time stamp and the frame.
    pub header: Header,
    /// The namespace; together with `id` it identifies the marker that is replaced.
    pub ns: String,
    /// The number of the marker in its namespace.
    pub id: i32,
    /// The shape: 0 arrow, 1 cube, 2 sphere, 3 cylinder, 4 line strip, 5 line list, 6 cubes, 7
    /// spheres, 8 points, 9 text, 10 mesh, 11 triangles.
    pub r#type: i32,
    /// The action: 0 add or change, 2 delete, 3 delete all.
    pub action: i32,
    /// The pose.
    pub pose: Pose,
    /// The size, in m.
    pub scale: Vector3,
    /// The colour; a marker whose colour is fully transparent is invisible.
    pub color: ColorRGBA,
    /// The time for which the marker is shown; 0 for ever.
    pub lifetime: Duration,
    /// Set if the marker moves with its frame.
    pub frame_locked: bool,
    /// The points of lines, points and lists.
    pub points: Vec<Point>,
    /// The colours of the points: one per point, or none.
    pub colors: Vec<ColorRGBA>,
    /// The location of the texture.
    pub texture_resource: String,
    /// The texture.
    pub texture: CompressedImage,
    /// The position of each point on the texture.
    pub uv_coordinates: Vec<UVCoordinate>,
    /// The text that is shown.
    pub text: String,
    /// The location of the mesh.
    pub mesh_resource: String,
    /// The mesh.
    pub mesh_file: MeshFile,
    /// Set if the mesh's own colours are used.
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
    /// The position to the right.
    pub u: f32,
    /// The position upwards.
    pub v: f32,
}

/// A mesh, as the content of a file.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "visualization_msgs/MeshFile")]
pub struct MeshFile {
    /// The name of the file, whose extension tells the format.
    pub filename: String,
    /// The content of the file.
    pub data: Vec<u8>,
}
