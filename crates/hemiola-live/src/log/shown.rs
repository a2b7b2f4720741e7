//! The drawings, texts and images that modules showed when a log was recorded: messages below
//! `/debug`, converted to the records that running robots send in the event `debug`.
//!
//! [`hemiola_recording::shown`] has written these messages. Circles, ellipses and arrows of a scene
//! are recorded as lines, and remain lines.

use std::borrow::Cow;
use std::sync::Arc;

use hemiola_log::{Channel, Numbers, Value};
use hemiola_recording::shown::{MOVING, POINT, STATIC, topic};
use hemiola_recording::split::Kept;
use serde_json::{Map, Value as Json, json};

use crate::protocol::binary;

/// A drawing, plot or image of modules, and its channel in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The name that clients use, such as `field/ball` or `ball.score`.
    pub name: String,
    /// The topic of the channel.
    pub topic: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plot,
    Scene,
    Annotations,
    /// The placement of one space in another.
    Transform,
    Image,
    /// The texts and annotations of all updates.
    Words,
}

/// The level of texts among [`Kind::Words`]; annotations have a higher one.
const TEXT_LEVEL: f64 = 1.0;

/// The time after which a drawing disappears unless it is drawn again.
const LIFETIME: i64 = 1_000_000_000;

impl Shown {
    /// Finds all plots, drawings and images of modules among the channels.
    pub fn all(channels: &[Arc<Channel>]) -> Vec<Self> {
        let images: Vec<&str> = channels.iter().filter_map(|channel| part(channel, Kind::Image)).collect();
        let found = channels.iter().filter_map(|channel| {
            let kind = Kind::of(channel.type_name())?;
            let path = part(channel, kind)?;
            let dotted = |path: &str| path.replace('/', ".");
            let name = match kind {
                Kind::Plot | Kind::Image => dotted(path),
                Kind::Transform | Kind::Words => path.to_owned(),
                // Dots in the names of images are slashes in topics.
                Kind::Scene | Kind::Annotations => {
                    let layer = |image: &&str| path.strip_prefix(*image).is_some_and(|rest| rest.starts_with('/'));
                    let image = images.iter().copied().filter(layer).max_by_key(|image| image.len());
                    image.map_or_else(|| path.to_owned(), |image| dotted(image) + &path[image.len()..])
                }
            };
            Some(Self { name, topic: channel.topic.clone(), kind })
        });
        found.collect()
    }

    /// Returns the description in the form for clients; `None` for the channel of all words, which
    /// has many names.
    pub fn describe(&self) -> Option<Json> {
        let kind = match self.kind {
            Kind::Plot => "plot",
            Kind::Scene | Kind::Annotations | Kind::Transform => "drawing",
            Kind::Image => "image",
            Kind::Words => return None,
        };
        Some(json!({"name": self.name, "kind": kind, "update": ""}))
    }

    /// Returns whether a client that watches these names is sent the messages as drawings, words or
    /// images. Plots are sent through subscriptions to plots.
    pub fn is_wanted(&self, names: &[String]) -> bool {
        match self.kind {
            Kind::Plot => false,
            // Which names there are is known message by message.
            Kind::Words => !names.is_empty(),
            _ => is_among(names, &self.name),
        }
    }

    /// Returns the records and images for a message of `time`, as of the time `now`, for a client
    /// that watches these names.
    ///
    /// # Errors
    /// Returns an error if the message cannot be read.
    pub fn read(&self, message: &Kept, time: i64, now: i64, names: &[String]) -> Result<Vec<Seen>, String> {
        let value = message.as_message().decode().map_err(|error| error.to_string())?;
        let head = Head { name: &self.name, time, run: message.sequence };
        // Drawings over an image were recorded as scenes before its first image was known, so a
        // topic may have both types.
        Ok(match Kind::of(message.channel.type_name()).unwrap_or(self.kind) {
            Kind::Plot => Vec::new(),
            Kind::Image => head.image(&value).into_iter().collect(),
            Kind::Scene => head.scene(&value, now),
            Kind::Transform => {
                let is_background = self.topic.starts_with(STATIC);
                head.lasting("", is_background, now, || vec![transform(&value)])
            }
            Kind::Annotations => head.lasting("", false, now, || annotations(&value)),
            Kind::Words => {
                let name = text(&value, "name");
                let words = || Seen::Record(Head { name: &name, ..head }.words(&value).into());
                is_among(names, &name).then(words).into_iter().collect()
            }
        })
    }
}

impl Kind {
    fn of(type_name: &str) -> Option<Self> {
        let (package, name) = type_name.split_once('/')?;
        Some(match (package, name.strip_prefix("msg/").unwrap_or(name)) {
            ("hemiola", "Plot") => Self::Plot,
            ("foxglove_msgs", "SceneUpdate") => Self::Scene,
            ("foxglove_msgs", "ImageAnnotations") => Self::Annotations,
            ("foxglove_msgs", "FrameTransform") => Self::Transform,
            ("sensor_msgs", "Image") => Self::Image,
            ("foxglove_msgs", "Log") => Self::Words,
            _ => return None,
        })
    }
}

/// Returns whether a name is among the names, spaces and beginnings that a client watches.
fn is_among(names: &[String], name: &str) -> bool {
    names.iter().any(|wanted| match wanted.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    })
}

/// Returns the part of a channel's topic after `/debug/` or, for a transform, after the common
/// beginning of the topics of transforms, if the channel is of this kind.
fn part(channel: &Channel, kind: Kind) -> Option<&str> {
    let topic = channel.topic.as_str();
    let part = match kind {
        Kind::Transform => topic.strip_prefix(MOVING).or_else(|| topic.strip_prefix(STATIC)),
        _ => topic.strip_prefix("/debug/"),
    };
    part.filter(|_| Kind::of(channel.type_name()) == Some(kind))
}

/// An item that is sent to a client.
#[derive(Debug, PartialEq)]
pub enum Seen {
    /// A record for an event.
    Record(Json),
    /// A binary message.
    Image(Vec<u8>),
}

/// The fields that all records of a message have in common.
struct Head<'m> {
    name: &'m str,
    time: i64,
    /// The number of the message, in place of a run number: each message replaces the one before
    /// it.
    run: u32,
}

type Drawn = (Json, String);

impl Head<'_> {
    fn record(&self, update: &str, sequence: usize) -> Map<String, Json> {
        let Self { name, time, run } = *self;
        let record = json!({"time": time, "run": run, "update": update, "sequence": sequence, "name": name});
        record.as_object().cloned().unwrap_or_default()
    }

    fn drawing(&self, update: &str, is_background: bool, drawn: Vec<Drawn>) -> Vec<Seen> {
        if drawn.is_empty() {
            return vec![self.nothing(update)];
        }
        let records = drawn.into_iter().enumerate().map(|(sequence, (draw, color))| {
            let mut record = self.record(update, sequence);
            record.insert("draw".to_owned(), draw);
            record.insert("color".to_owned(), color.into());
            if is_background {
                record.insert("background".to_owned(), true.into());
            }
            Seen::Record(record.into())
        });
        records.collect()
    }

    /// Returns the records of a drawing, unless it has disappeared by now.
    fn lasting(&self, update: &str, is_background: bool, now: i64, drawn: impl FnOnce() -> Vec<Drawn>) -> Vec<Seen> {
        match is_background || now.saturating_sub(self.time) <= LIFETIME {
            true => self.drawing(update, is_background, drawn()),
            false => Vec::new(),
        }
    }

    fn nothing(&self, update: &str) -> Seen {
        let mut record = self.record(update, 0);
        record.insert("draw".to_owned(), Json::Null);
        Seen::Record(record.into())
    }

    fn scene(&self, scene: &Value, now: i64) -> Vec<Seen> {
        let deleted = items(scene, "deletions").into_iter().map(|deletion| self.nothing(&text(&deletion, "id")));
        let drawn = items(scene, "entities").into_iter().flat_map(|entity| {
            let lifetime = entity.get("lifetime").and_then(|lifetime| lifetime.number());
            self.lasting(&text(&entity, "id"), lifetime == Some(0.0), now, || shapes(&entity))
        });
        deleted.chain(drawn).collect()
    }

    fn words(&self, log: &Value) -> Map<String, Json> {
        let mut record = self.record(&text(log, "file"), 0);
        let kind = if number(log, "level") > TEXT_LEVEL { "annotation" } else { "text" };
        record.insert(kind.to_owned(), text(log, "message").into());
        record
    }

    fn image(&self, image: &Value) -> Option<Seen> {
        let pixels = image.get("data")?;
        let Value::Numbers(Numbers::U8(pixels)) = &*pixels else { return None };
        let mut record = self.record("", 0);
        let [width, height] = ["width", "height"].map(|name| number(image, name) as u32);
        let format = json!({"width": width, "height": height, "encoding": text(image, "encoding")});
        record.insert("image".to_owned(), format);
        let head = Json::from(record).to_string();
        let mut bytes = binary::begin(binary::IMAGE, u32::try_from(head.len()).ok()?);
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(pixels);
        Some(Seen::Image(bytes))
    }
}

/// Returns the shapes of an entity of a scene.
fn shapes(entity: &Value) -> Vec<Drawn> {
    let all = |list: &str, shape: &dyn Fn(&Value) -> Json| -> Vec<Drawn> {
        items(entity, list).iter().map(|one| (shape(one), color(one, "color"))).collect()
    };
    let spheres = all("spheres", &|sphere| {
        let (center, diameter) = (place(sphere, "pose.position"), number(sphere, "size.x"));
        if diameter == POINT {
            json!({"points": [center]})
        } else {
            json!({"sphere": center, "radius": diameter / 2.0})
        }
    });
    let boxes = all("cubes", &|cube| {
        let size = ["x", "y", "z"].map(|axis| number(cube, &format!("size.{axis}")));
        json!({"box": place(cube, "pose.position"), "size": size, "rotation": rotation(cube, "pose.orientation")})
    });
    let capsules =
        all("cylinders", &|cylinder| json!({"capsule": ends(cylinder), "radius": number(cylinder, "size.x") / 2.0}));
    let lines = all(
        "lines",
        &|line| json!({"line": items(line, "points").iter().map(|point| place(point, "")).collect::<Vec<_>>()}),
    );
    let texts = all("texts", &|label| json!({"text": text(label, "text"), "at": place(label, "pose.position")}));
    [spheres, boxes, capsules, lines, texts].concat()
}

/// Returns the middles of both ends of a cylinder.
fn ends(cylinder: &Value) -> [[f64; 3]; 2] {
    let [x, y, z, w] = rotation(cylinder, "pose.orientation");
    let half = number(cylinder, "size.z") / 2.0;
    // The z axis, turned by the quaternion.
    let way = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)].map(|part| half * part);
    let middle = ["x", "y", "z"].map(|axis| number(cylinder, &format!("pose.position.{axis}")));
    [-1.0, 1.0].map(|side| std::array::from_fn(|axis| middle[axis] + side * way[axis]))
}

fn rotation(value: &Value, path: &str) -> [f64; 4] {
    ["x", "y", "z", "w"].map(|name| number(value, &format!("{path}.{name}")))
}

/// Returns the placement of a space. Its name is the same as in the drawings in it, and in their
/// topics.
fn transform(transform: &Value) -> Drawn {
    let place_of = topic(&text(transform, "child_frame_id"));
    let shape = json!({
        "place": place_of.strip_prefix("/debug/"),
        "at": place(transform, "translation"),
        "rotation": rotation(transform, "rotation"),
    });
    (shape, "#ffffffff".to_owned())
}

/// Returns the shapes that are drawn over an image.
fn annotations(drawn: &Value) -> Vec<Drawn> {
    const POINTS: f64 = 1.0;
    let circles = items(drawn, "circles");
    let circles = circles.iter().map(|circle| {
        let shape = json!({"circle": place(circle, "position"), "radius": number(circle, "diameter") / 2.0});
        (shape, color(circle, "outline_color"))
    });
    let strips = items(drawn, "points");
    let strips = strips.iter().map(|strip| {
        let points: Vec<_> = items(strip, "points").iter().map(|point| place(point, "")).collect();
        let shape = if number(strip, "type") == POINTS { "points" } else { "line" };
        (json!({ shape: points }), color(strip, "outline_color"))
    });
    let texts = items(drawn, "texts");
    let texts = texts.iter().map(|label| {
        (json!({"text": text(label, "text"), "at": place(label, "position")}), color(label, "text_color"))
    });
    circles.chain(strips).chain(texts).collect()
}

fn items<'v>(value: &'v Value, path: &str) -> Vec<Cow<'v, Value>> {
    match value.get(path) {
        Some(Cow::Borrowed(Value::List(items))) => items.iter().map(Cow::Borrowed).collect(),
        _ => Vec::new(),
    }
}

fn text(value: &Value, path: &str) -> String {
    match value.get(path).as_deref() {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

fn number(value: &Value, path: &str) -> f64 {
    value.get(path).and_then(|value| value.number()).unwrap_or_default()
}

/// Returns the coordinates of a point: two of them for a point on the ground.
fn place(value: &Value, path: &str) -> Json {
    let at = value.get(path);
    let Some(point) = at.as_deref() else { return Json::Null };
    let [x, y, z] = ["x", "y", "z"].map(|name| number(point, name));
    if z == 0.0 { json!([x, y]) } else { json!([x, y, z]) }
}

/// Returns a colour in the form `#rrggbbaa`.
fn color(value: &Value, path: &str) -> String {
    let parts = ["r", "g", "b", "a"]
        .map(|name| (number(value, &format!("{path}.{name}")).clamp(0.0, 1.0) * 255.0).round() as u8);
    parts.iter().fold("#".to_owned(), |text, part| text + &format!("{part:02x}"))
}
