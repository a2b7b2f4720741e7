use std::fmt;

/// A place for plots and drawings: ask for it with a `&Debug` argument.
///
/// Records go to a bounded queue of the worker and from there to whoever watches; while nobody does, nothing is queued. What
/// does not fit is dropped and counted. Names are `&'static str`, so that nothing is allocated.
///
/// ```
/// use hemiola_model::module::{Debug, Shape};
///
/// fn update(debug: &Debug) {
///     debug.plot("ball.distance", 1.25);
///     debug.draw("field", Shape::circle([1.0, 0.5], 0.05, 0xff8800));
/// }
/// update(&Debug::default()); // nobody watches
/// ```
#[derive(Clone, Copy, Default)]
pub struct Debug<'c> {
    sink: Option<&'c dyn DebugSink>,
}

/// What takes records: a queue that drops and counts what does not fit.
///
/// ```
/// use hemiola_model::module::{Debug, DebugRecord, DebugSink};
/// use std::cell::RefCell;
///
/// /// For tests of updates: a robot's queue is bounded.
/// #[derive(Default)]
/// struct Recorded(RefCell<Vec<DebugRecord>>);
///
/// impl DebugSink for Recorded {
///     fn record(&self, record: DebugRecord) {
///         self.0.borrow_mut().push(record);
///     }
/// }
///
/// let recorded = Recorded::default();
/// Debug::new(&recorded).plot("ball.distance", 1.25);
/// assert_eq!(*recorded.0.borrow(), [DebugRecord::Plot { name: "ball.distance", value: 1.25 }]);
/// ```
pub trait DebugSink {
    /// Takes one record; never blocks, never allocates.
    fn record(&self, record: DebugRecord);
}

/// One plotted number or one drawn shape.
///
/// ```
/// use hemiola_model::module::{DebugRecord, Shape};
///
/// let show = |record: DebugRecord| match record {
///     DebugRecord::Plot { name, value } => format!("{name} = {value}"),
///     DebugRecord::Draw { layer, shape } => format!("{shape:?} on {layer}"),
/// };
/// assert_eq!(show(DebugRecord::Plot { name: "ball.distance", value: 1.25 }), "ball.distance = 1.25");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DebugRecord {
    /// A number for the curve of that name.
    Plot {
        /// The curve.
        name: &'static str,
        /// The number.
        value: f32,
    },
    /// A shape for the layer of that name.
    Draw {
        /// The layer, such as `image.upper` or `field`; its coordinates are the layer's own (pixels, metres).
        layer: &'static str,
        /// The shape.
        shape: Shape,
    },
}

/// A shape to be drawn; colours are `0xrrggbb`.
///
/// ```
/// use hemiola_model::module::Shape;
///
/// let ball = Shape::circle([1.0, 0.5], 0.05, 0xff8800);
/// assert_eq!(ball, Shape::Circle { center: [1.0, 0.5], radius: 0.05, color: 0xff8800 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A line between two points.
    Line {
        /// One end.
        from: [f32; 2],
        /// The other end.
        to: [f32; 2],
        /// The colour.
        color: u32,
    },
    /// A circle.
    Circle {
        /// Its centre.
        center: [f32; 2],
        /// Its radius.
        radius: f32,
        /// The colour.
        color: u32,
    },
    /// A point.
    Point {
        /// Where.
        at: [f32; 2],
        /// The colour.
        color: u32,
    },
}

impl Shape {
    /// A line.
    pub const fn line(from: [f32; 2], to: [f32; 2], color: u32) -> Self {
        Self::Line { from, to, color }
    }

    /// A circle.
    pub const fn circle(center: [f32; 2], radius: f32, color: u32) -> Self {
        Self::Circle { center, radius, color }
    }

    /// A point.
    pub const fn point(at: [f32; 2], color: u32) -> Self {
        Self::Point { at, color }
    }
}

impl<'c> Debug<'c> {
    /// Records go to `sink`.
    pub fn new(sink: &'c dyn DebugSink) -> Self {
        Self { sink: Some(sink) }
    }

    /// Whether anybody watches; worth asking before computing something just to show it.
    pub fn is_watched(&self) -> bool {
        self.sink.is_some()
    }

    /// Adds a number to the curve of that name.
    pub fn plot(&self, name: &'static str, value: f32) {
        if let Some(sink) = self.sink {
            sink.record(DebugRecord::Plot { name, value });
        }
    }

    /// Draws a shape on the layer of that name.
    pub fn draw(&self, layer: &'static str, shape: Shape) {
        if let Some(sink) = self.sink {
            sink.record(DebugRecord::Draw { layer, shape });
        }
    }
}

impl fmt::Debug for Debug<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_watched() { "Debug(watched)" } else { "Debug(not watched)" })
    }
}
