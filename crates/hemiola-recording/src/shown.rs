//! What updates show, as messages that Foxglove draws.
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
mod messages;
mod scene;
#[cfg(test)]
mod tests;
mod transform;

pub use messages::IMAGE_TYPE;

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::Data;
use hemiola_model::module::{Color, DebugContent, DebugImage, DebugRecord, Shape};

use messages::{Header, Image, ImageAnnotations, Log, Plot, SceneUpdate};

/// What an update has drawn under one name in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// What the clock of its cycle showed.
    pub time: Time,
    /// The run of its cycle.
    pub run: u32,
    /// Whose it is.
    pub update: Arc<str>,
    /// Its name.
    pub name: &'static str,
    /// Its space.
    pub space: &'static str,
    /// It stays until it is drawn anew.
    pub is_background: bool,
    /// What is drawn.
    pub shapes: Vec<(Shape, Color)>,
}

impl Drawing {
    /// Begins with a part of a drawing; `None` if the record is something else.
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

    /// As a message: over an image if the space is one, else in a scene.
    pub fn message(&self, is_over_image: bool) -> Message {
        match is_over_image {
            true => Message::new::<ImageAnnotations>(topic(self.name), self.time, &annotations::of(self)),
            false => Message::new::<SceneUpdate>(topic(self.name), self.time, &scene::of(self)),
        }
    }

    /// Where it says that other spaces lie in its own: a message for each, of a topic for each.
    /// There are none over an image, whose pixels are no place for what has lengths.
    pub fn transforms(&self, is_over_image: bool) -> impl Iterator<Item = Message> {
        let transforms = self.shapes.iter().filter(move |_| !is_over_image);
        let transforms = transforms.filter_map(|(shape, _)| transform::of(self.time, self.space, shape));
        transforms.map(|transform| {
            let place = topic(&format!("{}/{}", transform.parent_frame_id, transform.child_frame_id));
            let kind = if self.is_background { STATIC } else { MOVING };
            Message::new(place.replacen(DEBUG, kind, 1), self.time, &transform)
        })
    }
}

/// Where a place of a drawing is told, unless that lies over an image: below this for each space,
/// and each that lies in it. As drawings, places go when they are not drawn anew.
pub const MOVING: &str = "/debug/tf/";

/// As [`MOVING`], of places that stay until they are drawn anew.
pub const STATIC: &str = "/debug/tf_static/";

/// A message and where it belongs.
pub struct Message {
    /// The topic.
    pub topic: String,
    /// When.
    pub time: Time,
    /// What it is.
    pub schema: MessageSchema,
    /// CDR.
    pub bytes: Vec<u8>,
}

impl Message {
    fn new<T: Data>(topic: String, time: Time, message: &T) -> Self {
        let mut writer = CdrWriter::default();
        message.write(&mut writer);
        Self { topic, time, schema: MessageSchema::of("", &T::data_type()), bytes: writer.bytes().to_vec() }
    }

    /// What an update has shown, unless that is a part of a [`Drawing`].
    pub fn of(record: &DebugRecord) -> Option<Self> {
        let DebugRecord { time, update, name, .. } = record;
        Some(match &record.content {
            DebugContent::Draw { .. } => return None,
            DebugContent::Plot(value) => Self::new(topic(name), *time, &Plot { value: *value }),
            DebugContent::Image(image) => Self::new(topic(name), *time, &image_message(*time, name, image)),
            DebugContent::Text(text) => Self::new(LOG.to_owned(), *time, &Log::debug(*time, name, update, text)),
            DebugContent::Annotation(text) => {
                Self::new(LOG.to_owned(), *time, &Log::information(*time, name, update, text))
            }
        })
    }
}

/// All that is shown has topics below this.
const DEBUG: &str = "/debug/";

/// The topic of texts.
const LOG: &str = "/debug/log";

/// The topic of a name: dots part it as slashes do; topics have letters, digits and underscores.
///
/// ```
/// use hemiola_recording::shown::topic;
///
/// assert_eq!(topic("ball.score"), "/debug/ball/score");
/// assert_eq!(topic("UpperImage/line spots"), "/debug/UpperImage/line_spots");
/// ```
pub fn topic(name: &str) -> String {
    let plain = |letter: char| match letter {
        '/' | '.' => '/',
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    };
    format!("{DEBUG}{}", name.chars().map(plain).collect::<String>())
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
