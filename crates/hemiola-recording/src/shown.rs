//! The output of updates, as messages that Foxglove draws.
//!
//! | shown | topic | type |
//! |---|---|---|
//! | plot `ball.score` | `/debug/ball/score` | `hemiola/Plot` |
//! | drawing `field/ball` | `/debug/field/ball`, in the frame `field` | `foxglove_msgs/SceneUpdate` |
//! | drawing `UpperImage/lines`, over an image | `/debug/UpperImage/lines` | `foxglove_msgs/ImageAnnotations` |
//! | `robot` placed in `field` | `/debug/tf/field/robot` | `foxglove_msgs/FrameTransform` |
//! | the same in a background | `/debug/tf_static/field/robot` | `foxglove_msgs/FrameTransform` |
//! | image `green` | `/debug/green` | `sensor_msgs/Image` |
//! | texts and annotations | `/debug/log` | `foxglove_msgs/Log` |

mod annotations;
mod channel;
mod gathered;
mod messages;
mod scene;
#[cfg(test)]
mod tests;
mod transform;

pub use channel::{Channel, channel, places, topic};
pub use gathered::Gathered;
pub use messages::IMAGE_TYPE;
pub use scene::POINT;

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::Data;
use hemiola_model::module::{Color, DebugContent, DebugImage, DebugKind, DebugRecord, Shape};

use channel::plain;
use messages::{Header, Image, Log, Plot};

/// The drawing of an update under one name in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The time of the cycle's clock.
    pub time: Time,
    /// The run of the update's cycle.
    pub run: u32,
    /// The name of the update.
    pub update: Arc<str>,
    /// The name of the drawing.
    pub name: &'static str,
    /// The space in which it is drawn.
    pub space: &'static str,
    /// Set if it stays until it is drawn again.
    pub is_background: bool,
    /// The shapes with their colours.
    pub shapes: Vec<(Shape, Color)>,
}

impl Drawing {
    /// Creates a drawing from its first part; `None` if the record is something else.
    pub fn of(record: &DebugRecord) -> Option<Self> {
        let DebugContent::Draw { shape, color, is_background } = record.content else { return None };
        Some(Self {
            time: record.time,
            run: record.run,
            update: record.update.clone(),
            name: record.name,
            space: record.space(),
            is_background,
            shapes: vec![(shape, color)],
        })
    }

    /// Returns the message: annotations if the space is an image, or else a scene.
    fn message(&self, is_over_image: bool) -> Option<Message> {
        let Channel { topic, schema } = channel(self.name, DebugKind::Drawing, is_over_image)?;
        let bytes = match is_over_image {
            true => encoded(&annotations::of(self)),
            false => encoded(&scene::of(self)),
        };
        Some(Message { topic, time: self.time, schema, bytes })
    }

    /// Returns the places of other spaces in this one: a message for each, with a topic for each.
    /// There are none over an image, whose coordinates are pixels.
    fn transforms(&self, is_over_image: bool) -> impl Iterator<Item = Message> {
        let transforms = self.shapes.iter().filter(move |_| !is_over_image);
        let transforms = transforms.filter_map(|(shape, _)| transform::of(self.time, self.space, shape));
        let kind = if self.is_background { STATIC } else { MOVING };
        transforms.map(move |transform| {
            let place = plain(&format!("{}/{}", transform.parent_frame_id, transform.child_frame_id));
            let Channel { schema, .. } = places();
            Message { topic: format!("{kind}{place}"), time: self.time, schema, bytes: encoded(&transform) }
        })
    }
}

/// The prefix of topics of places that are drawn, `/debug/tf/field/robot`: the space, and the one
/// that lies in it. Like drawings, places disappear when they are not drawn again.
pub const MOVING: &str = "/debug/tf/";

/// The prefix of topics of places in backgrounds, which stay until they are drawn again.
pub const STATIC: &str = "/debug/tf_static/";

/// A message and its topic.
pub struct Message {
    /// The topic.
    pub topic: String,
    /// The time of the message.
    pub time: Time,
    /// The type of the message.
    pub schema: &'static MessageSchema,
    /// The message in CDR.
    pub bytes: Vec<u8>,
}

impl Message {
    /// Returns the message of a record, unless the record is a part of a [`Drawing`].
    fn of(record: &DebugRecord) -> Option<Self> {
        let DebugRecord { time, update, name, .. } = record;
        let Channel { topic, schema } = channel(name, record.content.kind(), false)?;
        let bytes = match &record.content {
            DebugContent::Draw { .. } => return None,
            DebugContent::Plot(value) => encoded(&Plot { value: *value }),
            DebugContent::Image(image) => encoded(&image_message(*time, name, image)),
            DebugContent::Text(text) => encoded(&Log::debug(*time, name, update, text)),
            DebugContent::Annotation(text) => encoded(&Log::information(*time, name, update, text)),
        };
        Some(Self { topic, time: *time, schema, bytes })
    }
}

fn encoded(message: &impl Data) -> Vec<u8> {
    let mut writer = CdrWriter::default();
    message.write(&mut writer);
    writer.finish()
}

fn image_message(time: Time, name: &str, image: &DebugImage) -> Image {
    let format = image.format();
    Image {
        header: Header { stamp: time, frame_id: name.to_owned() },
        height: format.height,
        width: format.width,
        encoding: format.pixels.encoding().to_owned(),
        is_bigendian: 0,
        step: format.step() as u32,
        data: image.pixels().to_vec(),
    }
}
