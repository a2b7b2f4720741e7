use super::*;
use crate::Time;
use std::cell::{Cell, RefCell};

/// A sink that wants the names that `wanted` accepts, and keeps their records.
struct Recorded {
    wanted: fn(&str) -> bool,
    records: RefCell<Vec<DebugContent>>,
}

impl Recorded {
    fn of(wanted: fn(&str) -> bool) -> Self {
        Self { wanted, records: RefCell::default() }
    }

    fn shapes(&self) -> Vec<Shape> {
        let records = self.records.borrow();
        let shapes = records.iter().filter_map(|content| match content {
            DebugContent::Draw { shape, .. } => Some(*shape),
            _ => None,
        });
        shapes.collect()
    }
}

impl DebugSink for Recorded {
    fn wants(&self, name: &'static str, _: DebugKind) -> bool {
        (self.wanted)(name)
    }

    fn record(&self, _: &'static str, content: DebugContent) {
        self.records.borrow_mut().push(content);
    }

    fn image(&self, _: &'static str, format: ImageFormat, fill: &mut dyn FnMut(&mut [u8])) {
        let mut pixels = vec![0; format.bytes()];
        fill(&mut pixels);
        let image = DebugImage::new(format, &pixels);
        self.records.borrow_mut().push(DebugContent::Image(image.into()));
    }
}

/// A text that counts how often it is formatted.
struct Asked<'c>(&'c Cell<u32>);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        formatter.write_str("something")
    }
}

fn show_everything(debug: &Debug, computed: &Cell<u32>) {
    let count = || computed.set(computed.get() + 1);
    debug.plot("a", || {
        count();
        1.0
    });
    debug.draw("b/c", |_| count());
    debug.draw_3d("d", |_| count());
    debug.background("e", |_| count());
    debug.text("f", Asked(computed));
    debug.annotate("g", format_args!("{}", Asked(computed)));
    let format = ImageFormat { width: 1, height: 1, pixels: PixelFormat::Mono8 };
    debug.image("h", format, |_| count());
    if debug.wants("i") {
        count();
    }
}

#[test]
fn nothing_is_computed_that_nobody_wants() {
    let computed = Cell::new(0);
    show_everything(&Debug::default(), &computed);
    show_everything(&Debug::new(&Recorded::of(|_| false)), &computed);
    assert_eq!(computed.get(), 0);
    let recorded = Recorded::of(|name| name == "b/c");
    show_everything(&Debug::new(&recorded), &computed);
    assert_eq!((computed.get(), recorded.shapes()), (1, vec![Shape::Nothing]));
    show_everything(&Debug::new(&Recorded::of(|_| true)), &computed);
    assert_eq!(computed.get(), 9);
}

#[test]
fn long_lines_come_in_pieces_that_join() {
    for count in 0..40_u8 {
        let recorded = Recorded::of(|_| true);
        let points: Vec<[f32; 2]> = (0..count).map(|x| [x.into(), 0.5]).collect();
        Debug::new(&recorded).draw("field", |canvas| canvas.polygon(points.iter().copied(), Color::RED));
        let mut joined: Vec<[f32; 2]> = Vec::new();
        for shape in recorded.shapes() {
            match shape {
                Shape::Line(piece) => {
                    assert!(joined.last().is_none_or(|last| Some(last) == piece.first()), "{count} points");
                    joined.extend(piece.iter().skip(usize::from(!joined.is_empty())));
                }
                Shape::Nothing => assert_eq!(count, 0),
                other => panic!("{other:?}"),
            }
        }
        let expected: Vec<_> = points.iter().chain(points.first()).copied().collect();
        assert_eq!(joined, expected);
    }
}

#[test]
fn places_are_drawn_as_shapes_are_and_are_of_their_kind() {
    let recorded = Recorded::of(|name| name != "elsewhere");
    let debug = Debug::new(&recorded);
    debug.draw("elsewhere", |_| unreachable!("nobody wants it"));
    debug.draw("field/pose", |canvas| canvas.place("robot", [1.0, 2.0], 0.5));
    debug.draw_3d("robot", |scene| scene.place("torso", [0.0, 0.0, 0.3], [0.0, 0.0, 0.0, 1.0]));
    let flat = Shape::Place { space: "robot", at: [1.0, 2.0], angle: 0.5 };
    let deep = Shape::Place3d { space: "torso", position: [0.0, 0.0, 0.3], rotation: [0.0, 0.0, 0.0, 1.0] };
    assert_eq!(recorded.shapes(), [flat, deep]);
    let kinds: Vec<_> = recorded.records.borrow().iter().map(DebugContent::kind).collect();
    assert_eq!(kinds, [DebugKind::Drawing, DebugKind::Drawing3d]);
}

#[test]
fn a_covariance_is_drawn_as_the_ellipse_of_its_eigenvectors() {
    for step in 0..32_u8 {
        let (turn, [long, short]) = (f32::from(step) * 0.1 - 1.5, [0.5_f32, 0.2]);
        let (sine, cosine) = turn.sin_cos();
        let (major, minor) = (long * long, short * short);
        let xx = major * cosine * cosine + minor * sine * sine;
        let yy = major * sine * sine + minor * cosine * cosine;
        let xy = (major - minor) * sine * cosine;
        let Shape::Ellipse { axes, angle, .. } = Shape::covariance([0.0; 2], [[xx, xy], [xy, yy]]) else {
            panic!("a covariance is an ellipse")
        };
        assert!((axes[0] - long).abs() < 1e-5 && (axes[1] - short).abs() < 1e-5, "{axes:?}");
        // An axis may point in either of two directions.
        assert!((angle - turn).sin().abs() < 1e-4, "{angle} instead of {turn}");
    }
    // The covariance of a line, also where rounding makes the smaller variance negative.
    assert!(matches!(
        Shape::covariance([0.0; 2], [[1.0, 1.000_001], [1.000_001, 1.0]]),
        Shape::Ellipse { axes: [_, 0.0], .. }
    ));
}

#[test]
fn texts_end_with_whole_characters() {
    for length in 0..100 {
        for character in ["a", "ö", "€", "🦀"] {
            let text = character.repeat(length);
            let short = ShortText::of(&text);
            match text.len() <= ShortText::CAPACITY {
                true => assert_eq!(&*short, text),
                false => assert!(text.starts_with(short.strip_suffix('…').unwrap()) && short.len() > 64, "{short}"),
            }
        }
    }
}

#[test]
fn a_record_is_small_enough_that_thousands_can_wait() {
    assert!(size_of::<DebugContent>() <= 96, "{} bytes", size_of::<DebugContent>());
}

#[test]
fn records_are_json_as_the_door_describes_it() {
    let json = |name, content| {
        let (time, update) = (Time::from_nanoseconds(1_500_000_000), "BallFilter.ball".into());
        let record = DebugRecord { time, run: 42, update, sequence: 3, name, content };
        let mut json = serde_json::to_value(record).unwrap();
        let object = json.as_object_mut().unwrap();
        let rest = object.split_off_common();
        assert_eq!(rest, ["1500000000", "42", "\"BallFilter.ball\"", "3"]);
        json.to_string()
    };
    let draw = |shape| DebugContent::Draw { shape, color: Color::ORANGE, is_background: false };
    assert_eq!(json("score", DebugContent::Plot(0.5)), r#"{"name":"score","plot":0.5}"#);
    assert_eq!(json("score", DebugContent::Plot(f64::NAN)), r#"{"name":"score","plot":null}"#);
    assert_eq!(json("state", DebugContent::Text(ShortText::of("on"))), r#"{"name":"state","text":"on"}"#);
    assert_eq!(json("now", DebugContent::Annotation(ShortText::of("go"))), r#"{"annotation":"go","name":"now"}"#);
    let cases = [
        (Shape::Nothing, r#"null"#),
        (Shape::Line([[1.0, 2.0], [3.0, 4.5]].into_iter().collect()), r#"{"line":[[1.0,2.0],[3.0,4.5]]}"#),
        (Shape::Points3d([[1.0, 2.0, 3.0]].into_iter().collect()), r#"{"points":[[1.0,2.0,3.0]]}"#),
        (Shape::Circle { center: [1.0, 2.0], radius: 0.5 }, r#"{"circle":[1.0,2.0],"radius":0.5}"#),
        (Shape::Arrow { from: [0.0; 2], to: [1.0; 2] }, r#"{"arrow":[[0.0,0.0],[1.0,1.0]]}"#),
        (
            Shape::Ellipse { center: [1.0, 2.0], axes: [0.5, 0.25], angle: 0.0 },
            r#"{"angle":0.0,"axes":[0.5,0.25],"ellipse":[1.0,2.0]}"#,
        ),
        (Shape::Text { at: [1.0, 2.0], text: ShortText::of("ball") }, r#"{"at":[1.0,2.0],"text":"ball"}"#),
        (
            Shape::Frame { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], length: 1.0 },
            r#"{"frame":[0.0,0.0,0.0],"length":1.0,"rotation":[0.0,0.0,0.0,1.0]}"#,
        ),
        (Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 }, r#"{"radius":0.5,"sphere":[1.0,2.0,3.0]}"#),
        (
            Shape::Cuboid { center: [0.0; 3], size: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 0.0, 1.0] },
            r#"{"box":[0.0,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0],"size":[1.0,2.0,3.0]}"#,
        ),
        (
            Shape::Capsule { from: [0.0; 3], to: [1.0; 3], radius: 0.5 },
            r#"{"capsule":[[0.0,0.0,0.0],[1.0,1.0,1.0]],"radius":0.5}"#,
        ),
        (
            Shape::Place { space: "robot", at: [1.0, 2.0], angle: 0.5 },
            r#"{"angle":0.5,"at":[1.0,2.0],"place":"robot"}"#,
        ),
        (
            Shape::Place3d { space: "torso", position: [0.0, 0.0, 0.5], rotation: [0.0, 0.0, 0.0, 1.0] },
            r#"{"at":[0.0,0.0,0.5],"place":"torso","rotation":[0.0,0.0,0.0,1.0]}"#,
        ),
    ];
    for (shape, expected) in cases {
        let expected = format!(r##"{{"color":"#ff8800ff","draw":{expected},"name":"field"}}"##);
        assert_eq!(json("field", draw(shape)), expected);
    }
    let background = DebugContent::Draw { shape: Shape::Nothing, color: Color::RED, is_background: true };
    assert_eq!(json("f", background), r##"{"background":true,"color":"#ff0000ff","draw":null,"name":"f"}"##);
    let format = ImageFormat { width: 2, height: 1, pixels: PixelFormat::Yuyv };
    let image = DebugContent::Image(DebugImage::new(format, &[]).into());
    assert_eq!(json("i", image), r#"{"image":{"encoding":"yuv422_yuy2","height":1,"width":2},"name":"i"}"#);
}

trait SplitOffCommon {
    /// Removes and returns the fields that all records have, except for their names.
    fn split_off_common(&mut self) -> [String; 4];
}

impl SplitOffCommon for serde_json::Map<String, serde_json::Value> {
    fn split_off_common(&mut self) -> [String; 4] {
        ["time", "run", "update", "sequence"].map(|key| self.remove(key).unwrap().to_string())
    }
}
