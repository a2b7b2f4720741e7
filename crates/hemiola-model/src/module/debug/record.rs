use super::{Color, DebugImage, ImageFormat, Shape, ShortText};
use crate::Time;
use std::fmt;
use std::sync::Arc;

/// A value that an update has plotted, drawn or written.
///
/// A viewer shows only the drawings of the newest run of each update and name.
/// `docs/book/src/door.md` describes the JSON of a record.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_model::module::{DebugContent, DebugRecord};
///
/// let record = DebugRecord {
///     time: Time::from_seconds(2.0),
///     run: 60,
///     update: "BallFilter.ball".into(),
///     sequence: 0,
///     name: "field/ball",
///     content: DebugContent::Plot(1.25),
/// };
/// assert_eq!((record.space(), record.layer()), ("field", "ball"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DebugRecord {
    /// The time of the cycle's clock.
    pub time: Time,
    /// The run of the update's cycle.
    pub run: u32,
    /// The update, as `Module.update`.
    pub update: Arc<str>,
    /// The number of records of the update in this run before this one, whoever requested them. A
    /// number that is missing belongs to a record that was dropped.
    pub sequence: u32,
    /// The name that the update has given to the record.
    pub name: &'static str,
    /// The content of the record.
    pub content: DebugContent,
}

impl DebugRecord {
    /// Returns the space of a drawing: its name up to the first slash.
    pub fn space(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(space, _)| space)
    }

    /// Returns the layer of a drawing: its name after the first slash, or the update's name if it
    /// has none.
    pub fn layer(&self) -> &str {
        self.name.split_once('/').map_or(&self.update, |(_, layer)| layer)
    }
}

/// The content of a [`DebugRecord`].
///
/// See [`DebugRecord`].
#[derive(Clone, Debug, PartialEq)]
pub enum DebugContent {
    /// A number for a curve.
    Plot(f64),
    /// A part of a drawing.
    Draw {
        /// The shape that is drawn.
        shape: Shape,
        /// The colour of the shape; frames have their own.
        color: Color,
        /// Set if the shape stays until it is drawn again.
        is_background: bool,
    },
    /// A state in words, which is valid from now on.
    Text(ShortText),
    /// An event in words, which has happened now.
    Annotation(ShortText),
    /// An image.
    Image(Arc<DebugImage>),
}

impl DebugContent {
    /// Returns the kind of the content.
    pub fn kind(&self) -> DebugKind {
        match self {
            Self::Plot(_) => DebugKind::Plot,
            Self::Draw { is_background: true, .. } => DebugKind::Background,
            Self::Draw { shape, .. } => match shape {
                Shape::Points3d(_)
                | Shape::Line3d(_)
                | Shape::Arrow3d { .. }
                | Shape::Frame { .. }
                | Shape::Place3d { .. }
                | Shape::Sphere { .. }
                | Shape::Cuboid { .. }
                | Shape::Capsule { .. }
                | Shape::Text3d { .. } => DebugKind::Drawing3d,
                _ => DebugKind::Drawing,
            },
            Self::Text(_) => DebugKind::Text,
            Self::Annotation(_) => DebugKind::Annotation,
            Self::Image(_) => DebugKind::Image,
        }
    }
}

/// The kinds of records that an update can show.
///
/// See [`DebugContent::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DebugKind {
    /// A number.
    Plot,
    /// A drawing in two dimensions.
    Drawing,
    /// A drawing in three dimensions.
    Drawing3d,
    /// A drawing that does not change.
    Background,
    /// A state in words.
    Text,
    /// An event in words.
    Annotation,
    /// An image.
    Image,
    /// A request for code that runs only when that name is wanted.
    Request,
}

impl fmt::Display for DebugKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Plot => "plot",
            Self::Drawing => "drawing",
            Self::Drawing3d => "drawing 3d",
            Self::Background => "background",
            Self::Text => "text",
            Self::Annotation => "annotation",
            Self::Image => "image",
            Self::Request => "request",
        })
    }
}

/// Receives the records of an update: a queue that drops and counts what does not fit. It never
/// blocks and never allocates.
///
/// ```
/// use hemiola_model::module::{Debug, DebugContent, DebugKind, DebugSink, ImageFormat};
/// use std::cell::RefCell;
///
/// /// For tests of updates: a robot's queue is bounded.
/// #[derive(Default)]
/// struct Recorded(RefCell<Vec<(&'static str, DebugContent)>>);
///
/// impl DebugSink for Recorded {
///     fn wants(&self, name: &'static str, _: DebugKind) -> bool {
///         name.starts_with("ball.")
///     }
///
///     fn record(&self, name: &'static str, content: DebugContent) {
///         self.0.borrow_mut().push((name, content));
///     }
///
///     fn image(&self, _: &'static str, _: ImageFormat, _: &mut dyn FnMut(&mut [u8])) {}
/// }
///
/// let recorded = Recorded::default();
/// let debug = Debug::new(&recorded);
/// debug.plot("ball.distance", 1.25);
/// debug.plot("walk.phase", || -> f32 { unreachable!("nobody wants it") });
/// assert_eq!(*recorded.0.borrow(), [("ball.distance", DebugContent::Plot(1.25))]);
/// ```
pub trait DebugSink {
    /// Returns whether somebody wants records of that name now.
    fn wants(&self, name: &'static str, kind: DebugKind) -> bool;

    /// Receives a record that somebody wants.
    fn record(&self, name: &'static str, content: DebugContent);

    /// Receives an image that somebody wants. If a buffer is free, `fill` is called with its
    /// pixels, which are all zero.
    fn image(&self, name: &'static str, format: ImageFormat, fill: &mut dyn FnMut(&mut [u8]));
}
