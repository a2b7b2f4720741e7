//! The channel of the output of updates under a name: its topic, and the type of its messages.

use std::sync::LazyLock;

use hemiola_model::cdr::MessageSchema;
use hemiola_model::data::Data;
use hemiola_model::module::DebugKind;

use super::messages::{FrameTransform, Image, ImageAnnotations, Log, Plot, SceneUpdate};

/// The channel of messages, in a log and at the door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The topic of the channel.
    pub topic: String,
    /// The type of the channel's messages.
    pub schema: &'static MessageSchema,
}

/// Returns the channel of an update's output under this name; `is_over_image` is set if the space
/// of a drawing is an image. Returns `None` if there are no messages of that kind.
///
/// ```
/// use hemiola_model::module::DebugKind;
/// use hemiola_recording::shown::channel;
///
/// let channel = channel("ball.score", DebugKind::Plot, false).unwrap();
/// assert_eq!((channel.topic.as_str(), channel.schema.name.as_str()), ("/debug/ball/score", "hemiola/msg/Plot"));
/// ```
pub fn channel(name: &str, kind: DebugKind, is_over_image: bool) -> Option<Channel> {
    let schema = match kind {
        DebugKind::Plot => &PLOT,
        DebugKind::Drawing | DebugKind::Drawing3d | DebugKind::Background if is_over_image => &ANNOTATIONS,
        DebugKind::Drawing | DebugKind::Drawing3d | DebugKind::Background => &SCENE,
        DebugKind::Image => &IMAGE,
        DebugKind::Text | DebugKind::Annotation => {
            return Some(Channel { topic: "/debug/log".to_owned(), schema: &LOG });
        }
        DebugKind::Request => return None,
    };
    Some(Channel { topic: topic(name), schema })
}

/// Returns the channel of all places, for clients that subscribe to one channel for the places in
/// everything else to which they subscribe. In logs each place has a topic of its own below this
/// one.
pub fn places() -> Channel {
    Channel { topic: "/debug/tf".to_owned(), schema: &TRANSFORM }
}

/// Returns the topic of a name: dots separate it as slashes do; topics contain letters, digits and
/// underscores.
///
/// ```
/// use hemiola_recording::shown::topic;
///
/// assert_eq!(topic("ball.score"), "/debug/ball/score");
/// assert_eq!(topic("UpperImage/line spots"), "/debug/UpperImage/line_spots");
/// ```
pub fn topic(name: &str) -> String {
    format!("/debug/{}", plain(name))
}

/// Returns a name as a part of a topic.
pub(super) fn plain(name: &str) -> String {
    let plain = |letter: char| match letter {
        '/' | '.' => '/',
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    };
    name.chars().map(plain).collect()
}

/// A schema that is created once, however many messages of it there are.
type Schema = LazyLock<MessageSchema>;

static PLOT: Schema = schema::<Plot>();
static SCENE: Schema = schema::<SceneUpdate>();
static ANNOTATIONS: Schema = schema::<ImageAnnotations>();
static TRANSFORM: Schema = schema::<FrameTransform>();
static IMAGE: Schema = schema::<Image>();
static LOG: Schema = schema::<Log>();

const fn schema<T: Data>() -> Schema {
    LazyLock::new(|| MessageSchema::of("", &T::data_type()))
}
