//! Drawings over images. Each message replaces the one before it.

use hemiola_model::Time;
use hemiola_model::module::{Color as Shown, Shape};

use super::Drawing;
use super::messages::{CircleAnnotation, Color, ImageAnnotations, Point2, PointsAnnotation, TextAnnotation};
use super::scene::{arrow_head, ellipse};

/// The sizes, in pixels.
const THICKNESS: f64 = 1.0;
const POINT: f64 = 3.0;
const FONT: f64 = 12.0;

const POINTS: u8 = 1;
const LINE_STRIP: u8 = 3;

pub fn of(drawing: &Drawing) -> ImageAnnotations {
    let mut annotations = ImageAnnotations { circles: Vec::new(), points: Vec::new(), texts: Vec::new() };
    let mut pen = Pen { time: drawing.time, annotations: &mut annotations };
    drawing.shapes.iter().for_each(|(shape, color)| pen.draw(shape, *color));
    annotations
}

struct Pen<'a> {
    time: Time,
    annotations: &'a mut ImageAnnotations,
}

impl Pen<'_> {
    fn draw(&mut self, shape: &Shape, color: Shown) {
        match *shape {
            Shape::Points(points) => self.points(POINTS, &points, POINT, color),
            Shape::Line(points) => self.points(LINE_STRIP, &points, THICKNESS, color),
            Shape::Arrow { from, to } => {
                let [left, right] = arrow_head(from, to);
                self.points(LINE_STRIP, &[from, to, left, to, right], THICKNESS, color);
            }
            Shape::Circle { center, radius } => self.annotations.circles.push(CircleAnnotation {
                timestamp: self.time,
                position: point(center),
                diameter: f64::from(radius) * 2.0,
                thickness: THICKNESS,
                fill_color: Color::NONE,
                outline_color: color.into(),
            }),
            Shape::Ellipse { center, axes, angle } => {
                self.points(LINE_STRIP, &ellipse(center, axes, angle), THICKNESS, color);
            }
            Shape::Text { at, text } => self.annotations.texts.push(TextAnnotation {
                timestamp: self.time,
                position: point(at),
                text: text.to_string(),
                font_size: FONT,
                text_color: color.into(),
                background_color: Color::NONE,
            }),
            // These shapes have no place in an image.
            Shape::Points3d(_)
            | Shape::Line3d(_)
            | Shape::Arrow3d { .. }
            | Shape::Frame { .. }
            | Shape::Text3d { .. }
            | Shape::Sphere { .. }
            | Shape::Cuboid { .. }
            | Shape::Capsule { .. }
            | Shape::Place { .. }
            | Shape::Place3d { .. }
            | Shape::Nothing => {}
        }
    }

    fn points(&mut self, r#type: u8, points: &[[f32; 2]], thickness: f64, color: Shown) {
        self.annotations.points.push(PointsAnnotation {
            timestamp: self.time,
            r#type,
            points: points.iter().copied().map(point).collect(),
            outline_color: color.into(),
            outline_colors: Vec::new(),
            fill_color: Color::NONE,
            thickness,
        });
    }
}

fn point([x, y]: [f32; 2]) -> Point2 {
    Point2 { x: x.into(), y: y.into() }
}
