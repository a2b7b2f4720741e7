//! Debug output of updates: plots, drawings, images and texts, for observers that request them.

mod canvas;
mod color;
mod image;
mod json;
mod record;
mod shape;
mod short_text;
#[cfg(test)]
mod tests;

pub use canvas::{Canvas, Scene};
pub use color::Color;
pub use image::{DebugImage, ImageFormat, PixelFormat};
pub use record::{DebugContent, DebugKind, DebugRecord, DebugSink};
pub use shape::{Points, Shape};
pub use short_text::ShortText;

use std::fmt;

/// Shows what happens inside an update: ask for it with a `&Debug` argument.
///
/// An observer of the robot (a page, a log, a trace) requests names. What nobody requests is not
/// computed: closures are not called, texts are not formatted. What an observer requests goes into
/// a bounded queue of the worker; nothing is allocated, and what does not fit is dropped and
/// counted.
///
/// ```
/// use hemiola_model::module::{Color, Debug};
///
/// fn update(candidates: &[[f32; 2]], debug: &Debug) {
///     // A number for a curve; what is costly goes into a closure
///     debug.plot("ball.candidates", candidates.len());
///     debug.plot("ball.spread", || candidates.iter().map(|at| at[0].hypot(at[1])).sum::<f32>());
///     // A drawing, in the space `field`, on the layer `candidates`
///     debug.draw("field/candidates", |canvas| {
///         for (number, at) in candidates.iter().enumerate() {
///             canvas.circle(*at, 0.05, Color::ORANGE);
///             canvas.text(*at, format_args!("#{number}"), Color::WHITE);
///         }
///     });
///     // A state, and a moment
///     debug.text("ball.search", if candidates.is_empty() { "searching" } else { "following" });
///     if candidates.len() > 8 {
///         debug.annotate("ball.crowd", format_args!("{} candidates", candidates.len()));
///     }
/// }
/// update(&[[1.0, 0.5]], &Debug::default()); // nobody watches
/// ```
///
/// # Names
/// The name of a plot or text is free. The name of a drawing is its space, or its space, a slash
/// and a layer: `field/candidates`. What lies over an image has the name of the image's
/// representation, or of the [debug image](Self::image), as its space (`UpperImage/lines`), and
/// pixels as coordinates. Where one space lies in another is drawn as well ([`Canvas::place`]).
///
/// # What an update provides must not depend on it
/// Whether somebody watches is not recorded, and a replay may be watched by others. Results that
/// depend on [`wants`](Self::wants), or on whether a closure was called, differ from one run to the
/// next.
#[derive(Clone, Copy, Default)]
pub struct Debug<'c> {
    sink: Option<&'c dyn DebugSink>,
}

impl<'c> Debug<'c> {
    /// Creates a service whose records go to `sink`.
    pub fn new(sink: &'c dyn DebugSink) -> Self {
        Self { sink: Some(sink) }
    }

    /// Adds a number to the curve of that name: any number, `bool`, or a closure that returns one
    /// and is only called if somebody wants it.
    #[inline]
    pub fn plot(&self, name: &'static str, value: impl Plotted) {
        if let Some(sink) = self.sink_of(name, DebugKind::Plot) {
            sink.record(name, DebugContent::Plot(value.number()));
        }
    }

    /// Draws in two dimensions. Replaces what this update has drawn under this name in earlier
    /// runs, even if it draws nothing now.
    #[inline]
    pub fn draw(&self, name: &'static str, draw: impl FnOnce(&Canvas<'_>)) {
        if let Some(sink) = self.sink_of(name, DebugKind::Drawing) {
            Canvas::draw(sink, name, false, draw);
        }
    }

    /// Draws what does not change, such as the lines of a field: about once a second of the cycle's
    /// clock, and whenever somebody begins to watch.
    #[inline]
    pub fn background(&self, name: &'static str, draw: impl FnOnce(&Canvas<'_>)) {
        if let Some(sink) = self.sink_of(name, DebugKind::Background) {
            Canvas::draw(sink, name, true, draw);
        }
    }

    /// Draws in three dimensions, otherwise like [`draw`](Self::draw).
    #[inline]
    pub fn draw_3d(&self, name: &'static str, draw: impl FnOnce(&Scene<'_>)) {
        if let Some(sink) = self.sink_of(name, DebugKind::Drawing3d) {
            Scene::draw(sink, name, draw);
        }
    }

    /// Records a state in a few words, which is valid until the next text of that name.
    /// `format_args!` formats only if somebody wants it. At most [`ShortText::CAPACITY`] bytes are
    /// kept.
    #[inline]
    pub fn text(&self, name: &'static str, text: impl fmt::Display) {
        if let Some(sink) = self.sink_of(name, DebugKind::Text) {
            sink.record(name, DebugContent::Text(ShortText::of(text)));
        }
    }

    /// Marks this moment with a few words, otherwise like [`text`](Self::text).
    #[inline]
    pub fn annotate(&self, name: &'static str, text: impl fmt::Display) {
        if let Some(sink) = self.sink_of(name, DebugKind::Annotation) {
            sink.record(name, DebugContent::Annotation(ShortText::of(text)));
        }
    }

    /// Shows an image; `fill` receives its pixels, which are all zero.
    ///
    /// A worker has a few buffers for all its images. They are created when somebody first wants
    /// one: that first image is dropped, as are images for which no buffer is free. A
    /// representation that is an image can be watched itself, and needs none of this.
    ///
    /// ```
    /// use hemiola_model::module::{Debug, ImageFormat, PixelFormat};
    ///
    /// fn update(is_green: &[bool], debug: &Debug) {
    ///     let format = ImageFormat { width: 80, height: 60, pixels: PixelFormat::Mono8 };
    ///     debug.image("green", format, |pixels| {
    ///         pixels.iter_mut().zip(is_green).for_each(|(pixel, green)| *pixel = u8::from(*green) * 255);
    ///     });
    /// }
    /// update(&[], &Debug::default());
    /// ```
    #[inline]
    pub fn image(&self, name: &'static str, format: ImageFormat, fill: impl FnOnce(&mut [u8])) {
        if let Some(sink) = self.sink_of(name, DebugKind::Image) {
            let mut fill = Some(fill);
            sink.image(name, format, &mut |pixels| {
                if let Some(fill) = fill.take() {
                    fill(pixels);
                }
            });
        }
    }

    /// Returns whether somebody wants that name, for code that runs only on request. What the
    /// update provides must not depend on it.
    #[inline]
    pub fn wants(&self, name: &'static str) -> bool {
        self.sink_of(name, DebugKind::Request).is_some()
    }

    /// Returns the destination of records of that name, if somebody wants them.
    #[inline]
    fn sink_of(&self, name: &'static str, kind: DebugKind) -> Option<&'c dyn DebugSink> {
        self.sink.filter(|sink| sink.wants(name, kind))
    }
}

impl fmt::Debug for Debug<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.sink.is_some() { "Debug(watched)" } else { "Debug(not watched)" })
    }
}

/// A value that [`Debug::plot`] accepts: a number, or a closure that returns one.
///
/// ```
/// use hemiola_model::module::Plotted;
///
/// assert_eq!(0.5_f32.number(), 0.5);
/// assert_eq!(true.number(), 1.0);
/// assert_eq!((|| 7_u8).number(), 7.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be plotted",
    label = "neither a number nor a closure that returns one",
    note = "a plot takes a number, a `bool`, or a closure without arguments that returns one of them"
)]
pub trait Plotted {
    /// Returns the number; 64-bit integers are rounded.
    fn number(self) -> f64;
}

macro_rules! plotted {
    ($($number:ty: $convert:expr),*) => { $(
        impl Plotted for $number {
            #[inline]
            fn number(self) -> f64 {
                $convert(self)
            }
        }
    )* };
}

plotted! {
    f64: f64::from, f32: f64::from, bool: f64::from,
    u8: f64::from, u16: f64::from, u32: f64::from, i8: f64::from, i16: f64::from, i32: f64::from,
    u64: |number| number as f64, i64: |number| number as f64,
    usize: |number| number as f64, isize: |number| number as f64
}

impl<F: FnOnce() -> N, N: Plotted> Plotted for F {
    #[inline]
    fn number(self) -> f64 {
        self().number()
    }
}
