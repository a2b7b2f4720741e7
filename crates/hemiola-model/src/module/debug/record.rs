use super::{Color, DebugImage, ImageFormat, Shape, ShortText};
use crate::Time;
use std::fmt;
use std::sync::Arc;

/// Something that an update has plotted, drawn or written.
///
/// Of one update and name, a viewer shows the drawings of the newest run alone. As JSON, a record
/// is an object that `docs/door.md` describes.
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
    /// What the clock of its cycle showed.
    pub time: Time,
    /// The run of its cycle.
    pub run: u32,
    /// Whose it is: `Module.update`.
    pub update: Arc<str>,
    /// How many records of the update in this run came before it, whoever wanted them; one that
    /// nobody sees was dropped.
    pub sequence: u32,
    /// What the update calls it.
    pub name: &'static str,
    /// What it is.
    pub content: DebugContent,
}

impl DebugRecord {
    /// The space of a drawing: its name up to the first slash.
    pub fn space(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(space, _)| space)
    }

    /// The layer of a drawing: its name after the first slash; the update's name without one.
    pub fn layer(&self) -> &str {
        self.name.split_once('/').map_or(&self.update, |(_, layer)| layer)
    }
}

/// What a [`DebugRecord`] is.
///
/// ```
/// use hemiola_model::module::{DebugContent, DebugKind, ShortText};
///
/// assert_eq!(DebugContent::Text(ShortText::of("walking")).kind(), DebugKind::Text);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum DebugContent {
    /// A number for a curve.
    Plot(f64),
    /// A part of a drawing.
    Draw {
        /// What is drawn.
        shape: Shape,
        /// In which colour; frames have their own.
        color: Color,
        /// It stays until it is drawn anew.
        is_background: bool,
    },
    /// How something stands from now on.
    Text(ShortText),
    /// What has happened now.
    Annotation(ShortText),
    /// An image.
    Image(Arc<DebugImage>),
}

impl DebugContent {
    /// Which kind it is.
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
                | Shape::Text3d { .. } => DebugKind::Drawing3d,
                _ => DebugKind::Drawing,
            },
            Self::Text(_) => DebugKind::Text,
            Self::Annotation(_) => DebugKind::Annotation,
            Self::Image(_) => DebugKind::Image,
        }
    }
}

/// What an update can show.
///
/// ```
/// use hemiola_model::module::DebugKind;
///
/// assert_eq!(DebugKind::Drawing3d.to_string(), "drawing 3d");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DebugKind {
    /// A number.
    Plot,
    /// A drawing in two dimensions.
    Drawing,
    /// A drawing in three dimensions.
    Drawing3d,
    /// A drawing that stays as it is.
    Background,
    /// A state in words.
    Text,
    /// A moment in words.
    Annotation,
    /// An image.
    Image,
    /// Code that runs only when that name is wanted.
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

/// What takes records of an update: a queue that drops and counts what does not fit. It never
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
    /// Whether somebody wants what has that name now.
    fn wants(&self, name: &'static str, kind: DebugKind) -> bool;

    /// Takes one record that somebody wants.
    fn record(&self, name: &'static str, content: DebugContent);

    /// Takes an image that somebody wants: has `fill` fill its pixels, all zero before, if there is
    /// a buffer for it.
    fn image(&self, name: &'static str, format: ImageFormat, fill: &mut dyn FnMut(&mut [u8]));
}
