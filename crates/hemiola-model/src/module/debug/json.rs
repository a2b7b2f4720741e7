//! Serialization of records, as JSON or in any other format of serde.

use super::{Color, DebugContent, DebugImage, DebugKind, DebugRecord, Points, Shape, ShortText};
use serde::ser::{Serialize, SerializeMap, Serializer};

impl Serialize for DebugRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("time", &self.time.nanoseconds())?;
        map.serialize_entry("run", &self.run)?;
        map.serialize_entry("update", &*self.update)?;
        map.serialize_entry("sequence", &self.sequence)?;
        map.serialize_entry("name", self.name)?;
        match &self.content {
            DebugContent::Plot(value) => map.serialize_entry("plot", &value.is_finite().then_some(value))?,
            DebugContent::Text(text) => map.serialize_entry("text", text)?,
            DebugContent::Annotation(text) => map.serialize_entry("annotation", text)?,
            DebugContent::Image(image) => map.serialize_entry("image", &**image)?,
            DebugContent::Draw { shape, color, is_background } => {
                map.serialize_entry("draw", shape)?;
                map.serialize_entry("color", color)?;
                if *is_background {
                    map.serialize_entry("background", &true)?;
                }
            }
        }
        map.end()
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if matches!(self, Self::Nothing) {
            return serializer.serialize_none();
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Points(points) => map.serialize_entry("points", points)?,
            Self::Points3d(points) => map.serialize_entry("points", points)?,
            Self::Line(points) => map.serialize_entry("line", points)?,
            Self::Line3d(points) => map.serialize_entry("line", points)?,
            Self::Arrow { from, to } => map.serialize_entry("arrow", &[from, to])?,
            Self::Arrow3d { from, to } => map.serialize_entry("arrow", &[from, to])?,
            Self::Circle { center, radius } => {
                map.serialize_entry("circle", center)?;
                map.serialize_entry("radius", radius)?;
            }
            Self::Ellipse { center, axes, angle } => {
                map.serialize_entry("ellipse", center)?;
                map.serialize_entry("axes", axes)?;
                map.serialize_entry("angle", angle)?;
            }
            Self::Text { at, text } => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("at", at)?;
            }
            Self::Text3d { at, text } => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("at", at)?;
            }
            Self::Frame { position, rotation, length } => {
                map.serialize_entry("frame", position)?;
                map.serialize_entry("rotation", rotation)?;
                map.serialize_entry("length", length)?;
            }
            Self::Sphere { center, radius } => {
                map.serialize_entry("sphere", center)?;
                map.serialize_entry("radius", radius)?;
            }
            Self::Cuboid { center, size, rotation } => {
                map.serialize_entry("box", center)?;
                map.serialize_entry("size", size)?;
                map.serialize_entry("rotation", rotation)?;
            }
            Self::Capsule { from, to, radius } => {
                map.serialize_entry("capsule", &[from, to])?;
                map.serialize_entry("radius", radius)?;
            }
            Self::Place { space, at, angle } => {
                map.serialize_entry("place", space)?;
                map.serialize_entry("at", at)?;
                map.serialize_entry("angle", angle)?;
            }
            Self::Place3d { space, position, rotation } => {
                map.serialize_entry("place", space)?;
                map.serialize_entry("at", position)?;
                map.serialize_entry("rotation", rotation)?;
            }
            Self::Nothing => {}
        }
        map.end()
    }
}

impl<const D: usize, const CAPACITY: usize> Serialize for Points<D, CAPACITY> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|point| point.as_slice()))
    }
}

impl Serialize for ShortText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl Serialize for DebugKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Serializes a colour as `#rrggbbaa`.
impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("#{:08x}", u32::from_be_bytes(self.channels())))
    }
}

/// Serializes an image without its pixels.
impl Serialize for DebugImage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let format = self.format();
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("width", &format.width)?;
        map.serialize_entry("height", &format.height)?;
        map.serialize_entry("encoding", format.pixels.encoding())?;
        map.end()
    }
}
