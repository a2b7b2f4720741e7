//! Messages of Foxglove and ROS 2 that are needed here. They have all fields of their schemas;
//! fields that are never filled are empty.

use std::time::Duration;

use hemiola_macros::Data;
use hemiola_model::Time;
use hemiola_model::module::Color as Shown;

/// The type of messages that viewers draw as images.
pub const IMAGE_TYPE: &str = "sensor_msgs/msg/Image";

#[derive(Data)]
#[data(name = "hemiola/Plot")]
pub struct Plot {
    pub value: f64,
}

#[derive(Data)]
#[data(name = "std_msgs/Header")]
pub struct Header {
    pub stamp: Time,
    pub frame_id: String,
}

#[derive(Data)]
#[data(name = "sensor_msgs/Image")]
pub struct Image {
    pub header: Header,
    pub height: u32,
    pub width: u32,
    pub encoding: String,
    pub is_bigendian: u8,
    pub step: u32,
    pub data: Vec<u8>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/Log")]
pub struct Log {
    pub timestamp: Time,
    /// 1: debugging, 2: information
    pub level: u8,
    pub message: String,
    pub name: String,
    pub file: String,
    pub line: u32,
}

impl Log {
    pub fn debug(timestamp: Time, name: &str, file: &str, message: &str) -> Self {
        let [name, file, message] = [name, file, message].map(str::to_owned);
        Self { timestamp, level: 1, message, name, file, line: 0 }
    }

    pub fn information(timestamp: Time, name: &str, file: &str, message: &str) -> Self {
        Self { level: 2, ..Self::debug(timestamp, name, file, message) }
    }
}

#[derive(Data, Clone, Copy)]
#[data(name = "foxglove_msgs/Color")]
pub struct Color {
    pub r: f64,
    pub g: f64,
    pub b: f64,
    pub a: f64,
}

impl Color {
    pub const NONE: Self = Self { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };
}

impl From<Shown> for Color {
    fn from(color: Shown) -> Self {
        let [r, g, b, a] = color.channels().map(|channel| f64::from(channel) / 255.0);
        Self { r, g, b, a }
    }
}

#[derive(Data)]
#[data(name = "geometry_msgs/Point")]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[derive(Data)]
#[data(name = "geometry_msgs/Vector3")]
pub struct Vector3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[derive(Data)]
#[data(name = "geometry_msgs/Quaternion")]
pub struct Quaternion {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}

#[derive(Data)]
#[data(name = "geometry_msgs/Pose")]
pub struct Pose {
    pub position: Point,
    pub orientation: Quaternion,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/FrameTransform")]
pub struct FrameTransform {
    pub timestamp: Time,
    pub parent_frame_id: String,
    pub child_frame_id: String,
    pub translation: Vector3,
    pub rotation: Quaternion,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/SceneUpdate")]
pub struct SceneUpdate {
    pub deletions: Vec<SceneEntityDeletion>,
    pub entities: Vec<SceneEntity>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/SceneEntityDeletion")]
pub struct SceneEntityDeletion {
    pub timestamp: Time,
    /// 0: the one of that id
    pub r#type: u8,
    pub id: String,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/SceneEntity")]
pub struct SceneEntity {
    pub timestamp: Time,
    pub frame_id: String,
    pub id: String,
    pub lifetime: Duration,
    pub frame_locked: bool,
    pub metadata: Vec<KeyValuePair>,
    pub arrows: Vec<ArrowPrimitive>,
    pub cubes: Vec<CubePrimitive>,
    pub spheres: Vec<SpherePrimitive>,
    pub cylinders: Vec<CylinderPrimitive>,
    pub lines: Vec<LinePrimitive>,
    pub triangles: Vec<TriangleListPrimitive>,
    pub texts: Vec<TextPrimitive>,
    pub models: Vec<ModelPrimitive>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/KeyValuePair")]
pub struct KeyValuePair {
    pub key: String,
    pub value: String,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/ArrowPrimitive")]
pub struct ArrowPrimitive {
    pub pose: Pose,
    pub shaft_length: f64,
    pub shaft_diameter: f64,
    pub head_length: f64,
    pub head_diameter: f64,
    pub color: Color,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/CubePrimitive")]
pub struct CubePrimitive {
    pub pose: Pose,
    pub size: Vector3,
    pub color: Color,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/SpherePrimitive")]
pub struct SpherePrimitive {
    pub pose: Pose,
    pub size: Vector3,
    pub color: Color,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/CylinderPrimitive")]
pub struct CylinderPrimitive {
    pub pose: Pose,
    pub size: Vector3,
    pub bottom_scale: f64,
    pub top_scale: f64,
    pub color: Color,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/LinePrimitive")]
pub struct LinePrimitive {
    /// 0: from point to point, 2: each two points
    pub r#type: u8,
    pub pose: Pose,
    pub thickness: f64,
    pub scale_invariant: bool,
    pub points: Vec<Point>,
    pub color: Color,
    pub colors: Vec<Color>,
    pub indices: Vec<u32>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/TriangleListPrimitive")]
pub struct TriangleListPrimitive {
    pub pose: Pose,
    pub points: Vec<Point>,
    pub color: Color,
    pub colors: Vec<Color>,
    pub indices: Vec<u32>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/TextPrimitive")]
pub struct TextPrimitive {
    pub pose: Pose,
    pub billboard: bool,
    pub font_size: f64,
    pub scale_invariant: bool,
    pub color: Color,
    pub text: String,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/ModelPrimitive")]
pub struct ModelPrimitive {
    pub pose: Pose,
    pub scale: Vector3,
    pub color: Color,
    pub override_color: bool,
    pub url: String,
    pub media_type: String,
    pub data: Vec<u8>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/ImageAnnotations")]
pub struct ImageAnnotations {
    pub circles: Vec<CircleAnnotation>,
    pub points: Vec<PointsAnnotation>,
    pub texts: Vec<TextAnnotation>,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/Point2")]
pub struct Point2 {
    pub x: f64,
    pub y: f64,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/CircleAnnotation")]
pub struct CircleAnnotation {
    pub timestamp: Time,
    pub position: Point2,
    pub diameter: f64,
    pub thickness: f64,
    pub fill_color: Color,
    pub outline_color: Color,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/PointsAnnotation")]
pub struct PointsAnnotation {
    pub timestamp: Time,
    /// 1: points, 3: a line from point to point
    pub r#type: u8,
    pub points: Vec<Point2>,
    pub outline_color: Color,
    pub outline_colors: Vec<Color>,
    pub fill_color: Color,
    pub thickness: f64,
}

#[derive(Data)]
#[data(name = "foxglove_msgs/TextAnnotation")]
pub struct TextAnnotation {
    pub timestamp: Time,
    pub position: Point2,
    pub text: String,
    pub font_size: f64,
    pub text_color: Color,
    pub background_color: Color,
}
