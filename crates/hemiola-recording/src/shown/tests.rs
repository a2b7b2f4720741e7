use std::collections::BTreeSet;
use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use hemiola_log::{Definition, Value};
use hemiola_model::module::{DebugImage, ImageFormat, PixelFormat, ShortText};

use super::*;

fn record(name: &'static str, content: DebugContent) -> DebugRecord {
    let (time, update) = (Time::from_seconds(1.5), "BallFilter.ball".into());
    DebugRecord { time, run: 42, update, sequence: 0, name, content }
}

fn drawing(name: &'static str, shapes: &[Shape]) -> Drawing {
    let content = |shape| DebugContent::Draw { shape, color: Color::ORANGE, is_background: false };
    let mut drawing = Drawing::of(&record(name, content(shapes[0]))).unwrap();
    drawing.shapes = shapes.iter().map(|shape| (*shape, Color::ORANGE)).collect();
    drawing
}

/// Reads a message as a program does that knows nothing but the schema.
fn read(message: &Message) -> Value {
    let definition = Definition::parse(&message.schema.name, &message.schema.text).unwrap();
    Value::decode(&Arc::new(definition), &message.bytes).unwrap()
}

fn text(value: &Value, path: &str) -> String {
    value.get(path).unwrap_or_else(|| panic!("no {path} in {value}")).to_string()
}

fn every_shape() -> Vec<Shape> {
    vec![
        Shape::Points([[1.0, 2.0]].into_iter().collect()),
        Shape::Line([[1.0, 2.0], [3.0, 4.0]].into_iter().collect()),
        Shape::Arrow { from: [0.0; 2], to: [1.0, 0.0] },
        Shape::Circle { center: [1.0, 2.0], radius: 0.5 },
        Shape::Ellipse { center: [1.0, 2.0], axes: [0.5, 0.25], angle: 0.0 },
        Shape::Text { at: [1.0, 2.0], text: ShortText::of("ball") },
        Shape::Points3d([[1.0, 2.0, 3.0]].into_iter().collect()),
        Shape::Line3d([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].into_iter().collect()),
        Shape::Arrow3d { from: [0.0; 3], to: [1.0; 3] },
        Shape::Frame { position: [1.0, 0.0, 0.0], rotation: [0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt()], length: 2.0 },
        Shape::Text3d { at: [1.0, 2.0, 3.0], text: ShortText::of("foot") },
        Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 },
        Shape::Cuboid { center: [1.0, 2.0, 3.0], size: [0.5, 1.0, 2.0], rotation: [0.5; 4] },
        Shape::Capsule { from: [1.0, 2.0, 3.0], to: [3.0, 2.0, 3.0], radius: 0.25 },
        Shape::Place { space: "robot", at: [1.0, 2.0], angle: FRAC_PI_2 },
        Shape::Place3d { space: "torso", position: [1.0, 2.0, 3.0], rotation: [0.5; 4] },
        Shape::Nothing,
    ]
}

#[test]
fn plots_texts_and_images_are_messages_of_their_own() {
    let plot = Message::of(&record("ball.score", DebugContent::Plot(0.5))).unwrap();
    assert_eq!((plot.topic.as_str(), plot.schema.name.as_str()), ("/debug/ball/score", "hemiola/msg/Plot"));
    assert_eq!(text(&read(&plot), "value"), "0.5");

    let said = Message::of(&record("search", DebugContent::Annotation(ShortText::of("whistle")))).unwrap();
    assert_eq!((said.topic.as_str(), said.schema.name.as_str()), ("/debug/log", "foxglove_msgs/msg/Log"));
    assert_eq!(text(&read(&said), "level"), "2");
    assert!(text(&read(&said), "message").contains("whistle"));

    let format = ImageFormat { width: 2, height: 2, pixels: PixelFormat::Mono8 };
    let image = DebugImage::new(format, &[1, 2, 3, 4]);
    let image = Message::of(&record("green", DebugContent::Image(image.into()))).unwrap();
    assert_eq!((image.topic.as_str(), image.schema.name.as_str()), ("/debug/green", IMAGE_TYPE));
    assert_eq!((text(&read(&image), "step"), text(&read(&image), "data[3]")), ("2".to_owned(), "4".to_owned()));
}

#[test]
fn a_scene_has_every_shape_in_the_frame_of_its_space() {
    let message = drawing("field/ball", &every_shape()).message(false).unwrap();
    assert_eq!(
        (message.topic.as_str(), message.schema.name.as_str()),
        ("/debug/field/ball", "foxglove_msgs/msg/SceneUpdate")
    );
    let scene = read(&message);
    assert!(text(&scene, "entities[0].frame_id").contains("field"));
    assert!(text(&scene, "entities[0].id").contains("BallFilter.ball"));
    let has = |path: &str| scene.get(&format!("entities[0].{path}")).is_some();
    // There are a line, an arrow, a circle, an ellipse, a line and an arrow in space, and the three
    // axes of a frame.
    assert!(has("lines[8]") && !has("lines[9]"));
    assert!(has("spheres[3]") && !has("spheres[4]"), "two points, the tip of an arrow in space, and a sphere");
    let part = |path: &str| text(&scene, &format!("entities[0].{path}")).parse::<f64>().unwrap();
    let is = |path: &str, expected: f64| assert!((part(path) - expected).abs() < 1e-6, "{path}: {}", part(path));
    is("spheres[3].size.x", 1.0);
    is("cubes[0].size.z", 2.0);
    // The z axis of the cylinder is turned by a right angle to the x axis.
    is("cylinders[0].pose.position.x", 2.0);
    is("cylinders[0].size.z", 2.0);
    is("cylinders[0].size.x", 0.5);
    is("cylinders[0].pose.orientation.y", 0.5_f64.sqrt());
    is("cylinders[0].pose.orientation.w", 0.5_f64.sqrt());
    assert!(has("texts[1]") && !has("texts[2]"));
    // The frame is turned by a right angle: its first axis points along y.
    let [x, y] = ["x", "y"].map(|axis| text(&scene, &format!("entities[0].lines[6].points[1].{axis}")));
    let [x, y] = [x, y].map(|number| number.parse::<f64>().unwrap());
    assert!((x - 1.0).abs() < 1e-6 && (y - 2.0).abs() < 1e-6, "{x} {y}");
}

#[test]
fn a_place_is_a_transform_from_the_frame_of_its_space() {
    let all = drawing("field/pose", &every_shape());
    let transforms: Vec<_> = all.transforms(false).collect();
    let topics: Vec<_> = transforms.iter().map(|message| message.topic.as_str()).collect();
    assert_eq!(topics, ["/debug/tf/field/robot", "/debug/tf/field/torso"]);
    assert!(transforms.iter().all(|message| message.schema.name == "foxglove_msgs/msg/FrameTransform"));
    let [robot, torso] = [0, 1].map(|index| read(&transforms[index]));
    assert!(text(&robot, "parent_frame_id").contains("field") && text(&robot, "child_frame_id").contains("robot"));
    let numbers = |value: &Value, of: &str, names: &[&str]| -> Vec<f64> {
        names.iter().map(|name| text(value, &format!("{of}.{name}")).parse().unwrap()).collect()
    };
    assert_eq!(numbers(&robot, "translation", &["x", "y", "z"]), [1.0, 2.0, 0.0]);
    assert_eq!(numbers(&torso, "translation", &["x", "y", "z"]), [1.0, 2.0, 3.0]);
    assert_eq!(numbers(&torso, "rotation", &["x", "y", "z", "w"]), [0.5; 4]);
    // A quarter turn from x towards y.
    let turn = numbers(&robot, "rotation", &["x", "y", "z", "w"]);
    let expected = [0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()];
    assert!(turn.iter().zip(expected).all(|(is, should)| (is - should).abs() < 1e-6), "{turn:?}");

    // Places in backgrounds have topics of their own, and names become topics as everywhere.
    let mut fixed = drawing("robot/mount", &[Shape::Place { space: "left eye", at: [0.0; 2], angle: 0.0 }]);
    fixed.is_background = true;
    assert_eq!(fixed.transforms(false).next().unwrap().topic, "/debug/tf_static/robot/left_eye");
    assert!(read(&fixed.message(false).unwrap()).get("entities[0]").is_none(), "a place alone is nothing to be seen");
    assert!(all.transforms(true).next().is_none(), "nothing lies in an image");
}

#[test]
fn who_draws_nothing_any_more_has_its_drawing_deleted() {
    let scene = read(&drawing("field/ball", &[Shape::Nothing]).message(false).unwrap());
    assert!(text(&scene, "deletions[0].id").contains("BallFilter.ball"));
    assert!(scene.get("entities[0]").is_none());
    let annotations = read(&drawing("UpperImage/ball", &[Shape::Nothing]).message(true).unwrap());
    assert!(annotations.get("circles[0]").is_none() && annotations.get("points[0]").is_none());
}

#[test]
fn over_an_image_circles_stay_circles() {
    let message = drawing("UpperImage/ball candidates", &every_shape()).message(true).unwrap();
    assert_eq!(message.topic, "/debug/UpperImage/ball_candidates");
    assert_eq!(message.schema.name, "foxglove_msgs/msg/ImageAnnotations");
    let annotations = read(&message);
    assert_eq!(text(&annotations, "circles[0].diameter"), "1.0");
    assert_eq!(text(&annotations, "circles[0].outline_color.r"), "1.0");
    // There are points, a line, an arrow and an ellipse, and no shapes in space.
    assert!(annotations.get("points[3]").is_some() && annotations.get("points[4]").is_none());
    assert!(text(&annotations, "texts[0].text").contains("ball"));
}

#[test]
fn what_one_run_draws_under_a_name_is_one_message() {
    let part = |run: u32, seconds: f64, name: &'static str| {
        let shape = Shape::Circle { center: [0.0; 2], radius: 1.0 };
        let content = DebugContent::Draw { shape, color: Color::ORANGE, is_background: false };
        DebugRecord { run, time: Time::from_seconds(seconds), ..record(name, content) }
    };
    let circles = |message: &Message| read(message).get("circles").unwrap().to_string().matches("diameter").count();
    let mut gathered = Gathered::over(["view".to_owned()].into());
    assert!(gathered.add(&part(1, 1.0, "view/ball")).is_empty());
    assert!(gathered.add(&part(1, 1.0, "view/ball")).is_empty());
    assert!(gathered.add(&part(1, 1.0, "view/goal")).is_empty(), "another name");
    let first = gathered.add(&part(2, 1.1, "view/ball")).pop().expect("the run before is over");
    assert_eq!((first.topic.as_str(), first.time, circles(&first)), ("/debug/view/ball", Time::from_seconds(1.0), 2));

    assert!(gathered.take_complete().is_empty(), "more may come of both");
    let plot = DebugRecord { time: Time::from_seconds(1.55), ..record("ball.score", DebugContent::Plot(0.5)) };
    assert_eq!(gathered.add(&plot)[0].topic, "/debug/ball/score");
    let old = gathered.take_complete();
    assert_eq!(old.iter().map(|message| message.topic.as_str()).collect::<Vec<_>>(), ["/debug/view/goal"]);
    let rest = gathered.take_all();
    assert_eq!(rest.iter().map(|message| message.topic.as_str()).collect::<Vec<_>>(), ["/debug/view/ball"]);
    assert!(gathered.take_all().is_empty());
}

#[test]
fn what_is_drawn_over_an_image_that_is_shown_lies_over_it() {
    let format = ImageFormat { width: 1, height: 1, pixels: PixelFormat::Mono8 };
    let mut gathered = Gathered::over(BTreeSet::new());
    let image = DebugContent::Image(DebugImage::new(format, &[9]).into());
    assert_eq!(gathered.add(&record("green", image))[0].schema.name, IMAGE_TYPE);
    let shape = Shape::Circle { center: [0.0; 2], radius: 1.0 };
    for name in ["green/spots", "field/spots"] {
        let content = DebugContent::Draw { shape, color: Color::ORANGE, is_background: false };
        assert!(gathered.add(&record(name, content)).is_empty());
    }
    let schemas = gathered.take_all().into_iter().map(|message| message.schema.name.as_str()).collect::<Vec<_>>();
    assert_eq!(schemas, ["foxglove_msgs/msg/SceneUpdate", "foxglove_msgs/msg/ImageAnnotations"]);
}

#[test]
fn each_message_is_of_the_type_of_its_channel() {
    let format = ImageFormat { width: 1, height: 1, pixels: PixelFormat::Mono8 };
    let shape = Shape::Circle { center: [0.0; 2], radius: 1.0 };
    for content in [
        DebugContent::Plot(0.5),
        DebugContent::Image(DebugImage::new(format, &[9]).into()),
        DebugContent::Text(ShortText::of("open")),
        DebugContent::Annotation(ShortText::of("it rings")),
        DebugContent::Draw { shape, color: Color::ORANGE, is_background: true },
    ] {
        let kind = content.kind();
        let mut gathered = Gathered::over(BTreeSet::new());
        let message = gathered.add(&record("hall", content)).pop().or_else(|| gathered.take_all().pop()).unwrap();
        let expected = channel("hall", kind, false).unwrap();
        assert_eq!(Channel { topic: message.topic.clone(), schema: message.schema }, expected);
        read(&message);
    }
    assert_eq!(channel("hall", DebugKind::Request, false), None);
}
