//! The canvas and the scene on which updates draw.

use super::{Color, DebugContent, DebugSink, Points, Shape, ShortText};
use std::cell::Cell;
use std::fmt;

/// Draws in a space of two dimensions: [`Debug::draw`](super::Debug::draw). Points are arrays,
/// pairs, or vectors of a library that become arrays.
///
/// ```
/// use hemiola_model::module::{Color, Debug};
///
/// fn update(path: &[[f32; 2]], debug: &Debug) {
///     debug.draw("field/path", |canvas| {
///         canvas.line(path.iter().copied(), Color::GREEN);
///         canvas.covariance([1.0, 0.5], [[0.04, 0.01], [0.01, 0.02]], 0x4488ff);
///     });
/// }
/// update(&[], &Debug::default());
/// ```
pub struct Canvas<'d> {
    pen: Pen<'d>,
}

impl<'d> Canvas<'d> {
    pub(super) fn draw(sink: &'d dyn DebugSink, name: &'static str, is_background: bool, draw: impl FnOnce(&Self)) {
        let canvas = Self { pen: Pen { sink, name, is_background, has_drawn: Cell::new(false) } };
        draw(&canvas);
        canvas.pen.finish();
    }

    /// Draws a point.
    pub fn point(&self, at: impl Into<[f32; 2]>, color: impl Into<Color>) {
        self.points([at], color);
    }

    /// Draws points. Many points at once need few records.
    pub fn points(&self, points: impl IntoIterator<Item = impl Into<[f32; 2]>>, color: impl Into<Color>) {
        self.pen.points(points, color.into(), Shape::Points);
    }

    /// Draws a line from point to point.
    pub fn line(&self, points: impl IntoIterator<Item = impl Into<[f32; 2]>>, color: impl Into<Color>) {
        self.pen.line(points.into_iter().map(Into::into), color.into(), Shape::Line);
    }

    /// Draws a line around an area: from the last point back to the first.
    pub fn polygon(&self, points: impl IntoIterator<Item = impl Into<[f32; 2]>>, color: impl Into<Color>) {
        let mut points = points.into_iter().map(Into::into);
        let first = points.next();
        self.pen.line(first.into_iter().chain(points).chain(first), color.into(), Shape::Line);
    }

    /// Draws an arrow.
    pub fn arrow(&self, from: impl Into<[f32; 2]>, to: impl Into<[f32; 2]>, color: impl Into<Color>) {
        self.pen.draw(Shape::Arrow { from: from.into(), to: to.into() }, color.into());
    }

    /// Draws a circle.
    pub fn circle(&self, center: impl Into<[f32; 2]>, radius: f32, color: impl Into<Color>) {
        self.pen.draw(Shape::Circle { center: center.into(), radius }, color.into());
    }

    /// Draws an ellipse: `axes` are half of its length along its two axes, and `angle` is the
    /// direction of the first one, in radians from x towards y.
    pub fn ellipse(&self, center: impl Into<[f32; 2]>, axes: [f32; 2], angle: f32, color: impl Into<Color>) {
        self.pen.draw(Shape::Ellipse { center: center.into(), axes, angle }, color.into());
    }

    /// Draws the ellipse of one standard deviation.
    pub fn covariance(&self, mean: impl Into<[f32; 2]>, covariance: [[f32; 2]; 2], color: impl Into<Color>) {
        self.pen.draw(Shape::covariance(mean.into(), covariance), color.into());
    }

    /// Draws at most [`ShortText::CAPACITY`] bytes of a text.
    pub fn text(&self, at: impl Into<[f32; 2]>, text: impl fmt::Display, color: impl Into<Color>) {
        self.pen.draw(Shape::Text { at: at.into(), text: ShortText::of(text) }, color.into());
    }

    /// Places another space in this one: `at` is its origin, `angle` the direction of its x axis,
    /// in radians from x towards y. Viewers of this space see what is drawn in the other one at its
    /// place, and what is placed there in turn. The newest place counts. Like a shape, it
    /// disappears when it is not drawn again. Nothing can be placed in an image.
    ///
    /// ```
    /// use hemiola_model::module::{Color, Debug};
    ///
    /// /// Knows where the robot stands.
    /// fn pose(at: [f32; 2], heading: f32, debug: &Debug) {
    ///     debug.draw("field/pose", |canvas| canvas.place("robot", at, heading));
    /// }
    ///
    /// /// Knows how far away the ball is, and needs to know nothing else to be seen on the field.
    /// fn ball(ahead: f32, debug: &Debug) {
    ///     debug.draw("robot/ball", |canvas| canvas.circle([ahead, 0.0], 0.05, Color::ORANGE));
    /// }
    /// # pose([1.0, 2.0], 0.5, &Debug::default());
    /// # ball(0.3, &Debug::default());
    /// ```
    pub fn place(&self, space: &'static str, at: impl Into<[f32; 2]>, angle: f32) {
        self.pen.draw(Shape::Place { space, at: at.into(), angle }, Color::WHITE);
    }
}

/// Draws in a space of three dimensions: [`Debug::draw_3d`](super::Debug::draw_3d).
///
/// ```
/// use hemiola_model::module::{Color, Debug};
///
/// fn update(foot: [f32; 3], debug: &Debug) {
///     debug.draw_3d("torso/feet", |scene| {
///         scene.frame(foot, [0.0, 0.0, 0.0, 1.0], 0.1);
///         scene.line([[0.0; 3], foot], Color::WHITE);
///     });
/// }
/// update([0.0, 0.05, -0.33], &Debug::default());
/// ```
pub struct Scene<'d> {
    pen: Pen<'d>,
}

impl<'d> Scene<'d> {
    pub(super) fn draw(sink: &'d dyn DebugSink, name: &'static str, draw: impl FnOnce(&Self)) {
        let scene = Self { pen: Pen { sink, name, is_background: false, has_drawn: Cell::new(false) } };
        draw(&scene);
        scene.pen.finish();
    }

    /// Draws a point.
    pub fn point(&self, at: impl Into<[f32; 3]>, color: impl Into<Color>) {
        self.points([at], color);
    }

    /// Draws points. Many points at once need few records.
    pub fn points(&self, points: impl IntoIterator<Item = impl Into<[f32; 3]>>, color: impl Into<Color>) {
        self.pen.points(points, color.into(), Shape::Points3d);
    }

    /// Draws a line from point to point.
    pub fn line(&self, points: impl IntoIterator<Item = impl Into<[f32; 3]>>, color: impl Into<Color>) {
        self.pen.line(points.into_iter().map(Into::into), color.into(), Shape::Line3d);
    }

    /// Draws an arrow.
    pub fn arrow(&self, from: impl Into<[f32; 3]>, to: impl Into<[f32; 3]>, color: impl Into<Color>) {
        self.pen.draw(Shape::Arrow3d { from: from.into(), to: to.into() }, color.into());
    }

    /// Draws the axes of a coordinate frame, `length` long: its origin, and its rotation as a unit
    /// quaternion (x, y, z, w).
    pub fn frame(&self, position: impl Into<[f32; 3]>, rotation: impl Into<[f32; 4]>, length: f32) {
        let shape = Shape::Frame { position: position.into(), rotation: rotation.into(), length };
        self.pen.draw(shape, Color::WHITE);
    }

    /// Draws at most [`ShortText::CAPACITY`] bytes of a text.
    pub fn text(&self, at: impl Into<[f32; 3]>, text: impl fmt::Display, color: impl Into<Color>) {
        self.pen.draw(Shape::Text3d { at: at.into(), text: ShortText::of(text) }, color.into());
    }

    /// Draws a solid sphere.
    pub fn sphere(&self, center: impl Into<[f32; 3]>, radius: f32, color: impl Into<Color>) {
        self.pen.draw(Shape::Sphere { center: center.into(), radius }, color.into());
    }

    /// Draws a solid box, by its centre, the lengths of its edges, and its rotation, a unit
    /// quaternion (x, y, z, w).
    pub fn cuboid(
        &self,
        center: impl Into<[f32; 3]>,
        size: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
        color: impl Into<Color>,
    ) {
        let shape = Shape::Cuboid { center: center.into(), size: size.into(), rotation: rotation.into() };
        self.pen.draw(shape, color.into());
    }

    /// Draws a solid cylinder with half a sphere at each end: limbs, posts, wheels.
    ///
    /// ```
    /// use hemiola_model::module::{Color, Debug};
    ///
    /// fn shin(knee: [f32; 3], ankle: [f32; 3], debug: &Debug) {
    ///     debug.draw_3d("robot/shin", |scene| scene.capsule(knee, ankle, 0.04, Color::WHITE));
    /// }
    /// # shin([0.0, 0.05, 0.2], [0.0, 0.05, 0.05], &Debug::default());
    /// ```
    pub fn capsule(&self, from: impl Into<[f32; 3]>, to: impl Into<[f32; 3]>, radius: f32, color: impl Into<Color>) {
        self.pen.draw(Shape::Capsule { from: from.into(), to: to.into(), radius }, color.into());
    }

    /// Places another space in this one, by its origin and its rotation, a unit quaternion (x, y,
    /// z, w), otherwise like [`Canvas::place`]. Spaces of two dimensions lie on the ground of those
    /// of three, so that both can be placed in each other.
    ///
    /// ```
    /// use hemiola_model::module::Debug;
    ///
    /// fn torso(height: f32, turn: [f32; 4], debug: &Debug) {
    ///     debug.draw_3d("robot/torso", |scene| scene.place("torso", [0.0, 0.0, height], turn));
    /// }
    /// # torso(0.33, [0.0, 0.0, 0.0, 1.0], &Debug::default());
    /// ```
    pub fn place(&self, space: &'static str, position: impl Into<[f32; 3]>, rotation: impl Into<[f32; 4]>) {
        let shape = Shape::Place3d { space, position: position.into(), rotation: rotation.into() };
        self.pen.draw(shape, Color::WHITE);
    }
}

/// The pen that canvases and scenes draw with.
struct Pen<'d> {
    sink: &'d dyn DebugSink,
    name: &'static str,
    is_background: bool,
    has_drawn: Cell<bool>,
}

impl Pen<'_> {
    fn draw(&self, shape: Shape, color: Color) {
        self.has_drawn.set(true);
        self.sink.record(self.name, DebugContent::Draw { shape, color, is_background: self.is_background });
    }

    fn points<const D: usize, const CAPACITY: usize>(
        &self,
        points: impl IntoIterator<Item = impl Into<[f32; D]>>,
        color: Color,
        shape: impl Fn(Points<D, CAPACITY>) -> Shape,
    ) {
        let mut points = points.into_iter().map(Into::into).peekable();
        while points.peek().is_some() {
            self.draw(shape(points.by_ref().take(CAPACITY).collect()), color);
        }
    }

    /// Draws a line in pieces, each of which begins where the one before it ends.
    fn line<const D: usize, const CAPACITY: usize>(
        &self,
        points: impl Iterator<Item = [f32; D]>,
        color: Color,
        shape: impl Fn(Points<D, CAPACITY>) -> Shape,
    ) {
        let mut piece = Points::default();
        for point in points {
            if piece.push(point) {
                continue;
            }
            self.draw(shape(piece), color);
            piece = piece.last().copied().into_iter().chain([point]).collect();
        }
        if piece.len() > 1 {
            self.draw(shape(piece), color);
        }
    }

    fn finish(self) {
        if !self.has_drawn.get() {
            self.draw(Shape::Nothing, Color::BLACK);
        }
    }
}
